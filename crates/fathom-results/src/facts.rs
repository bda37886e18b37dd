//! What the facts of a record say.

use crate::record::RunRecord;
use crate::surroundings::{RunSurroundings, TargetSurroundings};
use std::collections::BTreeSet;

/// Name of the fact that says how much CPU time the hypervisor gave to others during the run, per cent.
pub const STEAL_PERCENT: &str = "run.steal_percent";

impl RunRecord {
    /// The value of a fact about the machine; `None` where it was not known.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.host.iter().find(|fact| fact.name == name && fact.value.is_some())?.value.as_deref()
    }

    /// What the facts of the record say of where the run happens, on a machine with so many CPUs and so much memory.
    /// `holds_results` says whether the directory of the run is on the file system of a target.
    pub fn seen_surroundings(
        &self,
        cpus: u64,
        memory_bytes: u64,
        holds_results: impl Fn(&str) -> bool,
    ) -> RunSurroundings {
        let grounds = self.grounds();
        let files = self.plan.jobs.iter().flat_map(|job| &job.files).filter(|file| file.is_on_machine());
        // One target of each ground; the target that sorts first is at the beginning.
        let paths: BTreeSet<&str> = files.flat_map(|file| grounds.of_file(file)).collect();
        RunSurroundings {
            cpus,
            memory_bytes,
            hypervisor: self.fact("hypervisor").map(str::to_owned),
            steal_percent: self.fact(STEAL_PERCENT).and_then(|text| text.parse().ok()),
            targets: paths.iter().map(|path| self.target_surroundings(path, holds_results(path))).collect(),
        }
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
