//! The map's facts about one drive: its identity, its temperature, and the CPUs
//! of its queues.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::fact::Reading;
use fathom_device::cpus::CpuSet;
use fathom_device::device::{DevNumber, serial};
use fathom_device::inventory::property::{FIRMWARE, MODEL};
use fathom_device::root::{Root, Unknown};

/// The facts about a block device that is hardware.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Drive {
    /// Model.
    pub model: Reading<String>,
    /// Serial number.
    pub serial: Reading<String>,
    /// World-wide name.
    pub wwid: Reading<String>,
    /// Firmware.
    pub firmware: Reading<String>,
    /// Temperature now, in °C.
    pub temperature_c: Reading<f64>,
    /// Temperature from which it warns (and many drives slow down), in °C.
    pub temperature_warning_c: Reading<f64>,
    /// Logical block, in bytes.
    pub logical_block_bytes: Reading<u32>,
    /// Physical block, in bytes.
    pub physical_block_bytes: Reading<u32>,
    /// Hardware queues.
    pub queues: Vec<HardwareQueue>,
}

/// A hardware queue and the CPUs that submit to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HardwareQueue {
    /// Number of the queue, from 0.
    pub number: u32,
    /// CPUs that submit to it.
    pub cpus: Reading<CpuSet>,
}

impl Drive {
    /// Reads the disk in `dir`.
    pub fn read(root: &Root, dir: &Path, number: DevNumber) -> Self {
        let text = |files: &[&str]| first(files.iter().map(|file| Reading::text(root, dir.join(file))));
        let hwmon = hwmon(root, dir);
        let celsius = |file: &str| match &hwmon {
            Some(hwmon) => Reading::read(root, hwmon.join(file), millidegrees),
            None => {
                Reading::unknown(Unknown::absent(dir.join("device"), "no temperature sensor is bound to it"))
            }
        };
        Self {
            model: text(MODEL),
            serial: serial_of(root, dir, number),
            wwid: text(&["wwid", "device/wwid"]),
            firmware: text(FIRMWARE),
            temperature_c: celsius("temp1_input"),
            temperature_warning_c: celsius("temp1_max"),
            logical_block_bytes: Reading::parsed(root, dir.join("queue/logical_block_size")),
            physical_block_bytes: Reading::parsed(root, dir.join("queue/physical_block_size")),
            queues: queues(root, dir),
        }
    }
}

fn first<T>(facts: impl IntoIterator<Item = Reading<T>>) -> Reading<T> {
    Reading::first(facts).expect("each fact has a place")
}

/// The serial number from its file, or from another source that this kind of drive has.
fn serial_of(root: &Root, dir: &Path, number: DevNumber) -> Reading<String> {
    let fact = first(["device/serial", "serial"].map(|file| Reading::text(root, dir.join(file))));
    match serial::serial(root, dir, number) {
        Some(serial) if fact.value.is_none() => Reading::known(serial.clone(), dir, serial),
        _ => fact,
    }
}

/// hwmon counts in thousandths of a degree.
fn millidegrees(text: &str) -> Option<f64> {
    text.parse::<i32>().ok().map(|thousandths| f64::from(thousandths) / 1000.0)
}

/// The directory of a drive's sensor. It depends on the kernel version and on
/// the kind of drive: below the controller (NVMe), or below its device (NVMe
/// before 5.17, SATA).
fn hwmon(root: &Root, dir: &Path) -> Option<PathBuf> {
    let places = ["device", "device/hwmon", "device/device/hwmon"].map(|place| dir.join(place));
    places.into_iter().find_map(|place| {
        let names = root.list(&place).unwrap_or_default();
        let name = names.into_iter().find(|name| name.starts_with("hwmon") && name.len() > "hwmon".len())?;
        Some(place.join(name))
    })
}

fn queues(root: &Root, dir: &Path) -> Vec<HardwareQueue> {
    let queue = |number: u32| {
        let path = dir.join(format!("mq/{number}/cpu_list"));
        HardwareQueue { number, cpus: Reading::read(root, path, |text| CpuSet::from_list(text).ok()) }
    };
    root.numbers(dir.join("mq"), "").into_iter().map(queue).collect()
}
