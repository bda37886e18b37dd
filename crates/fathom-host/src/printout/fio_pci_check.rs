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
        let of_bridge = [
            need(part, bridge),
            inherited(part, &check, bridge),
            errors(part, bridge),
            lanes(part, bridge),
            drives(part, bridge),
        ];
        found.extend(of_bridge.into_iter().flatten());
    }
    found.extend(slips(part, &check));
    found
}

fn seen_of(part: &Part, bridge: &Bridge, word: &str) -> Observation {
    Observation::on(name(&bridge.name)).with(&part.path, line_with(&bridge.lines, word))
}

/// Compares the bandwidth needed below a bridge with that of its link, by the rule
/// of `pcie.oversub`.
fn need(part: &Part, bridge: &Bridge) -> Option<Found> {
    let (need, there) = bridge.needed_mbps.zip(bridge.available_mbps)?;
    let seen = seen_of(part, bridge, "Needed");
    let says = format!("{need:.0} MB/s are needed, and the link carries {there:.0}");
    let goals = [Bandwidth, Repeatability];
    Some(Found::of(
        "pcie.oversub",
        match (bridge.is_short(), there > 0.0) {
            (false, _) => seen.ok(says),
            (true, false) => seen.warn_for(&goals, says),
            (true, true) => {
                let times = format!("{says}: {:.2} times as much is needed", need / there);
                seen.warn_for(&goals, times)
            }
        },
    ))
}

/// A star that a bridge has because of a link above it, which limits its drives
/// too.
fn inherited(part: &Part, check: &PciCheck, bridge: &Bridge) -> Option<Found> {
    let short = bridge.above.iter().map(|at| &check.bridges[*at]).find(|above| above.is_short())?;
    let says = format!(
        "its own link carries what is needed; its star is due to the link above {}",
        name(&short.name)
    );
    let is_inherited = bridge.has_star && !bridge.is_short();
    is_inherited.then(|| Found::of(FACTS, seen_of(part, bridge, "Needed").info(says)))
}

/// The errors that are printed as detected at a bridge. Some bridges report errors
/// that never happened (V-77).
fn errors(part: &Part, bridge: &Bridge) -> Option<Found> {
    if bridge.errors.is_empty() {
        return None;
    }
    let says = format!("detected here: {}; a printout does not say when", bridge.errors.join(", "));
    let is_lost = |error: &String| !["Correctable", "Unsupported"].contains(&error.as_str());
    let seen = seen_of(part, bridge, "Detected");
    Some(Found::of(
        "pcie.aer",
        match bridge.errors.iter().any(is_lost) {
            true => seen.warn(name(&says)),
            false => seen.info(name(&says)),
        },
    ))
}

/// How many of the bridge's lanes are in use. The device below it may have fewer.
fn lanes(part: &Part, bridge: &Bridge) -> Option<Found> {
    let rate = bridge.link_status?.rate()?;
    let seen = seen_of(part, bridge, "link_capabilities");
    let most = bridge.lanes_max.filter(|most| *most > rate.lanes);
    Some(Found::of("pcie.width", match most {
        None => seen.ok(format!("the link runs at {rate}, {:.0} MB/s", rate.raw_mbps())),
        Some(most) => seen.warn_for(&[Bandwidth], format!(
                "the link runs at {rate}, {:.0} MB/s, with {} of the {most} lanes of this port; what is below it \
                 may have fewer",
                rate.raw_mbps(),
                rate.lanes
            )),
    }))
}

fn drives(part: &Part, bridge: &Bridge) -> Option<Found> {
    let drives: Vec<String> =
        bridge.drives.iter().map(|(place, firmware)| format!("{place} with firmware {firmware}")).collect();
    let says = format!("leads to the ioDrive at {}", drives.join(", "));
    let seen = seen_of(part, bridge, "ioDrive");
    (!drives.is_empty()).then(|| Found::of(FACTS, seen.info(name(&says))))
}

/// What cannot be true as it is printed.
fn slips(part: &Part, check: &PciCheck) -> Vec<Found> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    let mut slip = |subject: &str, line: &str, says: String| {
        let seen = Observation::on(name(subject)).with(&part.path, line);
        found.push(Found::of(AGREEMENT, seen.warn(says)));
    };
    for bridge in &check.bridges {
        if bridge.address.is_none() {
            slip(
                &bridge.name,
                &bridge.lines[0],
                "this is not a PCI address; what is below it was read".to_owned(),
            );
        }
        for (place, _) in bridge.drives.iter().filter(|(place, _)| bridge.leads_elsewhere(place)) {
            let says = format!("it is listed below {}, which does not lead to its bus", name(&bridge.name));
            slip(place, line_with(&bridge.lines, place), says);
        }
        if let Some(says) = star(check, bridge) {
            slip(&bridge.name, line_with(&bridge.lines, "Needed"), says.to_owned());
        }
        bridge.drives.iter().for_each(|(place, _)| *times.entry(place).or_default() += 1);
    }
    for (place, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        slip(place, &format!("ioDrive {place}"), format!("the same drive is listed {times} times"));
    }
    found
}

/// Why a star, or the lack of one, is wrong.
fn star(check: &PciCheck, bridge: &Bridge) -> Option<&'static str> {
    match (bridge.has_star, bridge.is_short()) {
        (true, false) if !check.is_below_short(bridge) => {
            Some("it has a star, but its link and those above it carry what is needed")
        }
        (false, true) => Some("it lacks the star, although more is needed than its link carries"),
        _ => None,
    }
}
