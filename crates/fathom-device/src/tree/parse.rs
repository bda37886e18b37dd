//! Text to tree.

use std::path::{Path, PathBuf};

use super::{HEADER, Tree, TreeEntry};

/// Why a text is not a tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// The first line is another.
    #[error("this is not a recorded machine: the first line is not {HEADER:?}")]
    Header,
    /// A line is not understood.
    #[error("line {line}: {text:?} is not an entry of a recorded machine")]
    Line {
        /// The number of the line, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A path that would leave the tree, or that no kernel has.
    #[error("line {line}: the path {path:?} is not absolute, leaves the tree, or is too long")]
    Path {
        /// The number of the line, from 1.
        line: usize,
        /// The path.
        path: String,
    },
}

impl Tree {
    /// Reads a whole file, header included.
    pub fn parse(text: &str) -> Result<Self, TreeError> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        if first.trim_end() != HEADER {
            return Err(TreeError::Header);
        }
        let mut tree = Self::default();
        tree.overlay_from(rest, 2)?;
        Ok(tree)
    }

    /// Applies entries without a header on top of what there is: how a fixture
    /// says in what it differs from its base.
    pub fn overlay(&mut self, text: &str) -> Result<(), TreeError> {
        self.overlay_from(text, 1)
    }

    fn overlay_from(&mut self, text: &str, first_line: usize) -> Result<(), TreeError> {
        let mut lines = text.lines().enumerate().peekable();
        while let Some((at, text)) = lines.next() {
            let line = at + first_line;
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(path) = text.strip_prefix('-') {
                self.remove(&checked(path.trim_end(), line)?);
                continue;
            }
            let mut block = Vec::new();
            while let Some((_, more)) = lines.next_if(|(_, more)| more.starts_with('\t')) {
                block.push(&more[1..]);
            }
            let (path, entry) = entry(text, &block, line)?;
            self.insert(path, entry);
        }
        Ok(())
    }
}

fn entry(text: &str, block: &[&str], line: usize) -> Result<(PathBuf, TreeEntry), TreeError> {
    let error = || TreeError::Line { line, text: text.to_owned() };
    let file = |head: &str, bytes: Vec<u8>| {
        let (path, mode) = split_mode(head);
        Ok((checked(path, line)?, TreeEntry::File { bytes, mode }))
    };
    if let Some(head) = text.strip_suffix(" <<") {
        return file(head, block.iter().flat_map(|l| [l.as_bytes(), b"\n"].concat()).collect());
    }
    if let Some(head) = text.strip_suffix(" <<hex") {
        return file(head, hex(block).ok_or_else(error)?);
    }
    if !block.is_empty() {
        return Err(error());
    }
    if let Some((head, value)) = text.split_once(" = ").or_else(|| Some((text.strip_suffix(" =")?, ""))) {
        return file(head, format!("{value}\n").into_bytes());
    }
    if let Some((path, target)) = text.split_once(" -> ") {
        return Ok((checked(path, line)?, TreeEntry::Link(PathBuf::from(target))));
    }
    if let Some((path, name)) = text.split_once(" !") {
        return Ok((checked(path, line)?, TreeEntry::Unreadable(name.trim_end().to_owned())));
    }
    let path = text.strip_suffix('/').ok_or_else(error)?;
    Ok((checked(path, line)?, TreeEntry::Directory))
}

/// `/path 0444` as the path and its permissions.
fn split_mode(head: &str) -> (&str, Option<u32>) {
    let split = head.rsplit_once(' ').filter(|(_, word)| word.len() == 4 && word.starts_with('0'));
    let mode = split.and_then(|(path, word)| Some((path, u32::from_str_radix(word, 8).ok()?)));
    mode.map_or((head, None), |(path, mode)| (path, Some(mode)))
}

/// The longest path that a kernel takes (`PATH_MAX`), and parts enough for any of `/sys`: each
/// directory on a path is kept, so the cost of a path grows with the square of its depth.
const PATH_BYTES_MAX: usize = 4096;
const PARTS_MAX: usize = 64;
/// How much of a wrong path is shown.
const PATH_SHOWN: usize = 200;

/// A capture may come from a stranger: nothing in it may name a place outside,
/// or fill the memory.
fn checked(path: &str, line: usize) -> Result<PathBuf, TreeError> {
    let parts_are_plain =
        Path::new(path).components().skip(1).all(|part| matches!(part, std::path::Component::Normal(_)));
    let is_short = path.len() <= PATH_BYTES_MAX && Path::new(path).components().count() <= PARTS_MAX;
    if !path.starts_with('/') || !parts_are_plain || !is_short {
        let path = path.chars().take(PATH_SHOWN).collect();
        return Err(TreeError::Path { line, path });
    }
    Ok(PathBuf::from(path))
}

/// Where a line of bytes may begin at most: a capture from a stranger must not
/// fill the memory. The largest answer of a drive is 4,096 bytes.
const OFFSET_MAX: usize = 1 << 16;

/// Lines of bytes, each after the one before; `@200 66` puts them at offset 0x200 instead. Bytes
/// that no line gives are zero.
fn hex(block: &[&str]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for line in block {
        let (at, digits) = match line.trim().strip_prefix('@') {
            None => (bytes.len(), line.trim()),
            Some(rest) => {
                let (offset, digits) = rest.split_once(' ').unwrap_or((rest, ""));
                (usize::from_str_radix(offset, 16).ok().filter(|at| *at <= OFFSET_MAX)?, digits)
            }
        };
        let row = pairs(digits)?;
        bytes.resize(bytes.len().max(at + row.len()), 0);
        bytes[at..at + row.len()].copy_from_slice(&row);
    }
    Some(bytes)
}

fn pairs(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    pairs.remainder().is_empty().then(|| pairs.map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}
