//! Which NUMA node a disk is near to.

use super::{Disk, Raw, Scene};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

impl Scene<'_> {
    /// The node of the disk's PCI function from the firmware; `None` where the
    /// firmware reports none (`-1`). H-11: we read the function's own file and
    /// not `/sys/class/pci_bus`, which has an entry for each bus and not for
    /// each device.
    pub fn node_of(&self, disk: &Disk) -> Result<(Option<u32>, Raw), Unknown> {
        let function = disk.function();
        let function =
            function.ok_or_else(|| Unknown::new(&disk.sys_dir, "it is not below a PCI function"))?;
        let (node, raw) = self.value::<i64>(function.join("numa_node"))?;
        match (node, u32::try_from(node)) {
            (-1, _) => Ok((None, raw)),
            (_, Ok(node)) => Ok((Some(node), raw)),
            _ => Err(Unknown::garbled(&raw.path, &raw.text)),
        }
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
