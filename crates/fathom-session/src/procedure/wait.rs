//! Waits for a time or for a state, such as that of arrays which are being built. A request to stop ends the wait at once.

use crate::ender::Ender;
use crate::here::Here;
use crate::notice::Message;
use fathom_device::device::Graph;
use fathom_device::diskstat::{DiskCounters, disks_beneath};
use fathom_device::{Root, target};
use fathom_procedures::Wait;
use fathom_results::procedure::{StepDone, WaitedFor};
use fathom_text::quantity::percent_with;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
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
            (WaitedFor::Time { seconds: *seconds }, true)
        }
        Wait::Idle { at_most_seconds } => {
            let reached = idle(targets, Duration::from_secs(*at_most_seconds), ender, here)?;
            (WaitedFor::Idle, reached)
        }
        Wait::Built { at_most_seconds } => {
            let reached = built(targets, Duration::from_secs(*at_most_seconds), ender, here)?;
            (WaitedFor::Built, reached)
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
    let mut reported: Option<Instant> = None;
    loop {
        let building = arrays_being_built(targets, here.root());
        if building.is_empty() {
            return Some(true);
        }
        if begun.elapsed() >= at_most {
            return Some(false);
        }
        if reported.is_none_or(|at| at.elapsed() >= TELL) {
            here.tell(Message::note(format!("waiting until the array is built: {}", building.join("; "))));
            reported = Some(Instant::now());
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

/// The arrays that are not built, each with how far it is: `md0: resync 41.2 %`.
pub fn arrays_being_built(targets: &[PathBuf], root: &Root) -> Vec<String> {
    let devices = targets.iter().filter_map(|path| target::inspect(root, path).ok()?.device);
    let graphs = devices.filter_map(|device| Graph::read(root, device).ok());
    let names: BTreeSet<String> = graphs
        .flat_map(|graph| graph.nodes().iter().map(|node| node.name.clone()).collect::<Vec<_>>())
        .collect();
    names.iter().filter_map(|name| of_array(root, name)).collect()
}

/// The action of an array that is not idle (Documentation/admin-guide/md.rst); `None` for what is no array, and for an
/// array without redundancy, which has nothing to build.
fn of_array(root: &Root, name: &str) -> Option<String> {
    let md = Path::new("/sys/class/block").join(name).join("md");
    let text = |file: &str| root.read_text(md.join(file)).ok().map(|text| text.trim().to_owned());
    let action = text("sync_action").filter(|action| !["idle", "frozen", ""].contains(&action.as_str()))?;
    let share = text("sync_completed").and_then(|text| {
        let (done, all) = text.split_once('/')?;
        let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
        (all > 0.0).then(|| format!(" {}", percent_with(done / all, 1)))
    });
    Some(format!("{name}: {action}{}", share.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn array(action: &str, completed: &str) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        let md = dir.path().join("sys/class/block/md0/md");
        fs::create_dir_all(&md).unwrap();
        fs::write(md.join("sync_action"), action).unwrap();
        fs::write(md.join("sync_completed"), completed).unwrap();
        of_array(&Root::recorded(dir.path()), "md0")
    }

    #[test]
    fn an_array_that_initialises_itself_is_not_built() {
        for (action, completed, reported) in [
            ("resync\n", "823040 / 2093056\n", Some("md0: resync 39.3 %")),
            ("recover\n", "none\n", Some("md0: recover")),
            ("check\n", "0 / 0\n", Some("md0: check")),
            ("idle\n", "none\n", None),
            ("frozen\n", "none\n", None),
        ] {
            assert_eq!(array(action, completed).as_deref(), reported, "{action}");
        }
        assert_eq!(of_array(&Root::live(), "no-such-disk"), None);
    }
}
