//! The files of a disk's properties that not every kind of disk has at the same place, relative to
//! the disk's directory in sysfs. The first readable one counts.

/// The model: NVMe controllers, SCSI and ATA.
pub const MODEL: &[&str] = &["device/model"];

/// The firmware's revision: NVMe controllers (`firmware_rev`), SCSI and ATA (`rev`), eMMC
/// (`fwrev`).
pub const FIRMWARE: &[&str] = &["device/firmware_rev", "device/rev", "device/fwrev"];

/// The chosen word of a file such as `none [mq-deadline] kyber`; `None` where no word is chosen.
pub fn chosen(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once('[')?;
    rest.split_once(']').map(|(word, _)| word)
}
