//! Waits for a time or for a state. A request to stop ends the wait at once.

use super::arrays::arrays_being_built;
use crate::ender::Ender;
use crate::here::Here;
use crate::notice::Message;
use fathom_device::Root;
use fathom_device::diskstat::{DiskCounters, disks_beneath};
use fathom_device::target;
use fathom_procedures::Wait;
use fathom_results::procedure::StepDone;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time between two looks at the request to stop.
const LOOK: Duration = Duration::from_millis(100);

/// The time without I/O after which a disk counts as idle.
const QUIET: Duration = Duration::from_secs(1);

/// The time between two reports of how far an array is.
const TELL: Duration = Duration::from_secs(10);

/// Waits. `None` if somebody asked to stop.
pub(super) fn wait(wait: &Wait, targets: &[PathBuf], ender: &Ender, here: &Here) -> Option<StepDone> {
    let (until, reached) = match wait {
        Wait::Seconds(seconds) => {
            sleep(Duration::from_secs(*seconds), ender)?;
            (format!("{seconds} s have passed"), true)
        }
        Wait::Idle { at_most_seconds } => {
            let reached = idle(targets, Duration::from_secs(*at_most_seconds), ender, here)?;
            ("the disks below the targets do no I/O".to_owned(), reached)
        }
        Wait::Built { at_most_seconds } => {
            let reached = built(targets, Duration::from_secs(*at_most_seconds), ender, here)?;
            ("every array below the targets is built".to_owned(), reached)
        }
    };
    Some(StepDone::Waited { until, reached })
}

fn sleep(time: Duration, ender: &Ender) -> Option<()> {
    let end = Instant::now() + time;
    while let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        if ender.cause().is_some() {
            return None;
        }
        std::thread::sleep(left.min(LOOK));
    }
    Some(())
}

/// Whether the disks came to rest in the time allowed.
fn idle(targets: &[PathBuf], at_most: Duration, ender: &Ender, here: &Here) -> Option<bool> {
    let begun = Instant::now();
    let disks = disks(targets, here.root());
    let mut before = ios(&disks, here.root());
    loop {
        sleep(QUIET, ender)?;
        let now = ios(&disks, here.root());
        if now == before {
            return Some(true);
        }
        if begun.elapsed() >= at_most {
            return Some(false);
        }
        before = now;
    }
}

/// Whether the arrays were built in the time allowed. How far they are is told every ten seconds.
fn built(targets: &[PathBuf], at_most: Duration, ender: &Ender, here: &Here) -> Option<bool> {
    let begun = Instant::now();
    let mut told: Option<Instant> = None;
    loop {
        let building = arrays_being_built(targets, here.root());
        if building.is_empty() {
            return Some(true);
        }
        if begun.elapsed() >= at_most {
            return Some(false);
        }
        if told.is_none_or(|at| at.elapsed() >= TELL) {
            here.tell(Message::note(format!("waiting until the array is built: {}", building.join("; "))));
            told = Some(Instant::now());
        }
        sleep(QUIET, ender)?;
    }
}

fn disks(targets: &[PathBuf], root: &Root) -> BTreeSet<String> {
    let devices = targets.iter().filter_map(|path| target::inspect(root, path).ok()?.device);
    devices.flat_map(|device| disks_beneath(root, device).unwrap_or_default()).collect()
}

fn ios(disks: &BTreeSet<String>, root: &Root) -> Vec<u64> {
    let count = |disk: &String| {
        let counters = DiskCounters::read(root, disk).ok();
        counters.map_or(0, |counted| counted.reads + counted.writes + counted.discards)
    };
    disks.iter().map(count).collect()
}
