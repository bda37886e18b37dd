//! The process that a guardian watches: does it still run?
//!
//! The end of the stream between the two is a sign that may never come. A process that was killed
//! keeps its descriptors as long as one of its threads waits uninterruptibly in the kernel, for
//! instance for a device that does not answer. Its main thread shows that it was killed: it has
//! ended by then (state `Z`), or it waits too, with a SIGKILL that is still pending.

use serde::{Deserialize, Serialize};

use fathom_device::root::Root;

/// Bit of SIGKILL (9) in a mask of signals as `/proc` shows it.
const KILLED: u64 = 1 << (libc::SIGKILL - 1);

/// A process that runs, known by its number and its start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WatchedProcess {
    pid: u32,
    /// Clock ticks since boot. A process number is used again, but never with the same start.
    started: u64,
}

impl WatchedProcess {
    /// The process with this number, if it runs and can be seen.
    pub(super) fn of(root: &Root, pid: u32) -> Option<Self> {
        Some(Self { pid, started: started(root, pid)? })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether it runs: it has not ended, and nobody has killed it.
    pub(super) fn runs(&self, root: &Root) -> bool {
        let status = root.read_text(format!("/proc/{}/status", self.pid));
        started(root, self.pid) == Some(self.started) && status.is_ok_and(|status| is_running(&status))
    }
}

/// Field 22 of `/proc/PID/stat`, counted behind the name in brackets, which may
/// itself hold blanks and brackets (proc(5)).
fn started(root: &Root, pid: u32) -> Option<u64> {
    let stat = root.read_text(format!("/proc/{pid}/stat")).ok()?;
    let (_, behind_the_name) = stat.rsplit_once(')')?;
    behind_the_name.split_whitespace().nth(19)?.parse().ok()
}

/// Reads `/proc/PID/status`, which is that of the main thread.
fn is_running(status: &str) -> bool {
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let has_ended = field("State:").is_none_or(|state| state.starts_with(['Z', 'X']));
    let mask = |name: &str| field(name).and_then(|mask| u64::from_str_radix(mask, 16).ok()).unwrap_or(0);
    let is_killed = (mask("SigPnd:") | mask("ShdPnd:")) & KILLED != 0;
    !has_ended && !is_killed
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_device::tree::Tree;

    fn machine(status: &str, started: u64) -> Root {
        let zeros = "0 ".repeat(18);
        let tree = format!(
            "fathom-tree 1\n/proc/7/stat = 7 (a) b) S {zeros}{started} 0 0\n/proc/7/status <<\n{status}\n"
        );
        Root::held(&Tree::parse(&tree).unwrap())
    }

    #[track_caller]
    fn is(status: &str, runs: bool) {
        let root = machine(status, 4711);
        let watched = WatchedProcess::of(&root, 7).unwrap();
        assert_eq!(watched.runs(&root), runs, "{status}");
    }

    #[test]
    fn a_process_that_runs_and_one_that_waits_for_a_device() {
        is("\tState:\tS (sleeping)\n\tSigPnd:\t0000000000000000\n\tShdPnd:\t0000000000000000", true);
        is("\tState:\tD (disk sleep)\n\tSigPnd:\t0000000000000002\n\tShdPnd:\t0000000000004000", true);
    }

    /// Its stream may still be open: by a thread that cannot end yet.
    #[test]
    fn one_that_was_killed_does_not_run_whatever_waits_in_it() {
        is("\tState:\tZ (zombie)", false);
        is("\tState:\tD (disk sleep)\n\tSigPnd:\t0000000000000100\n\tShdPnd:\t0000000000000000", false);
        is("\tState:\tD (disk sleep)\n\tSigPnd:\t0000000000000000\n\tShdPnd:\t0000000000000100", false);
    }

    #[test]
    fn another_process_of_the_same_number() {
        let watched = WatchedProcess::of(&machine("\tState:\tS (sleeping)", 1), 7).unwrap();
        assert!(!watched.runs(&machine("\tState:\tS (sleeping)", 2)));
        assert_eq!(WatchedProcess::of(&machine("", 1), 8), None);
    }
}
