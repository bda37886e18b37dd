//! Which NUMA node a disk is near to.

use super::{Disk, Raw, Scene};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

impl Scene<'_> {
    /// The node of the disk's PCI function as the firmware told it; `None`
    /// where it told none (`-1`). H-11: the function's own file, not
    /// `/sys/class/pci_bus`, which is keyed by bus and not by device.
    pub fn node_of(&self, disk: &Disk) -> Result<(Option<u32>, Raw), Unknown> {
        let function = disk.function();
        let function =
            function.ok_or_else(|| Unknown::new(&disk.sys_dir, "it does not hang on a PCI function"))?;
        let (node, raw) = self.value::<i64>(function.join("numa_node"))?;
        match (node, u32::try_from(node)) {
            (-1, _) => Ok((None, raw)),
            (_, Ok(node)) => Ok((Some(node), raw)),
            _ => Err(Unknown::garbled(&raw.path, &raw.text)),
        }
    }

    /// The nodes that have CPUs. Memory may be a node of its own (CXL,
    /// persistent memory), and makes no CPU remote. A machine without the
    /// list, or with a list that is not understood, is unknown.
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
