//! The spool: an append-only file of framed records that survives a kill −9.
//!
//! ```text
//! "FATHOMSP" version:u32le          once
//! length:u32le crc32:u32le payload  once; payload is the id of the run
//! length:u32le crc32:u32le payload  per frame; payload is CBOR (RFC 8949)
//! ```
//! The CRC of a frame covers the payloads of the spool up to its end, and each frame carries its
//! number: so a frame that was changed, repeated, left out or moved is noticed. A frame is written
//! by one `write`, so a killed process loses at most the frame it was writing. The reader stops at
//! the first damage, and says how far the data can be trusted. A spool that was cut where a frame
//! ends shows no damage by itself; the seal of the run ([`crate::seal`]) tells it. Because of the
//! id, a spool is not read together with the `run.json` of another run.

use crate::directory::SavedDirectory;
use crate::foreign;
use crate::frame::{Frame, FrameRecord};
use crate::window::Window;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Version of the framing. Added fields and kinds of frames do not change it.
pub const VERSION: u32 = 1;

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

/// What is read from the file at a time.
const READ_BYTES: usize = 128 << 10;

/// Appends frames to a spool.
#[derive(Debug)]
pub struct SpoolWriter {
    file: File,
    buffer: Vec<u8>,
    /// Frames written.
    frames: u64,
    extent: SpoolExtent,
}

/// What a spool consists of, up to some frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpoolExtent {
    /// Length of the file, bytes.
    pub bytes: u64,
    /// CRC-32 of all its payloads.
    pub crc32: u32,
}

impl SpoolWriter {
    /// Creates the spool of the run `id` in `dir`; fails if there is one.
    pub fn create(dir: &Path, id: &str) -> io::Result<Self> {
        let file = File::options().append(true).create_new(true).open(dir.join(FILE))?;
        let begin = begin();
        let extent = SpoolExtent { bytes: begin.len() as u64, crc32: 0 };
        let mut writer = SpoolWriter { file, buffer: Vec::new(), frames: 0, extent };
        writer.file.write_all(&begin)?;
        writer.write(|buffer| {
            buffer.extend_from_slice(id.as_bytes());
            Ok(())
        })?;
        Ok(writer)
    }

    /// Appends one frame; the kernel has all of it when this returns.
    pub fn append(&mut self, frame: &Frame) -> io::Result<()> {
        let sequence = self.frames;
        self.write(|buffer| frame.encode(sequence, 0, buffer).map_err(io::Error::other))?;
        self.frames += 1;
        Ok(())
    }

    /// Writes a payload, which `fill` appends to the buffer, after its length
    /// and checksum.
    fn write(&mut self, fill: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; 8]);
        fill(&mut self.buffer)?;
        let length = (self.buffer.len() - 8) as u32;
        let crc32 = crc_on(self.extent.crc32, &self.buffer[8..]);
        self.buffer[..4].copy_from_slice(&length.to_le_bytes());
        self.buffer[4..8].copy_from_slice(&crc32.to_le_bytes());
        self.file.write_all(&self.buffer)?;
        self.extent = SpoolExtent { bytes: self.extent.bytes + self.buffer.len() as u64, crc32 };
        Ok(())
    }

    /// What has been written.
    pub fn extent(&self) -> SpoolExtent {
        self.extent
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

/// The bytes that a spool of this version begins with.
fn begin() -> [u8; 12] {
    let mut begin = [0; 12];
    begin[..8].copy_from_slice(MAGIC);
    begin[8..].copy_from_slice(&VERSION.to_le_bytes());
    begin
}

/// The CRC of what was written before, and of one more payload.
pub(crate) fn crc_on(before: u32, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(payload);
    hasher.finalize()
}

/// Reads frames until the end or the first damage, one at a time: the spool of
/// a run of a week has gigabytes.
#[derive(Debug)]
pub struct SpoolReader {
    file: BufReader<File>,
    run_id: Option<String>,
    payload: Vec<u8>,
    /// Frames read.
    frames: u64,
    extent: SpoolExtent,
    damage: Option<String>,
    spare: Option<Box<Window>>,
}

impl SpoolReader {
    /// Opens the spool in `dir`.
    pub fn open(dir: &Path) -> io::Result<Self> {
        SpoolReader::open_in(&SavedDirectory::open(dir)?)
    }

    /// Opens the spool in a directory that is open.
    pub(crate) fn open_in(dir: &SavedDirectory) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(READ_BYTES, dir.file(FILE)?);
        let bad = |what: String| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        let mut found = [0; 12];
        let length = read_up_to(&mut file, &mut found)?;
        // A run that is killed while it begins leaves a spool of no or a few bytes.
        let is_cut = length < found.len() && begin().starts_with(&found[..length]);
        let found = if is_cut { begin() } else { found };
        if !found.starts_with(MAGIC) || (length < found.len() && !is_cut) {
            return bad("not a fathom spool".to_owned());
        }
        let version = word(&found, 8);
        if version != VERSION {
            return bad(format!("spool version {version}; this fathom reads version {VERSION}"));
        }
        let extent = SpoolExtent { bytes: 12, crc32: 0 };
        let (payload, run_id, damage, spare) = Default::default();
        let mut reader = SpoolReader { file, run_id, payload, frames: 0, extent, damage, spare };
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

    /// What has been read.
    pub fn extent(&self) -> SpoolExtent {
        self.extent
    }

    fn stop(&mut self, what: &str) {
        self.damage = Some(format!("{what}, at byte {}", self.extent.bytes));
    }

    /// A window that is no longer needed: the next one is read into its memory.
    pub(crate) fn reuse(&mut self, window: Box<Window>) {
        self.spare = Some(window);
    }

    /// The next frame that this version knows.
    fn frame(&mut self) -> Result<Option<Frame>, String> {
        while self.damage.is_none() && self.record()? {
            let record = FrameRecord::decode(&self.payload, &mut self.spare)
                .map_err(|e| format!("a frame is invalid: {e}"))?;
            self.check_place(record.sequence, record.host)?;
            if let Some(frame) = record.frame {
                frame.check()?;
                return Ok(Some(foreign::frame(frame)));
            }
        }
        Ok(None)
    }

    /// Checks that a frame is the next one, and of this host.
    fn check_place(&mut self, sequence: u64, host: u32) -> Result<(), String> {
        if sequence != self.frames {
            return Err(format!("frame {sequence} is in the place of frame {}", self.frames));
        }
        self.frames += 1;
        match host {
            0 => Ok(()),
            host => Err(format!("a frame is of host {host}, which run.json does not name")),
        }
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
        if crc_on(self.extent.crc32, &self.payload) != crc {
            return Err("the checksum of a frame is wrong".to_owned());
        }
        self.extent = SpoolExtent { bytes: self.extent.bytes + 8 + u64::from(length), crc32: crc };
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
        self.frame().unwrap_or_else(|what| {
            self.stop(&what);
            None
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Event, EventKind};
    use crate::phase::Phase;

    fn event(n: u64) -> Frame {
        Frame::Event(Event { at_ns: n, job: Some(1), kind: EventKind::Stall, text: format!("event {n}") })
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
    fn a_spool_that_was_cut_while_it_began_has_no_frame() {
        let dir = tempfile::tempdir().unwrap();
        for length in 0..12 {
            std::fs::write(dir.path().join(FILE), &begin()[..length]).unwrap();
            let mut reader = SpoolReader::open(dir.path()).unwrap();
            assert!(reader.run_id().is_none() && reader.next().is_none(), "{length} bytes");
            assert!(reader.damage().unwrap().contains("cut before the first frame"), "{length} bytes");
        }
        std::fs::write(dir.path().join(FILE), b"{}").unwrap();
        assert!(SpoolReader::open(dir.path()).is_err(), "something else is no spool");
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
        std::fs::write(dir.path().join(FILE), b"FATHOMSP\x02\0\0\0").unwrap();
        let refused = SpoolReader::open(dir.path()).unwrap_err().to_string();
        assert_eq!(refused, "spool version 2; this fathom reads version 1");
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
