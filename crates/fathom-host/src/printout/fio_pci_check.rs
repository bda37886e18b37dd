//! `fio-pci-check` of Fusion-io (V-74, V-76, V-79): the bridges above drives, with
//! the bandwidth that they need and have in MB/s, and errors.
//!
//! Where the program should print stars is computed again from these bandwidths,
//! and its misprints are reported.

mod parse;

use std::collections::BTreeMap;

use super::check::{AGREEMENT, FACTS};
use super::figure::{line_with, name};
use super::kind::{Found, Part, PrintoutKind};
use crate::audit::Observation;
use fathom_device::Goal::{Bandwidth, Repeatability};

pub use parse::{Bridge, PciCheck};

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: "fio-pci-check", called: "fio-pci-check", marks: parse::is_mark, judge };

fn judge(part: &Part, _: &[Part]) -> Vec<Found> {
    let check = PciCheck::parse(&part.text);
    let mut found = Vec::new();
    for bridge in &check.bridges {
        let seen = |word| part.seen(name(&bridge.name), line_with(&bridge.lines, word));
        found.extend(need(seen("Needed"), bridge));
        found.extend(inherited(seen("Needed"), &check, bridge));
        found.extend(errors(seen("Detected"), bridge));
        found.extend(lanes(seen("link_capabilities"), bridge));
        found.extend(drives(seen("ioDrive"), bridge));
    }
    found.extend(slips(part, &check));
    found
}

/// Compares the bandwidth needed below a bridge with that of its link, by the rule
/// of `pcie.oversub`.
fn need(seen: Observation, bridge: &Bridge) -> Option<Found> {
    let (need, there) = bridge.needed_mbps.zip(bridge.available_mbps)?;
    let mut says = format!("{need:.0} MB/s are needed, and the link carries {there:.0}");
    if !bridge.is_short() {
        return Some(("pcie.oversub", seen.ok(says)));
    }
    if there > 0.0 {
        says += &format!(": {:.2} times as much is needed", need / there);
    }
    Some(("pcie.oversub", seen.warn_for(&[Bandwidth, Repeatability], says)))
}

/// A star that a bridge has because of a link above it, which limits its drives
/// too.
fn inherited(seen: Observation, check: &PciCheck, bridge: &Bridge) -> Option<Found> {
    let short = check.short_above(bridge).filter(|_| bridge.has_star && !bridge.is_short())?;
    let above = name(&short.name);
    let says = format!("its own link carries what is needed; its star is due to the link above {above}");
    Some((FACTS, seen.info(says)))
}

/// The errors that are printed as detected at a bridge. Some bridges report errors
/// that never happened (V-77).
fn errors(seen: Observation, bridge: &Bridge) -> Option<Found> {
    let says = format!("detected here: {}; a printout does not say when", bridge.errors.join(", "));
    let is_lost = |error: &String| !["Correctable", "Unsupported"].contains(&error.as_str());
    let seen = match bridge.errors.iter().any(is_lost) {
        true => seen.warn(name(&says)),
        false => seen.info(name(&says)),
    };
    (!bridge.errors.is_empty()).then_some(("pcie.aer", seen))
}

/// How many of the bridge's lanes are in use. The device below it may have fewer.
fn lanes(seen: Observation, bridge: &Bridge) -> Option<Found> {
    let rate = bridge.link_status?.rate()?;
    let runs = format!("the link runs at {rate}, {:.0} MB/s", rate.raw_mbps());
    let seen = match bridge.lanes_max.filter(|most| *most > rate.lanes) {
        None => seen.ok(runs),
        Some(most) => {
            let of = format!("with {} of the {most} lanes of this port", rate.lanes);
            seen.warn_for(&[Bandwidth], format!("{runs}, {of}; what is below it may have fewer"))
        }
    };
    Some(("pcie.width", seen))
}

fn drives(seen: Observation, bridge: &Bridge) -> Option<Found> {
    let drives: Vec<String> =
        bridge.drives.iter().map(|(place, firmware)| format!("{place} with firmware {firmware}")).collect();
    let says = format!("leads to the ioDrive at {}", drives.join(", "));
    (!drives.is_empty()).then(|| (FACTS, seen.info(name(&says))))
}

/// What cannot be true as it is printed.
fn slips(part: &Part, check: &PciCheck) -> Vec<Found> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let mut slip = |subject: &str, line: &str, says: String| {
        found.push((AGREEMENT, part.seen(name(subject), line).warn(says)));
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
    found
}
