//! fio's verification header: 40 bytes up to version 3.39, 48 from then on.

use crate::checksum::crc32c;

/// The first two bytes of every header.
pub(crate) const MAGIC: u16 = 0xacca;

/// The byte that newer versions of fio write behind the magic number; the byte is below 0x80 in an older header.
const VERSION: u8 = 0x81;

/// Which of fio's layouts a header has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderVersion {
    /// 40 bytes, with a number of the write of 16 bits. fathom writes this one.
    Short,
    /// 48 bytes, with a number of the write of 64 bits. fathom reads it.
    Long,
}

impl HeaderVersion {
    /// Bytes of a header.
    pub const fn bytes(self) -> usize {
        match self {
            HeaderVersion::Short => 40,
            HeaderVersion::Long => 48,
        }
    }
}

/// What a header says. Integers are stored with their lowest byte first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The number of the method, see [`crate::Method::number`].
    pub method: u16,
    /// Bytes from the header to the end of its block.
    pub len: u32,
    /// From which the content was made. fathom's name the write, see [`crate::Lineage`].
    pub seed: u64,
    /// Where the block was to be written, bytes from the start of the file.
    pub offset: u64,
    /// When the write was issued, seconds.
    pub seconds: u32,
    /// And nanoseconds.
    pub nanos: u32,
    /// The number of the clone that wrote it, from 1.
    pub thread: u16,
    /// The number of the write within its job, from 0; its lowest 16 bits in a short header.
    pub write: u64,
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoHeader {
    Magic,
    /// The checksum of the header itself does not fit.
    Checksum,
}

impl Header {
    /// Writes the header as 40 bytes.
    ///
    /// # Panics
    /// Where `into` is shorter.
    pub fn put(&self, into: &mut [u8]) {
        let head =
            into.first_chunk_mut::<40>().unwrap_or_else(|| unreachable!("a block has room for its header"));
        head[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        head[2..4].copy_from_slice(&self.method.to_le_bytes());
        head[4..8].copy_from_slice(&self.len.to_le_bytes());
        head[8..16].copy_from_slice(&self.seed.to_le_bytes());
        head[16..24].copy_from_slice(&self.offset.to_le_bytes());
        head[24..28].copy_from_slice(&self.seconds.to_le_bytes());
        head[28..32].copy_from_slice(&self.nanos.to_le_bytes());
        head[32..34].copy_from_slice(&self.thread.to_le_bytes());
        head[34..36].copy_from_slice(&(self.write as u16).to_le_bytes());
        let sum = crc32c(&head[..36]);
        head[36..40].copy_from_slice(&sum.to_le_bytes());
    }

    /// Reads a header of either layout.
    pub(crate) fn read(from: &[u8]) -> Result<(Header, HeaderVersion), NoHeader> {
        let Some((head, _)) = from.split_first_chunk::<40>() else { return Err(NoHeader::Magic) };
        if head[0..2] != MAGIC.to_le_bytes() {
            return Err(NoHeader::Magic);
        }
        let long = from.first_chunk::<48>().filter(|_| head[2] == VERSION);
        let (version, is_right) = match long {
            Some(long) => (HeaderVersion::Long, crc32c(&long[..44]).to_le_bytes() == long[44..]),
            None => (HeaderVersion::Short, crc32c(&head[..36]).to_le_bytes() == head[36..]),
        };
        if !is_right {
            return Err(NoHeader::Checksum);
        }
        let (write, thread, method) = match long {
            Some(long) => {
                (u64::from_le_bytes(at(long, 32)), u16::from_le_bytes(at(long, 40)), long[3].into())
            }
            None => {
                let write = u16::from_le_bytes(at(head, 34)).into();
                (write, u16::from_le_bytes(at(head, 32)), u16::from_le_bytes(at(head, 2)))
            }
        };
        let header = Header {
            method,
            len: u32::from_le_bytes(at(head, 4)),
            seed: u64::from_le_bytes(at(head, 8)),
            offset: u64::from_le_bytes(at(head, 16)),
            seconds: u32::from_le_bytes(at(head, 24)),
            nanos: u32::from_le_bytes(at(head, 28)),
            thread,
            write,
        };
        Ok((header, version))
    }
}

/// The `N` bytes at `place` of a header.
fn at<const N: usize>(header: &[u8], place: usize) -> [u8; N] {
    header[place..].first_chunk().copied().unwrap_or_else(|| unreachable!("the header has all of its fields"))
}
