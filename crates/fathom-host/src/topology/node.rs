//! NUMA nodes.

use serde::Serialize;

use super::fact::Reading;
use fathom_device::cpus::CpuSet;
use fathom_device::root::Root;

const NODES: &str = "/sys/devices/system/node";

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NumaNode {
    /// Number.
    pub number: u32,
    /// Its CPUs; none for memory without processors.
    pub cpus: Reading<CpuSet>,
}

/// All nodes; a kernel without NUMA has none.
pub fn nodes(root: &Root) -> Vec<NumaNode> {
    let names = root.list(NODES).unwrap_or_default();
    let mut numbers: Vec<u32> =
        names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok()).collect();
    numbers.sort_unstable();
    let node = |number| {
        let path = format!("{NODES}/node{number}/cpulist");
        NumaNode { number, cpus: Reading::read(root, path, |text| CpuSet::from_list(text).ok()) }
    };
    numbers.into_iter().map(node).collect()
}
