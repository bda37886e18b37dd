//! The locate light of a drive's slot: which of many drives a person has to pull (contract V-75).

use std::path::Path;

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Requirement, Risk};
use crate::scope::Scope;
use crate::setting::Setting;

/// Slots that the kernel can switch on, off and to blinking.
const HOT_PLUG_SLOTS: &str = "/sys/bus/pci/slots";

pub(super) const KNOBS: &[Knob] = &[Knob {
    id: "slot.locate",
    title: "the locate light of the targets' slots",
    why: "a lit slot shows which drive to pull; 1 is on, 0 is off, and where the slot offers it 2 is blinking",
    risk: Risk::None,
    needs: Requirement::SettingsFile,
    docs: "Documentation/ABI/testing: sysfs-class-enclosure, sysfs-bus-pci (slots, and NPEM's leds)",
    find: |scope| {
        let bays = scope.disk_keys(|_| true).flat_map(|key| of_bay(scope, key));
        let functions = scope.functions();
        let ports = functions.iter().flat_map(|key| of_function(scope, key));
        bays.chain(ports).chain(of_hot_plug_slots(scope, &functions)).collect()
    },
    // Nothing that is measured depends on it.
    want: |_| None,
}];

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
