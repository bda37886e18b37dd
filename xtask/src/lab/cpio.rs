//! The archive format that the kernel unpacks into its first root: cpio, "newc"
//! (Documentation/driver-api/early-userspace/buffer-format.rst).
//!
//! Uncompressed: the emulated processor unpacks slower than a disk reads. Every owner is root,
//! also if another user builds the archive.

use std::io::{self, Write};

const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const LINK: u32 = 0o120_000;

/// What an entry is.
pub enum Entry<'a> {
    /// An empty directory.
    Directory,
    /// A file with its permission bits.
    File(u32, &'a [u8]),
    /// A symbolic link.
    Link(&'a str),
}

/// An archive being written.
pub struct Archive<W> {
    to: W,
    entries: u32,
}

impl<W: Write> Archive<W> {
    /// An empty archive.
    pub fn new(to: W) -> Self {
        Self { to, entries: 0 }
    }

    /// Adds an entry; its directory must have been added before.
    pub fn add(&mut self, name: &str, entry: &Entry<'_>) -> io::Result<()> {
        let (mode, bytes) = match entry {
            Entry::Directory => (DIRECTORY | 0o755, &[][..]),
            Entry::File(permissions, bytes) => (REGULAR | permissions, *bytes),
            Entry::Link(target) => (LINK | 0o777, target.as_bytes()),
        };
        self.record(name.trim_start_matches('/'), mode, bytes)
    }

    /// Ends the archive.
    pub fn finish(mut self) -> io::Result<W> {
        self.record("TRAILER!!!", 0, &[])?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn record(&mut self, name: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
        self.entries += 1;
        let size = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let name_size = u32::try_from(name.len() + 1).map_err(io::Error::other)?;
        // inode, mode, uid, gid, links, mtime, size, device (2), device of a node (2), name, check.
        let fields = [self.entries, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name_size, 0];
        write!(self.to, "070701")?;
        fields.iter().try_for_each(|field| write!(self.to, "{field:08x}"))?;
        self.to.write_all(name.as_bytes())?;
        self.to.write_all(b"\0")?;
        self.pad(110 + name.len() + 1)?;
        self.to.write_all(bytes)?;
        self.pad(bytes.len())
    }

    /// Header with name, and contents, each end at a multiple of four.
    fn pad(&mut self, len: usize) -> io::Result<()> {
        self.to.write_all(&[0; 3][..len.next_multiple_of(4) - len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn cpio_reads_what_we_write() {
        let place = tempfile::tempdir().unwrap();
        let mut archive = Archive::new(Vec::new());
        archive.add("/a", &Entry::Directory).unwrap();
        archive.add("/a/file", &Entry::File(0o755, b"hello")).unwrap();
        archive.add("/a/link", &Entry::Link("file")).unwrap();
        let bytes = archive.finish().unwrap();
        let mut cpio = Command::new("cpio");
        cpio.args(["--extract", "--quiet"]).current_dir(place.path()).stdin(Stdio::piped());
        let mut child = cpio.spawn().expect("this test needs cpio");
        child.stdin.take().unwrap().write_all(&bytes).unwrap();
        assert!(child.wait().unwrap().success());
        assert_eq!(std::fs::read(place.path().join("a/link")).unwrap(), b"hello");
    }
}
