//! `dmidecode`: slots (`-t 9`, M-10) and memory modules (`-t 17`), as the firmware
//! reports them.
//!
//! Firmware fills its table at power-on, and some of it is wrong. So its slots are
//! compared with what lspci lists, if that was given too.

pub mod module;
pub mod slot;

use super::check::AGREEMENT;
use super::figure::name;
use super::kind::{Found, Part, PrintoutKind};
use super::lspci;
use super::lspci::function;
use super::lspci::tree::FunctionTree;
use crate::audit::Observation;
use crate::audit::checks::numa::memory;
use fathom_text::words::counted;
use slot::PrintedSlot;

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: PROGRAM, called: "dmidecode -t 9 -t 17 (as root)", marks: is_mark, judge };

const PROGRAM: &str = "dmidecode";

/// The title above a slot.
const SLOT_TITLE: &str = "System Slot Information";

fn is_mark(line: &str) -> bool {
    let line = line.trim();
    is_handle(line)
        || line.starts_with(slot::DESIGNATION)
        || line == SLOT_TITLE
        || line == module::TITLE
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
    fields.find(|(found, _)| *found == word).map(|(_, value)| value.trim())
}

fn judge(part: &Part, all: &[Part]) -> Vec<Found> {
    let slots = slot::parse(&part.text);
    let modules = module::parse(&part.text);
    let mut found: Vec<Found> = slots.iter().map(|slot| named(part, slot)).collect();
    if !slots.is_empty() {
        found.extend(compared(part, &slots, all));
    }
    if !modules.is_empty() {
        found.push(("numa.dimms", memory::judged_dimms(&part.path, &modules)));
    }
    found
}

/// A slot as the firmware describes it: name, address, usage, what is wired.
fn named(part: &Part, slot: &PrintedSlot) -> Found {
    let address = slot.address.map_or("without an address".to_owned(), |address| format!("at {address}"));
    let usage = if slot.usage.is_empty() { "usage not given" } else { &slot.usage };
    let wired = slot.wired().map(|rate| format!(", wired as {rate}: {:.0} MB/s", rate.raw_mbps()));
    let says = format!("{address}, {usage}, {}{}", slot.kind, wired.unwrap_or_default());
    ("pcie.slot_name", seen_of(part, slot).info(name(&says)))
}

fn seen_of(part: &Part, slot: &PrintedSlot) -> Observation {
    part.seen(name(&slot.designation), slot.lines.join("\n"))
}

/// Compares the slots with what lspci lists.
fn compared(part: &Part, slots: &[PrintedSlot], all: &[Part]) -> Vec<Found> {
    let lists = all.iter().filter(|other| other.program == lspci::PROGRAM);
    // The lists are joined: of a function that is in several, the entry with the most lines counts.
    let functions = function::parse(&lists.map(|list| list.text.as_str()).collect::<String>());
    let seen = part.seen(PROGRAM, SLOT_TITLE);
    if functions.is_empty() {
        let says = "whether \"Available\" slots are empty is not known: give a printout of lspci -D too";
        return vec![(AGREEMENT, seen.not_applicable(says))];
    }
    let tree = FunctionTree::of(&functions);
    let wrong: Vec<Found> = slots.iter().filter_map(|slot| wrongly_available(part, slot, &tree)).collect();
    if wrong.is_empty() {
        let compared = counted(slots.len(), "slot");
        let says = format!("{compared} compared with lspci: none that is called available holds a card");
        return vec![(AGREEMENT, seen.ok(says))];
    }
    wrong
}

/// A slot that is called available but holds a card. Some firmware gives the
/// address of the port above a slot, so a bridge counts only if it leads to a
/// device.
fn wrongly_available(part: &Part, slot: &PrintedSlot, tree: &FunctionTree<'_>) -> Option<Found> {
    let there = tree.functions.get(&slot.address?)?;
    let is_filled = !there.is_bridge() || tree.leads_somewhere(there) == Some(true);
    if !is_filled || slot.usage != "Available" {
        return None;
    }
    let behind = if there.is_bridge() { ", with devices behind it" } else { "" };
    let (address, card) = (there.address, there.told());
    let says = format!("the firmware calls the slot available, but lspci lists at {address} {card}{behind}");
    Some((AGREEMENT, seen_of(part, slot).warn(says)))
}
