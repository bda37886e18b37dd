//! Devices and their uses in words.

use fathom_device::root::Why;
use fathom_device::signature::Class;
use fathom_text::number::{grouped, three};
use fathom_text::shown;
use fathom_text::words::counted;

use crate::devices::{DeviceUse, MeasurableDevice, WritingVerdict};

/// What a device is used for, in one phrase.
pub(super) fn uses(device: &MeasurableDevice) -> String {
    if let Some(reason) = refusal(device) {
        return shown::line(&reason).into_owned();
    }
    match &device.unreadable {
        _ if !device.uses.is_empty() => {}
        Some(unknown) if unknown.why == Why::Silent => return "does not answer".to_owned(),
        _ if device.size_bytes == 0 => return "empty".to_owned(),
        _ => return "not known".to_owned(),
    }
    let phrases: Vec<String> = device.uses.iter().map(phrase).collect();
    shown::line(&phrases.join(", ")).into_owned()
}

/// Why the guard refuses, where no use of the device shows it.
fn refusal(device: &MeasurableDevice) -> Option<String> {
    use DeviceUse::{Blank, Holds, Partitions, UnknownData};
    let is_use = |one: &DeviceUse| !matches!(one, Blank | Holds { .. } | Partitions { .. } | UnknownData);
    let is_shown = device.size_bytes == 0 || device.uses.iter().any(is_use);
    let is_refused = device.writing.verdict == WritingVerdict::Refused;
    let finding = device.writing.findings.first()?;
    (is_refused && !is_shown).then(|| finding.to_string())
}

fn phrase(one: &DeviceUse) -> String {
    match one {
        DeviceUse::Mounted { point, fs_type } => format!("{} ({fs_type})", point.display()),
        DeviceUse::Swap => "swap".to_owned(),
        DeviceUse::Member { of } => format!("part of {of}"),
        DeviceUse::Pool { pool } => format!("part of the mounted {pool}"),
        DeviceUse::Loop { device } => format!("behind {device}"),
        DeviceUse::Open { program, pid } => format!("open in {program} (pid {pid})"),
        DeviceUse::OpenForReading { program, pid } => format!("open for reading by {program} (pid {pid})"),
        DeviceUse::System { purpose } => purpose.clone(),
        DeviceUse::ReadOnly => "read-only".to_owned(),
        DeviceUse::Holds { format, class } => match class {
            Class::FileSystem => format!("{format}, not mounted"),
            Class::Swap => format!("{format}, not active"),
            Class::Member => format!("{format} member, not active"),
            Class::Encrypted => format!("{format}, not open"),
            Class::PartitionTable => format!("{format} partition table, no partition"),
        },
        DeviceUse::Partitions { count } => format!("{}, not in use", counted(*count, "partition")),
        DeviceUse::UnknownData => "data of no known format".to_owned(),
        DeviceUse::Blank => "blank".to_owned(),
    }
}

/// Bytes of a decimal gigabyte, as drives are sold.
const GB: f64 = 1e9;

/// Gigabytes without a unit, for a column: three digits, or all of a large number.
pub(super) fn gb(bytes: u64) -> String {
    let gb = bytes as f64 / GB;
    if bytes == 0 {
        return "0".to_owned();
    }
    if gb < 99.95 { three(gb) } else { grouped(gb.round() as u64) }
}
