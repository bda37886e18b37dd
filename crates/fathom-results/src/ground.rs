//! What the targets of a run stand on.
//!
//! A hundred thousand files mostly lie on one file system, and the facts about it
//! are the same for each of them. So fathom keeps the facts of one target for all
//! targets on the same ground, which is a mount or a device. The fact `ground.DIRECTORY` names
//! the target that stands for the files of a directory, and `ground.PATH` the
//! one for a file that is not on the ground of its directory. A target without
//! either stands for itself.

use crate::record::{Fact, RunRecord};
use std::collections::HashMap;

/// What the names of these facts begin with.
const PREFIX: &str = "ground.";

/// Which target stands for which.
#[derive(Clone, Debug)]
pub struct Grounds<'a>(HashMap<&'a str, &'a str>);

impl RunRecord {
    /// Which target stands for which in this run.
    pub fn grounds(&self) -> Grounds<'_> {
        let known = self.host.iter().filter_map(|fact| {
            let place = fact.name.strip_prefix(PREFIX)?;
            Some((place, fact.value.as_deref()?))
        });
        Grounds(known.collect())
    }
}

impl<'a> Grounds<'a> {
    /// The target whose facts, `target.PATH.…`, hold for this one too.
    pub fn of(&self, path: &'a str) -> &'a str {
        let own = || self.0.get(path);
        let shared = || self.0.get(directory(path));
        own().or_else(shared).copied().unwrap_or(path)
    }
}

/// The fact that `target` stands for what is at `place`, a file or a directory.
pub fn stands_for(place: &str, target: &str) -> Fact {
    Fact { name: format!("{PREFIX}{place}"), value: Some(target.to_owned()), source: "mountinfo".to_owned() }
}

/// The directory of a target, as its path says it.
pub fn directory(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((directory, _)) => directory,
        None => ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_stands_for_its_directory_but_for_exceptions() {
        let facts = [stands_for("/d", "/d/1"), stands_for("/d/9", "/d/9"), stands_for(".", "a")];
        let known = facts.iter().map(|f| (f.name.strip_prefix(PREFIX).unwrap(), f.value.as_deref().unwrap()));
        let grounds = Grounds(known.collect());
        for (path, ground) in [
            ("/d/1", "/d/1"),
            ("/d/2", "/d/1"),
            ("/d/9", "/d/9"),
            ("/d/deeper/1", "/d/deeper/1"),
            ("b", "a"),
            ("/dev/sda", "/dev/sda"),
            ("/x", "/x"),
        ] {
            assert_eq!(grounds.of(path), ground, "{path}");
        }
    }
}
