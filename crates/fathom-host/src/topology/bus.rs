//! The PCI tree: host bridges, and every function with the one above it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::address::Address;
use super::fact::Reading;
use super::function::{Function, Role, SlotLabels};
use super::link::{LinkNeed, Load};
use fathom_device::cpus::CpuSet;
use fathom_device::root::{Root, Unknown};
use serde::Serialize;

/// Every function of the machine.
const DEVICES: &str = "/sys/bus/pci/devices";

/// A root of the tree: a bridge of the CPU, or a domain that VMD made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostBridge {
    /// `pci0000:00`.
    pub name: String,
    /// The function that made this domain, for VMD.
    pub nested_in: Option<Address>,
    /// NUMA node, by the first function below that has one.
    pub numa_node: Option<u32>,
    /// CPUs near it.
    pub cpus: Reading<CpuSet>,
    /// The load of all devices below it. A host bridge has no link to compare it with.
    pub load: Load,
}

/// The PCI tree.
#[derive(Debug, Clone, Default)]
pub struct Bus {
    /// Roots, in the order of their names.
    pub host_bridges: Vec<HostBridge>,
    /// Functions by address.
    pub functions: BTreeMap<Address, Function>,
}

impl Bus {
    /// Reads the whole tree. A machine without PCI has an empty one.
    pub fn read(root: &Root, slots: &SlotLabels) -> Result<Self, Unknown> {
        let mut bus = Self::default();
        if !root.exists(DEVICES) {
            return Ok(bus);
        }
        let mut paths: Vec<_> = root
            .list(DEVICES)?
            .iter()
            .filter_map(|name| Some((name.parse().ok()?, root.resolve(format!("{DEVICES}/{name}")).ok()?)))
            .collect();
        // Parents come before their children.
        paths.sort_by_key(|(address, path): &(Address, _)| (path.components().count(), *address));
        for (address, path) in paths {
            // A virtual function of a shared device has no link of its own.
            if !root.exists(format!("{}/physfn", address.sys_dir())) {
                bus.add(root, address, &path, slots);
            }
        }
        bus.host_bridges.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(bus)
    }

    fn add(&mut self, root: &Root, address: Address, path: &Path, slots: &SlotLabels) {
        let hops = Address::all_in(path);
        let host_bridge = host_bridge_in(path).unwrap_or_default();
        let above = hops.iter().rev().nth(1).and_then(|above| self.functions.get(above));
        let function = Function::read(root, address, above, host_bridge.clone(), slots);
        self.meet_host_bridge(root, host_bridge, path, &function);
        self.functions.insert(address, function);
    }

    fn meet_host_bridge(&mut self, root: &Root, name: String, path: &Path, function: &Function) {
        let known = self.host_bridges.iter().position(|bridge| bridge.name == name);
        let at = known.unwrap_or_else(|| {
            let dir = path.ancestors().find(|dir| dir.ends_with(&name)).unwrap_or(path);
            let bus = name.trim_start_matches("pci");
            let list = dir.join(format!("pci_bus/{bus}/cpulistaffinity"));
            let cpus = Reading::read(root, list, |text| CpuSet::from_list(text).ok());
            let nested_in = Address::all_in(dir).last().copied();
            self.host_bridges.push(HostBridge {
                name,
                nested_in,
                numa_node: None,
                cpus,
                load: Load::default(),
            });
            self.host_bridges.len() - 1
        });
        let bridge = &mut self.host_bridges[at];
        bridge.numa_node = bridge.numa_node.or(function.numa_node.value);
    }

    /// The functions from this one up to the root, this one first.
    pub fn up_from(&self, address: Address) -> impl Iterator<Item = &Function> {
        let first = self.functions.get(&address);
        std::iter::successors(first, |function| self.functions.get(&function.parent?))
    }

    /// Whether `address` is somewhere below `above`.
    pub fn is_below(&self, address: Address, above: Address) -> bool {
        self.up_from(address).skip(1).any(|function| function.address == above)
    }

    /// The host bridge of the CPU that all its data passes, with or without a VMD in between.
    pub fn outermost_bridge(&self, function: &Function) -> String {
        let last = self.up_from(function.address).last();
        last.unwrap_or(function).host_bridge.clone()
    }
}

/// The innermost `pciDDDD:BB` of a path.
fn host_bridge_in(path: &Path) -> Option<String> {
    let is_bridge = |name: &&str| {
        let bus = name.strip_prefix("pci").and_then(|rest| rest.split_once(':'));
        bus.is_some_and(|(domain, bus)| domain.len() >= 4 && bus.len() == 2)
    };
    let mut names = path.iter().rev().filter_map(|part| part.to_str());
    names.find(is_bridge).map(str::to_owned)
}

// NUMA nodes.

const NODES: &str = "/sys/devices/system/node";

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NumaNode {
    /// Number.
    pub number: u32,
    /// Its CPUs; none for memory without processors.
    pub cpus: Reading<CpuSet>,
}

/// All nodes; a kernel without NUMA has none.
pub fn nodes(root: &Root) -> Vec<NumaNode> {
    let node = |number| {
        let path = format!("{NODES}/node{number}/cpulist");
        NumaNode { number, cpus: Reading::read(root, path, |text| CpuSet::from_list(text).ok()) }
    };
    root.numbers(NODES, "node").into_iter().map(node).collect()
}

// Computes need and capacity at every link.
//
// A function needs what its own link carries, or the rate of its data sheet if
// that is given; a port needs the sum of all devices below it. All functions
// behind one port share one link and count once. There are three sums: the
// selected drives, all storage, and everything (network and graphics are on
// the same links, V-72).

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
    let listed_mbps: f64 = group.iter().filter_map(|function| datasheet.get(&function.address)).sum();
    // A data sheet counts payload only; the link carries headers too.
    let headers = link.ceiling.zip(link.raw_mbps).map_or(1.0, |(ceiling, raw)| raw / ceiling.mbps);
    let most = if listed_mbps > 0.0 { listed_mbps * headers } else { f64::INFINITY };
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
