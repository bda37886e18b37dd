//! Notes in the ledger of purged devices that a run writes to a device.
//!
//! The note is made before the first I/O, so that a run that is cut short counts
//! too. What a run writes through a file system or an array is not noted: the
//! ledger knows only the devices that were given as targets.

use crate::here::Here;
use crate::notice::Message;
use crate::state::device_states;
use fathom_device::device::Identity;
use fathom_guard::purge::{Ledger, Written};
use fathom_guard::{Access, Guard};
use fathom_job::plan::Plan;
use fathom_text::carried::to_path;
use std::path::Path;

/// Makes a note for every device that the guard admitted for writing.
pub fn note(guard: &Guard, plan: &Plan, run: &str, here: &Here) {
    let ledger = Ledger::at(device_states());
    for target in guard.all().iter().filter(|target| target.access() == Access::Write) {
        let Some(device) = target.identity() else { continue };
        let (start_bytes, end_bytes) = range(plan, target.path());
        let written = Written { run: run.to_owned(), start_bytes, end_bytes };
        let note = |device: &Identity, written: Written| {
            if let Err(e) = ledger.note_write(device, written) {
                let message = format!("the state of {} was not updated: {e}", device.kernel_name);
                here.tell(Message::warning(message));
            }
        };
        // What is written to a partition is written to its disk. The place on the disk
        // is not looked up, so it may be anywhere.
        if device.partition.is_some() {
            let disk = Identity { partition: None, ..device.clone() };
            note(&disk, Written { start_bytes: 0, end_bytes: u64::MAX, ..written.clone() });
        }
        note(device, written);
    }
}

/// The range from the first to the last byte that any job may write there.
fn range(plan: &Plan, path: &Path) -> (u64, u64) {
    let writers = plan.jobs.iter().filter(|job| job.writes());
    let files = writers.flat_map(|job| &job.files).filter(|file| to_path(&file.path) == path);
    let ranges = files.map(|file| (file.offset.0, file.offset.0 + file.size.0));
    ranges.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).unwrap_or((0, u64::MAX))
}
