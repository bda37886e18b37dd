//! Programs that change or disturb what is measured: stopped, started again,
//! never disabled.

use super::knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, value};
use crate::owners::is_active;
use crate::place::RelativePlace;
use crate::setting::Setting;
use fathom_device::root::Root;

pub(super) const KNOBS: &[Action] = &[
    ("sys.daemons", |scope| units(scope.root, "sys.daemons"), value),
    ("noise.timers", |scope| units(scope.root, "noise.timers"), value),
    ("irq.daemon", |scope| units(scope.root, "irq.daemon"), value),
];

/// The units of the knob that are active. A unit that is not running is not stopped, and so is not started
/// afterwards.
fn units(root: &Root, id: &str) -> Vec<Setting> {
    let setting = |unit: &String| {
        Setting::at(OwnerKey::Unit { unit: unit.clone() }, RelativePlace::Unit, Codec::Active)
    };
    let names = knob(id).into_iter().flat_map(|knob| &knob.units);
    names.filter(|unit| is_active(root, unit)).map(setting).collect()
}
