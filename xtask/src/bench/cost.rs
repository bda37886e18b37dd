//! What one run of a program costs: time, CPU time, memory and disk space.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bench::meter::{Meter, last_processor};
use crate::bench::peak;

/// A shorter time is too close to the unit of CPU time, 10 ms, to be compared.
const SECONDS_MIN: f64 = 0.05;

/// A cost grows faster than the work if it grows by more than the work times this:
/// single runs differ by as much.
const FASTER: f64 = 1.2;

/// What a run costs, from its start to its end.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Time that passed.
    pub seconds: f64,
    /// CPU time of all its threads.
    pub cpu_seconds: f64,
    /// The peak of its resident memory.
    pub mib: f64,
    /// The size of what it left in its directory.
    pub saved_kib: f64,
}

/// Runs a command that must succeed, in a directory that is empty before.
pub fn measure(mut run: Command, directory: &Path) -> Result<Cost, String> {
    let processor = last_processor()?;
    let (before, began) = (Meter::read(processor, None)?, Instant::now());
    let mut child =
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|e| format!("{run:?}: {e}"))?;
    let (ended, most_kib) = peak::watch(&mut child).map_err(|e| format!("{run:?}: {e}"))?;
    let seconds = began.elapsed().as_secs_f64();
    if !ended.success() {
        return Err(format!("{run:?}: {ended}"));
    }
    Ok(Cost {
        seconds,
        cpu_seconds: Meter::read(processor, None)?.since(&before).cpu_ns / 1e9,
        mib: most_kib as f64 / 1024.0,
        saved_kib: bytes_in(directory) as f64 / 1024.0,
    })
}

fn bytes_in(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    entries
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => bytes_in(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

impl Cost {
    /// How much each cost has grown when the work grew by a factor of `work`.
    pub fn growth(&self, before: &Cost, work: f64) -> String {
        let pairs = [
            ("time", self.seconds, before.seconds, SECONDS_MIN),
            ("CPU", self.cpu_seconds, before.cpu_seconds, SECONDS_MIN),
            ("memory", self.mib, before.mib, 0.0),
            ("saved", self.saved_kib, before.saved_kib, 0.0),
        ];
        let told =
            pairs.into_iter().filter(|(_, _, then, least)| then > least).map(|(name, now, then, _)| {
                let faster = if now / then > work * FASTER { ", FASTER THAN THE WORK" } else { "" };
                format!("{name} × {:.1}{faster}", now / then)
            });
        format!("{work:.0} × the work: {}", told.collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_faster_than_the_work_is_told() {
        let cost = |seconds, mib| Cost { seconds, cpu_seconds: 0.0, mib, saved_kib: 0.0 };
        let told = cost(13.0, 20.0).growth(&cost(1.0, 10.0), 10.0);
        assert_eq!(told, "10 × the work: time × 13.0, FASTER THAN THE WORK, memory × 2.0");
        assert_eq!(cost(9.0, 20.0).growth(&cost(0.01, 10.0), 10.0), "10 × the work: memory × 2.0");
    }

    #[test]
    fn a_command_is_measured_and_must_succeed() {
        let directory = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo 1234567 > saved; sleep 0.05"]).current_dir(directory.path());
        let cost = measure(shell, directory.path()).unwrap();
        assert!(cost.seconds >= 0.05 && cost.mib > 0.0, "{cost:?}");
        assert_eq!(cost.saved_kib, 8.0 / 1024.0);
        assert!(measure(Command::new("false"), directory.path()).is_err());
    }
}
