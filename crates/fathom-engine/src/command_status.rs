//! The failure of an I/O: an errno, or what a drive returned for a command.

use crate::{nvme_status, scsi_status};

/// The errno of a failure.
pub fn errno_of(failure: i32) -> i32 {
    scsi_status::errno_of(failure).unwrap_or_else(|| nvme_status::errno_of(failure))
}

/// What a drive returned, in words, if the failure is that.
pub fn text_of(failure: i32) -> Option<String> {
    scsi_status::text_of(failure).or_else(|| nvme_status::text_of(failure))
}
