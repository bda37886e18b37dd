//! What is kept of texts that may come from anybody.

use fathom_text::carried;

/// The most characters that are kept of a text. No path is longer (`PATH_MAX` of Linux), and no
/// sentence of ours.
const TEXT_MAX_CHARS: usize = 4096;

/// A text of a run, which may come from anybody: carried, and not longer than what is kept.
pub(super) fn kept_text(from: &str) -> String {
    let end = from.char_indices().nth(TEXT_MAX_CHARS).map_or(from.len(), |(end, _)| end);
    carried::of_str(&from[..end]).into_owned()
}

/// The most words that are kept of a run.
const TAGS_MAX: usize = 64;

/// The words of a run, which have no line breaks.
pub(super) fn kept_tags(tags: &[String]) -> Vec<String> {
    tags.iter().filter(|tag| !tag.is_empty()).take(TAGS_MAX).map(|tag| kept_text(tag)).collect()
}
