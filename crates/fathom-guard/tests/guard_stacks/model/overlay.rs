//! What an overlay shows.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::{DirId, Entry, FileId, Model, Shown, SystemId};

impl Model {
    /// An overlay of two directories. From now on nobody changes a name in either.
    pub fn merge(&mut self, lower: DirId, upper: DirId) -> SystemId {
        let system = self.add_system("overlay", BTreeMap::new());
        self.systems[system.0].layers = vec![upper, lower];
        let root = DirId(self.dirs.len() - 1);
        let mut names = self.dirs[lower.0].names.clone();
        names.extend(self.dirs[upper.0].names.clone());
        for (name, entry) in names {
            let entry = match entry {
                Entry::File(_) => Entry::File(self.merged_file(system, lower, upper, name.clone())),
                other => other,
            };
            self.name(root, &name, entry);
        }
        for layer in [lower, upper] {
            self.dirs[layer.0].is_layer = true;
        }
        system
    }

    fn merged_file(&mut self, system: SystemId, lower: DirId, upper: DirId, name: OsString) -> FileId {
        let in_layer = |layer: DirId| match self.dirs[layer.0].names.get(&name) {
            Some(Entry::File(file)) => Some(*file),
            _ => None,
        };
        let (below, above) = (in_layer(lower), in_layer(upper));
        let seen = above.or(below).expect("the name is in one of them");
        let size_bytes = self.file(seen).size_bytes;
        let shown = Shown { lower: below, upper: above, upper_dir: upper, name };
        self.add_shown(system, size_bytes, shown)
    }
}
