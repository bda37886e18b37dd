//! The text form of a recorded machine: what `fathom doctor capture` writes,
//! `--root FILE` reads, and fixtures are made of.
//!
//! It is text so that a person can read what a capture contains before giving it away, and a
//! reviewer what a fixture says. It has one entry for each line:
//!
//! ```text
//! fathom-tree 1
//! # a remark
//! /proc/cmdline = root=/dev/sda1 quiet        a file of one line
//! /proc/cpuinfo <<                            a file of several lines, each
//! <tab>processor : 0                          after one tab
//! /sys/bus/pci/devices/0000:01:00.0/config <<hex
//! <tab>8680 0a54                              bytes
//! <tab>@100 10                                bytes at offset 0x100; zeroes
//! <tab>@1000                                  between; as long as 0x1000
//! /sys/block/sda -> ../devices/virtual/sda    a link
//! /sys/block/sda/holders/                     an empty directory
//! /proc/irq/24/smp_affinity 0444 = ff         a file with its permissions
//! /proc/kcore !EACCES                         could not be read
//! -/sys/block/sda/queue                       in a fixture: take away what an
//!                                             earlier line gave, and all below
//! ```
//! Later lines replace earlier ones. What is not a file of the machine (answers to questions,
//! earlier counters) is under [`crate::BESIDE`].

mod parse;
mod print;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};

pub use parse::TreeError;

const HEADER: &str = "fathom-tree 1";

/// What there is at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEntry {
    /// A file's bytes, and its permissions where they matter.
    File {
        /// Content.
        bytes: Vec<u8>,
        /// Permission bits, such as 0o444.
        mode: Option<u32>,
    },
    /// A link, and where it leads as it is written.
    Link(PathBuf),
    /// An empty directory.
    Directory,
    /// It was there and could not be read; the name of the error (`EACCES`).
    Unreadable(String),
}

impl TreeEntry {
    /// A file of this text, ended by a line break as the kernel's files are.
    pub fn text(text: &str) -> Self {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Self::File { bytes: format!("{text}{end}").into_bytes(), mode: None }
    }
}

/// Part of a machine, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<PathBuf, TreeEntry>,
}

impl Tree {
    /// Puts an entry at an absolute path, in place of what was there.
    pub fn insert(&mut self, path: impl Into<PathBuf>, entry: TreeEntry) {
        self.entries.insert(path.into(), entry);
    }

    /// Takes away the path and all below it.
    pub fn remove(&mut self, path: &Path) {
        // Paths are ordered by their parts, so these follow each other: nothing else is looked at.
        let behind = self.entries.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let paths = behind.map(|(at, _)| at).take_while(|at| at.starts_with(path));
        for at in paths.cloned().collect::<Vec<_>>() {
            self.entries.remove(&at);
        }
    }

    /// Leaves out what the text form cannot hold: paths and link targets with a
    /// line break, or of bytes that are not text.
    pub fn keep_what_text_holds(&mut self) {
        self.entries.retain(|path, entry| print::can_hold(path, entry));
    }

    /// What there is at the path.
    pub fn get(&self, path: &Path) -> Option<&TreeEntry> {
        self.entries.get(path)
    }

    /// Whether there is anything below the path.
    pub fn has_below(&self, path: &Path) -> bool {
        // Paths are ordered by their parts: what lies below comes right after.
        let after = (Bound::Excluded(path), Bound::Unbounded);
        self.entries.range::<Path, _>(after).next().is_some_and(|(next, _)| next.starts_with(path))
    }

    /// Every path with its entry, in the order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&Path, &TreeEntry)> {
        self.entries.iter().map(|(path, entry)| (path.as_path(), entry))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
