//! `dmidecode -t 9`: the slots, as the firmware reports them (M-10).

use super::{field, structures};
use crate::calc::pcie::{Generation, LinkRate};
use crate::printout::figure::after;
use crate::topology::address::Address;

/// The first line of a slot, with its name.
pub(super) const DESIGNATION: &str = "Designation:";

/// A slot as it is printed.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedSlot {
    /// `PCI-E Slot 7`.
    pub designation: String,
    /// `x4 PCI Express Gen 2 x8`: lanes wired, generation, lanes that fit.
    pub kind: String,
    /// `In Use` or `Available`, as the firmware found it at power-on.
    pub usage: String,
    /// Address.
    pub address: Option<Address>,
    /// Its lines.
    pub(super) lines: Vec<String>,
}

impl PrintedSlot {
    /// What is wired: the first width, and the generation (1 if none is
    /// named). Older versions of dmidecode write `Gen 2`, newer ones the number
    /// alone.
    pub fn wired(&self) -> Option<LinkRate> {
        let lanes = self.kind.strip_prefix('x')?.split(' ').next()?.parse().ok()?;
        let rest = after(&self.kind, "PCI Express")?;
        let number = rest.strip_prefix("Gen ").unwrap_or(rest).split(' ').next()?.parse().ok();
        Some(LinkRate { generation: Generation::from_number(number.unwrap_or(1))?, lanes })
    }
}

/// All slots of a printout. A line that begins another structure ends a slot.
pub fn parse(text: &str) -> Vec<PrintedSlot> {
    let slots = structures(text, |line| line.starts_with(DESIGNATION));
    let slot = |lines: Vec<&str>| PrintedSlot {
        designation: lines[0][DESIGNATION.len()..].trim().to_owned(),
        kind: field(&lines, "Type").unwrap_or_default().to_owned(),
        usage: field(&lines, "Current Usage").unwrap_or_default().to_owned(),
        address: field(&lines, "Bus Address").and_then(|address| address.parse().ok()),
        lines: lines.into_iter().map(str::to_owned).collect(),
    };
    slots.into_iter().map(slot).collect()
}
