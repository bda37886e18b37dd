//! Which targets share a mount or a device, called their ground.
//!
//! A hundred thousand files are mostly on one file system, and the facts about it
//! are the same for each of them. So fathom keeps the facts of one target for all
//! targets on the same ground. The fact `ground.DIRECTORY` names
//! the target whose facts hold for the files of a directory, and `ground.PATH` the
//! one for a file that is not on the ground of its directory. A target without
//! either has its own facts.

use crate::plan::FileRecord;
use crate::record::{Fact, RunRecord};
use std::collections::HashMap;

/// The first part of the names of these facts.
const PREFIX: &str = "ground.";

/// For each place, the target whose facts hold for it.
#[derive(Clone, Debug)]
pub struct Grounds<'a>(HashMap<&'a str, &'a str>);

impl RunRecord {
    /// For each place of this run, the target whose facts hold for it.
    pub fn grounds(&self) -> Grounds<'_> {
        let known = self.host.iter().filter_map(|fact| {
            let place = fact.name.strip_prefix(PREFIX)?;
            Some((place, fact.value.as_deref()?))
        });
        Grounds(known.collect())
    }
}

impl<'a> Grounds<'a> {
    /// The target whose facts hold for `path` too, if it is another one than `path`, or named.
    pub fn known(&self, path: &str) -> Option<&'a str> {
        self.0.get(path).or_else(|| self.0.get(directory(path))).copied()
    }

    /// The target whose facts, `target.PATH.…`, hold for `path` too.
    pub fn of(&self, path: &'a str) -> &'a str {
        self.known(path).unwrap_or(path)
    }

    /// The targets whose facts hold for these files.
    pub fn of_file(&self, file: &'a FileRecord) -> impl Iterator<Item = &'a str> {
        let first = self.of(&file.path);
        let rest = file.paths().skip(1).filter_map(|path| self.known(&path)).filter(move |at| *at != first);
        std::iter::once(first).chain(rest)
    }
}

/// The fact that the facts of `target` hold for `place`, a file or a directory.
pub fn stands_for(place: &str, target: &str) -> Fact {
    Fact { name: format!("{PREFIX}{place}"), value: Some(target.to_owned()), source: "mountinfo".to_owned() }
}

/// The directory part of a target's path.
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
