//! `sys.nofile`: may the job open all its files?

use super::limit::{Limits, words};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::ask::Limit;

pub(super) const CHECK: Check = Check {
    id: "sys.nofile",
    title: "Limit of open files",
    reads: "getrlimit(RLIMIT_NOFILE)",
    why: "Every file, device and ring that is open takes a descriptor. The usual soft limit is 1,024, which select() \
          once needed; a job with many workers that each have many files (numjobs times nrfiles) exceeds it and fails \
          with EMFILE in the middle of its preparation.",
    judged: "bad for every goal where the job's files exceed the hard limit, warn where they exceed the soft one. \
             fathom adds 64, and two for each worker, for rings, logs and similar files. Without a job: a remark.",
    remedy: "fathom raises its own soft limit up to the hard one for the run, which needs no rights and ends with the \
             process. For more than that: ulimit -Hn as root, LimitNOFILE= of the unit, or a line with nofile in \
             /etc/security/limits.conf.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["getrlimit(2)"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("fathom", judge(scene))]),
};

/// Descriptors of the program itself, and of each worker (ring and event).
const OWN: u64 = 64;
const PER_WORKER: u64 = 2;

fn judge(scene: &Scene<'_>) -> Observed {
    let limits = Limits::read(scene, Limit::NoFile)?;
    Ok(match scene.job.files {
        Some(files) => {
            let workers = scene.job.workers.unwrap_or(1);
            limits.judge(files + OWN + PER_WORKER * workers, "open files")
        }
        None => {
            let says =
                format!("{} files may be open, {} after raising", words(limits.soft), words(limits.hard));
            limits.seen().info(says)
        }
    })
}
