//! The job file of a case, for one tool.

use std::path::{Path, PathBuf};

use super::case::Case;

/// What both tools share. fio gets its cheapest clock (on some processors its own choice between two
/// is random) and no random map, so that it is compared at its best.
const SHARED: &str = "\
rw=randread
norandommap=1
randrepeat=0
thread=1
clocksource=cpu
invalidate=0
";

/// What ends a run.
#[derive(Clone, Copy)]
pub enum Length {
    /// Time. There is no ramp: CPU time is only known for a whole process, and must belong to the
    /// I/Os that are counted. Caches are warm from the short runs before.
    Seconds(u64),
    /// This number of I/Os.
    Ios(u64),
}

impl Length {
    /// The lines of the job that set it.
    pub fn lines(self) -> String {
        match self {
            Length::Seconds(seconds) => format!("time_based=1\nruntime={seconds}\n"),
            Length::Ios(ios) => format!("number_ios={ios}\n"),
        }
    }
}

/// The text of the job file, with the lines that name the target.
pub fn text(case: &Case, target: &str, for_fio: bool, length: Length) -> String {
    let mut lines: Vec<&str> = case.job.to_vec();
    if for_fio {
        lines.extend(case.sides.fio().unwrap_or_default());
    }
    format!("[{}]\n{SHARED}{}{target}{}\n", case.name, length.lines(), lines.join("\n"))
}

/// Writes a job file into `scratch`, and returns its path.
pub fn write(scratch: &Path, text: &str) -> Result<PathBuf, String> {
    let path = scratch.join("bench.fio");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}
