//! Reads a few blocks of a target to find out how it takes I/O.
//!
//! No query tells whether io_uring will hand a target's I/O to kernel threads,
//! or whether the I/O is complete before the submitting call returns. A few reads
//! do. Both decide what a latency means.

use crate::memory::{SlotLayout, SlotMemory};
use crate::ring::abi::OP_READ;
use crate::ring::{Ring, RingSetup};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Where and how much to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeExtent {
    /// First byte; a whole number of blocks.
    pub offset: u64,
    /// Bytes of a block, as the job's own.
    pub block: usize,
    /// Blocks that may be read from there.
    pub blocks: u64,
}

/// What a read with `RWF_NOWAIT` shows about a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nowait {
    /// The target can be asked not to block: io_uring begins I/O itself.
    Supported,
    /// It cannot: io_uring hands every I/O to a kernel thread.
    Punts,
    /// It could not be found out.
    Unknown,
}

/// How a target takes I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Does it take I/O without blocking?
    pub nowait: Nowait,
    /// Were reads complete when the submitting call returned? `None` where no ring
    /// can be made or nothing could be read.
    pub completes_inline: Option<bool>,
}

/// Reads that decide [`Probe::completes_inline`]; the first may wake a device
/// or fill a cache, so the majority counts.
const READS: u64 = 5;

/// How long a read may take, ns. The target has done I/O for a job before, so a
/// longer wait for it is of no use.
const WAIT_NS: u64 = 2_000_000_000;

/// A buffer with this alignment is suitable for O_DIRECT everywhere.
const DIRECT_ALIGN: usize = 4096;

/// Reads a few blocks of `file`, which must be open for reading, in the way in
/// which the job would (`O_DIRECT` or not).
pub fn probe(file: BorrowedFd<'_>, place: ProbeExtent) -> Probe {
    let layout = SlotLayout {
        slots: 1,
        slot_bytes: place.block.max(1),
        align: DIRECT_ALIGN,
        huge: false,
        splits_writes: false,
    };
    let Ok(mut buffer) = SlotMemory::map(layout) else {
        return Probe { nowait: Nowait::Unknown, completes_inline: None };
    };
    Probe {
        nowait: nowait(file, &mut buffer, place),
        completes_inline: completes_inline(file, &mut buffer, place).ok().flatten(),
    }
}

/// The kernel checks the same mark of an open file for `preadv2` and for
/// io_uring (`FMODE_NOWAIT`).
fn nowait(file: BorrowedFd<'_>, buffer: &mut SlotMemory, place: ProbeExtent) -> Nowait {
    let into = buffer.slot_mut(0, place.block);
    let part = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    // SAFETY: one vector over a buffer that lives longer than the call; the
    // descriptor is borrowed, so it is open.
    let read = unsafe { libc::preadv2(file.as_raw_fd(), &part, 1, place.offset as i64, libc::RWF_NOWAIT) };
    let errno = if read < 0 { io::Error::last_os_error().raw_os_error() } else { None };
    match errno {
        // The read would have had to wait, and said so: the flag is supported.
        None | Some(libc::EAGAIN) => Nowait::Supported,
        Some(libc::EOPNOTSUPP) => Nowait::Punts,
        Some(_) => Nowait::Unknown,
    }
}

/// With deferred task work (6.1), completions that come later are seen only by
/// a call that asks for them. So what is in the queue after a call that only
/// submits was done in that call. On earlier kernels, a read that completes very
/// soon may be counted as inline.
fn completes_inline(
    file: BorrowedFd<'_>,
    buffer: &mut SlotMemory,
    place: ProbeExtent,
) -> io::Result<Option<bool>> {
    let mut ring = Ring::new(&RingSetup { entries: 2, is_polled: false, poller: None })?;
    let (mut done, mut inline) = (0, 0);
    for at in offsets(place) {
        let (is_inline, moved) = match read_once(&mut ring, file, buffer, at, place.block) {
            Ok(read) => read,
            Err(e) => {
                // The read may still happen, so its memory must not be used again.
                buffer.leave_mapped();
                std::mem::forget(ring);
                return Err(e);
            }
        };
        if moved > 0 {
            done += 1;
            inline += u64::from(is_inline);
        }
    }
    Ok((done > 0).then_some(inline * 2 > done))
}

/// Where the reads go: as far from each other as the place allows. If they were
/// neighbours, the kernel would read the second one ahead with the first, and a
/// file that is not in the cache would seem to be in it.
fn offsets(place: ProbeExtent) -> impl Iterator<Item = u64> {
    let reads = READS.min(place.blocks);
    let step = place.blocks / reads.max(1) * place.block as u64;
    (0..reads).map(move |n| place.offset + n * step)
}

fn read_once(
    ring: &mut Ring,
    file: BorrowedFd<'_>,
    buffer: &SlotMemory,
    offset: u64,
    block: usize,
) -> io::Result<(bool, i32)> {
    let head = u64::from(OP_READ) | (file.as_raw_fd() as u64) << 32;
    // Buffer and descriptor outlive the read: if this function fails, its
    // caller leaves both to the kernel.
    ring.stage()[..5].copy_from_slice(&[head, offset, buffer.slot(0, false) as u64, block as u64, 0]);
    ring.submit()?;
    let is_at_once = ring.available() > 0;
    if !is_at_once {
        ring.enter(1, WAIT_NS)?;
    }
    if ring.available() == 0 {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let mut moved = 0;
    ring.reap(1, |_, result| moved = result);
    Ok((is_at_once, moved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsFd;

    const PLACE: ProbeExtent = ProbeExtent { offset: 0, block: 4096, blocks: 8 };

    #[test]
    fn a_cached_file_completes_inline_and_stays_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![7u8; 32 << 10]).unwrap();
        let probe = probe(File::open(&path).unwrap().as_fd(), PLACE);
        assert_eq!(probe.completes_inline, Some(true));
        assert_eq!(std::fs::read(&path).unwrap(), vec![7u8; 32 << 10]);
    }

    #[test]
    fn reads_are_far_from_each_other() {
        let at = |offset, blocks| offsets(ProbeExtent { offset, block: 4096, blocks }).collect::<Vec<u64>>();
        let fifth = (1 << 30) / 5 / 4096 * 4096;
        assert_eq!(at(8192, (1 << 30) / 4096), [0, 1, 2, 3, 4].map(|n| 8192 + n * fifth));
        assert_eq!(at(0, 7), [0, 4096, 8192, 12_288, 16_384]);
        assert_eq!((at(4096, 2), at(0, 0)), (vec![4096, 8192], vec![]));
    }

    #[test]
    fn what_cannot_be_asked_not_to_block_is_handed_to_kernel_threads() {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![7u8; 32 << 10]).unwrap();
        let probe = probe(File::open(&path).unwrap().as_fd(), PLACE);
        // tmpfs takes no RWF_NOWAIT up to Linux 6.18 at least.
        let punts = probe.nowait == Nowait::Punts;
        assert_eq!((probe.nowait == Nowait::Unknown, probe.completes_inline), (false, Some(!punts)));
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        let dir = tempfile::tempdir().unwrap();
        let empty = File::create(dir.path().join("f")).unwrap();
        let expected = Probe { nowait: Nowait::Unknown, completes_inline: None };
        assert_eq!(probe(empty.as_fd(), PLACE), expected, "open for writing only");
        let none = ProbeExtent { blocks: 0, ..PLACE };
        let zero = File::open("/dev/zero").unwrap();
        assert_eq!(probe(zero.as_fd(), none).completes_inline, None);
    }
}
