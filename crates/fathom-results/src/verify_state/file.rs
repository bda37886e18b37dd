//! The file of a state.
//!
//! ```text
//! fathom verify state 1
//! {"fathom":"…","saved_unix_ns":…,…}
//! BODY_BYTES, little-endian, 8 bytes; the writes; CRC-32 of all before it, little-endian, 4 bytes
//! ```
//! The first two lines are text, so a person sees what a file is about. Writes that follow each other without a gap, with
//! the same length and fate, take one entry of a few bytes together, so the state of a job that wrote in order is short;
//! one at a random place takes five or six bytes.

use super::{StateHead, StateWrite, VerifyState, WriteFate};
use fathom_stats::varint;

/// Version of the file. A reader refuses every other.
pub const VERIFY_STATE_VERSION: u32 = 1;

/// What the first line begins with.
const MAGIC: &str = "fathom verify state ";

/// No head is longer: ten thousand files with long paths.
const HEAD_BYTES_MAX: usize = 64 << 20;

/// Bytes of the length of the writes.
const LENGTH_BYTES: usize = 8;

/// Why a file is no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It is another kind of file.
    #[error("it is no state of a verification that fathom saved")]
    Foreign,
    /// Another version wrote it.
    #[error("it has version {version}, and this fathom reads version {VERIFY_STATE_VERSION}")]
    Version {
        /// The version that it names.
        version: String,
    },
    /// A part is missing.
    #[error("it is cut or altered: it has {left} bytes, and says that it had {bytes}")]
    Cut {
        /// Bytes that are there.
        left: u64,
        /// Bytes that it had.
        bytes: u64,
    },
    /// It is not as it was saved.
    #[error("it is not as it was saved: its checksum is wrong")]
    Altered,
}

/// Bits of the byte before an entry: what differs from the entry before it, and its fate.
const NEW_FILE: u8 = 1;
const NEW_LENGTH: u8 = 2;
const SKIPS_NUMBERS: u8 = 4;
const IS_RUN: u8 = 8;
const FATE_SHIFT: u8 = 4;

/// What the next entry is compared with.
struct Before {
    file: u32,
    bytes: u32,
    /// Where the last write ended.
    end: u64,
    /// The number that follows.
    number: u64,
}

impl Before {
    const START: Before = Before { file: 0, bytes: 0, end: 0, number: 0 };

    /// After so many writes from this one on, each behind the other.
    fn after(write: &StateWrite, count: u64) -> Before {
        let end = write.offset.wrapping_add(count.wrapping_mul(u64::from(write.bytes)));
        Before { file: write.file, bytes: write.bytes, end, number: write.number.wrapping_add(count) }
    }
}

impl StateHead {
    /// The bytes of the file of a state with these writes, in the order in which they were issued. They are not kept in
    /// another form, because a job may have thousands of millions of them.
    pub fn with(&self, writes: impl Iterator<Item = StateWrite>) -> Vec<u8> {
        let head = serde_json::to_string(self).unwrap_or_else(|_| unreachable!("a head has no map keys"));
        let mut bytes = format!("{MAGIC}{VERIFY_STATE_VERSION}\n{head}\n").into_bytes();
        let length_at = bytes.len();
        bytes.extend_from_slice(&[0; LENGTH_BYTES]);
        put_all(writes, &mut bytes);
        let length = (bytes.len() - length_at - LENGTH_BYTES) as u64;
        bytes[length_at..length_at + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        let crc32 = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc32.to_le_bytes());
        bytes
    }
}

impl VerifyState {
    /// The bytes of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.head.with(self.writes.iter().copied())
    }

    /// The state of a file.
    ///
    /// # Errors
    /// It is no state, of another version, cut, or not as it was saved.
    pub fn from_bytes(bytes: &[u8]) -> Result<VerifyState, StateError> {
        let rest = bytes.strip_prefix(MAGIC.as_bytes()).ok_or(StateError::Foreign)?;
        let (version, rest) = line(rest).ok_or(StateError::Altered)?;
        if version != VERIFY_STATE_VERSION.to_string() {
            return Err(StateError::Version { version: version.chars().take(20).collect() });
        }
        let (head, rest) = line(rest).ok_or_else(|| cut(bytes.len(), bytes.len() + 1))?;
        let (body_bytes, rest) =
            rest.split_first_chunk::<LENGTH_BYTES>().ok_or_else(|| cut(bytes.len(), bytes.len() + 1))?;
        let whole = u64::from_le_bytes(*body_bytes).saturating_add(4);
        let before = bytes.len() - rest.len();
        match (rest.len() as u64).cmp(&whole) {
            std::cmp::Ordering::Less => {
                let all = whole.saturating_add(before as u64);
                return Err(StateError::Cut { left: bytes.len() as u64, bytes: all });
            }
            std::cmp::Ordering::Greater => return Err(StateError::Altered),
            std::cmp::Ordering::Equal => {}
        }
        let (checked, crc32) = bytes.split_last_chunk::<4>().ok_or(StateError::Altered)?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*crc32) {
            return Err(StateError::Altered);
        }
        let head: StateHead = serde_json::from_str(head).map_err(|_| StateError::Altered)?;
        let writes = writes(&rest[..rest.len() - 4], &head).ok_or(StateError::Altered)?;
        Ok(VerifyState { head, writes })
    }
}

fn cut(left: usize, bytes: usize) -> StateError {
    StateError::Cut { left: left as u64, bytes: bytes as u64 }
}

/// A line of text, and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().take(HEAD_BYTES_MAX).position(|byte| *byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

/// Appends the entries of these writes.
fn put_all(writes: impl Iterator<Item = StateWrite>, to: &mut Vec<u8>) {
    let mut before = Before::START;
    // The entry that is not complete: its first write, and how many there are.
    let mut open: Option<(StateWrite, u64)> = None;
    for write in writes {
        open = Some(match open {
            Some((first, count)) if follows(&write, &first, count) => (first, count + 1),
            Some((first, count)) => {
                put(&first, count, &before, to);
                before = Before::after(&first, count);
                (write, 1)
            }
            None => (write, 1),
        });
    }
    if let Some((first, count)) = open {
        put(&first, count, &before, to);
    }
}

/// Does a write belong to the entry of so many writes from `first` on?
fn follows(write: &StateWrite, first: &StateWrite, count: u64) -> bool {
    let due = Before::after(first, count);
    let is_alike = (write.file, write.bytes, write.fate) == (first.file, first.bytes, first.fate);
    is_alike && (write.offset, write.number) == (due.end, due.number)
}

/// The head of an entry, and what of it does not follow from the entry before.
fn put(write: &StateWrite, count: u64, before: &Before, to: &mut Vec<u8>) {
    let parts = [
        (NEW_FILE, write.file != before.file, u64::from(write.file)),
        (NEW_LENGTH, write.bytes != before.bytes, u64::from(write.bytes)),
        (SKIPS_NUMBERS, write.number != before.number, write.number.wrapping_sub(before.number)),
        (IS_RUN, count > 1, count),
    ];
    let bits = parts.iter().filter(|(_, is_set, _)| *is_set).fold(0, |all, (bit, ..)| all | bit);
    to.push(bits | (write.fate as u8) << FATE_SHIFT);
    let distance = write.offset.wrapping_sub(before.end).cast_signed();
    // The sign is in the lowest bit, so that a short way back is a small number too.
    let zigzag = (distance << 1 ^ distance >> 63).cast_unsigned();
    varint::put(u128::from(zigzag), to);
    let set = parts.iter().filter(|(_, is_set, _)| *is_set);
    set.for_each(|(.., value)| varint::put(u128::from(*value), to));
}

/// `None` where the bytes are no entries, or name what the head does not have.
fn writes(mut bytes: &[u8], head: &StateHead) -> Option<Vec<StateWrite>> {
    let (mut writes, mut before) = (Vec::new(), Before::START);
    while let Some((&bits, rest)) = bytes.split_first() {
        bytes = rest;
        let zigzag = varint::take(&mut bytes)?;
        let distance = (zigzag >> 1).cast_signed() ^ -((zigzag & 1).cast_signed());
        let mut part =
            |bit: u8, usual: u64| if bits & bit == 0 { Some(usual) } else { varint::take(&mut bytes) };
        let file = u32::try_from(part(NEW_FILE, u64::from(before.file))?).ok()?;
        let length = u32::try_from(part(NEW_LENGTH, u64::from(before.bytes))?).ok()?;
        let skipped = part(SKIPS_NUMBERS, 0)?;
        let count = part(IS_RUN, 1)?;
        let first = StateWrite {
            file,
            bytes: length,
            offset: before.end.wrapping_add_signed(distance),
            number: before.number.checked_add(skipped)?,
            fate: WriteFate::of(bits >> FATE_SHIFT)?,
        };
        is_possible(&first, count, head).then_some(())?;
        for n in 0..count {
            let Before { end: offset, number, .. } = Before::after(&first, n);
            writes.push(StateWrite { offset, number, ..first });
        }
        before = Before::after(&first, count);
    }
    Some(writes)
}

/// Does an entry lie in its file, and was it issued?
fn is_possible(first: &StateWrite, count: u64, head: &StateHead) -> bool {
    let Some(file) = head.blocks.files.get(first.file as usize) else { return false };
    let end = u64::from(first.bytes).checked_mul(count).and_then(|bytes| first.offset.checked_add(bytes));
    let file_end = file.offset_bytes.saturating_add(file.size_bytes);
    let last = first.number.checked_add(count);
    first.bytes > 0
        && first.offset >= file.offset_bytes
        && end.is_some_and(|end| end <= file_end)
        && last.is_some_and(|last| last <= head.issued)
}

impl WriteFate {
    fn of(number: u8) -> Option<WriteFate> {
        use WriteFate::{Cut, Failed, InFlight, Overlapped, Whole};
        [Whole, Failed, Overlapped, InFlight, Cut].into_iter().find(|fate| *fate as u8 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JobBlocks, StateFile};
    use super::*;
    use fathom_verify::Method;

    fn state(writes: Vec<StateWrite>) -> VerifyState {
        let file = StateFile { path: "/dev/sda".to_owned(), offset_bytes: 0, size_bytes: 1 << 40 };
        let blocks = JobBlocks {
            job: "j".to_owned(),
            subjob: 0,
            files: vec![file.clone(), file],
            method: Method::Crc32c,
            interval: Some(512),
            header_offset: 0,
            pattern: None,
            pattern_per_interval: false,
            zero_percent: 0,
            block_bytes: (4096, 8192),
        };
        let head = StateHead {
            fathom: "0".to_owned(),
            saved_unix_ns: 1,
            is_final: true,
            trims: true,
            earlier_keys: Vec::new(),
            key: u64::MAX,
            writer: 3,
            issued: 1 << 32,
            blocks,
        };
        VerifyState { head, writes }
    }

    fn write(number: u64, offset: u64, bytes: u32, fate: WriteFate) -> StateWrite {
        StateWrite { file: (number % 2) as u32, bytes, offset, number, fate }
    }

    /// In order, back and forth, with gaps, and each fate.
    fn mixed() -> Vec<StateWrite> {
        use WriteFate::{Cut, Failed, InFlight, Overlapped, Whole};
        let fates = [Whole, Failed, Overlapped, InFlight, Cut];
        let mut writes: Vec<StateWrite> =
            (0..1000).map(|n| write(n, (n * 7919 % 1000) * 4096, 4096, fates[n as usize % 5])).collect();
        let in_order =
            |n: u64| StateWrite { file: 1, bytes: 8192, offset: n * 8192, number: 2000 + n, fate: Whole };
        writes.extend((0..1000).map(in_order));
        writes.push(write(1 << 31, (1 << 40) - 512, 512, Whole));
        writes
    }

    #[test]
    fn a_state_returns_from_its_file() {
        for writes in [Vec::new(), mixed()] {
            let state = state(writes);
            assert_eq!(VerifyState::from_bytes(&state.to_bytes()), Ok(state));
        }
    }

    #[test]
    fn writes_in_order_take_one_entry_together() {
        let in_order =
            |n: u64| StateWrite { file: 0, bytes: 4096, offset: n * 4096, number: n, fate: WriteFate::Whole };
        let entries = |writes: &mut dyn Iterator<Item = StateWrite>| {
            let mut bytes = Vec::new();
            put_all(writes, &mut bytes);
            bytes.len()
        };
        assert!(entries(&mut (0..1_000_000).map(in_order)) < 16);
        let at_random = |n: u64| StateWrite { offset: n * 7_919_917 % (1 << 26) * 4096, ..in_order(n) };
        assert!(entries(&mut (0..1000).map(at_random)) < 8000);
    }

    #[test]
    fn a_file_that_was_cut_or_altered_is_no_state() {
        let bytes = state(mixed()).to_bytes();
        for left in 0..bytes.len() {
            let error = VerifyState::from_bytes(&bytes[..left]).expect_err("it is cut");
            let is_short = left < MAGIC.len() + 2;
            assert!(is_short || matches!(error, StateError::Cut { .. }), "{left}: {error}");
        }
        for at in (MAGIC.len()..bytes.len()).step_by(7) {
            let mut altered = bytes.clone();
            altered[at] ^= 1;
            assert!(VerifyState::from_bytes(&altered).is_err(), "byte {at}");
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert_eq!(VerifyState::from_bytes(&longer), Err(StateError::Altered));
        assert_eq!(VerifyState::from_bytes(b"\x03\0\0\0fio"), Err(StateError::Foreign));
        let newer = [b"fathom verify state 2\n".as_slice(), &bytes[22..]].concat();
        assert_eq!(VerifyState::from_bytes(&newer), Err(StateError::Version { version: "2".to_owned() }));
    }

    /// With a right checksum, so only what the entries say is wrong.
    #[test]
    fn a_write_outside_of_its_file_is_no_write() {
        for wrong in [
            StateWrite { file: 2, ..write(0, 0, 4096, WriteFate::Whole) },
            write(0, 1 << 40, 4096, WriteFate::Whole),
            write(1 << 32, 0, 4096, WriteFate::Whole),
            write(0, 0, 0, WriteFate::Whole),
        ] {
            let bytes = state(vec![wrong]).to_bytes();
            assert_eq!(VerifyState::from_bytes(&bytes), Err(StateError::Altered), "{wrong:?}");
        }
    }

    #[test]
    fn the_first_option_that_differs_is_named_with_both_values() {
        let wrote = state(Vec::new()).head.blocks;
        assert_eq!(wrote.difference(&wrote, true), None);
        let mut other = JobBlocks { method: Method::Md5, ..wrote.clone() };
        let difference = wrote.difference(&other, true).expect("the method differs");
        assert_eq!(
            (difference.option, difference.wrote.as_str(), difference.checks.as_str()),
            ("verify", "crc32c", "md5")
        );
        other.method = Method::Crc32c;
        other.files[1].path = "/dev/sdb".to_owned();
        assert_eq!(wrote.difference(&other, true).map(|it| it.option), Some("filename"));
        assert_eq!(wrote.difference(&other, false), None);
        other.files[1].size_bytes = 4096;
        assert_eq!(wrote.difference(&other, false).map(|it| it.option), Some("size"));
    }
}
