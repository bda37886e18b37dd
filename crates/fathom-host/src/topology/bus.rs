//! The PCI tree: host bridges, and every function with the one above it.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::address::Address;
use super::fact::Reading;
use super::function::Function;
use super::load::Load;
use super::slot::SlotLabels;
use fathom_device::cpus::CpuSet;
use fathom_device::root::{Root, Unknown};

/// Every function of the machine.
const DEVICES: &str = "/sys/bus/pci/devices";

/// A root of the tree: a bridge of the CPU, or a domain that VMD made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
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
