//! Whether the content of a file allows a use.
//!
//! An active swap file cannot be written, and erofs finds what it mounts by its superblock, so a
//! file without the mark is not the one that is used.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::same_file::FileView;

/// The end of the first page of swap (linux/swap.h), for every size of page.
const SWAP: &[u8] = b"SWAPSPACE2";
const PAGE_BYTES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

/// The magic number of erofs and where its superblock is (fs/erofs/erofs_fs.h).
const EROFS: [u8; 4] = 0xe0f5_e1e2_u32.to_le_bytes();
const EROFS_AT: u64 = 1024;

pub(super) fn may_be_swap(file: &FileView) -> bool {
    let ends = PAGE_BYTES.iter().map(|page| page - SWAP.len() as u64);
    file.reader().is_none_or(|file| ends.into_iter().any(|at| holds(&file, SWAP, at)))
}

pub(super) fn may_be_erofs(file: &FileView) -> bool {
    file.reader().is_none_or(|file| holds(&file, &EROFS, EROFS_AT))
}

/// A file that cannot be read may hold anything; one that ends before this place holds nothing
/// there.
fn holds(file: &File, mark: &[u8], at: u64) -> bool {
    let mut bytes = vec![0; mark.len()];
    match file.read_exact_at(&mut bytes, at) {
        Ok(()) => bytes == mark,
        Err(e) => e.kind() != std::io::ErrorKind::UnexpectedEof,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::Root;

    #[test]
    fn the_marks_are_found_where_they_are() {
        let file = tempfile::tempfile().unwrap();
        let view = || FileView::of(&Root::live(), &file).unwrap();
        assert!(!may_be_swap(&view()) && !may_be_erofs(&view()));
        file.write_all_at(SWAP, 4096 - 10).unwrap();
        assert!(may_be_swap(&view()) && !may_be_erofs(&view()));
        file.write_all_at(&EROFS, 1024).unwrap();
        assert!(may_be_erofs(&view()));
    }
}
