//! Jobs that run at the same time on one device or file system, although they use other bytes of it.
//!
//! Without `stonewall` all sections of a job file run together, and each measures what the others leave of the disk.
//! Files that several tools generate for "a read test and a write test" forget it (kubestr's, for one).

use super::duration::{JobTime, spans};
use super::notes::{self, Notes};
use super::{PlannedJob, TargetKind, TargetLookup};
use crate::options;
use std::collections::BTreeMap;

/// More names than this help nobody.
const NAMES_MAX: usize = 4;

/// What jobs can share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shared<'a> {
    Device(&'a str),
    FileSystem(u64),
}

/// Adds a note for each device or file system that several jobs of one stage use.
pub(super) fn find(jobs: &[PlannedJob], lookup: &dyn TargetLookup, notes: &mut Notes) {
    let mut users: BTreeMap<(u32, Shared<'_>), Vec<User<'_>>> = BTreeMap::new();
    let spans = spans(jobs, JobTime::expected);
    // A job that waits for another one, and clones of one job, are meant so.
    for (job, span) in jobs.iter().zip(&spans).filter(|(job, _)| job.subjob == 0 && job.wait_for.is_none()) {
        if let Some(shared) = job.files.iter().next().and_then(|file| shared(&file.path, file.kind, lookup)) {
            // What is not known may be at any time.
            let (begins, ends) = span.map_or((0, u64::MAX), |(begins, ends)| (begins.0, ends.0));
            users.entry((job.stage, shared)).or_default().push(User { begins, ends, job });
        }
    }
    let users = users.into_iter().map(|(at, users)| (at, meeting(users)));
    for ((_, shared), jobs) in users.filter(|(_, jobs)| jobs.len() > 1) {
        let names: Vec<&str> = jobs.iter().take(NAMES_MAX).map(|job| job.name.as_str()).collect();
        let more = match jobs.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let what = match shared {
            Shared::Device(path) => path.to_owned(),
            Shared::FileSystem(_) => {
                format!("the file system of {}", jobs[0].files.iter().next().map_or("", |file| &file.path))
            }
        };
        let message = format!(
            "the jobs {}{more} run at the same time on {what}: each measures what the others leave of it",
            names.join(", ")
        );
        let found = notes::note(&jobs[1].job, &options::STONEWALL, "shared-target", message);
        notes.push(found.hint("stonewall in each section behind the first has them run one after the other"));
    }
}

/// A job, and when it runs, ns from the start of the plan.
#[derive(Clone, Copy)]
struct User<'a> {
    begins: u64,
    ends: u64,
    job: &'a PlannedJob,
}

/// The jobs that run at the same time as another one of them, in the order of the plan.
fn meeting(mut users: Vec<User<'_>>) -> Vec<&PlannedJob> {
    users.sort_by_key(|user| user.begins);
    let mut meet = Vec::new();
    let mut last_end = 0;
    for (place, user) in users.iter().enumerate() {
        let meets_next = users.get(place + 1).is_some_and(|next| next.begins < user.ends);
        if user.begins < last_end || meets_next {
            meet.push(user.job);
        }
        last_end = last_end.max(user.ends);
    }
    meet.sort_by_key(|job| job.id);
    meet
}

/// The device or file system of a target, as far as it is known.
fn shared<'a>(path: &'a str, kind: TargetKind, lookup: &dyn TargetLookup) -> Option<Shared<'a>> {
    match kind {
        TargetKind::Block | TargetKind::Simulated => Some(Shared::Device(path)),
        TargetKind::File | TargetKind::Missing => lookup.look_up(path).file_system.map(Shared::FileSystem),
        TargetKind::Char | TargetKind::Directory | TargetKind::Closed | TargetKind::None => None,
    }
}
