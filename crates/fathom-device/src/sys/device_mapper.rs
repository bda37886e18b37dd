//! The table of a device-mapper device, by `DM_TABLE_STATUS`
//! (linux/dm-ioctl.h).
//!
//! The table of a crypt device holds its key. It is wiped here: nothing above
//! this file ever sees it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use super::check;
use crate::device::DevNumber;

/// `struct dm_ioctl`: version 3×4, data_size, data_start, target_count,
/// open_count, flags, event_nr, padding, dev 8, name 128, uuid 129, data 7.
const HEADER_BYTES: usize = 312;
/// `struct dm_target_spec`: start 8, length 8, status 4, next 4, type 16.
const SPEC_BYTES: usize = 40;
/// Room for the answer: a table of some hundred lines.
const BUFFER_BYTES: usize = 64 << 10;

const DATA_SIZE: usize = 12;
const DATA_START: usize = 16;
const TARGET_COUNT: usize = 20;
const FLAGS: usize = 28;
const DEV: usize = 40;

/// The table, not the status; wipe the kernel's own copy; (out) no room.
const STATUS_TABLE_FLAG: u32 = 1 << 4;
const SECURE_DATA_FLAG: u32 = 1 << 15;
const BUFFER_FULL_FLAG: u32 = 1 << 8;

/// `_IOWR(DM_IOCTL, DM_TABLE_STATUS_CMD, struct dm_ioctl)`.
const DM_TABLE_STATUS: libc::Ioctl = libc::_IOWR::<[u64; HEADER_BYTES / 8]>(0xfd, 12);

/// The table's lines, `START LENGTH TYPE`; of crypt also the cipher and the
/// options, with `-` for the key.
pub fn table(control: &File, number: DevNumber) -> io::Result<String> {
    let mut buffer = vec![0u64; BUFFER_BYTES / 8];
    for (at, value) in request(number) {
        put(&mut buffer, at, value);
    }
    put(&mut buffer, DEV + 4, 0);
    // SAFETY: the buffer is a dm_ioctl with `data_size` bytes in all, aligned
    // to 8 bytes, and outlives the call; the kernel writes no further.
    check(unsafe { libc::ioctl(control.as_raw_fd(), DM_TABLE_STATUS, buffer.as_mut_ptr()) })?;
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    lines(&bytes).ok_or_else(|| io::Error::other("the answer is cut off"))
}

fn request(number: DevNumber) -> [(usize, u32); 5] {
    // `huge_encode_dev` of linux/kdev_t.h.
    let dev = (number.minor & 0xff) | number.major << 8 | (number.minor & !0xff) << 12;
    [
        (0, 4),
        (DATA_SIZE, BUFFER_BYTES as u32),
        (DATA_START, HEADER_BYTES as u32),
        (FLAGS, STATUS_TABLE_FLAG | SECURE_DATA_FLAG),
        (DEV, dev),
    ]
}

fn put(buffer: &mut [u64], at: usize, value: u32) {
    let mut bytes = buffer[at / 8].to_ne_bytes();
    bytes[at % 8..at % 8 + 4].copy_from_slice(&value.to_ne_bytes());
    buffer[at / 8] = u64::from_ne_bytes(bytes);
}

/// The lines of an answer; `None` where the answer is inconsistent.
fn lines(answer: &[u8]) -> Option<String> {
    let flags = number(answer, FLAGS)?;
    if flags & BUFFER_FULL_FLAG != 0 {
        return None;
    }
    let first = number(answer, DATA_START)? as usize;
    let (mut at, mut lines) = (first, Vec::new());
    for _ in 0..number(answer, TARGET_COUNT)? {
        let long = |at: usize| Some(u64::from_ne_bytes(answer.get(at..at + 8)?.try_into().ok()?));
        let name = text(answer.get(at + 24..at + SPEC_BYTES)?);
        let parameters = text(answer.get(at + SPEC_BYTES..)?);
        let line = format!("{} {} {name}{}", long(at)?, long(at + 8)?, shown(&name, &parameters));
        lines.push(line);
        at = first + number(answer, at + 20)? as usize;
    }
    Some(lines.join("\n"))
}

/// What may be shown of the parameters: of crypt all but the key, of the
/// others, some of which hold keys too, nothing.
fn shown(name: &str, parameters: &str) -> String {
    let words: Vec<&str> = parameters.split_whitespace().collect();
    match (name, words.as_slice()) {
        ("crypt", [cipher, _key, rest @ ..]) => format!(" {cipher} - {}", rest.join(" ")),
        _ => String::new(),
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_kernels() {
        // As linux/dm-ioctl.h computes it.
        assert_eq!(DM_TABLE_STATUS, 0xc138_fd0c);
    }

    fn spec(name: &str, parameters: &str, next: u32) -> Vec<u8> {
        let mut bytes = [0u64.to_ne_bytes(), 2048u64.to_ne_bytes()].concat();
        bytes.extend([0u32.to_ne_bytes(), next.to_ne_bytes()].concat());
        bytes.extend(name.as_bytes());
        bytes.resize(SPEC_BYTES, 0);
        bytes.extend(parameters.as_bytes());
        bytes.resize(next as usize, 0);
        bytes
    }

    fn answer(flags: u32) -> Vec<u8> {
        let mut header = vec![0u64; HEADER_BYTES / 8];
        put(&mut header, DATA_START, HEADER_BYTES as u32);
        put(&mut header, TARGET_COUNT, 2);
        put(&mut header, FLAGS, flags);
        let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.extend(spec("crypt", "aes-xts-plain64 0123abcd 0 8:1 32768 1 no_read_workqueue", 136));
        bytes.extend(spec("linear", "8:2 0", 64));
        bytes
    }

    #[test]
    fn a_key_is_never_shown() {
        let lines = lines(&answer(0)).unwrap();
        assert_eq!(lines, "0 2048 crypt aes-xts-plain64 - 0 8:1 32768 1 no_read_workqueue\n0 2048 linear");
    }

    #[test]
    fn an_answer_that_is_cut_off_is_none() {
        assert_eq!(lines(&answer(BUFFER_FULL_FLAG)), None);
        assert_eq!(lines(&answer(0)[..340]), None);
        assert_eq!(lines(&[]), None);
    }

    #[test]
    fn what_is_no_control_node_refuses() {
        let file = tempfile::tempfile().unwrap();
        assert!(table(&file, DevNumber { major: 253, minor: 0 }).is_err());
    }
}
