//! Active swap files, which the kernel names by a path.

use std::path::PathBuf;

use crate::root::{Root, Unknown};
use crate::same_file::{FileId, FileView, find};
use crate::swaps;

/// A file that is active swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwapFile {
    /// Its path, as the kernel names it.
    pub path: PathBuf,
    /// It reaches at least this far, in bytes.
    pub end_bytes: u64,
}

pub(super) fn swap_files(root: &Root) -> Result<Vec<SwapFile>, Unknown> {
    let files = swaps::swap_files(root)?.into_iter();
    Ok(files.map(|swap| SwapFile { path: swap.path, end_bytes: swap.size_bytes }).collect())
}

impl SwapFile {
    /// The file at that path, in the first mount namespace that has a file
    /// there that is large enough. An active swap file cannot be removed or
    /// renamed, so where there is none, a mount covers it.
    pub(super) fn view(&self, root: &Root) -> FileView {
        let fits = |meta: &std::fs::Metadata| meta.is_file() && meta.len() >= self.end_bytes;
        let found = find(root, &self.path, fits).and_then(|pin| pin.metadata().ok());
        FileView::of_swap(root, &self.path, found.map(|meta| FileId::of(&meta)), self.end_bytes)
    }
}
