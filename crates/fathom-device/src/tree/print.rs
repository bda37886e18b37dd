//! Tree to text; [`Tree::parse`] reads it back unchanged.

use std::fmt;
use std::path::Path;

use super::{HEADER, Tree, TreeEntry};

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
pub(super) fn can_hold(path: &Path, entry: &TreeEntry) -> bool {
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
