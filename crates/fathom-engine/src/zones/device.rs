//! The zones of a block device, by the requests of linux/blkzoned.h. Places there are in sectors of 512 bytes.

use super::zone::Zone;
use fathom_sim::ZoneAction;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

/// `BLKREPORTZONE`: `_IOWR(0x12, 130, struct blk_zone_report)`.
const REPORT: libc::c_ulong = 0xc010_1282;
/// `BLKRESETZONE`: `_IOW(0x12, 131, struct blk_zone_range)`.
const RESET: libc::c_ulong = 0x4010_1283;
/// `BLKFINISHZONE`: `_IOW(0x12, 136, struct blk_zone_range)`.
const FINISH: libc::c_ulong = 0x4010_1288;

const SECTOR: u64 = 512;
/// Zones of one request.
const AT_ONCE: usize = 1024;
/// Bytes of `struct blk_zone_report` and of each `struct blk_zone` behind it.
const HEADER: usize = 16;
const ENTRY: usize = 64;
/// `BLK_ZONE_REP_CAPACITY`: each zone tells its capacity (Linux 5.9).
const HAS_CAPACITIES: u32 = 1;

/// All zones of a device.
///
/// # Errors
/// The device does not report them, or what it reports are not zones of this size from byte 0.
pub fn report(device: BorrowedFd<'_>, zone_bytes: u64) -> io::Result<Vec<Zone>> {
    let mut zones = Vec::new();
    loop {
        let reported = request(device, zones.len() as u64 * zone_bytes, AT_ONCE)?;
        let count = zones.len();
        zones.extend(parsed(&reported));
        let is_whole = |(index, zone): (usize, &Zone)| zone.start == index as u64 * zone_bytes;
        if !zones.iter().enumerate().skip(count).all(is_whole) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the device reports zones that are not of {zone_bytes} bytes each"),
            ));
        }
        if zones.len() < count + AT_ONCE {
            return Ok(zones);
        }
    }
}

/// The zone that begins at `start`.
pub fn zone(device: BorrowedFd<'_>, start: u64) -> Option<Zone> {
    parsed(&request(device, start, 1).ok()?).next()
}

/// The answer of the kernel about so many zones from `start` on.
fn request(device: BorrowedFd<'_>, start: u64, count: usize) -> io::Result<Vec<u64>> {
    let mut words = vec![0_u64; (HEADER + count * ENTRY) / 8];
    words[0] = start / SECTOR;
    words[1] = count as u64;
    // SAFETY: the kernel reads the header, which says how many entries are behind it, and writes no more than these; the words are
    // that long, and outlive the call.
    match unsafe { libc::ioctl(device.as_raw_fd(), REPORT, words.as_mut_ptr()) } {
        0 => Ok(words),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The zones of an answer: start, length, write pointer; type, condition and two flags; capacity; three words that are reserved.
fn parsed(words: &[u64]) -> impl Iterator<Item = Zone> + '_ {
    let (count, flags) = (words[1] as u32 as usize, (words[1] >> 32) as u32);
    let entries = words[HEADER / 8..].chunks_exact(ENTRY / 8).take(count);
    entries.map(move |entry| {
        let [start, length, pointer, kinds, capacity, ..] = *entry else {
            unreachable!("an entry has eight words")
        };
        let capacity = if flags & HAS_CAPACITIES != 0 { capacity } else { length };
        let [kind, condition, ..] = kinds.to_ne_bytes();
        zone_of(start * SECTOR, capacity * SECTOR, pointer.wrapping_mul(SECTOR), kind, condition)
    })
}

/// A zone by its type and condition (`enum blk_zone_type` and `blk_zone_cond`).
fn zone_of(start: u64, capacity: u64, pointer: u64, kind: u8, condition: u8) -> Zone {
    const CONVENTIONAL: u8 = 1;
    const EMPTY: u8 = 1;
    const READ_ONLY: u8 = 13;
    const FULL: u8 = 14;
    const OFFLINE: u8 = 15;
    let written = |pointer| Zone::sequential(start, capacity, pointer);
    match condition {
        // It may be a conventional one, too.
        OFFLINE => written(start).broken(),
        READ_ONLY => written(start + capacity).broken(),
        _ if kind == CONVENTIONAL => Zone::conventional(start, capacity),
        EMPTY => written(start),
        FULL => written(start + capacity),
        _ => written(pointer.clamp(start, start + capacity)),
    }
}

/// Changes the zone that begins at `start`.
///
/// # Errors
/// The device does not do it.
pub fn change(device: BorrowedFd<'_>, start: u64, bytes: u64, action: ZoneAction) -> io::Result<()> {
    let request = match action {
        ZoneAction::Reset => RESET,
        ZoneAction::Finish => FINISH,
    };
    match manage(device.as_raw_fd(), request, start, bytes) {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The trim of a whole zone: 0, or -1 and an errno.
pub fn reset_zone(fd: RawFd, start: u64, bytes: u64) -> i32 {
    manage(fd, RESET, start, bytes)
}

fn manage(fd: RawFd, request: libc::c_ulong, start: u64, bytes: u64) -> i32 {
    let range = [start / SECTOR, bytes / SECTOR];
    // SAFETY: the kernel reads two u64 from an array that outlives the call.
    unsafe { libc::ioctl(fd, request, range.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ZONE: u64 = 8192;

    /// Zone number, type, condition, write pointer within it, capacity.
    fn answer(flags: u32, zones: &[(u64, u8, u8, u64, u64)]) -> Vec<u64> {
        let mut words = vec![0, u64::from(flags) << 32 | zones.len() as u64];
        for (number, kind, condition, pointer, capacity) in zones {
            let kinds = u64::from_ne_bytes([*kind, *condition, 0, 0, 0, 0, 0, 0]);
            words.extend([number * ZONE, ZONE, number * ZONE + pointer, kinds, *capacity, 0, 0, 0]);
        }
        words
    }

    /// What null_blk of Linux 6.12 reports (`zone_size=4 zone_capacity=3 zone_nr_conv=1`), and zones of the other conditions.
    #[test]
    fn a_report_has_kinds_pointers_and_capacities() {
        const CAPACITY: u64 = 6144;
        for (kind, condition, pointer, written) in [
            (2, 1, 0, 0),
            (2, 2, 512, 512),
            (2, 3, 512, 512),
            (2, 4, 1024, 1024),
            (2, 14, CAPACITY, CAPACITY),
            // A full zone has no write pointer: drives report the end of the zone, or all ones.
            (2, 14, ZONE, CAPACITY),
            (2, 14, u64::MAX / 1024, CAPACITY),
            (2, 13, 0, CAPACITY),
            (2, 15, 512, 0),
        ] {
            let words =
                answer(HAS_CAPACITIES, &[(0, 1, 0, 0, ZONE), (1, kind, condition, pointer, CAPACITY)]);
            let zones: Vec<Zone> = parsed(&words).collect();
            assert_eq!(zones[0], Zone::conventional(0, ZONE * SECTOR));
            let start = ZONE * SECTOR;
            let expected = Zone::sequential(start, CAPACITY * SECTOR, start + written * SECTOR);
            let expected = if matches!(condition, 13 | 15) { expected.broken() } else { expected };
            assert_eq!(zones[1], expected, "condition {condition}");
        }
        let old: Vec<Zone> = parsed(&answer(0, &[(0, 2, 2, 512, 0)])).collect();
        assert_eq!(old, [Zone::sequential(0, ZONE * SECTOR, 512 * SECTOR)], "before Linux 5.9");
        assert_eq!(parsed(&answer(HAS_CAPACITIES, &[])).count(), 0, "behind the last zone");
    }
}
