//! Files that a run uses, so that none of them becomes an output.

use super::replace::parent;
use crate::commands::output::PAGE;
use fathom_job::plan::{Plan, TargetKind};
use fathom_results::{RunRecord, spool};
use fathom_text::carried::to_path;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The files, each with what it is used as.
#[derive(Debug, Default)]
pub struct InUse {
    files: Vec<(PathBuf, &'static str)>,
    /// Looked up when the first output asks; most runs have none.
    spots: OnceLock<HashMap<Spot, &'static str>>,
}

/// A file by its inode, whatever it is called; and by its name in a directory,
/// for one that does not exist yet.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Spot {
    Inode(u64, u64),
    Name(u64, u64, OsString),
}

impl InUse {
    /// The targets of a plan, and the job files that it was made from.
    pub fn by(plan: &Plan, jobs: Vec<PathBuf>) -> Self {
        let mut in_use = InUse::default();
        let files = plan.jobs.iter().flat_map(|job| &job.files);
        let files = files.filter(|f| matches!(f.kind, TargetKind::File | TargetKind::Missing));
        files.for_each(|file| in_use.add(to_path(&file.path), "a target of this run"));
        jobs.into_iter().for_each(|job| in_use.add(job, "a job file of this run"));
        in_use
    }

    /// Adds what the run will make in `dir`.
    pub fn add_run(&mut self, dir: &Path) {
        for name in [RunRecord::FILE, RunRecord::TOPOLOGY, spool::FILE, PAGE] {
            self.add(dir.join(name), "a file of this run");
        }
    }

    /// Adds a file, there or not.
    pub fn add(&mut self, path: impl Into<PathBuf>, user: &'static str) {
        self.files.push((path.into(), user));
        self.spots.take();
    }

    /// What the file is used as, if it is.
    pub fn user_of(&self, path: &Path) -> Option<&'static str> {
        let known = self.spots.get_or_init(|| {
            let all = self.files.iter().flat_map(|(path, user)| spots(path).into_iter().map(|s| (s, *user)));
            all.collect()
        });
        spots(path).into_iter().find_map(|spot| known.get(&spot).copied())
    }
}

fn spots(path: &Path) -> Vec<Spot> {
    let inode = fs::metadata(path).map(|meta| Spot::Inode(meta.dev(), meta.ino()));
    let name = match (fs::metadata(parent(path)), path.file_name()) {
        (Ok(dir), Some(name)) => Some(Spot::Name(dir.dev(), dir.ino(), name.to_owned())),
        _ => None,
    };
    inode.ok().into_iter().chain(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_any_name_and_before_it_exists() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "").unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink("a", at("soft")).unwrap();
        let mut in_use = InUse::default();
        in_use.add(at("a"), "used");
        in_use.add(at("new"), "used later");
        for name in ["a", "hard", "soft"] {
            assert_eq!(in_use.user_of(&at(name)), Some("used"), "{name}");
        }
        assert_eq!(
            in_use.user_of(&at("./../").join(dir.path().file_name().unwrap()).join("new")),
            Some("used later")
        );
        fs::write(at("new"), "").unwrap();
        assert_eq!(in_use.user_of(&at("new")), Some("used later"));
        assert_eq!(in_use.user_of(&at("other")), None);
    }
}
