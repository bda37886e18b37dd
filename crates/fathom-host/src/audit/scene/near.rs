//! Which NUMA node a disk is near to.

use super::{Disk, Raw, Scene};
use crate::audit::Observation;
use fathom_device::cpus::CpuSet;
use fathom_device::inventory::Near;
use fathom_device::root::Unknown;

impl Scene<'_> {
    /// The node that the disk is near to; `None` where the firmware reports none (H-11).
    pub fn node_of(&self, disk: &Disk) -> Result<(Option<u32>, Raw), Unknown> {
        let Near { node, path, text } = disk.near(self.root)?;
        Ok((node, Raw { path, text }))
    }

    /// The node that the disk is near to, and its CPUs, of the nodes that have some; `None` where the firmware
    /// reports none. The observation shows what was read.
    pub fn near_of(
        &self,
        disk: &Disk,
        nodes: Vec<(u32, CpuSet)>,
        seen: Observation,
    ) -> Result<(Observation, Option<(u32, CpuSet)>), Unknown> {
        let (node, raw) = self.node_of(disk)?;
        let seen = seen.show(&raw);
        let Some(node) = node else { return Ok((seen, None)) };
        let near = nodes.into_iter().find(|(number, _)| *number == node);
        near.ok_or_else(|| raw.garbled()).map(|near| (seen, Some(near)))
    }

    /// The nodes that have CPUs. A node may consist of memory only (CXL,
    /// persistent memory); it does not make a CPU remote. Without the list, or
    /// with a garbled list, the nodes are unknown.
    pub fn nodes_with_cpus(&self) -> Result<Vec<(u32, CpuSet)>, Unknown> {
        let dirs = self.glob("/sys/devices/system/node/node#");
        if dirs.is_empty() {
            return Err(Unknown::missing("/sys/devices/system/node/node0/cpulist"));
        }
        for dir in dirs {
            self.value::<CpuSet>(dir.join("cpulist"))?;
        }
        Ok(self.nodes().into_iter().filter(|(_, cpus)| !cpus.is_empty()).collect())
    }
}
