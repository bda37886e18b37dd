//! The tree of ports and endpoints, as lines with branches.

use std::fmt::Write;

use super::line::TreeLine;
use super::told::{Told, spaced};
use super::{disk, words};
use crate::topology::function::Function;
use crate::topology::map::Topology;
use crate::topology::role::Role;
use crate::topology::view::Branch;

/// The lines of a branch and of all branches below it.
pub fn line(map: &Topology, branch: &Branch) -> TreeLine {
    let function = branch.function;
    let flags = words::flags(map, function);
    if !matches!(function.role, Role::Bridge | Role::Nest) {
        let below = disk::all(map, function).iter().map(Told::line).collect();
        return TreeLine { text: endpoint(map, function), flags, below };
    }
    if let Some(device) = branch.lone_device() {
        let device = line(map, device);
        let text = format!("{} ─ {}", words::port(function), device.text);
        return TreeLine { text, flags: [device.flags, flags].concat(), below: device.below };
    }
    let load = branch.link_below().map(words::load).unwrap_or_default();
    let text = format!("{}{load}", words::place(function));
    TreeLine { text, flags, below: branch.below.iter().map(|below| line(map, below)).collect() }
}

fn endpoint(map: &Topology, function: &Function) -> String {
    let mut text = words::place(function);
    if let Some(link) = &function.link {
        let _ = write!(text, "  {}", words::link(link));
        if let Some(ceiling) = &link.ceiling {
            // The default payload is the smallest; a larger one gives a higher ceiling.
            let least = if ceiling.payload_is_assumed { "≥ " } else { "" };
            let _ = write!(text, "  ceiling {least}{}", words::rate(ceiling.mbps));
        }
    }
    text + &spaced(&disk::drive_facts(map, function))
}
