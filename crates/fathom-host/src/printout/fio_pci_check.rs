//! `fio-pci-check` of Fusion-io (docs/guide-index.md: V-74, V-76, V-79): the bridges above drives, with
//! the bandwidth that they need and have in MB/s, and errors.
//!
//! Where the program should print stars is computed again from these bandwidths,
//! and its misprints are reported.

use std::collections::BTreeMap;

use super::{AGREEMENT, FACTS, Part, PrintoutFinding, PrintoutKind, after, line_with, name, number};
use crate::audit::Observation;
use crate::calc::pcie::LinkRate;
use crate::topology::address::Address;
use fathom_device::Goal::{Bandwidth, Repeatability};
use fathom_text::quantity::megabytes;

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: "fio-pci-check", called: "fio-pci-check", marks: is_mark, judge };

fn judge(part: &Part, _: &[Part]) -> Vec<PrintoutFinding> {
    let check = PciCheck::parse(&part.text);
    let mut findings = Vec::new();
    for bridge in &check.bridges {
        let observe = |word| part.observation(name(&bridge.name), line_with(&bridge.lines, word));
        findings.extend(need(observe("Needed"), bridge));
        findings.extend(inherited(observe("Needed"), &check, bridge));
        findings.extend(errors(observe("Detected"), bridge));
        findings.extend(lanes(observe("link_capabilities"), bridge));
        findings.extend(drives(observe("ioDrive"), bridge));
    }
    findings.extend(slips(part, &check));
    findings
}

/// Compares the bandwidth needed below a bridge with that of its link, by the rule
/// of `pcie.oversub`.
fn need(observation: Observation, bridge: &Bridge) -> Option<PrintoutFinding> {
    let (need, there) = bridge.needed_mbps.zip(bridge.available_mbps)?;
    let mut says = format!("{} are needed, and the link carries {there:.0}", megabytes(need));
    if !bridge.is_short() {
        return Some(("pcie.oversub", observation.ok(says)));
    }
    if there > 0.0 {
        says += &format!(": {:.2} times as much is needed", need / there);
    }
    Some(("pcie.oversub", observation.warn_for(&[Bandwidth, Repeatability], says)))
}

/// A star that a bridge has because of a link above it, which limits its drives
/// too.
fn inherited(observation: Observation, check: &PciCheck, bridge: &Bridge) -> Option<PrintoutFinding> {
    let short = check.short_above(bridge).filter(|_| bridge.has_star && !bridge.is_short())?;
    let above = name(&short.name);
    let says = format!("its own link carries what is needed; its star is due to the link above {above}");
    Some((FACTS, observation.info(says)))
}

/// The errors that are printed as detected at a bridge. Some bridges report errors
/// that never happened.
fn errors(observation: Observation, bridge: &Bridge) -> Option<PrintoutFinding> {
    let says = format!("detected here: {}; a printout does not say when", bridge.errors.join(", "));
    let is_lost = |error: &String| !["Correctable", "Unsupported"].contains(&error.as_str());
    let observation = match bridge.errors.iter().any(is_lost) {
        true => observation.warn(name(&says)),
        false => observation.info(name(&says)),
    };
    (!bridge.errors.is_empty()).then_some(("pcie.aer", observation))
}

/// How many of the bridge's lanes are in use. The device below it may have fewer.
fn lanes(observation: Observation, bridge: &Bridge) -> Option<PrintoutFinding> {
    let rate = bridge.link?;
    let runs = format!("the link runs at {rate}, {}", megabytes(rate.raw_mbps()));
    let observation = match bridge.lanes_max.filter(|most| *most > rate.lanes) {
        None => observation.ok(runs),
        Some(most) => {
            let of = format!("with {} of the {most} lanes of this port", rate.lanes);
            observation.warn_for(&[Bandwidth], format!("{runs}, {of}; what is below it may have fewer"))
        }
    };
    Some(("pcie.width", observation))
}

fn drives(observation: Observation, bridge: &Bridge) -> Option<PrintoutFinding> {
    let drives: Vec<String> =
        bridge.drives.iter().map(|(place, firmware)| format!("{place} with firmware {firmware}")).collect();
    let says = format!("leads to the ioDrive at {}", drives.join(", "));
    (!drives.is_empty()).then(|| (FACTS, observation.info(name(&says))))
}

/// What cannot be true as it is printed.
fn slips(part: &Part, check: &PciCheck) -> Vec<PrintoutFinding> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let mut findings = Vec::new();
    let mut slip = |subject: &str, line: &str, says: String| {
        findings.push((AGREEMENT, part.observation(name(subject), line).warn(says)));
    };
    for bridge in &check.bridges {
        if bridge.address.is_none() {
            let says = "this is not a PCI address; what is below it was read".to_owned();
            slip(&bridge.name, &bridge.lines[0], says);
        }
        for (place, _) in &bridge.drives {
            *times.entry(place).or_default() += 1;
            if bridge.leads_elsewhere(place) {
                let above = name(&bridge.name);
                let says = format!("it is listed below {above}, which does not lead to its bus");
                slip(place, line_with(&bridge.lines, place), says);
            }
        }
        let star = match (bridge.has_star, bridge.is_short()) {
            (true, false) if check.short_above(bridge).is_none() => {
                "it has a star, but its link and those above it carry what is needed"
            }
            (false, true) => "it lacks the star, although more is needed than its link carries",
            _ => continue,
        };
        slip(&bridge.name, line_with(&bridge.lines, "Needed"), star.to_owned());
    }
    for (place, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        slip(place, &format!("ioDrive {place}"), format!("the same drive is listed {times} times"));
    }
    findings
}

// The tree that Fusion-io's `fio-pci-check` prints:
// bridges, indented by their level, with the bandwidth that each needs and has.
//
// The need of a bridge is computed again from what is below it. A star is right where
// more is needed than the link has, at this bridge or at one above it.

/// A whole printout.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PciCheck {
    /// Bandwidth needed at the root bridge, in MB/s.
    pub root_mbps: Option<f64>,
    /// Bridges, in their order.
    pub bridges: Vec<Bridge>,
}

/// A bridge and what is printed about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bridge {
    /// As it is printed.
    pub name: String,
    /// Its address; `None` if the printed text is not one.
    pub address: Option<Address>,
    /// First and last bus below it.
    pub buses: Option<(u8, u8)>,
    /// Bridges above it, outermost first, as indices into the list.
    pub above: Vec<usize>,
    /// Bandwidth that is needed, in MB/s.
    pub needed_mbps: Option<f64>,
    /// Bandwidth that the link carries, in MB/s.
    pub available_mbps: Option<f64>,
    /// A star is printed with its bandwidth.
    pub has_star: bool,
    /// Kinds of errors that are printed as detected.
    pub errors: Vec<String>,
    /// Its link, by the link status, which is printed under the name of the link capabilities.
    pub link: Option<LinkRate>,
    /// Most lanes.
    pub lanes_max: Option<u32>,
    /// Drives directly below: address and firmware.
    pub drives: Vec<(String, u32)>,
    /// Its lines.
    pub(super) lines: Vec<String>,
    indent: usize,
}

impl Bridge {
    /// Whether more bandwidth is needed than the link carries.
    pub fn is_short(&self) -> bool {
        self.needed_mbps.zip(self.available_mbps).is_some_and(|(need, there)| need > there)
    }

    /// Whether a drive that is printed below the bridge is on a bus to which the
    /// bridge does not lead.
    pub fn leads_elsewhere(&self, drive: &str) -> bool {
        let bus = drive.parse::<Address>().ok().map(|address| address.bus);
        self.buses.zip(bus).is_some_and(|((first, last), bus)| !(first..=last).contains(&bus))
    }

    fn detail(&mut self, text: &str) {
        let is_starred = text.starts_with('*');
        let text = text.trim_start_matches(['*', ' ']);
        if let Some(rest) = text.strip_prefix("Needed") {
            self.needed_mbps = number(rest);
            self.available_mbps = after(rest, "Avail").and_then(number);
            self.has_star = is_starred;
        } else if let Some((kind, _)) = text.split_once(": Detected") {
            self.errors.push(kind.split(['(', ' ']).next().unwrap_or_default().to_owned());
        } else if let Some(value) = after(text, "link_capabilities:") {
            let register = u32::from_str_radix(value.trim_start_matches("0x"), 16).ok();
            self.link = register.and_then(|register| LinkRate::of_status(register as u16));
        } else if let Some(value) = after(text, "Maximum link width:") {
            self.lanes_max = number(value).map(|lanes| lanes as u32);
        } else if let Some(rest) = text.strip_prefix("ioDrive ") {
            let place = rest.split_whitespace().next().unwrap_or_default().to_owned();
            let firmware = after(rest, "Firmware").and_then(number).unwrap_or_default();
            self.drives.push((place, firmware as u32));
        }
    }
}

impl PciCheck {
    /// Reads a printout.
    pub fn parse(text: &str) -> Self {
        let mut check = Self::default();
        text.lines().filter(|line| !line.trim().is_empty()).for_each(|line| check.line(line));
        check
    }

    fn line(&mut self, line: &str) {
        let text = line.trim();
        if let Some(rest) = text.strip_prefix("Root Bridge") {
            self.root_mbps = number(rest);
        } else if let Some(rest) = text.strip_prefix("Bridge ").filter(|rest| is_place(rest)) {
            let indent = line.len() - line.trim_start().len();
            self.bridge(rest, indent);
        } else if let Some(bridge) = self.bridges.last_mut() {
            bridge.detail(text);
            bridge.lines.push(text.to_owned());
        }
    }

    fn bridge(&mut self, rest: &str, indent: usize) {
        let name = rest.split_whitespace().next().unwrap_or_default().to_owned();
        let address = address(&name);
        let parent = self.bridges.iter().rposition(|bridge| bridge.indent < indent);
        let above = parent.map(|at| [self.bridges[at].above.clone(), vec![at]].concat()).unwrap_or_default();
        let (buses, lines) = (buses(rest), vec![format!("Bridge {rest}")]);
        self.bridges.push(Bridge { name, address, buses, above, lines, indent, ..Bridge::default() });
    }

    /// The nearest to the root of the bridges above this one whose link carries
    /// less than is needed.
    pub fn short_above(&self, bridge: &Bridge) -> Option<&Bridge> {
        bridge.above.iter().map(|at| &self.bridges[*at]).find(|above| above.is_short())
    }
}

/// Whether no other program prints such a line.
fn is_mark(line: &str) -> bool {
    let line = line.trim_start_matches(['*', ' ', '\t']);
    let begins = |word| line.strip_prefix(word).is_some_and(is_place);
    line.starts_with("Root Bridge PCIe") || begins("Bridge ") || begins("ioDrive ")
}

/// Whether it is similar to the address `00:02.00 (01-05)`; it may be misprinted.
fn is_place(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or_default();
    word.contains('.') && word.starts_with(|c: char| c.is_ascii_hexdigit())
}

/// `00:02.00`: the function has two digits here.
fn address(name: &str) -> Option<Address> {
    let (front, function) = name.rsplit_once('.')?;
    format!("{front}.{}", function.trim_start_matches('0').parse::<u8>().unwrap_or(0)).parse().ok()
}

/// `(01-05)`.
fn buses(rest: &str) -> Option<(u8, u8)> {
    let (first, last) = rest.split_once('(')?.1.split_once(')')?.0.split_once('-')?;
    Some((u8::from_str_radix(first, 16).ok()?, u8::from_str_radix(last, 16).ok()?))
}
