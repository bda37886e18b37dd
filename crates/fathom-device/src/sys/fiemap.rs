//! What of a file is stored, by `FS_IOC_FIEMAP` (linux/fiemap.h).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;

/// `struct fiemap` without its array: 32 bytes.
const HEADER_WORDS: usize = 4;
/// `struct fiemap_extent`: 56 bytes.
const EXTENT_WORDS: usize = 7;
/// Extents asked for in one call: 14 KiB of buffer.
const EXTENTS_A_CALL: usize = 256;

const EXTENT_LAST: u32 = 0x1;
const EXTENT_UNWRITTEN: u32 = 0x800;

/// `_IOWR('f', 11, struct fiemap)`.
const FS_IOC_FIEMAP: libc::Ioctl = libc::_IOWR::<[u64; HEADER_WORDS]>(b'f' as u32, 11);

/// How the bytes of a file are stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extents {
    /// Bytes with data behind them.
    pub written_bytes: u64,
    /// Bytes that have a place, and no data yet: they read as zeros.
    pub unwritten_bytes: u64,
    /// Pieces.
    pub count: u64,
}

/// Asks for every extent up to `size_bytes`. Does not write back what is
/// dirty: an answer must change nothing.
pub fn extents(file: &File, size_bytes: u64) -> io::Result<Extents> {
    let mut total = Extents::default();
    let mut from = 0;
    while from < size_bytes {
        let mut buffer = [0u64; HEADER_WORDS + EXTENTS_A_CALL * EXTENT_WORDS];
        buffer[0] = from;
        buffer[1] = size_bytes - from;
        // Words of 32 bits: flags, mapped (out), room, reserved.
        buffer[3] = pair(EXTENTS_A_CALL as u32, 0);
        // SAFETY: the buffer is a fiemap with room for the number of extents
        // that it names, aligned to 8 bytes, and outlives the call.
        check(unsafe { libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP, buffer.as_mut_ptr()) })?;
        let mapped = unpair(buffer[2]).1 as usize;
        let mapped_extents = buffer[HEADER_WORDS..].chunks_exact(EXTENT_WORDS).take(mapped);
        let mut last = mapped == 0;
        for extent in mapped_extents {
            let (logical, length, flags) = (extent[0], extent[2], unpair(extent[5]).0);
            let end = logical.saturating_add(length).min(size_bytes);
            total.add(end.saturating_sub(logical), flags);
            last |= flags & EXTENT_LAST != 0 || end <= from;
            from = from.max(end);
        }
        if last {
            break;
        }
    }
    Ok(total)
}

impl Extents {
    fn add(&mut self, bytes: u64, flags: u32) {
        self.count += 1;
        match flags & EXTENT_UNWRITTEN {
            0 => self.written_bytes += bytes,
            _ => self.unwritten_bytes += bytes,
        }
    }
}

/// Two 32-bit fields of a C structure, in the machine's byte order.
fn pair(first: u32, second: u32) -> u64 {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&first.to_ne_bytes());
    bytes[4..].copy_from_slice(&second.to_ne_bytes());
    u64::from_ne_bytes(bytes)
}

fn unpair(word: u64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = word.to_ne_bytes();
    (u32::from_ne_bytes([a, b, c, d]), u32::from_ne_bytes([e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_layout_is_the_kernels() {
        // As linux/fs.h computes it.
        assert_eq!(FS_IOC_FIEMAP, 0xc020_660b);
        assert_eq!(unpair(pair(7, 9)), (7, 9));
    }

    /// Not every file system answers (tmpfs does not); one that does must
    /// tell the hole from the data.
    #[test]
    fn a_hole_is_no_extent() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[7; 65_536]).unwrap();
        file.set_len(10 << 20).unwrap();
        file.sync_all().unwrap();
        match extents(&file, 10 << 20) {
            Ok(extents) => assert_eq!((extents.written_bytes, extents.unwritten_bytes), (65_536, 0)),
            Err(e) => assert_eq!(e.raw_os_error(), Some(libc::EOPNOTSUPP), "{e}"),
        }
    }
}
