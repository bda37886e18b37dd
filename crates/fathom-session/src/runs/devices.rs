//! By which names a run's devices are found: paths, kernel names, models and serial numbers.

use super::kept::{Kept, each};
use serde::{Deserialize, Deserializer};

/// The most names that are kept of a run.
const NAMES_MAX: usize = 64;

/// The names in the facts about targets: `target.PATH.disks`. Disks become paths below `/dev`.
#[derive(Debug, Default)]
pub(super) struct Devices(pub Vec<String>);

/// One fact of a record's `host`.
#[derive(Deserialize)]
struct FactPart {
    name: Kept,
    value: Option<Kept>,
}

impl<'de> Deserialize<'de> for Devices {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        each(from, Devices::add).map(|mut devices: Devices| {
            devices.keep();
            devices
        })
    }
}

impl Devices {
    fn add(&mut self, FactPart { name, value }: FactPart) {
        let Some((path, fact)) = name.0.strip_prefix("target.").and_then(|rest| rest.rsplit_once('.')) else {
            return;
        };
        let Some(Kept(value)) = value.filter(|value| !value.0.trim().is_empty()) else { return };
        match fact {
            "disk" | "disks" => {
                let disks = value.split([',', ' ']).filter(|disk| !disk.is_empty());
                self.0.extend(disks.map(|disk| format!("/dev/{disk}")));
                self.0.push(path.to_owned());
            }
            "model" | "serial" => self.0.push(value.trim().to_owned()),
            _ => {}
        }
        if self.0.len() > 2 * NAMES_MAX {
            self.keep();
        }
    }

    /// Each once, and the first in the order of the alphabet.
    fn keep(&mut self) {
        self.0.sort_unstable();
        self.0.dedup();
        self.0.truncate(NAMES_MAX);
    }
}
