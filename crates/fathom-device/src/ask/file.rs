//! Answers about a file and the file system it is on.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use crate::root::Unknown;
use crate::sys::{self, fiemap};

/// Where ext4 keeps its superblock, and the fields of it that are reported. The rest (label, last
/// mount point, UUID) is private (Documentation/filesystems/ext4/super.rst).
const SUPERBLOCK_AT: u64 = 1024;
const LOG_BLOCK_SIZE: usize = 0x18;
const MAGIC: usize = 0x38;
const STRIDE: usize = 0x164;
const STRIPE_WIDTH: usize = 0x170;
const EXT4_MAGIC: u16 = 0xef53;
/// Largest block that ext4 knows: 2^(10+6) bytes.
const LOG_BLOCK_SIZE_MAX: u32 = 6;

pub(super) fn extents(path: &Path) -> Result<Vec<u8>, Unknown> {
    let found = (|| {
        let meta = fs::metadata(path)?;
        if !meta.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        let extents = fiemap::extents(&File::open(path)?, meta.len())?;
        let (written, unwritten) = (extents.written_bytes, extents.unwritten_bytes);
        Ok(format!("{} {written} {unwritten} {}", meta.len(), extents.count).into_bytes())
    })();
    found.map_err(|e| Unknown::from_io(path, &e))
}

pub(super) fn direct_io(path: &Path) -> Result<Vec<u8>, Unknown> {
    let found = (|| {
        let kind = fs::metadata(path)?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            return Err(io::Error::other("is not a regular file"));
        }
        match sys::statx_cached(path)?.dio_align_bytes {
            Some((0, 0)) => Ok("refused".to_owned()),
            Some((memory, offset)) => Ok(format!("{memory} {offset}")),
            None => open_direct(path),
        }
    })();
    let found = found.map_err(|e| Unknown::from_io(path, &e))?;
    Ok(found.into_bytes())
}

/// Before 6.1 one has to try: where direct I/O is not supported, the open fails with EINVAL.
fn open_direct(path: &Path) -> io::Result<String> {
    match OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(path) {
        Ok(_) => Ok("accepted".to_owned()),
        Err(e) if e.raw_os_error() == Some(libc::EINVAL) => Ok("refused".to_owned()),
        Err(e) => Err(e),
    }
}

pub(super) fn ext4_shape(device: &Path) -> Result<Vec<u8>, Unknown> {
    let mut superblock = [0; 1024];
    let read = File::open(device).and_then(|node| node.read_exact_at(&mut superblock, SUPERBLOCK_AT));
    read.map_err(|e| Unknown::from_io(device, &e))?;
    let shape = shape(&superblock).ok_or_else(|| Unknown::new(device, "holds no superblock of ext4"))?;
    Ok(shape.into_bytes())
}

fn shape(superblock: &[u8; 1024]) -> Option<String> {
    let half = |at: usize| u16::from_le_bytes([superblock[at], superblock[at + 1]]);
    let word = |at: usize| u32::from(half(at)) | u32::from(half(at + 2)) << 16;
    let log = word(LOG_BLOCK_SIZE);
    let is_ext4 = half(MAGIC) == EXT4_MAGIC && log <= LOG_BLOCK_SIZE_MAX;
    is_ext4.then(|| format!("{} {} {}", 1024u32 << log, half(STRIDE), word(STRIPE_WIDTH)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_superblock_tells_its_shape() {
        let mut superblock = [0; 1024];
        assert_eq!(shape(&superblock), None);
        superblock[MAGIC..MAGIC + 2].copy_from_slice(&EXT4_MAGIC.to_le_bytes());
        superblock[LOG_BLOCK_SIZE] = 2;
        superblock[STRIDE] = 32;
        superblock[STRIPE_WIDTH] = 64;
        assert_eq!(shape(&superblock).unwrap(), "4096 32 64");
        superblock[LOG_BLOCK_SIZE] = 200;
        assert_eq!(shape(&superblock), None);
    }

    #[test]
    fn a_directory_has_no_extents_and_takes_no_direct_io() {
        let dir = tempfile::tempdir().unwrap();
        assert!(extents(dir.path()).unwrap_err().reason.contains("not a regular file"));
        assert!(direct_io(dir.path()).unwrap_err().reason.contains("not a regular file"));
    }

    #[test]
    fn a_file_answers() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let answer = String::from_utf8(direct_io(file.path()).unwrap()).unwrap();
        let aligned = answer.split(' ').filter(|word| word.parse::<u32>().is_ok()).count() == 2;
        assert!(aligned || matches!(answer.as_str(), "refused" | "accepted"), "{answer}");
        assert!(ext4_shape(file.path()).is_err());
    }
}
