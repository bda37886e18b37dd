//! File systems that no job may fill (`fill_device`): the root file system, the one that holds the results, and a
//! file system in memory that is larger than the memory.
//!
//! A job that fills a file system does what it was asked for, also where a person did not think of what else is
//! there. Nothing that is saved consents to that, and there is no option that does.

use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::state::state_dir;
use fathom_device::target::{Inspector, PathFacts};
use fathom_job::plan::{Plan, PlannedFile, PlannedJob};
use fathom_job::units::Bytes;
use fathom_text::carried::to_path;
use std::collections::BTreeSet;
use std::path::Path;

/// Types of file systems that are in memory.
const IN_MEMORY: [&str; 2] = ["tmpfs", "ramfs"];

/// What no job may fill, with the words for it.
struct Kept {
    file_system: u64,
    what: String,
}

/// One refusal for each file system that a job of the plan may fill, and must not. `results` is where the run is
/// saved.
pub fn refusals(plan: &Plan, results: Option<&Path>, here: &Here) -> Vec<Failure> {
    let fillers: Vec<(&PlannedJob, &PlannedFile)> = fillers(plan).collect();
    if fillers.is_empty() {
        return Vec::new();
    }
    let inspector = Inspector::new(here.root());
    let look = |path: &Path| here.slow_look().at(path, || inspector.inspect(path)).ok();
    let kept = kept(results, &look);
    let mut devices = BTreeSet::new();
    let refusal = |(job, file): (&PlannedJob, &PlannedFile)| {
        let facts = look(&to_path(&file.path))?;
        let what = match may_fill(job, file, &facts) {
            false => return None,
            true => forbidden(&kept, &facts, here.machine().memory_available)?,
        };
        devices.insert(what.clone()).then(|| refused(job, file, &what))
    };
    fillers.into_iter().filter_map(refusal).collect()
}

/// The files of the plan that grow until no space is left.
fn fillers(plan: &Plan) -> impl Iterator<Item = (&PlannedJob, &PlannedFile)> {
    let jobs = plan.jobs.iter().filter(|job| job.end.when_full);
    // The files of a job mostly are in one directory, and there may be a hundred thousand of them.
    jobs.flat_map(|job| {
        let mut directories = BTreeSet::new();
        let files = job.files.iter().filter(|file| file.kind.is_file());
        files
            .filter(move |file| directories.insert(fathom_results::ground::directory(&file.path)))
            .map(move |f| (job, f))
    })
}

/// Can the job write as much as is free? A size, a number of I/Os and `io_size` may end it before.
fn may_fill(job: &PlannedJob, file: &PlannedFile, facts: &PathFacts) -> bool {
    let by_ios = job.end.ios.map(|ios| ios.saturating_mul(job.block_max().0));
    let all = job.files.iter().map(|file| file.size.0).fold(0, u64::saturating_add);
    let most = job.end.bytes.map(|bytes| bytes.0).into_iter().chain(by_ios).fold(all, u64::min);
    let grows = most.saturating_sub(file.length.map_or(0, |length| length.0));
    facts.fs_usable_bytes.is_none_or(|free| grows >= free)
}

fn kept(results: Option<&Path>, look: &dyn Fn(&Path) -> Option<PathFacts>) -> Vec<Kept> {
    // A directory that will be made is on the file system of the one in which it is made.
    let nearest = |path: &Path| path.ancestors().filter(|dir| !dir.as_os_str().is_empty()).find_map(look);
    let here = Path::new(".");
    let place = |path: &Path, what: &str| {
        let facts = nearest(path).or_else(|| look(here))?;
        Some(Kept { file_system: facts.fs_number?, what: what.to_owned() })
    };
    let state = state_dir("devices");
    let places = [
        place(Path::new("/"), "the root file system"),
        results.and_then(|dir| place(dir, "the file system on which the results are saved")),
        state.and_then(|dir| place(&dir, "the file system on which fathom keeps what it knows of devices")),
    ];
    places.into_iter().flatten().collect()
}

/// The words for a file system that must not be filled.
fn forbidden(kept: &[Kept], facts: &PathFacts, memory: Bytes) -> Option<String> {
    let is_kept = |kept: &&Kept| facts.fs_number == Some(kept.file_system);
    if let Some(kept) = kept.iter().find(is_kept) {
        return Some(kept.what.clone());
    }
    let in_memory = facts.fs_type.as_deref().filter(|fs| IN_MEMORY.contains(fs))?;
    // One without a limit says that it has no space at all.
    let free = facts.fs_usable_bytes.filter(|free| *free > 0);
    free.is_none_or(|free| free > memory.0 / 2).then(|| match free {
        Some(free) => {
            format!("a {in_memory} with {} free, and {memory} of memory are available", Bytes(free))
        }
        None => format!("a {in_memory} without a limit, which would take all memory"),
    })
}

fn refused(job: &PlannedJob, file: &PlannedFile, what: &str) -> Failure {
    let message =
        format!("job {}: fill_device=1: {} is on {what}; fathom does not fill that", job.name, file.path);
    Failure::new(Exit::Refused, message)
        .hint(
            "name a file on another file system, for example one on a loop device or a partition of its own",
        )
        .hint("size= writes a given amount, and the job ends there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::root::Root;

    fn facts(fs_number: u64, fs_type: &str, free: u64) -> PathFacts {
        let here = fathom_device::target::inspect(&Root::live(), Path::new(".")).unwrap();
        let (fs_number, fs_type) = (Some(fs_number), Some(fs_type.to_owned()));
        PathFacts { fs_number, fs_type, fs_usable_bytes: Some(free), ..here }
    }

    #[test]
    fn a_file_system_in_memory_is_filled_only_if_the_memory_holds_it_twice() {
        let kept = [Kept { file_system: 1, what: "the root file system".to_owned() }];
        let sentence = |facts: &PathFacts| forbidden(&kept, facts, Bytes::gib(4));
        assert_eq!(sentence(&facts(1, "ext4", 1)).as_deref(), Some("the root file system"));
        assert_eq!(sentence(&facts(2, "ext4", 1 << 50)), None);
        assert_eq!(sentence(&facts(2, "tmpfs", 2 << 30)), None);
        let large = sentence(&facts(2, "tmpfs", (2 << 30) + 1)).unwrap();
        assert!(large.contains("tmpfs") && large.contains("4 GiB of memory"), "{large}");
        assert!(sentence(&facts(2, "ramfs", 0)).unwrap().contains("without a limit"));
    }
}
