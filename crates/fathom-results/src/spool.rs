//! The spool: an append-only file of framed records that survives a kill −9.
//!
//! ```text
//! "FATHOMSP" version:u32le          once
//! length:u32le crc32:u32le payload  once; payload is the id of the run
//! length:u32le crc32:u32le payload  per frame; payload is postcard
//! ```
//! A frame is written by one `write`, so a killed process loses at most the
//! frame it was writing. The reader stops at the first frame whose length or
//! checksum is wrong, and says how far the data can be trusted. Because of the id, a
//! spool is not read together with the `run.json` of another run.

use crate::bounded;
use crate::foreign;
use crate::frame::Frame;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Version of the framing and of the frames' layout.
pub const VERSION: u32 = 3;

/// Name of the file in a run's directory.
pub const FILE: &str = "spool";

const MAGIC: &[u8; 8] = b"FATHOMSP";

/// Is a file with this beginning a spool, of any version?
pub fn is_spool(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// The longest frame that a reader accepts. A window of all histograms is below
/// 1 MiB; a larger length is damage.
const FRAME_MAX: u32 = 16 << 20;

/// Appends frames to a spool.
#[derive(Debug)]
pub struct SpoolWriter {
    file: File,
    buffer: Vec<u8>,
}

impl SpoolWriter {
    /// Creates the spool of the run `id` in `dir`; fails if there is one.
    pub fn create(dir: &Path, id: &str) -> io::Result<Self> {
        let file = File::options().append(true).create_new(true).open(dir.join(FILE))?;
        let mut writer = SpoolWriter { file, buffer: Vec::new() };
        writer.file.write_all(&[MAGIC.as_slice(), &VERSION.to_le_bytes()].concat())?;
        writer.write(|mut buffer| {
            buffer.extend_from_slice(id.as_bytes());
            Ok(buffer)
        })?;
        Ok(writer)
    }

    /// Appends one frame; the kernel has all of it when this returns.
    pub fn append(&mut self, frame: &Frame) -> io::Result<()> {
        self.write(|buffer| postcard::to_extend(frame, buffer).map_err(io::Error::other))
    }

    /// Writes a payload, which `fill` appends to the buffer, after its length
    /// and checksum.
    fn write(&mut self, fill: impl FnOnce(Vec<u8>) -> io::Result<Vec<u8>>) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; 8]);
        let mut buffer = fill(std::mem::take(&mut self.buffer))?;
        let length = (buffer.len() - 8) as u32;
        let crc = crc32fast::hash(&buffer[8..]);
        buffer[..4].copy_from_slice(&length.to_le_bytes());
        buffer[4..8].copy_from_slice(&crc.to_le_bytes());
        let written = self.file.write_all(&buffer);
        self.buffer = buffer;
        written
    }

    /// Does the file still have a name? A file that was removed still accepts
    /// frames, but nobody can ever read them.
    pub fn has_name(&self) -> io::Result<bool> {
        self.file.metadata().map(|meta| meta.nlink() > 0)
    }

    /// Forces what was appended to stable storage.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Reads frames until the end or the first damage, one at a time: the spool of
/// a run of a week has gigabytes.
#[derive(Debug)]
pub struct SpoolReader {
    file: BufReader<File>,
    run_id: Option<String>,
    payload: Vec<u8>,
    position: u64,
    damage: Option<String>,
}

impl SpoolReader {
    /// Opens the spool in `dir`.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let mut file = BufReader::new(bounded::open(&dir.join(FILE))?);
        let bad = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let mut begin = [0; 12];
        if read_up_to(&mut file, &mut begin)? < begin.len() || &begin[..8] != MAGIC {
            return bad("not a fathom spool".to_owned());
        }
        let version = word(&begin, 8);
        if version != VERSION {
            return bad(format!("spool version {version}; this fathom reads version {VERSION}"));
        }
        let mut reader = SpoolReader { file, run_id: None, payload: Vec::new(), position: 12, damage: None };
        match reader.record() {
            Ok(true) => reader.run_id = Some(String::from_utf8_lossy(&reader.payload).into_owned()),
            Ok(false) => reader.stop("cut before the first frame"),
            Err(what) => reader.stop(&what),
        }
        Ok(reader)
    }

    /// The id of the run that the spool belongs to; `None` if the spool was cut before
    /// its first frame.
    pub fn run_id(&self) -> Option<&str> {
        self.run_id.as_deref()
    }

    /// Why reading stopped before the end of the file, if it did.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    fn stop(&mut self, what: &str) {
        self.damage = Some(format!("{what}, at byte {}", self.position));
    }

    fn step(&mut self) -> Result<Option<Frame>, String> {
        if !self.record()? {
            return Ok(None);
        }
        let frame = postcard::from_bytes(&self.payload).map_err(|e| format!("a frame is invalid: {e}"))?;
        Ok(Some(foreign::frame(frame)))
    }

    /// Reads the next payload; `false` at the end of the file.
    fn record(&mut self) -> Result<bool, String> {
        let unreadable = |e: io::Error| format!("the rest cannot be read: {e}");
        let mut header = [0; 8];
        match read_up_to(&mut self.file, &mut header).map_err(unreadable)? {
            0 => return Ok(false),
            8 => {}
            _ => return Err("cut inside a frame header".to_owned()),
        }
        let (length, crc) = (word(&header, 0), word(&header, 4));
        if length > FRAME_MAX {
            return Err("cut inside a frame".to_owned());
        }
        self.payload.resize(length as usize, 0);
        if read_up_to(&mut self.file, &mut self.payload).map_err(unreadable)? < length as usize {
            return Err("cut inside a frame".to_owned());
        }
        if crc32fast::hash(&self.payload) != crc {
            return Err("the checksum of a frame is wrong".to_owned());
        }
        self.position += 8 + u64::from(length);
        Ok(true)
    }
}

/// Fills the buffer, as far as the file has bytes.
fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}

/// The little-endian word at index `at`.
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl Iterator for SpoolReader {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        if self.damage.is_some() {
            return None;
        }
        match self.step() {
            Ok(frame) => frame,
            Err(what) => {
                self.stop(&what);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Event, Phase};

    fn event(n: u64) -> Frame {
        Frame::Event(Event { at_ns: n, job: Some(1), kind: "test".into(), text: format!("event {n}") })
    }

    #[test]
    fn what_is_appended_is_read_and_a_cut_loses_only_the_last_frame() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = SpoolWriter::create(dir.path(), "20261122-1").unwrap();
        let frames = [event(1), Frame::Phase { job: 0, phase: Phase::Ramp, at_ns: 5 }, event(2)];
        for frame in &frames {
            writer.append(frame).unwrap();
        }
        let reader = SpoolReader::open(dir.path()).unwrap();
        assert_eq!(reader.run_id(), Some("20261122-1"));
        assert_eq!(reader.collect::<Vec<_>>(), frames);

        let path = dir.path().join(FILE);
        let length = std::fs::metadata(&path).unwrap().len();
        File::options().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
        let mut reader = SpoolReader::open(dir.path()).unwrap();
        assert_eq!(reader.by_ref().collect::<Vec<_>>(), frames[..2]);
        assert!(reader.damage().unwrap().contains("cut inside a frame"), "{:?}", reader.damage());
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        SpoolWriter::create(dir.path(), "20261122-1").unwrap().append(&event(7)).unwrap();
        let path = dir.path().join(FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let mut reader = SpoolReader::open(dir.path()).unwrap();
        assert!(reader.next().is_none());
        assert!(reader.damage().unwrap().contains("checksum"));
    }

    #[test]
    fn a_spool_of_another_version_is_refused_not_misread() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), b"FATHOMSP\x01\0\0\0").unwrap();
        let refused = SpoolReader::open(dir.path()).unwrap_err().to_string();
        assert_eq!(refused, format!("spool version 1; this fathom reads version {VERSION}"));
    }

    #[test]
    fn a_spool_that_was_removed_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let spool = SpoolWriter::create(dir.path(), "20261122-1").unwrap();
        assert!(spool.has_name().unwrap());
        assert!(is_spool(&std::fs::read(dir.path().join(FILE)).unwrap()));
        std::fs::rename(dir.path().join(FILE), dir.path().join("moved")).unwrap();
        assert!(spool.has_name().unwrap());
        std::fs::remove_file(dir.path().join("moved")).unwrap();
        assert!(!spool.has_name().unwrap());
    }

    #[test]
    fn a_spool_is_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let _first = SpoolWriter::create(dir.path(), "20261122-1").unwrap();
        assert_eq!(
            SpoolWriter::create(dir.path(), "20261122-1").unwrap_err().kind(),
            io::ErrorKind::AlreadyExists
        );
    }
}
