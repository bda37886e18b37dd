//! Power saving of the links and functions between CPU and drive.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, value};
use crate::scope::Scope;
use crate::setting::Setting;
use std::path::Path;

/// Substates before L1: switching L1 off switches them off too, and switching a substate on
/// switches L1 on too, so they are restored backwards.
const LINK_STATES: [&str; 7] = [
    "link/l1_2_pcipm",
    "link/l1_1_pcipm",
    "link/l1_2_aspm",
    "link/l1_1_aspm",
    "link/l1_aspm",
    "link/l0s_aspm",
    "link/clkpm",
];

pub(super) const KNOBS: &[Action] = &[
    (
        "pcie.aspm",
        |scope| {
            let files =
                |key: OwnerKey| LINK_STATES.map(|file| Setting::file(key.clone(), file, Codec::Number));
            scope.functions().into_iter().flat_map(files).collect()
        },
        value,
    ),
    (
        "pcie.aspm_policy",
        |_| vec![Setting::file(OwnerKey::Host, "sys/module/pcie_aspm/parameters/policy", Codec::Selected)],
        |look| look.offered(&value(look)?),
    ),
    (
        "pcie.runtime_pm",
        |scope| {
            let functions = scope.functions().into_iter();
            functions.map(|key| Setting::file(key, "power/control", Codec::Word)).collect()
        },
        value,
    ),
    (
        "slot.locate",
        |scope| {
            let bays = scope.disk_keys(|_| true).flat_map(|key| of_bay(scope, key));
            let functions = scope.functions();
            let ports = functions.iter().flat_map(|key| of_function(scope, key));
            bays.chain(ports).chain(of_hot_plug_slots(scope, &functions)).collect()
        },
        value,
    ),
];

/// Slots that the kernel can switch on, off and to blinking.
const HOT_PLUG_SLOTS: &str = "/sys/bus/pci/slots";

/// The light of a SCSI or SATA drive's bay, which the enclosure's own processor switches (SES).
fn of_bay(scope: &Scope<'_>, key: OwnerKey) -> Vec<Setting> {
    let lights = |name: &str| name.starts_with("enclosure_device:").then(|| format!("device/{name}/locate"));
    of_entries(scope, &key, "device", lights)
}

/// The light of a PCIe port or drive that has Native PCIe Enclosure Management.
fn of_function(scope: &Scope<'_>, key: &OwnerKey) -> Vec<Setting> {
    let lights = |name: &str| name.ends_with(":enclosure:locate").then(|| format!("leds/{name}/brightness"));
    of_entries(scope, key, "leds", lights)
}

/// The files that `light` makes of the entries of a directory of the owner, where they are there.
fn of_entries(
    scope: &Scope<'_>,
    key: &OwnerKey,
    below: &str,
    light: impl Fn(&str) -> Option<String>,
) -> Vec<Setting> {
    let Ok(dir) = key.dir(scope.root) else { return Vec::new() };
    let entries = scope.root.list(dir.join(below)).unwrap_or_default();
    let files = entries.iter().filter_map(|name| light(name));
    let files = files.filter(|file| scope.root.exists(dir.join(file)));
    files.map(|file| Setting::file(key.clone(), &file, Codec::Number)).collect()
}

/// The attention lights of hot-plug slots that hold one of the functions. A slot's address is that of its
/// functions without their number.
fn of_hot_plug_slots(scope: &Scope<'_>, functions: &[OwnerKey]) -> Vec<Setting> {
    let holds = |slot: &str| {
        functions.iter().any(|key| match key {
            OwnerKey::Pci { address, .. } => address.rsplit_once('.').is_some_and(|(place, _)| place == slot),
            _ => false,
        })
    };
    let light = |name: &String| {
        let slot = Path::new(HOT_PLUG_SLOTS).join(name);
        let address = scope.root.read_text(slot.join("address")).ok()?;
        let file = slot.join("attention");
        let is_it = holds(address.trim()) && scope.root.exists(&file);
        is_it.then(|| file.to_string_lossy().trim_start_matches('/').to_owned())
    };
    let slots = scope.root.list(HOT_PLUG_SLOTS).unwrap_or_default();
    slots.iter().filter_map(light).map(|file| Setting::file(OwnerKey::Host, &file, Codec::Number)).collect()
}
