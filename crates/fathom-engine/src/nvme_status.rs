//! The status of an NVMe command that failed, and its place among the results of I/Os.
//!
//! A result is bytes moved or a negative errno. Below all of these is the status that a drive returned for a command, so
//! that a message can name it. Where an errno is needed, it is the one that the kernel's block layer makes of the status.

/// Statuses begin here; errnos end at 4095.
const FIRST: i32 = 0x1_0000;

/// Type and code of a status, without the bits that say how often to repeat and whether more is logged.
const TYPE_AND_CODE: u16 = 0x7ff;

/// Names of statuses: type in the upper bits, code in the lower eight (NVM Express Base Specification 2.0, figures 94 to 98).
const NAMES: &[(u16, &str)] = &[
    (0x001, "invalid command opcode"),
    (0x002, "invalid field in the command"),
    (0x004, "data transfer error"),
    (0x005, "aborted: power loss"),
    (0x006, "internal error"),
    (0x007, "aborted by request"),
    (0x008, "aborted: queue deleted"),
    (0x00b, "invalid namespace or format"),
    (0x01c, "sanitize failed"),
    (0x01d, "sanitize in progress"),
    (0x020, "namespace is write protected"),
    (0x021, "command interrupted"),
    (0x022, "transient transport error"),
    (0x080, "LBA out of range"),
    (0x081, "capacity exceeded"),
    (0x082, "namespace not ready"),
    (0x083, "reservation conflict"),
    (0x084, "format in progress"),
    (0x180, "conflicting attributes"),
    (0x181, "invalid protection information"),
    (0x182, "write to a read-only range"),
    (0x280, "write fault"),
    (0x281, "unrecovered read error"),
    (0x282, "guard check error"),
    (0x283, "application tag check error"),
    (0x284, "reference tag check error"),
    (0x285, "compare failure"),
    (0x286, "access denied"),
    (0x287, "deallocated or unwritten block"),
    (0x370, "internal path error"),
    (0x371, "host path error"),
];

/// The result of a command for which the drive returned this status.
pub fn result_of(status: i32) -> i32 {
    -FIRST - i32::from(status as u16)
}

/// The errno of a failure, which is an errno or a status.
pub fn errno_of(failure: i32) -> i32 {
    match status_in(failure) {
        None => failure,
        Some(0x001 | 0x002 | 0x00b) => libc::EOPNOTSUPP,
        Some(0x081) => libc::ENOSPC,
        Some(0x181 | 0x282..=0x284) => libc::EILSEQ,
        Some(_) => libc::EIO,
    }
}

/// The status in words, if the failure is one.
pub fn text_of(failure: i32) -> Option<String> {
    let status = status_in(failure)?;
    let name = NAMES
        .iter()
        .find(|(known, _)| *known == status)
        .map_or("a status without a name here", |(_, name)| name);
    Some(format!("{name} (NVMe status type {:#x}, code {:#04x})", status >> 8, status & 0xff))
}

fn status_in(failure: i32) -> Option<u16> {
    let status = failure.checked_sub(FIRST).filter(|status| (0..=i32::from(u16::MAX)).contains(status))?;
    Some(status as u16 & TYPE_AND_CODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_no_errno_and_has_a_name() {
        // Do Not Retry is bit 14 of what the kernel returns.
        for (status, errno, text) in [
            (0x4080, libc::EIO, "LBA out of range (NVMe status type 0x0, code 0x80)"),
            (0x4002, libc::EOPNOTSUPP, "invalid field in the command (NVMe status type 0x0, code 0x02)"),
            (0x0282, libc::EILSEQ, "guard check error (NVMe status type 0x2, code 0x82)"),
            (0x0081, libc::ENOSPC, "capacity exceeded (NVMe status type 0x0, code 0x81)"),
            (0x07c1, libc::EIO, "a status without a name here (NVMe status type 0x7, code 0xc1)"),
        ] {
            let failure = -result_of(status);
            assert_eq!(errno_of(failure), errno, "{status:#x}");
            assert_eq!(text_of(failure).as_deref(), Some(text));
        }
        assert_eq!((errno_of(libc::EIO), text_of(libc::EIO)), (libc::EIO, None));
    }
}
