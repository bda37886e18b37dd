//! `noise.kthreads`: does the kernel do work of its own during the measurement?

use super::process::{PROCESSES, Worked, share, worked};
use crate::audit::{Check, CpuTimes, Needs, Observation, Observe, Scene};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "noise.kthreads",
    title: "Housekeeping of the kernel",
    reads: "/proc/PID/stat of kernel threads, twice",
    why: "The kernel does work of its own that belongs to no program: it fills in the tables of a fresh ext4, \
          resynchronises arrays, cleans and balances btrfs, compacts memory, writes journals. A new file system is \
          busy for minutes after mkfs, and an array for hours after it was made.",
    judged: "Resynchronisation, recovery and reshape of arrays and ext4's late initialisation warn for every goal as \
             long as their thread exists, because it exists only while there is work. Cleaners, balancers, compaction \
             and swap warn when they used more than 1 % of one CPU between the two readings; less is a remark. After a \
             run all of them are judged by the CPU time that they used. Journals warn in the same way, unless the \
             target is a file: then they work for the job, and it is a remark. No such work: ok.",
    remedy: "Wait: /proc/mdstat shows how long an array will take. mkfs.ext4 -E lazy_itable_init=0,lazy_journal_init=0 \
             does that work at once. btrfs balance pause, btrfs scrub cancel. Never start a measurement on an array \
             that is still being built.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["I-20", "V-67"],
    observe: Observe::Watch(&["/proc/stat", PROCESSES], |scene| {
        judge(scene).unwrap_or_else(|unknown| vec![Observation::unknown("kernel", unknown)])
    }),
};

/// Share of one CPU. A thread that takes this share of a worker's CPU lowers
/// the worker's figure by this share at most. `sys.steal` has the same limit,
/// and runs of one job differ by more. A tick is 10 ms: 2 % of the half second
/// that an audit waits, but very little of a run of a minute.
const SHARE_MAX: f64 = 0.01;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The thread exists only while there is work.
    Alone,
    /// The thread always exists, and works when there is work.
    Works,
    /// The thread works for all programs that write to the file system.
    Journal,
}

/// The beginning and the end of a thread's name, and what the thread does.
const THREADS: [(Kind, &str, &str, &str); 11] = [
    (Kind::Alone, "md", "_resync", "an array is being resynchronised, recovered or reshaped"),
    (Kind::Alone, "md", "_reshape", "an array is being reshaped"),
    (Kind::Alone, "ext4lazyinit", "", "a new ext4 is being filled in"),
    (Kind::Works, "btrfs-cleaner", "", "btrfs removes deleted snapshots"),
    (Kind::Works, "btrfs-balance", "", "btrfs moves data to other places"),
    (Kind::Works, "kcompactd", "", "memory is being compacted"),
    (Kind::Works, "kswapd", "", "memory is short, pages are being reclaimed"),
    (Kind::Works, "khugepaged", "", "small pages are being made into huge ones"),
    (Kind::Journal, "jbd2/", "", "a journal of ext4 is being written"),
    (Kind::Journal, "xfsaild/", "", "the log of an XFS is being written back"),
    (Kind::Journal, "btrfs-transacti", "", "btrfs commits"),
];

fn judge(scene: &Scene<'_>) -> Result<Vec<Observation>, Unknown> {
    let all = worked(scene)?;
    // If the time between the readings is not known, every tick may be a large share of it.
    let times = scene.cpu_growth().ok().map(|(times, _)| times);
    let seen: Vec<Observation> = all.iter().filter_map(|one| tell(scene, one, times.as_ref())).collect();
    if !seen.is_empty() {
        return Ok(seen);
    }
    let says = format!("none of {} processes and threads does such work", all.len());
    Ok(vec![Observation::on("kernel").with("/proc", "").ok(says)])
}

/// The names are those of kernel threads; a program of the same name does not count.
fn tell(scene: &Scene<'_>, one: &Worked, times: Option<&CpuTimes>) -> Option<Observation> {
    let name = &one.process.name;
    let named =
        |(_, begin, end, _): &&(Kind, &str, &str, &str)| name.starts_with(begin) && name.ends_with(end);
    let (kind, _, _, what) = THREADS.iter().find(named).filter(|_| one.process.is_kernel)?;
    if *kind != Kind::Alone && one.ticks == 0 {
        return None;
    }
    let seen = Observation::on(name).show(&one.raw);
    let on_file_system = scene.targets.iter().any(|target| target.mount.is_some());
    let share = times.map(|times| share(one, times));
    if *kind == Kind::Journal && on_file_system {
        return Some(seen.info(format!("{what} ({} ticks), caused by the job on files", one.ticks)));
    }
    // Before a run, existing work is a warning. After the run, the CPU time that it took is known.
    let is_measured = *kind != Kind::Alone || scene.job.has_run;
    Some(match share.filter(|share| is_measured && *share <= SHARE_MAX) {
        Some(share) => seen.info(format!("{what} ({} ticks, {:.2} % of a CPU)", one.ticks, 100.0 * share)),
        None => seen.warn(format!("{what} ({} ticks)", one.ticks)),
    })
}
