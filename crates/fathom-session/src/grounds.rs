//! The grounds of a run: the file systems and devices of its targets, with one
//! target of each.
//!
//! What is below the targets is examined once for each ground, however many files
//! are on it.

use fathom_device::target::Ground;
use fathom_job::plan::Plan;
use fathom_results::Fact;
use fathom_results::ground::{directory, stands_for};
use fathom_text::carried::to_path;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

/// The grounds of a plan.
pub struct PlanGrounds {
    /// One target of each, in the order of their names.
    pub targets: Vec<PathBuf>,
    /// Which target represents which others.
    pub facts: Vec<Fact>,
}

impl PlanGrounds {
    /// Looks at every target of the plan.
    pub fn of(plan: &Plan) -> Self {
        // A target that cannot be examined is a ground by itself.
        Self::among(paths(plan), |path| Ground::of(&to_path(path)).unwrap_or(Ground::Device))
    }

    fn among(paths: BTreeSet<&str>, ground: impl Fn(&str) -> Ground) -> Self {
        let paths: Vec<(&str, Ground)> = paths.into_iter().map(|path| (path, ground(path))).collect();
        let mut first: HashMap<Ground, &str> = HashMap::new();
        let mut of_directory: HashMap<&str, &str> = HashMap::new();
        let mut targets = Vec::new();
        for (path, ground) in paths.iter().filter(|(_, ground)| *ground != Ground::Device) {
            let standing = *first.entry(*ground).or_insert_with(|| {
                targets.push(to_path(path));
                path
            });
            of_directory.entry(directory(path)).or_insert(standing);
        }
        let mut facts: Vec<Fact> = of_directory.iter().map(|(at, target)| stands_for(at, target)).collect();
        for (path, ground) in &paths {
            let standing = if *ground == Ground::Device { path } else { first[ground] };
            if *ground == Ground::Device {
                targets.push(to_path(path));
            }
            if of_directory.get(directory(path)).is_some_and(|usual| *usual != standing) {
                facts.push(stands_for(path, standing));
            }
        }
        targets.sort();
        facts.sort_by(|a, b| a.name.cmp(&b.name));
        Self { targets, facts }
    }
}

/// The targets of a plan, each once.
fn paths(plan: &Plan) -> BTreeSet<&str> {
    let all = plan.jobs.iter().flat_map(|job| &job.files).filter(|file| file.is_on_machine());
    all.map(|file| file.path.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(dev: u64) -> Ground {
        Ground::Mount { dev, mount: None }
    }

    fn told(paths: &[&str], ground: impl Fn(&str) -> Ground) -> (Vec<String>, Vec<String>) {
        let grounds = PlanGrounds::among(paths.iter().copied().collect(), ground);
        let fact = |fact: &Fact| format!("{} {}", fact.name, fact.value.as_deref().unwrap());
        let targets = grounds.targets.iter().map(|path| path.display().to_string());
        (targets.collect(), grounds.facts.iter().map(fact).collect())
    }

    #[test]
    fn files_of_one_mount_are_looked_at_once() {
        let (targets, facts) =
            told(&["/a/1", "/a/2", "/b/1", "/b/2", "c"], |path| mount(u64::from(path == "c")));
        assert_eq!(targets, ["/a/1", "c"]);
        assert_eq!(facts, ["ground.. c", "ground./a /a/1", "ground./b /a/1"]);
    }

    #[test]
    fn a_file_on_another_ground_than_its_directory_is_named() {
        let ground = |path: &str| match path {
            "/a/2" => mount(2),
            "/a/disk" => Ground::Device,
            _ => mount(1),
        };
        let (targets, facts) = told(&["/a/1", "/a/2", "/a/3", "/a/disk"], ground);
        assert_eq!(targets, ["/a/1", "/a/2", "/a/disk"]);
        assert_eq!(facts, ["ground./a /a/1", "ground./a/2 /a/2", "ground./a/disk /a/disk"]);
    }

    #[test]
    fn devices_stand_for_themselves_alone() {
        let (targets, facts) = told(&["/dev/sda", "/dev/sdb"], |_| Ground::Device);
        assert_eq!((targets.len(), facts.len()), (2, 0));
    }
}
