//! NUMA nodes.

use schemars::JsonSchema;
use serde::Serialize;

use super::fact::Reading;
use fathom_device::cpus::CpuSet;
use fathom_device::root::Root;

const NODES: &str = "/sys/devices/system/node";

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
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
