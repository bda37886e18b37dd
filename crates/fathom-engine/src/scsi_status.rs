//! What a SCSI command that failed came back with, and its place among the results of I/Os.
//!
//! A result is bytes moved or a negative errno. Below all of these, and below the statuses of NVMe commands, is what a drive or its
//! adapter returned for a SCSI command, so that a message can name it. Where an errno is needed, it is that of the kernel's block
//! layer.

/// These failures begin here.
pub const FIRST: i32 = 0x100_0000;

/// Above the sense key, its code and its qualifier: a status without sense data, and the status of an adapter.
const STATUS: u32 = 0x10_0000;
const HOST: u32 = 0x20_0000;
/// The bit for deferred sense data: the error is that of an earlier command, and this one was not carried out (SPC-4, 4.5.7).
const DEFERRED: u32 = 0x40_0000;

const CHECK_CONDITION: u8 = 0x02;
const RESERVATION_CONFLICT: u8 = 0x18;
/// `DID_TIME_OUT` of the kernel's scsi/scsi_status.h.
const TIMED_OUT: u16 = 0x03;
/// `DID_ERROR` of the same file.
const ADAPTER_ERROR: u16 = 0x07;
/// Statuses of the kernel's middle layer, in the lower half of a byte: there is sense data, or the command timed out. Kernels before
/// 5.14 report a command that timed out by this alone.
const MIDDLE_LAYER: u16 = 0x0f;
const MIDDLE_LAYER_SENSE: u16 = 0x08;
const MIDDLE_LAYER_TIMED_OUT: u16 = 0x06;

/// Names of sense keys (SPC-4, table 48).
const KEYS: [&str; 16] = [
    "no sense",
    "recovered error",
    "not ready",
    "medium error",
    "hardware error",
    "illegal request",
    "unit attention",
    "data protect",
    "blank check",
    "vendor specific",
    "copy aborted",
    "aborted command",
    "reserved",
    "volume overflow",
    "miscompare",
    "completed",
];
const NO_SENSE: u32 = 0;
const RECOVERED: u32 = 1;
const ILLEGAL_REQUEST: u32 = 5;
const UNIT_ATTENTION: u32 = 6;
const DATA_PROTECT: u32 = 7;

/// Names of additional sense codes with their qualifiers (SPC-4, annex D).
const CODES: &[(u32, &str)] = &[
    (0x0400, "not ready, cause not reported"),
    (0x0c02, "write error, reallocation failed"),
    (0x1001, "guard check failed"),
    (0x1002, "application tag check failed"),
    (0x1003, "reference tag check failed"),
    (0x1100, "unrecovered read error"),
    (0x1d00, "miscompare during verify"),
    (0x2000, "invalid command operation code"),
    (0x2100, "logical block address out of range"),
    (0x2400, "invalid field in the command"),
    (0x2600, "invalid field in the parameter list"),
    (0x2700, "write protected"),
    (0x2707, "space allocation failed"),
    (0x2900, "power on or reset occurred"),
    (0x3a00, "medium not present"),
    (0x4400, "internal target failure"),
];

/// The result of a command that failed; `None` for one that went well, perhaps after the drive repeated something.
pub fn failure_of(status: u8, host: u16, driver: u16, sense: &[u8]) -> Option<i32> {
    let host = match driver & MIDDLE_LAYER {
        0 | MIDDLE_LAYER_SENSE => host,
        _ if host != 0 => host,
        MIDDLE_LAYER_TIMED_OUT => TIMED_OUT,
        _ => ADAPTER_ERROR,
    };
    if status == 0 && host == 0 && (driver == 0 || sense.is_empty()) {
        return None;
    }
    let place = match sense_of(sense) {
        Some(
            Sense { key: RECOVERED, is_deferred: false, .. }
            | Sense { key: NO_SENSE, code: 0, is_deferred: false },
        ) => match host {
            0 => return None,
            host => HOST | u32::from(host),
        },
        Some(Sense { key, code, is_deferred }) => key << 16 | code | if is_deferred { DEFERRED } else { 0 },
        None if host != 0 => HOST | u32::from(host),
        None => STATUS | u32::from(status),
    };
    Some(-FIRST - place as i32)
}

/// Does this result say that something has happened to the drive, such as a reset, and nothing about the command?
pub fn is_unit_attention(result: i32) -> bool {
    result < 0 && place_of(-result).is_some_and(|place| place >> 16 == UNIT_ATTENTION)
}

/// What sense data says.
struct Sense {
    key: u32,
    /// Additional sense code with its qualifier.
    code: u32,
    is_deferred: bool,
}

/// Sense data in its fixed form or with descriptors (SPC-4, 4.5).
fn sense_of(sense: &[u8]) -> Option<Sense> {
    let at = |byte: usize| sense.get(byte).copied().map(u32::from);
    let response = at(0)? & 0x7f;
    let (key, code, qualifier) = match response {
        0x70 | 0x71 => (at(2)?, at(12).unwrap_or(0), at(13).unwrap_or(0)),
        0x72 | 0x73 => (at(1)?, at(2)?, at(3)?),
        _ => return None,
    };
    Some(Sense { key: key & 0xf, code: code << 8 | qualifier, is_deferred: response & 1 == 1 })
}

/// The errno of such a failure; `None` if it is another one.
pub fn errno_of(failure: i32) -> Option<i32> {
    let place = place_of(failure)?;
    let (key, code) = (place >> 16, place & 0xffff);
    Some(match (key, code) {
        _ if place & DEFERRED != 0 => libc::EIO,
        (ILLEGAL_REQUEST, 0x2000 | 0x2400 | 0x2600) => libc::EOPNOTSUPP,
        (DATA_PROTECT, 0x2707) => libc::ENOSPC,
        (_, 0x1001..=0x1003) if key < 16 => libc::EILSEQ,
        _ if place == STATUS | u32::from(RESERVATION_CONFLICT) => libc::EBADE,
        _ if place == HOST | u32::from(TIMED_OUT) => libc::ETIMEDOUT,
        _ => libc::EIO,
    })
}

/// The failure in words, if it is one of these.
pub fn text_of(failure: i32) -> Option<String> {
    let place = place_of(failure)?;
    if place & HOST != 0 {
        return Some(format!(
            "the adapter did not carry the command out (SCSI host status {:#04x})",
            place & 0xffff
        ));
    }
    if place & STATUS != 0 {
        let name = match (place & 0xff) as u8 {
            CHECK_CONDITION => "an error without sense data",
            0x08 => "busy",
            RESERVATION_CONFLICT => "reservation conflict",
            0x28 => "task set full",
            0x40 => "task aborted",
            _ => "a status without a name here",
        };
        return Some(format!("{name} (SCSI status {:#04x})", place & 0xff));
    }
    let (key, code) = (place >> 16 & 0xf, place & 0xffff);
    let deferred = if place & DEFERRED == 0 {
        ""
    } else {
        "an earlier command failed, and this one was not carried out: "
    };
    let name = CODES.iter().find(|(known, _)| *known == code).map(|(_, name)| format!(": {name}"));
    Some(format!(
        "{deferred}{}{} (SCSI sense key {key:#x}, code {:#04x}/{:#04x})",
        KEYS[key as usize],
        name.unwrap_or_default(),
        code >> 8,
        code & 0xff
    ))
}

fn place_of(failure: i32) -> Option<u32> {
    failure
        .checked_sub(FIRST)
        .and_then(|place| u32::try_from(place).ok())
        .filter(|place| *place < DEFERRED << 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(key: u8, code: u8, qualifier: u8) -> [u8; 18] {
        let mut sense = [0; 18];
        (sense[0], sense[2], sense[12], sense[13]) = (0xf0, key, code, qualifier);
        sense
    }

    #[test]
    fn sense_data_is_an_errno_and_words() {
        for (sense, errno, text) in [
            (
                fixed(3, 0x11, 0),
                libc::EIO,
                "medium error: unrecovered read error (SCSI sense key 0x3, code 0x11/0x00)",
            ),
            (
                fixed(5, 0x20, 0),
                libc::EOPNOTSUPP,
                "illegal request: invalid command operation code (SCSI sense key 0x5, code 0x20/0x00)",
            ),
            (
                fixed(5, 0x21, 0),
                libc::EIO,
                "illegal request: logical block address out of range (SCSI sense key 0x5, code 0x21/0x00)",
            ),
            (
                fixed(7, 0x27, 7),
                libc::ENOSPC,
                "data protect: space allocation failed (SCSI sense key 0x7, code 0x27/0x07)",
            ),
            (
                fixed(0xb, 0x10, 1),
                libc::EILSEQ,
                "aborted command: guard check failed (SCSI sense key 0xb, code 0x10/0x01)",
            ),
            (fixed(2, 0x77, 0x12), libc::EIO, "not ready (SCSI sense key 0x2, code 0x77/0x12)"),
        ] {
            let failure = -failure_of(CHECK_CONDITION, 0, 8, &sense).unwrap();
            assert_eq!((errno_of(failure), text_of(failure).as_deref()), (Some(errno), Some(text)));
        }
    }

    #[test]
    fn a_reset_is_a_unit_attention() {
        assert!(is_unit_attention(failure_of(CHECK_CONDITION, 0, 8, &fixed(6, 0x29, 0)).unwrap()));
        for other in [0, 8, -libc::EIO, failure_of(CHECK_CONDITION, 0, 8, &fixed(5, 0x20, 0)).unwrap()] {
            assert!(!is_unit_attention(other), "{other}");
        }
    }

    #[test]
    fn the_two_forms_of_sense_data_say_the_same() {
        let described = [0x72, 3, 0x11, 0, 0, 0, 0, 0];
        assert_eq!(failure_of(2, 0, 0, &described), failure_of(2, 0, 0, &fixed(3, 0x11, 0)));
    }

    #[test]
    fn what_went_well_is_no_failure() {
        for (status, host, driver, sense) in
            [(0, 0, 0, &[][..]), (2, 0, 8, &fixed(1, 0x17, 1)), (2, 0, 0, &fixed(0, 0, 0))]
        {
            assert_eq!(failure_of(status, host, driver, sense), None, "{status} {sense:x?}");
        }
    }

    /// A drive that recovered says nothing about the way to it, and deferred sense data is about an earlier command.
    #[test]
    fn what_was_not_carried_out_is_a_failure_whatever_the_sense_data_says_beside_it() {
        let recovered = fixed(1, 0x17, 1);
        let deferred = |key: u8| {
            let mut sense = fixed(key, 0x0c, 2);
            sense[0] = 0x71;
            sense
        };
        for (driver, host, sense, errno, text) in [
            (8, 7, recovered, libc::EIO, "the adapter did not carry the command out (SCSI host status 0x07)"),
            (
                8,
                0,
                deferred(1),
                libc::EIO,
                "an earlier command failed, and this one was not carried out: recovered error: write error, reallocation \
                 failed (SCSI sense key 0x1, code 0x0c/0x02)",
            ),
            (
                8,
                0,
                deferred(3),
                libc::EIO,
                "an earlier command failed, and this one was not carried out: medium error: write error, reallocation \
                 failed (SCSI sense key 0x3, code 0x0c/0x02)",
            ),
        ] {
            let failure = -failure_of(CHECK_CONDITION, host, driver, &sense).unwrap();
            assert_eq!((errno_of(failure), text_of(failure).as_deref()), (Some(errno), Some(text)));
        }
    }

    /// Kernels before 5.14 report it by the middle layer's status alone.
    #[test]
    fn a_command_that_timed_out_is_a_failure_without_another_status() {
        for (driver, errno) in [(0x06, libc::ETIMEDOUT), (0x16, libc::ETIMEDOUT), (0x04, libc::EIO)] {
            let failure = -failure_of(0, 0, driver, &[]).unwrap();
            assert_eq!(errno_of(failure), Some(errno), "{driver:#x}");
        }
        assert_eq!(failure_of(0, 0, 8, &[]), None);
    }

    #[test]
    fn a_failure_without_sense_data_is_that_of_its_status() {
        for (status, host, errno, text) in [
            (0x18, 0, libc::EBADE, "reservation conflict (SCSI status 0x18)"),
            (0x02, 0, libc::EIO, "an error without sense data (SCSI status 0x02)"),
            (0, 3, libc::ETIMEDOUT, "the adapter did not carry the command out (SCSI host status 0x03)"),
            (0, 1, libc::EIO, "the adapter did not carry the command out (SCSI host status 0x01)"),
        ] {
            let failure = -failure_of(status, host, 0, &[]).unwrap();
            assert_eq!((errno_of(failure), text_of(failure).as_deref()), (Some(errno), Some(text)));
        }
        for other in [libc::EIO, 0x1_0000, 0x1_ffff, FIRST - 1] {
            assert_eq!((errno_of(other), text_of(other)), (None, None), "{other:#x}");
        }
    }
}
