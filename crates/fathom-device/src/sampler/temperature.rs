//! Temperature of NVMe drives and of CPUs, with the limit that the sensor names.
//!
//! A drive is asked every ten seconds only, because the kernel gets its temperature by a command to the drive. SATA drives are
//! not asked: their command waits until the queue is empty. Of a processor only the sensor of the package is read, because
//! that of a core interrupts the core.

use super::{BeginResult, SampleScope, names, readable};
use crate::cpus::PROCESSOR_CHIPS;
use crate::glob::glob;
use crate::inventory::Disk;
use crate::root::Root;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(10);

/// 0 °C in thousandths of a kelvin.
const ZERO_CELSIUS: i64 = 273_150;

struct Sensor {
    name: String,
    input: PathBuf,
    /// The limit, thousandths of a kelvin; 0 where it names none.
    limit: u64,
    /// When and what it said last, where it is not asked each time.
    last: Option<(Instant, Option<u64>)>,
    is_drive: bool,
}

pub(super) fn begin(root: &Root, scope: &SampleScope) -> BeginResult {
    let mut sensors: Vec<Sensor> = scope.disks.iter().flat_map(|disk| of_drive(root, disk)).collect();
    sensors.dedup_by(|a, b| a.name == b.name);
    sensors.extend(of_processors(root));
    let subjects = names(sensors.iter().map(|sensor| &sensor.name));
    readable(["millikelvin", "millikelvin_max"], subjects, move |root| {
        sensors.iter_mut().map(|sensor| Some(vec![sensor.read(root)?, sensor.limit])).collect()
    })
}

/// The sensors of a disk's controllers. Where they are depends on the kernel.
fn of_drive(root: &Root, disk: &Disk) -> Vec<Sensor> {
    let below = ["hwmon#", "hwmon/hwmon#", "device/hwmon/hwmon#"];
    let of_controller = |name: &String| {
        let dir = format!("/sys/class/nvme/{name}");
        let chip = below.iter().find_map(|part| glob(root, &format!("{dir}/{part}")).into_iter().next())?;
        sensor(root, name.clone(), &chip, "temp1_max", true)
    };
    disk.controllers.iter().filter_map(of_controller).collect()
}

fn of_processors(root: &Root) -> Vec<Sensor> {
    let chips = glob(root, "/sys/class/hwmon/hwmon#").into_iter();
    let chips = chips.filter(|chip| {
        root.read_text(chip.join("name")).is_ok_and(|name| PROCESSOR_CHIPS.contains(&name.as_str()))
    });
    let named = chips.enumerate().filter_map(|(at, chip)| {
        let label = root.read_text(chip.join("temp1_label"));
        let label = label.unwrap_or_else(|_| "CPU".to_owned());
        let name = if label.contains("id") { format!("CPU {label}") } else { format!("CPU {at} {label}") };
        sensor(root, name, &chip, "temp1_crit", false)
    });
    named.collect()
}

fn sensor(root: &Root, name: String, chip: &Path, limit: &str, is_drive: bool) -> Option<Sensor> {
    let input = chip.join("temp1_input");
    // No limit is shown as 0, or as 65,261,850.
    let limit = root.read_value::<i64>(chip.join(limit)).ok().filter(|limit| (1..=200_000).contains(limit));
    let limit = limit.and_then(millikelvin).unwrap_or(0);
    root.exists(&input).then_some(Sensor { name, input, limit, last: None, is_drive })
}

fn millikelvin(millidegrees: i64) -> Option<u64> {
    // A drive without a sensor reports 0 K.
    (millidegrees + ZERO_CELSIUS).try_into().ok().filter(|kelvin| *kelvin > 1_000)
}

impl Sensor {
    fn read(&mut self, root: &Root) -> Option<u64> {
        if let Some((at, kelvin)) = self.last.filter(|(at, _)| at.elapsed() < EVERY) {
            self.last = Some((at, kelvin));
            return kelvin;
        }
        let kelvin = root.read_value(&self.input).ok().and_then(millikelvin);
        if self.is_drive {
            self.last = Some((Instant::now(), kelvin));
        }
        kelvin
    }
}
