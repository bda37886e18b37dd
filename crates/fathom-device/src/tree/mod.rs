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

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Bound;
use std::path::{Path, PathBuf};

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
        self.entries.retain(|path, entry| can_hold(path, entry));
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

const HEX_LINE: usize = 32;

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        for (path, entry) in self.iter().filter(|(path, entry)| can_hold(path, entry)) {
            print(f, path, entry)?;
        }
        Ok(())
    }
}

/// A name with a line break would begin an entry of its own, and a name that is not text would
/// become another name: such an entry is left out.
fn can_hold(path: &Path, entry: &TreeEntry) -> bool {
    let is_plain = |path: &Path| path.to_str().is_some_and(|path| !path.chars().any(char::is_control));
    is_plain(path) && !matches!(entry, TreeEntry::Link(to) if !is_plain(to))
}

fn print(f: &mut fmt::Formatter<'_>, path: &Path, entry: &TreeEntry) -> fmt::Result {
    let path = path.display();
    match entry {
        TreeEntry::Link(to) => writeln!(f, "{path} -> {}", to.display()),
        TreeEntry::Directory => writeln!(f, "{path}/"),
        TreeEntry::Unreadable(name) => writeln!(f, "{path} !{name}"),
        TreeEntry::File { bytes, mode } => {
            let head = mode.map_or(path.to_string(), |mode| format!("{path} {mode:04o}"));
            print_file(f, &head, bytes)
        }
    }
}

fn print_file(f: &mut fmt::Formatter<'_>, head: &str, bytes: &[u8]) -> fmt::Result {
    let Some(lines) = whole_lines(bytes) else {
        writeln!(f, "{head} <<hex")?;
        return print_hex(f, bytes);
    };
    match lines.as_slice() {
        [] => writeln!(f, "{head} <<"),
        [""] => writeln!(f, "{head} ="),
        [line] => writeln!(f, "{head} = {line}"),
        lines => {
            writeln!(f, "{head} <<")?;
            lines.iter().try_for_each(|line| writeln!(f, "\t{line}"))
        }
    }
}

/// Rows of zeroes are left out: an answer of a drive is 4,096 bytes of which
/// some dozens say something. The length is at the end if it is needed.
fn print_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    let mut written = 0;
    for (row, line) in bytes.chunks(HEX_LINE).enumerate() {
        if line.iter().any(|byte| *byte != 0) {
            let at = row * HEX_LINE;
            let offset = if at == written { String::new() } else { format!("@{at:x} ") };
            let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(f, "\t{offset}{digits}")?;
            written = at + line.len();
        }
    }
    if written < bytes.len() { writeln!(f, "\t@{:x}", bytes.len()) } else { Ok(()) }
}

/// The lines of a file that text can hold without loss: UTF-8, ended by a
/// line break (or empty), without control characters.
fn whole_lines(bytes: &[u8]) -> Option<Vec<&str>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let body = match text.strip_suffix('\n') {
        Some(body) => body,
        None => return text.is_empty().then(Vec::new),
    };
    let is_plain = !text.chars().any(|c| c.is_control() && c != '\n' && c != '\t');
    is_plain.then(|| body.split('\n').collect())
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_entry_survives_the_way_there_and_back() {
        let mut tree = Tree::default();
        let file = |bytes: &[u8]| TreeEntry::File { bytes: bytes.to_vec(), mode: None };
        tree.insert("/empty", file(b""));
        tree.insert("/blank", file(b"\n"));
        tree.insert("/line", file(b"a = b\n"));
        tree.insert("/lines", file(b"a\n\n\tb\n"));
        tree.insert("/unended", file(b"a"));
        tree.insert("/binary", file(&[0, 1, 255]));
        let mut sparse = vec![0; 4096];
        (sparse[70], sparse[71], sparse[3000]) = (1, 2, 3);
        tree.insert("/sparse", file(&sparse));
        tree.insert("/zeroes", file(&[0; 100]));
        tree.insert("/mode", TreeEntry::File { bytes: b"ff\n".to_vec(), mode: Some(0o444) });
        tree.insert("/link", TreeEntry::Link("../x".into()));
        tree.insert("/dir", TreeEntry::Directory);
        tree.insert("/secret", TreeEntry::Unreadable("EACCES".to_owned()));
        assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        assert!(tree.to_string().contains("/zeroes <<hex\n\t@64\n"));
    }

    #[test]
    fn a_name_cannot_forge_an_entry() {
        let mut tree = Tree::default();
        tree.insert("/sys/a\n/etc/passwd", TreeEntry::text("x"));
        tree.insert("/sys/link", TreeEntry::Link("b\n/etc/shadow = y".into()));
        tree.insert("/sys/c", TreeEntry::text("z"));
        assert_eq!(tree.to_string(), "fathom-tree 1\n/sys/c = z\n");
    }
}
