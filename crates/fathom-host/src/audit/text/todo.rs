//! What to do about a finding, as an order in one sentence.

use crate::audit::Check;

/// What to do. Mostly it is the first sentence of the remedy, which names what helps most often; the
/// remedy of a knob begins with a command, and some others begin with a reason.
pub(super) fn todo(check: &Check) -> &'static str {
    by_id(check.id).unwrap_or_else(|| first_sentence(check.remedy))
}

fn first_sentence(text: &'static str) -> &'static str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

/// Each knob that a check names, and the checks of which the remedy does not begin with an order.
fn by_id(id: &str) -> Option<&'static str> {
    Some(match id {
        "blk.add_random" => "Do not use the I/O as a source of randomness",
        "blk.discard" => "Empty the drive in another way between write tests, or precondition it each time",
        "blk.iostats" => "Let the kernel count the I/O of the disk",
        "blk.loop" => "Open the file of the loop device with direct I/O (losetup --direct-io=on)",
        "blk.max_sectors" => "Raise the largest request to the job's block size",
        "blk.nomerges" => "Set the merging of requests to what the job needs",
        "blk.nr_requests" => "Set the number of requests that may wait to the job's depth",
        "blk.read_ahead" => "Set the read-ahead to the value of production",
        "blk.rotational" => "Tell the kernel that the disk is not a hard disk",
        "blk.rq_affinity" => "Complete each request on the CPU that asked for it",
        "blk.scheduler" => "Choose the I/O scheduler that fits the disk",
        "blk.wbt" => "Switch off the throttling of writeback",
        "cpu.cstates" => "Keep the processor out of its deep sleep states",
        "cpu.epp" => "Set the energy preference of the processor to performance",
        "cpu.freq_cap" => "Raise the limits of the CPU clock to what the hardware allows",
        "cpu.governor" => "Set the frequency governor to performance",
        "cpu.platform_profile" => "Set the power profile of the platform to performance",
        "cpu.turbo" => "Switch turbo as the goal needs it",
        "fs.atime" => "Mount the file system without times of last access (noatime)",
        "fs.discard" => "Mount the file system without trims at each deletion (nodiscard)",
        "irq.coalescing" => "Switch off the interrupt coalescing of the drive",
        "irq.daemon" => "Pause irqbalance",
        "irq.device_threads" => "Give the kernel threads of the target CPUs that the job does not use",
        "irq.managed" => "Choose the CPUs that the job runs on (cpus_allowed=): the queues follow",
        "irq.unmanaged_place" => "Handle the interrupts on the node of the drive",
        "md.geometry" => "Set the block of the job to a whole stripe, aligned to it",
        "md.stripe_cache" => "Give the array a larger stripe cache",
        "md.sync_speed" => "Raise the speed limit of the sync, so that it ends sooner",
        "md.threads" => "Give the array more threads",
        "numa.balancing" => "Switch off automatic NUMA balancing",
        "nvme.apst" => "Keep the drive out of its sleep states",
        "nvme.cache" => "Switch on the write cache of the drive",
        "nvme.lbaf" => "Reformat the drive with the better block size; that erases the whole namespace",
        "nvme.mdts" => "Choose a block size within the limit of the drive",
        "nvme.multipath" => "Choose the policy for the paths to the drive",
        "nvme.ps" => "Set the drive to its highest power state",
        "pcie.aspm" => "Keep the links out of their sleep states",
        "pcie.iommu" => "Decide whether the IOMMU must protect the machine from this device",
        "pcie.mps" => "Let the kernel set the largest packets (pci=pcie_bus_perf)",
        "pcie.mrrs" => "Remove pci=pcie_bus_perf or pcie_bus_peer2peer from the kernel command line",
        "pcie.runtime_pm" => "Keep the controller awake",
        "pcie.vmd" => "Switch VMD off for that port in the BIOS if no VROC array needs it",
        "safe.lvm_pv" => "Find out what is on the volume group (pvs, lvs)",
        "safe.mount_guard" => "Boot with bdev_allow_write_mounted=0, after a test of the tools that you need",
        "safe.open_by_others" => "End the program that has the device open",
        "safe.raid_member" => "Find out which array it belongs to (mdadm --examine DEVICE)",
        "safe.zfs_member" => "Export the pool if it is in use (zpool status -P, zpool export)",
        "scsi.qdepth" => "Raise the queue depth of the disk, and keep its link awake",
        "sys.aio" => "Give libaio room for more I/Os",
        "sys.clocksource" => "Set the clock source to tsc",
        "sys.daemons" => "Pause the services that change settings",
        "sys.io_uring" => "Allow io_uring to the group of the user, or set ioengine=libaio",
        "sys.memlock" => "Raise the limit of locked memory (ulimit -l, LimitMEMLOCK=)",
        "sys.nofile" => "Raise the hard limit of open files",
        "vm.cache_cold" => "Leave invalidate=1 in the job, so that the pages of the file are dropped first",
        "vm.dirty" => "Limit dirty memory in bytes",
        "vm.hugepages" => "Reserve the huge pages that the job needs (sysctl vm.nr_hugepages=N)",
        "vm.swappiness" => "Let the kernel swap less",
        "vm.thp" => "Use huge pages only where a program asks for them",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{Needs, checks};
    use crate::printout;

    /// Words by which a remedy begins that is a command or a reason.
    const NO_ORDERS: [&str; 10] =
        ["fathom", "For", "The", "This", "That", "Where", "Up", "Nothing", "Strict", "Reformatting"];

    #[test]
    fn each_is_an_order() {
        for check in checks::catalogue().filter(|check| check.needs != Needs::Nothing) {
            let first = todo(check).split([' ', ',', ':']).next().unwrap();
            let is_order = first.starts_with(char::is_uppercase) && !NO_ORDERS.contains(&first);
            let is_command =
                ["ip", "mount", "umount", "swapoff", "blockdev", "ulimit", "lsof"].contains(&first);
            assert!(is_order || is_command, "{}: {}", check.id, todo(check));
            let is_knob = matches!(check.needs, Needs::Knob(_) | Needs::NamedKnob(_));
            assert!(!is_knob || by_id(check.id).is_some(), "{} has no order of its own", check.id);
        }
    }

    #[test]
    fn every_row_is_of_a_check() {
        let text = include_str!("todo.rs");
        let rows = text.lines().filter(|line| line.contains("\" => \""));
        for id in rows.filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()) {
            assert!(checks::find(id).or_else(|| printout::find(id)).is_some(), "{id}");
        }
    }
}
