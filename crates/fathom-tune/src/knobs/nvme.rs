//! Settings inside NVMe drives: power, cache, choice of path.
//!
//! Features have a current and a saved value. Only the current one is set: a
//! power cycle undoes it even if we cannot. A controller reset loses it too,
//! which a verification shows.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, value};
use crate::place::RelativePlace;
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::Goal::Latency;

/// Power Management and Volatile Write Cache (NVMe base specification 2.0,
/// 5.27.1.2 and 5.27.1.4).
const POWER: u8 = 0x02;
const WRITE_CACHE: u8 = 0x06;

/// Power state: bits 4:0 of feature 02h; above them is the workload hint.
const POWER_STATE: i64 = 0x1f;

pub(super) const KNOBS: &[Action] = &[
    (
        "nvme.apst",
        |scope| {
            let file = "power/pm_qos_latency_tolerance_us";
            scope.controllers().into_iter().map(|key| Setting::file(key, file, Codec::Word)).collect()
        },
        value,
    ),
    ("nvme.ps", |scope| features(scope, POWER), |look| Some((look.number()? & !POWER_STATE).to_string())),
    ("nvme.cache", |scope| features(scope, WRITE_CACHE), value),
    (
        "nvme.multipath",
        |scope| {
            scope.subsystems().into_iter().map(|key| Setting::file(key, "iopolicy", Codec::Word)).collect()
        },
        policy,
    ),
];

pub(super) fn features(scope: &Scope<'_>, feature: u8) -> Vec<Setting> {
    let setting = |key: OwnerKey| Setting::at(key, RelativePlace::Feature(feature), Codec::Number);
    scope.controllers().into_iter().map(setting).collect()
}

fn policy(look: &KnobInput<'_>) -> Option<String> {
    Some(if look.goal == Latency { "numa" } else { "round-robin" }.to_owned())
}
