//! Counters as they stood some time before.
//!
//! Three sources, one form: the audit reads them half a second before it
//! looks, the watch when a run begins, and a capture keeps them in the tree
//! under [`BESIDE`]`/earlier`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::glob::glob;
use crate::root::{BESIDE, Root, Unknown};

/// Where a recorded tree holds the milliseconds between the two readings.
pub const ELAPSED: &str = "/.fathom/earlier-ms";

/// A first reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Earlier {
    texts: BTreeMap<PathBuf, String>,
    /// Time between the two readings.
    pub elapsed: Duration,
}

impl Earlier {
    /// Reads everything that matches one of the patterns now; `elapsed` is for
    /// the caller to set when it looks again.
    pub fn take<'p>(root: &Root, patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let paths = patterns.into_iter().flat_map(|pattern| glob(root, pattern));
        let texts = paths.filter_map(|path| Some((path.clone(), root.read_text(&path).ok()?)));
        Self { texts: texts.collect(), elapsed: Duration::ZERO }
    }

    /// What a capture kept; `None` if it kept nothing.
    pub fn recorded<'p>(root: &Root, patterns: impl IntoIterator<Item = &'p str>) -> Option<Self> {
        let elapsed_ms: u64 = root.read_value(ELAPSED).ok()?;
        let prefix = Path::new(BESIDE).join("earlier");
        let patterns: Vec<String> =
            patterns.into_iter().map(|pattern| format!("{}{pattern}", prefix.display())).collect();
        let taken = Self::take(root, patterns.iter().map(String::as_str));
        let named = taken.texts.into_iter().filter_map(|(path, text)| {
            let path = Path::new("/").join(path.strip_prefix(&prefix).ok()?);
            Some((path, text))
        });
        Some(Self { texts: named.collect(), elapsed: Duration::from_millis(elapsed_ms) })
    }

    /// The text of a file as it was.
    pub fn text(&self, path: &Path) -> Result<&str, Unknown> {
        let text = self.texts.get(path).map(String::as_str);
        text.ok_or_else(|| Unknown::new(path, "was not read before"))
    }

    /// Everything that was read, with its path.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.texts.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
