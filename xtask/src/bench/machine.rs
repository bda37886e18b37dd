//! The machine and the versions for which a figure is valid.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::command::{capture, command};

/// The machine on which figures were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Processors that we may use.
    pub cpus: u32,
    /// Release of the kernel.
    pub kernel: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Result<Self, String> {
        let info = slurp("/proc/cpuinfo")?;
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let cpus = std::thread::available_parallelism().map_err(|e| format!("processors: {e}"))?;
        Ok(Self {
            cpu: model.map_or("unknown", |(_, name)| name.trim()).to_owned(),
            cpus: cpus.get() as u32,
            kernel: slurp("/proc/sys/kernel/osrelease")?.trim().to_owned(),
        })
    }

    /// Whether figures of the two can be compared. Another kernel may change a figure, but then the
    /// comparison is wanted.
    pub fn is_like(&self, other: &Machine) -> bool {
        self.cpu == other.cpu && self.cpus == other.cpus
    }
}

/// The version of the other tool, such as `fio-3.33`.
pub fn fio_version() -> Result<String, String> {
    Ok(capture(&mut command("fio", &["--version"]))?.trim().to_owned())
}

/// The commit that was measured, with `-dirty` if the tree has other changes.
pub fn commit() -> Result<String, String> {
    let commit = capture(&mut command("git", &["rev-parse", "--short=10", "HEAD"]))?.trim().to_owned();
    let changes = capture(&mut command("git", &["status", "--porcelain", "--untracked-files=no"]))?;
    Ok(if changes.is_empty() { commit } else { format!("{commit}-dirty") })
}

/// Now in UTC, such as `2026-01-31T12:00:00Z`.
pub fn now() -> Result<String, String> {
    Ok(capture(&mut command("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]))?.trim().to_owned())
}

fn slurp(path: &str) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))
}
