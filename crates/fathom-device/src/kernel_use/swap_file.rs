//! Active swap files, which the kernel names by a path.

use std::fs::Metadata;

use crate::root::Root;
use crate::same_file::{FileId, FileView, find};
use crate::swaps::Swap;

/// The file at that path, in the first mount namespace that has a file there that is large enough.
/// An active swap file cannot be removed or renamed, so where there is none, a mount covers it.
pub(super) fn view(root: &Root, swap: &Swap) -> FileView {
    let fits = |meta: &Metadata| meta.is_file() && meta.len() >= swap.size_bytes;
    let found = find(root, &swap.path, fits).and_then(|pin| pin.metadata().ok());
    FileView::of_swap(root, &swap.path, found.map(|meta| FileId::of(&meta)), swap.size_bytes)
}
