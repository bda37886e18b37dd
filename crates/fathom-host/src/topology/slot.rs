//! The names of slots, from the hotplug drivers and from the firmware.

use std::collections::BTreeMap;

use super::address::Address;
use super::fact::Reading;
use crate::smbios::{TABLE, slot};
use fathom_device::root::{Root, Unknown};

/// Slots of the hotplug drivers; all users may read them.
const HOTPLUG: &str = "/sys/bus/pci/slots";

/// Every slot's label by the device in it (function 0).
#[derive(Debug)]
pub struct SlotLabels {
    labels: BTreeMap<Address, Reading<String>>,
    /// Why the firmware's names are not known, if they are not.
    pub unknown: Option<Unknown>,
}

impl SlotLabels {
    /// Reads both sources. The firmware's name has priority, because it is the one on the board.
    pub fn read(root: &Root) -> Self {
        let mut labels: BTreeMap<_, _> = hotplug(root).collect();
        let table = root.read_bytes(TABLE);
        let unknown = table.as_ref().err().cloned();
        for slot in slot::slots(&table.unwrap_or_default()) {
            if let Some(address) = slot.address {
                let raw = format!("type 9, {}, {address}", slot.designation);
                let label = Reading::known(slot.designation, TABLE, raw);
                labels.insert(Address { function: 0, ..address }, label);
            }
        }
        Self { labels, unknown }
    }

    /// The label of the slot that this function's device is in.
    pub fn label(&self, address: Address) -> Option<&Reading<String>> {
        self.labels.get(&Address { function: 0, ..address })
    }
}

fn hotplug(root: &Root) -> impl Iterator<Item = (Address, Reading<String>)> {
    let names = root.list(HOTPLUG).unwrap_or_default().into_iter();
    names.filter_map(|name| {
        let path = format!("{HOTPLUG}/{name}/address");
        let raw = root.read_text(&path).ok()?;
        let address = format!("{raw}.0").parse().ok()?;
        Some((address, Reading::known(name, path, raw)))
    })
}
