//! What the kernel counted on a disk and the jobs did not cause.

use crate::case::Case;
use crate::cell::Cell;
use crate::witness::{BLOCK, FILE_SYSTEM_SHARE, PROBES, SECTOR, SYNC_IOS, Witness};
use fathom_job::direction::Direction;
use fathom_job::options;
use fathom_results::{JobResult, Phase};

/// A whole device has no I/O of its own: the counts of sound runs agree within a thousandth there
/// (measured on loop devices and zram), and a difference of three thousandths means another user.
const DEVICE_SHARE: f64 = 0.003;
/// In a direction in which the jobs do nothing there are no edges of windows either. Nothing writes
/// to a device that is only read, or to a filesystem whose files are only read, except for
/// [`HOUSEKEEPING`].
const IDLE_SHARE: f64 = 0.001;
/// [`PROBES`] in I/Os.
const PROBE_IOS: u64 = 32;
/// Nobody writes to a device at rest, but a few writes from before the run may
/// complete during it.
const LATE_WRITES: u64 = 4;
/// The kernel may split I/Os of ours that are larger than this.
const SPLIT_BYTES: u64 = 64 << 10;
/// Writes a second of a filesystem for its journal, its superblock and times of
/// access. ext4 commits every 5 s and takes some ten writes then.
const HOUSEKEEPING: f64 = 32.0;

/// Can what others did in this direction be separated from what the jobs caused? Buffered I/O is
/// read ahead and written back at the kernel's own pace, and to write a part of a page the kernel
/// reads it: such reads can be separated only where the kernel counted those of this process. Logs of the jobs on the same filesystem are written at the same time.
fn is_judged(case: &Case<'_>, witness: &Witness, direction: Direction) -> bool {
    let Witness { is_direct, uses, .. } = witness;
    match direction {
        Direction::Read => *is_direct || witness.own_reads.is_some() || !(uses.read || uses.write),
        Direction::Write => {
            (*is_direct || !uses.write) && !(case.surrounds.results_on_same_fs && has_log(case))
        }
        // A file system with the mount option `discard` trims what its files gave up, some kernels at each sync; fstrim does
        // the same. How many trims are the file system's is not known, so none is called another program's.
        Direction::Trim => !uses.trim && !witness.has_file,
    }
}

fn has_log(case: &Case<'_>) -> bool {
    let logs = [options::WRITE_BW_LOG, options::WRITE_IOPS_LOG, options::WRITE_LAT_LOG];
    let writes = |job: &JobResult| logs.iter().any(|log| job.planned.job.get(log).is_some());
    case.run.jobs.iter().any(writes)
}

/// Bytes that the kernel counted and the jobs did not cause.
pub(super) fn more_bytes(case: &Case<'_>, witness: &Witness, direction: Direction) -> u64 {
    let ours = match (direction, witness.own_reads) {
        // Read ahead, read for a part of a page, and read for I/Os that failed included.
        (Direction::Read, Some(own)) => own,
        _ => {
            let syncs = witness.bytes_of_syncs_at_most(direction);
            witness.ours_at_most[direction] + syncs + failed(case, direction)
        }
    };
    let more = witness.kernel[direction].saturating_sub(ours);
    if is_judged(case, witness, direction) { more } else { 0 }
}

/// A difference from what was read that is too small to say that memory kept something.
pub(super) const NEARLY: f64 = 0.1;

/// Bytes that were read from the disk and cannot be what buffered jobs read: the page cache reads a block of a file once
/// for each pass of a job over it, as long as memory holds the file. Where the kernel counted what this process read, nothing
/// has to be concluded.
pub(super) fn beside_cached(case: &Case<'_>, witness: &Witness) -> u64 {
    let cells = || case.cells.iter().filter(|cell| witness.is_of(cell));
    // A read that fails is not kept. Where the disk saw as much as was read, memory kept nothing.
    let is_kept = cells().all(|cell| cell.errors() == 0)
        && (witness.ours.read == 0 || !witness.agrees(Direction::Read, NEARLY, NEARLY));
    if witness.is_direct
        || witness.own_reads.is_some()
        || !is_kept
        || !(witness.uses.read || witness.uses.write)
    {
        return 0;
    }
    let ours = cells().map(own_reads).fold(0, u64::saturating_add);
    let more = witness.kernel.read.saturating_sub(ours);
    if more > PROBES { more } else { 0 }
}

/// The most that a job makes the disk read. Each job drops its files from the page cache when it begins
/// (`invalidate`), and so each worker may read them once more.
fn own_reads(cell: &Cell<'_>) -> u64 {
    let of_worker = |clone: &JobResult| {
        let moved = clone.totals.directions.read.bytes;
        let files = clone.planned.files.iter();
        let hold: u64 =
            files.map(|file| file.size.0.saturating_mul(file.count.max(1))).fold(0, u64::saturating_add);
        let loops = u64::from(clone.planned.end.loops.max(1));
        if cell.is_direct() { moved } else { hold.saturating_mul(loops) }
    };
    let ramp = cell.members.iter().flat_map(|clone| &clone.series);
    let ramp = ramp.filter(|point| point.phase == Phase::Ramp).map(|point| point.bytes.read).sum::<u64>();
    let ramp = if cell.is_direct() { ramp } else { 0 };
    cell.members.iter().map(of_worker).fold(ramp, u64::saturating_add)
}

/// Bytes of others in one direction below this share of all of theirs are not told.
const TOLD_FROM: f64 = 0.01;

/// Bytes that others moved in one direction; `None` where they are not more than a host at rest moves.
pub(super) fn foreign_bytes(case: &Case<'_>, witness: &Witness, direction: Direction) -> Option<u64> {
    let edges = ramp_edges(case);
    let more = |d: Direction| more_bytes(case, witness, d).saturating_sub(edges);
    let all: u64 = Direction::ALL.into_iter().map(more).sum();
    let is_part = has_bytes(case, witness) && more(direction) as f64 >= TOLD_FROM * all as f64;
    let is_told = is_part || ios(case, witness, direction).is_some();
    Some(more(direction)).filter(|bytes| is_told && *bytes > 0)
}

/// Did others move more bytes than a host at rest does?
fn has_bytes(case: &Case<'_>, witness: &Witness) -> bool {
    let more = |d: Direction| more_bytes(case, witness, d);
    let foreign = (more(Direction::Read) + more(Direction::Write)).saturating_sub(PROBES + ramp_edges(case));
    let ours = (witness.ours_at_most.read + witness.ours_at_most.write) as f64;
    let share = if witness.has_file { FILE_SYSTEM_SHARE } else { DEVICE_SHARE };
    // Many bytes of ours in one direction do not hide those of others in the other one.
    let stands_out = |d: Direction| {
        let foreign = more(d).saturating_sub(PROBES + ramp_edges(case)) as f64;
        foreign > share * (witness.ours_at_most[d] as f64).max(ours * SMALL_PART)
    };
    foreign as f64 > ours * share
        || (witness.uses.read && witness.uses.write && Direction::ALL.into_iter().any(stands_out))
}

/// A direction in which the jobs moved less than this share is judged as if they had moved so much.
const SMALL_PART: f64 = 0.02;

/// I/Os of others in one direction, where they are more than a host at rest
/// does.
pub(super) fn ios(case: &Case<'_>, witness: &Witness, direction: Direction) -> Option<u64> {
    if !is_judged(case, witness, direction) {
        return None;
    }
    let requests = witness.requests[direction];
    let ios = match witness.uses[direction] {
        // Those of buffered writers, which read what they write a part of, are not others'.
        false if witness.own_reads.is_some() && direction == Direction::Read => {
            requests.kernel.min(more_bytes(case, witness, direction) / SECTOR)
        }
        false => requests.kernel,
        // Where one I/O of ours becomes several requests there are more of these,
        // but not more bytes.
        true => {
            let more = (requests.kernel + requests.merged).saturating_sub(requests.ours);
            let may_be_split = witness.ours[direction] > SPLIT_BYTES * requests.ours;
            let edges = ramp_edges(case) + if may_be_split { PROBES } else { 0 };
            more.min(more_bytes(case, witness, direction).saturating_sub(edges) / BLOCK)
        }
    };
    let ours: u64 = Direction::ALL.into_iter().map(|d| witness.requests[d].ours).sum();
    let own = at_rest(witness, direction) + ours as f64 * share(witness, direction);
    (ios as f64 > own).then_some(ios)
}

/// I/Os that fathom did not cause and that are not a load either.
fn at_rest(witness: &Witness, direction: Direction) -> f64 {
    let of_syncs = (witness.syncs * SYNC_IOS) as f64;
    match (direction, witness.has_file) {
        (Direction::Write, true) => PROBE_IOS as f64 + HOUSEKEEPING * witness.seconds + of_syncs,
        (Direction::Write, false) => LATE_WRITES as f64,
        _ => PROBE_IOS as f64,
    }
}

/// The share of fathom's I/Os that others may add before it is reported.
fn share(witness: &Witness, direction: Direction) -> f64 {
    // A file system reads its own blocks.
    let reads_itself = witness.has_file && direction == Direction::Read;
    match (witness.uses[direction], witness.has_file) {
        (false, _) if !reads_itself => IDLE_SHARE,
        (_, true) => FILE_SYSTEM_SHARE,
        (_, false) => DEVICE_SHARE,
    }
}

/// Bytes of I/Os that failed, which the kernel may count and fathom does not; of a job that ended by
/// its failure, also those that were in flight.
fn failed(case: &Case<'_>, direction: Direction) -> u64 {
    let of = |cell: &Cell<'_>| {
        let ended = cell.failure().is_some() && cell.planned().uses(direction);
        let in_flight = if ended { cell.depth_asked() } else { 0 };
        let ios = cell.totals.directions[direction].errors + in_flight;
        ios.saturating_mul(cell.planned().transfer_max().0)
    };
    case.on_disk().map(of).fold(0, u64::saturating_add)
}

/// Bytes in flight when a ramp ends: the kernel counts them in the window that
/// follows, fathom in none.
fn ramp_edges(case: &Case<'_>) -> u64 {
    let ramped = case.on_disk().flat_map(|cell| cell.members).filter(|clone| clone.planned.has_own_ramp());
    ramped.map(|clone| u64::from(clone.planned.depth.reachable) * clone.planned.transfer_max().0).sum()
}
