//! Settings inside NVMe drives: power, cache, choice of path.
//!
//! Features have a current and a saved value. Only the current one is set: a
//! power cycle undoes it even if we cannot. A controller reset loses it too,
//! which a verification shows.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{KnobInput, Requirement, Risk};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};

/// Power Management and Volatile Write Cache (NVMe base specification 2.0,
/// 5.27.1.2 and 5.27.1.4).
const POWER: u8 = 0x02;
const WRITE_CACHE: u8 = 0x06;

/// Power state: bits 4:0 of feature 02h; above them is the workload hint.
const POWER_STATE: i64 = 0x1f;

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "nvme.apst",
        title: "no autonomous sleep of the drive",
        why: "the drive goes to sleep between I/Os and takes up to 100 ms to wake: the first I/O waits for that",
        risk: Risk::Speed,
        needs: Requirement::SettingsFile,
        docs: "Documentation/ABI/testing/sysfs-devices-power, pm_qos_latency_tolerance_us; nvme_core.default_ps_max_latency_us",
        find: |scope| {
            let file = "power/pm_qos_latency_tolerance_us";
            scope.controllers().into_iter().map(|key| Setting::file(key, file, Codec::Word)).collect()
        },
        want: |look| look.is_for(&[Latency, Repeatability]).then(|| "0".to_owned()),
    },
    Knob {
        id: "nvme.ps",
        title: "the drive in its highest power state",
        why: "a lower power state caps the drive's speed, all of the time",
        risk: Risk::Others,
        needs: Requirement::SysAdmin,
        docs: "NVMe base specification, feature 02h; current value only, never saved",
        find: |scope| features(scope, POWER),
        want: |look| Some((look.number()? & !POWER_STATE).to_string()),
    },
    Knob {
        id: "nvme.cache",
        title: "the drive's volatile write cache on",
        why: "without it each write waits for the medium; with it, what was not flushed is lost with the power, \
              unless the drive protects itself",
        risk: Risk::Durability,
        needs: Requirement::SysAdmin,
        docs: "NVMe base specification, feature 06h; the kernel's queue/write_cache is never touched: it would stop flushing",
        find: |scope| features(scope, WRITE_CACHE),
        want: |look| look.is_for(&[Iops, Bandwidth]).then(|| "1".to_owned()),
    },
    Knob {
        id: "nvme.multipath",
        title: "choice among paths to a drive",
        why: "one path per node is shortest (numa); spreading over all gives more bandwidth",
        risk: Risk::Others,
        needs: Requirement::SettingsFile,
        docs: "Documentation/admin-guide/nvme-multipath.rst, iopolicy",
        find: |scope| {
            scope.subsystems().into_iter().map(|key| Setting::file(key, "iopolicy", Codec::Word)).collect()
        },
        want: policy,
    },
];

pub(super) fn features(scope: &Scope<'_>, feature: u8) -> Vec<Setting> {
    let setting = |key: OwnerKey| Setting::at(key, RelativePlace::Feature(feature), Codec::Number);
    scope.controllers().into_iter().map(setting).collect()
}

fn policy(look: &KnobInput<'_>) -> Option<String> {
    let word = match look.goal {
        Latency => "numa",
        Iops | Bandwidth => "round-robin",
        Repeatability => return None,
    };
    Some(word.to_owned())
}
