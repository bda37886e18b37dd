//! What the facts of a record say.

use crate::record::RunRecord;
use crate::surroundings::TargetSurroundings;

impl RunRecord {
    /// The value of a fact about the machine; `None` where it was not known.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.host.iter().find(|fact| fact.name == name && fact.value.is_some())?.value.as_deref()
    }

    /// What the facts of the record say of a target.
    pub fn target_surroundings(&self, path: &str, holds_results: bool) -> TargetSurroundings {
        let fact = |name: &str| self.fact(&format!("target.{path}.{name}"));
        TargetSurroundings {
            path: path.to_owned(),
            disk: fact("disk").map(str::to_owned),
            is_virtual_disk: fact("is_virtual_disk").map(|text| text == "true"),
            fs_type: fact("fs_type").map(str::to_owned),
            holds_results,
        }
    }
}
