//! `dmidecode -t 9`: the slots, as the firmware reports them (M-10).

use crate::calc::pcie::{Generation, LinkRate};
use crate::printout::figure::after;
use crate::topology::address::Address;

/// A slot as it is printed.
#[derive(Debug, Clone, Default, PartialEq)]
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

    /// The number of the slot: the last in its name.
    pub fn number(&self) -> Option<u32> {
        let from = self.designation.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        self.designation[from..].parse().ok()
    }

    /// Whether it is in use although the firmware says that it is not:
    /// `present` are the addresses of what is there.
    pub fn is_wrongly_available(&self, present: &[Address]) -> bool {
        self.usage == "Available" && self.address.is_some_and(|address| present.contains(&address))
    }
}

/// All slots of a printout. A line that begins another structure ends a slot.
pub fn parse(text: &str) -> Vec<PrintedSlot> {
    let mut slots: Vec<PrintedSlot> = Vec::new();
    let mut is_in_slot = false;
    for line in text.lines().map(str::trim) {
        if let Some(designation) = line.strip_prefix("Designation:") {
            slots.push(PrintedSlot { designation: designation.trim().to_owned(), ..PrintedSlot::default() });
            is_in_slot = true;
        }
        is_in_slot &= !super::is_handle(line);
        if let Some(slot) = slots.last_mut().filter(|_| is_in_slot) {
            slot.detail(line);
            slot.lines.push(line.to_owned());
        }
    }
    slots
}

impl PrintedSlot {
    fn detail(&mut self, line: &str) {
        let Some((word, value)) = line.split_once(": ") else {
            return;
        };
        match word {
            "Type" => self.kind = value.to_owned(),
            "Current Usage" => self.usage = value.to_owned(),
            "Bus Address" => self.address = value.parse().ok(),
            _ => {}
        }
    }
}
