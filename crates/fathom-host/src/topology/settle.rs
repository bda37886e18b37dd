//! Computes need and capacity at every link.
//!
//! A function needs what its own link carries, or the rate of its data sheet if
//! that is given; a port needs the sum of all devices below it. All functions
//! behind one port share one link and count once. There are three sums: the
//! selected drives, all storage, and everything (network and graphics are on
//! the same links, V-72).

use std::collections::{BTreeMap, BTreeSet};

use super::address::Address;
use super::bus::Bus;
use super::function::Function;
use super::load::{LinkNeed, Load};
use super::role::Role;

/// Rates from data sheets by function, in 10⁶ bytes per second.
pub type Datasheet = BTreeMap<Address, f64>;

/// Computes the load of every link and of every host bridge.
pub fn settle(bus: &mut Bus, selected: &BTreeSet<Address>, datasheet: &Datasheet) {
    let needs = device_needs(bus, selected, datasheet);
    let loads: Vec<(Address, Load)> = bus
        .functions
        .values()
        .filter_map(|function| Some((function.address, load_of(bus, function, &needs)?)))
        .collect();
    for (address, load) in loads {
        if let Some(function) = bus.functions.get_mut(&address) {
            function.load = Some(load);
        }
    }
    for at in 0..bus.host_bridges.len() {
        let name = bus.host_bridges[at].name.clone();
        let below = needs.iter().filter(|(key, _)| {
            let functions = bus.functions.get(key);
            functions.is_some_and(|function| bus.outermost_bridge(function) == name)
        });
        bus.host_bridges[at].load = sum(below.map(|(_, load)| *load));
    }
}

/// The need of each device at the end of a branch, by the address of its first
/// function.
fn device_needs(bus: &Bus, selected: &BTreeSet<Address>, datasheet: &Datasheet) -> BTreeMap<Address, Load> {
    let mut groups: BTreeMap<(u32, u8), Vec<&Function>> = BTreeMap::new();
    for function in bus.functions.values().filter(|f| f.link.is_some() && f.role != Role::Bridge) {
        groups.entry((function.address.domain, function.address.bus)).or_default().push(function);
    }
    let needs = groups.into_values().filter_map(|group| {
        let first = group.first()?;
        Some((first.address, group_need(&group, selected, datasheet)?))
    });
    needs.collect()
}

fn group_need(group: &[&Function], selected: &BTreeSet<Address>, datasheet: &Datasheet) -> Option<Load> {
    let first = group.first()?;
    let link = first.link.as_ref()?;
    let said: f64 = group.iter().filter_map(|function| datasheet.get(&function.address)).sum();
    // A data sheet counts payload only; the link carries headers too.
    let headers = link.ceiling.zip(link.raw_mbps).map_or(1.0, |(ceiling, raw)| raw / ceiling.mbps);
    let most = if said > 0.0 { said * headers } else { f64::INFINITY };
    let need = LinkNeed {
        now_mbps: link.raw_mbps?.min(most),
        healthy_mbps: link.healthy_mbps?.min(most),
        devices: 1,
    };
    let when = |applies: bool| if applies { need } else { LinkNeed::default() };
    Some(Load {
        selected: when(group.iter().any(|function| selected.contains(&function.address))),
        storage: when(group.iter().any(|function| function.role == Role::Storage)),
        all: need,
        ..Load::default()
    })
}

fn load_of(bus: &Bus, function: &Function, needs: &BTreeMap<Address, Load>) -> Option<Load> {
    let link = function.link.as_ref()?;
    let is_at_or_below =
        |address: &Address| *address == function.address || bus.is_below(*address, function.address);
    let below = needs.iter().filter(|(address, _)| is_at_or_below(address));
    let total = sum(below.map(|(_, load)| *load));
    Some(Load { capacity_mbps: link.raw_mbps, capacity_healthy_mbps: link.healthy_mbps, ..total })
}

fn sum(loads: impl Iterator<Item = Load>) -> Load {
    loads.fold(Load::default(), |mut total, load| {
        total.selected.add(load.selected);
        total.storage.add(load.storage);
        total.all.add(load.all);
        total
    })
}
