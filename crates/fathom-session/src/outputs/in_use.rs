//! Files that a run uses, none of which may become an output.

use super::parent;
use fathom_job::plan::{Plan, TargetKind};
use fathom_results::{RunRecord, spool};
use fathom_text::carried::to_path;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The files, with the use of each.
#[derive(Clone, Debug, Default)]
pub struct InUse {
    targets: Arc<Targets>,
    others: Vec<(PathBuf, &'static str)>,
}

/// The targets of a plan; there may be a hundred thousand of them.
#[derive(Debug, Default)]
struct Targets {
    plan: Option<Arc<Plan>>,
    /// The targets; they are looked up for the first output, and most runs have none.
    spots: OnceLock<HashSet<Spot>>,
}

/// A file by its inode, so that every name of it is found; and by its name in a
/// directory, because it may not exist yet.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Spot {
    Inode(u64, u64),
    Name(u64, u64, OsString),
}

impl InUse {
    /// The targets of a plan, and the job files that it was made from.
    pub fn by(plan: &Arc<Plan>, jobs: Vec<PathBuf>) -> Self {
        let targets = Arc::new(Targets { plan: Some(plan.clone()), spots: OnceLock::new() });
        let others = jobs.into_iter().map(|job| (job, "a job file of this run")).collect();
        InUse { targets, others }
    }

    /// Adds the files that the run will make in `dir`.
    pub fn add_run(&mut self, dir: &Path) {
        for name in [RunRecord::FILE, RunRecord::TOPOLOGY, spool::FILE, RunRecord::PAGE] {
            self.add(dir.join(name), "a file of this run");
        }
    }

    /// Adds a file, which need not exist.
    pub fn add(&mut self, path: impl Into<PathBuf>, user: &'static str) {
        self.others.push((path.into(), user));
    }

    /// The use of the file in this run, if the run uses it.
    pub fn user_of(&self, path: &Path) -> Option<&'static str> {
        let (asked, mut dirs) = (spots(path, &mut Directories::default()), Directories::default());
        if asked.iter().any(|spot| self.targets.spots().contains(spot)) {
            return Some("a target of this run");
        }
        let mut uses = |other: &Path| spots(other, &mut dirs).iter().any(|spot| asked.contains(spot));
        self.others.iter().find(|(other, _)| uses(other)).map(|(_, user)| *user)
    }
}

impl Targets {
    fn spots(&self) -> &HashSet<Spot> {
        self.spots.get_or_init(|| {
            let files = self.plan.iter().flat_map(|plan| &plan.jobs).flat_map(|job| &job.files);
            let files = files.filter(|f| matches!(f.kind, TargetKind::File | TargetKind::Missing));
            let mut dirs = Directories::default();
            files.flat_map(|file| spots(&to_path(&file.path), &mut dirs)).collect()
        })
    }
}

/// Device and inode of directories that were examined.
type Directories = HashMap<PathBuf, Option<(u64, u64)>>;

fn spots(path: &Path, dirs: &mut Directories) -> Vec<Spot> {
    let look = |path: &Path| fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()));
    let dir = parent(path);
    let dir = match dirs.get(dir) {
        Some(known) => *known,
        None => *dirs.entry(dir.to_owned()).or_insert_with(|| look(dir)),
    };
    let name = dir.zip(path.file_name()).map(|((dev, inode), name)| Spot::Name(dev, inode, name.to_owned()));
    look(path).map(|(dev, inode)| Spot::Inode(dev, inode)).into_iter().chain(name).collect()
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
