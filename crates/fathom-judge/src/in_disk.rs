//! How many I/Os of a job the disk had at a time, by the kernel's count: the witness of whether its I/Os waited for a disk.

use crate::cell::Cell;
use crate::witness::Witness;
use fathom_figures::{Sampled, disk::in_device};
use fathom_results::RunResult;

/// From this many I/Os in the disk on average, for each worker that has one at a time, the disk is what took the time.
const IN_DISK_MIN: f64 = 0.5;

/// I/Os in the disk on average, for each worker of a job that goes past the page cache with one I/O at a time, if the disk
/// had them for half of the time or more, and for longer than the worker ran.
///
/// `None` also where other jobs ran at the same time, whose I/Os the kernel does not count apart. A disk that is made of
/// memory has I/O only while the worker copies, so there the worker runs for longer.
pub(crate) fn in_disk(run: &RunResult, witnesses: &[Witness], cell: &Cell<'_>) -> Option<f64> {
    let stage = cell.planned().stage;
    let is_only = run.jobs.iter().filter(|job| job.planned.stage == stage).count() == cell.members.len();
    if !cell.is_direct() || !cell.is_alone() || cell.polls() || !is_only {
        return None;
    }
    let witness = witnesses.iter().find(|witness| witness.is_of(cell))?;
    let in_disk = counted(run, witness, cell)? / cell.members.len() as f64;
    (in_disk >= IN_DISK_MIN && in_disk > cell.cpu(1)?.worker).then_some(in_disk)
}

/// By the samples of the job's time; where there are none, by the counters of a run with one job.
fn counted(run: &RunResult, witness: &Witness, cell: &Cell<'_>) -> Option<f64> {
    let sampled = Sampled::of(run).and_then(|sampled| sampled.of_job(&cell.members[0]));
    if let Some(span) = sampled {
        let disks = span.disks();
        let own = disks.iter().filter(|disk| witness.disks.contains(&disk.name));
        return own.map(|disk| disk.queued).reduce(f64::max);
    }
    let is_only = run.jobs.len() == cell.members.len();
    let counted = run.record.disks.iter().filter(|disk| witness.disks.contains(&disk.disk));
    counted.map(in_device).reduce(f64::max).filter(|_| is_only)
}
