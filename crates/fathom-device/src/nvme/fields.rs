//! Little-endian fields at fixed places, as all NVMe structures have them.

/// The bytes are not the structure they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There are too few of them.
    #[error("{structure} needs {needs} bytes, there are {len}")]
    TooShort {
        /// The structure.
        structure: &'static str,
        /// How many it needs.
        needs: usize,
        /// How many there are.
        len: usize,
    },
    /// A field has a value that no drive can mean.
    #[error("{structure}: {what}")]
    Impossible {
        /// The structure.
        structure: &'static str,
        /// The field and its value.
        what: String,
    },
}

/// A structure's bytes, known to be enough.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    pub fn of(structure: &'static str, bytes: &'a [u8], needs: usize) -> Result<Self, Malformed> {
        match bytes.len() >= needs {
            true => Ok(Self(bytes)),
            false => Err(Malformed::TooShort { structure, needs, len: bytes.len() }),
        }
    }

    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        self.0[at..at + N].try_into().expect("the range has N bytes")
    }

    pub fn u8(self, at: usize) -> u8 {
        self.0[at]
    }

    pub fn u16(self, at: usize) -> u16 {
        u16::from_le_bytes(self.array(at))
    }

    pub fn u32(self, at: usize) -> u32 {
        u32::from_le_bytes(self.array(at))
    }

    pub fn u64(self, at: usize) -> u64 {
        u64::from_le_bytes(self.array(at))
    }

    pub fn u128(self, at: usize) -> u128 {
        u128::from_le_bytes(self.array(at))
    }

    /// ASCII padded with blanks (sometimes with zeroes).
    pub fn text(self, at: usize, len: usize) -> String {
        let text = String::from_utf8_lossy(&self.0[at..at + len]).into_owned();
        text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_owned()
    }

    pub fn bit(self, at: usize, bit: u32) -> bool {
        self.0[at] >> bit & 1 == 1
    }
}
