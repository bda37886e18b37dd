//! `dmidecode`: slots (`-t 9`, M-10) and memory modules (`-t 17`), as the firmware
//! reports them.
//!
//! Firmware fills its table at power-on, and some of it is wrong. So its slots are
//! compared with what lspci lists, if that was given too.

use super::lspci::function;
use super::lspci::function::FunctionTree;
use super::{AGREEMENT, Part, PrintoutFinding, PrintoutKind, after, lspci, name, number};
use crate::audit::Observation;
use crate::audit::checks::numa;
use crate::calc::pcie::{Generation, LinkRate};
use crate::smbios::MemorySlot;
use crate::topology::address::Address;
use fathom_text::quantity::megabytes;
use fathom_text::words::counted;

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: PROGRAM, called: "dmidecode -t 9 -t 17 (as root)", marks: is_mark, judge };

const PROGRAM: &str = "dmidecode";

/// The title above a slot.
const SLOT_TITLE: &str = "System Slot Information";

fn is_mark(line: &str) -> bool {
    let line = line.trim();
    is_handle(line)
        || line.starts_with(DESIGNATION)
        || line == SLOT_TITLE
        || line == TITLE
        || line.starts_with("# dmidecode")
}

/// `Handle 0x0906, DMI type 9, 17 bytes`, which begins a structure.
fn is_handle(line: &str) -> bool {
    line.starts_with("Handle 0x") && line.contains("DMI type")
}

/// The lines of each structure, from a line that begins it up to the next handle.
fn structures(text: &str, begins: impl Fn(&str) -> bool) -> Vec<Vec<&str>> {
    let mut structures: Vec<Vec<&str>> = Vec::new();
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        if begins(line) {
            structures.push(Vec::new());
            is_inside = true;
        }
        is_inside &= !is_handle(line);
        structures.last_mut().filter(|_| is_inside).into_iter().for_each(|lines| lines.push(line));
    }
    structures
}

/// The value of a field of a structure; the last, if it has several.
fn field<'t>(lines: &[&'t str], word: &str) -> Option<&'t str> {
    let mut fields = lines.iter().rev().filter_map(|line| line.split_once(": "));
    fields.find(|(name, _)| *name == word).map(|(_, value)| value.trim())
}

fn judge(part: &Part, all: &[Part]) -> Vec<PrintoutFinding> {
    let slots = parse_slots(&part.text);
    let modules = parse_modules(&part.text);
    let mut findings: Vec<PrintoutFinding> = slots.iter().map(|slot| named(part, slot)).collect();
    if !slots.is_empty() {
        findings.extend(compared(part, &slots, all));
    }
    if !modules.is_empty() {
        findings.push(("numa.dimms", numa::judged_dimms(&part.path, &modules)));
    }
    findings
}

/// A slot as the firmware describes it: name, address, usage, what is wired.
fn named(part: &Part, slot: &PrintedSlot) -> PrintoutFinding {
    let address = slot.address.map_or("without an address".to_owned(), |address| format!("at {address}"));
    let usage = if slot.usage.is_empty() { "usage not given" } else { &slot.usage };
    let wired = slot.wired().map(|rate| format!(", wired as {rate}: {}", megabytes(rate.raw_mbps())));
    let says = format!("{address}, {usage}, {}{}", slot.kind, wired.unwrap_or_default());
    ("pcie.slot_name", seen_of(part, slot).info(name(&says)))
}

fn seen_of(part: &Part, slot: &PrintedSlot) -> Observation {
    part.observation(name(&slot.designation), slot.lines.join("\n"))
}

/// Compares the slots with what lspci lists.
fn compared(part: &Part, slots: &[PrintedSlot], all: &[Part]) -> Vec<PrintoutFinding> {
    let lists = all.iter().filter(|other| other.program == lspci::PROGRAM);
    // The lists are joined: of a function that is in several, the entry with the most lines counts.
    let functions = function::parse(&lists.map(|list| list.text.as_str()).collect::<String>());
    let observation = part.observation(PROGRAM, SLOT_TITLE);
    if functions.is_empty() {
        let says = "whether \"Available\" slots are empty is not known: give a printout of lspci -D too";
        return vec![(AGREEMENT, observation.not_applicable(says))];
    }
    let tree = FunctionTree::of(&functions);
    let wrong: Vec<PrintoutFinding> =
        slots.iter().filter_map(|slot| wrongly_available(part, slot, &tree)).collect();
    if wrong.is_empty() {
        let compared = counted(slots.len(), "slot");
        let says = format!("{compared} compared with lspci: none that is called available holds a card");
        return vec![(AGREEMENT, observation.ok(says))];
    }
    wrong
}

/// A slot that is called available but holds a card. Some firmware gives the
/// address of the port above a slot, so a bridge counts only if it leads to a
/// device.
fn wrongly_available(part: &Part, slot: &PrintedSlot, tree: &FunctionTree<'_>) -> Option<PrintoutFinding> {
    let there = tree.functions.get(&slot.address?)?;
    let is_filled = !there.is_bridge() || tree.leads_somewhere(there) == Some(true);
    if !is_filled || slot.usage != "Available" {
        return None;
    }
    let behind = if there.is_bridge() { ", with devices behind it" } else { "" };
    let (address, card) = (there.address, there.title());
    let says = format!("the firmware calls the slot available, but lspci lists at {address} {card}{behind}");
    Some((AGREEMENT, seen_of(part, slot).warn(says)))
}

// `dmidecode -t 9`: the slots, as the firmware reports them.

/// The first line of a slot, with its name.
const DESIGNATION: &str = "Designation:";

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
pub fn parse_slots(text: &str) -> Vec<PrintedSlot> {
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

// `dmidecode -t 17`: the memory modules, as the firmware reports them.

/// The title above a slot for a module.
const TITLE: &str = "Memory Device";

/// All slots of a printout, filled or not.
pub fn parse_modules(text: &str) -> Vec<MemorySlot> {
    let slot = |lines: Vec<&str>| MemorySlot {
        locator: field(&lines, "Locator").unwrap_or_default().to_owned(),
        bank: field(&lines, "Bank Locator").unwrap_or_default().to_owned(),
        size_mb: field(&lines, "Size").and_then(size_mb),
        speed_mts: field(&lines, "Speed").and_then(speed_mts),
        // The second name is that of versions before 3.2.
        configured_mts: field(&lines, "Configured Memory Speed")
            .or_else(|| field(&lines, "Configured Clock Speed"))
            .and_then(speed_mts),
    };
    structures(text, |line| line == TITLE).into_iter().map(slot).collect()
}

/// `16 GB`, `16384 MB`; an empty slot has `No Module Installed`.
fn size_mb(value: &str) -> Option<u64> {
    let (count, unit) = value.split_once(' ')?;
    let count: u64 = count.parse().ok()?;
    match unit {
        "kB" => Some(count / 1024),
        "MB" => Some(count),
        "GB" => count.checked_mul(1024),
        "TB" => count.checked_mul(1024 * 1024),
        _ => None,
    }
}

/// `3200 MT/s`; versions before 3.0 wrote `MHz` for the same. `Unknown` is none.
fn speed_mts(value: &str) -> Option<u16> {
    value.starts_with(|c: char| c.is_ascii_digit()).then(|| number(value).map(|mts| mts as u16))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_versions_write_them() {
        let sizes = ["16 GB", "16384 MB", "1 TB", "2048 kB", "No Module Installed", "16 EB", "x GB"];
        let expected = [Some(16_384), Some(16_384), Some(1_048_576), Some(2), None, None, None];
        assert_eq!(sizes.map(size_mb), expected);
        assert_eq!(
            ["3200 MT/s", "1333 MHz", "Unknown", ""].map(speed_mts),
            [Some(3200), Some(1333), None, None]
        );
    }

    #[test]
    fn the_array_above_the_modules_is_none_of_them() {
        let text = "Physical Memory Array\n\tSize: 9 GB\nHandle 0x1, DMI type 17, 40 bytes\nMemory Device\n\
                    \tSize: 8 GB\n\tLocator: A1\nHandle 0x2, DMI type 20, 35 bytes\nMemory Device Mapped Address\n\tSize: 1 GB\n";
        let slots = parse_modules(text);
        assert_eq!(slots.len(), 1);
        assert_eq!((slots[0].size_mb, slots[0].locator.as_str()), (Some(8192), "A1"));
    }
}
