//! The content of each box of the picture.

use super::measure::CHARACTERS;
use crate::topology::bus::HostBridge;
use crate::topology::flag::FlagSeverity;
use crate::topology::function::Function;
use crate::topology::map::Topology;
use crate::topology::role::Role;
use crate::topology::text::told::{Told, spaced};
use crate::topology::text::{disk, stacks, words};
use crate::topology::view::{Branch, branches};

/// A box, and the boxes to its right.
pub struct Figure {
    /// The first line.
    pub title: String,
    /// Further lines.
    pub facts: Vec<String>,
    /// Lines about flags, shown with an exclamation mark.
    pub flags: Vec<String>,
    /// Need and capacity of the link below a port.
    pub load: Option<Bar>,
    /// The boxes to the right.
    pub below: Vec<Figure>,
}

/// Need and capacity of a link, in 10⁶ bytes per second.
pub struct Bar {
    /// What the devices below it need.
    pub need_mbps: f64,
    /// What it carries.
    pub capacity_mbps: f64,
}

impl Figure {
    /// Every line with its class.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let facts = self.facts.iter().map(|fact| ("", fact.clone()));
        let load = self.load.iter().map(|bar| ("", bar.words()));
        let flags = self.flags.iter().map(|flag| ("f", format!("! {flag}")));
        let title = [("t", self.title.clone())];
        title.into_iter().chain(facts).chain(flags).chain(load).collect()
    }
}

impl Bar {
    fn words(&self) -> String {
        let (need, capacity) = (words::rate(self.need_mbps), words::rate(self.capacity_mbps));
        format!("need {need} of {capacity} ({:.2}:1)", self.need_mbps / self.capacity_mbps)
    }
}

/// The host bridges with devices below them, as boxes, then the arrays and volumes of several
/// members.
pub fn figures(map: &Topology) -> Vec<Figure> {
    let outer = map.host_bridges.iter().filter(|bridge| bridge.nested_in.is_none());
    let figures = outer.map(|bridge| host_bridge(map, bridge));
    let figures = figures.filter(|figure| !figure.below.is_empty());
    let arrays = stacks(map).into_iter().filter(|stack| stack.members.len() > 1);
    figures.chain(arrays.map(|stack| array(disk::stack(map, stack)))).collect()
}

/// A device that is made of several others, which are beside each other on its right.
fn array(told: Told) -> Figure {
    let (below, facts) = (told.below.into_iter().map(array).collect(), packed(&told.facts));
    Figure { title: told.name, facts, flags: told.flags, load: None, below }
}

fn host_bridge(map: &Topology, bridge: &HostBridge) -> Figure {
    let (title, name) = words::host_bridge(map, bridge);
    let below = branches(map, &bridge.name).iter().map(|branch| figure(map, branch)).collect();
    Figure { title, facts: vec![name], flags: Vec::new(), load: None, below }
}

fn figure(map: &Topology, branch: &Branch) -> Figure {
    let function = branch.function;
    if !matches!(function.role, Role::Bridge | Role::Nest) {
        return end(map, function);
    }
    if let Some(device) = branch.lone_device() {
        let inner = figure(map, device);
        let title = format!("{} ─ {}", words::port(function), inner.title);
        let flags = [words::flags(map, function), inner.flags].concat();
        return Figure { title, flags, ..inner };
    }
    let below = branch.link_below();
    let link = below.and_then(|f| f.link.as_ref()).map(words::link);
    let figures = branch.below.iter().map(|below| figure(map, below)).collect();
    let load = below.and_then(bar);
    let title = words::place(function);
    Figure {
        title,
        facts: link.into_iter().collect(),
        flags: words::flags(map, function),
        load,
        below: figures,
    }
}

fn end(map: &Topology, function: &Function) -> Figure {
    let link = function.link.as_ref().map(words::link);
    let mut facts: Vec<String> = link.into_iter().collect();
    let mut all_flags = words::flags(map, function);
    for disk in disk::all(map, function) {
        facts.push(disk.name + &spaced(&disk.facts));
        facts.extend(disk.below.iter().map(|partition| format!("  {}", partition.text())));
        all_flags.extend(disk.flags);
    }
    facts.extend(packed(&disk::drive_facts(map, function)));
    Figure { title: words::place(function), facts, flags: all_flags, load: None, below: Vec::new() }
}

/// Splits facts at two spaces and puts as many on a line as fit.
fn packed(facts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        let room = |line: &&mut String| line.chars().count() + fact.chars().count() + 2 <= CHARACTERS;
        match lines.last_mut().filter(room) {
            Some(line) => line.extend(["  ", fact]),
            None => lines.push(fact.clone()),
        }
    }
    lines
}

fn bar(function: &Function) -> Option<Bar> {
    let load = function.load?;
    let need = if load.selected.devices > 0 { load.selected } else { load.all };
    let capacity_mbps = load.capacity_mbps.filter(|capacity| *capacity > 0.0)?;
    Some(Bar { need_mbps: need.now_mbps, capacity_mbps })
}

/// Lines below the tree: disks that are not on PCI, volumes on one device, and flags.
pub fn notes(map: &Topology) -> Vec<(&'static str, String)> {
    let elsewhere = map.block.iter().filter(|b| b.functions.is_empty() && map.selected.contains(&b.name));
    let elsewhere = elsewhere.map(|block| ("", disk::one(map, block).text()));
    let single = stacks(map).into_iter().filter(|stack| stack.members.len() == 1);
    let single = single.map(|stack| ("", disk::stack(map, stack).text()));
    let flags = map.flags.iter().filter(|flag| flag.severity >= FlagSeverity::Warn);
    let flags = flags.map(|flag| ("f", format!("! {} {}: {}", flag.id.word(), flag.node, flag.short)));
    elsewhere.chain(single).chain(flags).collect()
}
