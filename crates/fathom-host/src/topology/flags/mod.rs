//! The rules that find flags: one file for each subject.
//!
//! A rule uses the finished map and reads nothing itself, so every flag is
//! based on facts that the map shows. Only the paths of the selected drives are
//! judged.

mod array;
mod drive;
mod link;
mod path;
mod port;

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::address::Address;
use super::block::BlockDevice;
use super::bus::Bus;
use super::fact::Reading;
use super::flag::{Flag, FlagEvidence};
use super::function::Function;
use super::link::LinkEnd;
use super::map::Topology;

/// The input of a rule.
pub struct Sight<'a> {
    /// The map, still without flags and without the tree.
    pub map: &'a Topology,
    /// The tree.
    pub bus: &'a Bus,
    /// Every function that data of the selected drives passes.
    on_path: BTreeSet<Address>,
}

type Rule = fn(&Sight) -> Vec<Flag>;

const RULES: &[Rule] = &[
    link::narrowed,
    link::slowed,
    link::slot_limited,
    port::oversubscribed,
    port::chipset,
    path::power_saving,
    path::errors,
    path::payload,
    drive::unknown_node,
    drive::hot,
    array::cross_node,
    array::uneven,
    array::shared_uplink,
];

/// All flags, worst first, then by node.
pub fn find(sight: &Sight) -> Vec<Flag> {
    let mut flags: Vec<Flag> = RULES.iter().flat_map(|rule| rule(sight)).collect();
    flags.sort_by(|a, b| (b.severity, a.id, &a.node).cmp(&(a.severity, b.id, &b.node)));
    flags
}

impl<'a> Sight<'a> {
    /// The input for a map and its tree.
    pub fn new(map: &'a Topology, bus: &'a Bus) -> Self {
        let mut sight = Self { map, bus, on_path: BTreeSet::new() };
        sight.on_path = sight.disks().flat_map(|disk| sight.path_of(disk)).map(|f| f.address).collect();
        sight
    }

    /// The selected disks.
    fn disks(&self) -> impl Iterator<Item = &'a BlockDevice> {
        let map = self.map;
        map.block.iter().filter(|block| map.selected.contains(&block.name))
    }

    /// The functions that a disk's data passes, on each of its paths.
    fn path_of(&self, disk: &BlockDevice) -> impl Iterator<Item = &'a Function> {
        let bus = self.bus;
        disk.functions.clone().into_iter().flat_map(move |address| bus.up_from(address))
    }

    /// Those functions of all selected disks that have a link above them.
    fn links(&self) -> impl Iterator<Item = &'a Function> {
        let bus = self.bus;
        self.on_path.iter().filter_map(|address| bus.functions.get(address)).filter(|f| f.link.is_some())
    }

    /// The name of a function in a sentence: address, and disk or slot.
    fn called(&self, function: &Function) -> String {
        let names = self.map.disks_of(function.address).map(|block| block.name.clone());
        let slot = self.slot_of(function).map(|slot| format!("\"{slot}\""));
        let more: Vec<String> = names.chain(slot).collect();
        match more.is_empty() {
            true => function.address.short(),
            false => format!("{} ({})", function.address.short(), more.join(", ")),
        }
    }

    /// The label of the slot that a function is in, or is behind.
    fn slot_of(&self, function: &Function) -> Option<&'a str> {
        let labels = self.bus.up_from(function.address).filter_map(|f| f.slot.as_ref());
        labels.filter_map(|label| label.value.as_deref()).next()
    }
}

/// Speed and lanes of an end of a link as evidence.
fn of_end(end: &LinkEnd) -> Vec<FlagEvidence> {
    vec![evidence(&end.speed), evidence(&end.lanes)]
}

/// A fact as evidence.
fn evidence<T: Debug>(fact: &Reading<T>) -> FlagEvidence {
    let said = fact.raw.clone().or_else(|| fact.reason.clone());
    FlagEvidence { path: fact.path.clone(), value: said.unwrap_or_default() }
}
