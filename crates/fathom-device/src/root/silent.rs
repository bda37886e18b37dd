//! Disks whose queues do not answer.
//!
//! A process that changes a setting of a queue waits until the I/O of the queue has ended. If the
//! device hangs, this wait never ends; every process that reads a file of that queue waits too, and
//! no signal ends its wait (seen on 6.18). So a separate process reads one file of each disk before
//! we read any.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use crate::sys::apart::{self, Ask};

/// Files that the kernel reads under the locks that a change of a queue takes:
/// the limits' and the scheduler's.
const LOCKED: [&str; 2] = ["max_sectors_kb", "nr_requests"];

/// How long the kernel may take for a setting that it has in memory.
const LIMIT: Duration = Duration::from_secs(1);

/// Refuses to wait: an error of the kind `TimedOut` if the path is a file of a
/// queue that did not answer when this process first read one.
pub(super) fn refuse(path: &Path) -> io::Result<()> {
    static SILENT: OnceLock<BTreeSet<String>> = OnceLock::new();
    match queue_of(path) {
        Some(disk) if SILENT.get_or_init(silent).contains(disk) => {
            Err(io::Error::new(ErrorKind::TimedOut, format!("the queue of {disk} does not answer")))
        }
        _ => Ok(()),
    }
}

/// The disk of a path like `/sys/block/sda/queue/scheduler`.
fn queue_of(path: &Path) -> Option<&str> {
    let (disk, _) = path.to_str()?.strip_prefix("/sys/")?.split_once("/queue/")?;
    let (block, name) = disk.rsplit_once('/')?;
    block.ends_with("block").then_some(name)
}

fn silent() -> BTreeSet<String> {
    let entries = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let disks: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let questions = disks.iter().flat_map(|disk| {
        LOCKED.map(|file| {
            Ask::Read(CString::new(format!("/sys/block/{disk}/queue/{file}")).unwrap_or_default())
        })
    });
    // If no second process can be started, the files are read without this check.
    let Ok(answers) = apart::ask(&questions.collect::<Vec<_>>(), LIMIT) else { return BTreeSet::new() };
    let pairs = disks.into_iter().zip(answers.chunks_exact(LOCKED.len()));
    pairs.filter(|(_, pair)| pair.contains(&None)).map(|(disk, _)| disk).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_known_by_its_path() {
        assert_eq!(queue_of(Path::new("/sys/block/sda/queue/scheduler")), Some("sda"));
        let device = "/sys/devices/pci0000:00/ata1/host0/target0:0:0/0:0:0:0/block/sdb/queue/rotational";
        assert_eq!(queue_of(Path::new(device)), Some("sdb"));
        for other in ["/sys/block/sda/stat", "/sys/class/net/eth0/queue/x", "/proc/queue/1"] {
            assert_eq!(queue_of(Path::new(other)), None, "{other}");
        }
    }
}
