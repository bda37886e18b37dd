//! Memory below a loop device: its file may lie on tmpfs, or on a file system whose disk is made of memory. No list of
//! disks shows that, because a file system lies between the two.

use crate::device::DevNumber;
use crate::diskstat::disks_beneath;
use crate::loops::{LoopDevice, loop_devices};
use crate::mounts::{Mount, all_mounts, mount_of};
use crate::root::Root;

/// Loop devices over files on loop devices are followed this far.
const LAYERS_MAX: usize = 8;

/// File systems that are memory.
const FILE_SYSTEMS: [&str; 3] = ["tmpfs", "ramfs", "devtmpfs"];

/// The memory below the loop devices of which this device is made: the type of a file system (`tmpfs`), or the kernel name of
/// a disk (`zram0`). `None` where there is none, and where that cannot be learned.
pub fn memory_beneath(root: &Root, device: DevNumber) -> Option<String> {
    if !disks_beneath(root, device).ok()?.iter().any(|disk| disk.starts_with("loop")) {
        return None;
    }
    let (loops, mounts) = (loop_devices(root).ok()?, all_mounts(root).ok()?);
    let mut devices = vec![device];
    for _ in 0..LAYERS_MAX {
        let disks = devices.iter().filter_map(|device| disks_beneath(root, *device).ok()).flatten();
        let disks: Vec<String> = disks.collect();
        let is_first = devices == [device];
        // The disks of the target itself are known without this.
        if let Some(disk) = disks.iter().find(|disk| !is_first && is_memory(disk)) {
            return Some(disk.clone());
        }
        let below = loops.iter().filter(|it| disks.contains(&it.name));
        let below: Vec<Mount> = below.filter_map(|it| mount_below(root, it, &mounts)).collect();
        let in_memory = below.iter().find(|mount| FILE_SYSTEMS.contains(&mount.fs_type.as_str()));
        if let Some(mount) = in_memory {
            return Some(mount.fs_type.clone());
        }
        devices = below.iter().filter_map(|mount| mount.block_number(root)).collect();
    }
    None
}

/// The mount that holds the file of a loop device. The path may lead elsewhere, or nowhere, so the kernel's number of the
/// file system comes first.
fn mount_below(root: &Root, device: &LoopDevice, mounts: &[Mount]) -> Option<Mount> {
    if device.backing_device.is_some() {
        return None;
    }
    let by_number = device.backing.and_then(|file| mounts.iter().find(|mount| mount.dev == file.dev));
    by_number.cloned().or_else(|| mount_of(root, &device.backing_file))
}

fn is_memory(disk: &str) -> bool {
    ["zram", "ram"].iter().any(|kind| {
        let number = disk.strip_prefix(kind);
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    const DEVICES: &str = "/sys/dev/block/7:0 -> ../../block/loop0\n/sys/block/loop0/dev = 7:0\n/sys/block/loop0/size = 8\n\
                           /sys/dev/block/7:1 -> ../../block/loop1\n/sys/block/loop1/dev = 7:1\n/sys/block/loop1/size = 8\n\
                           /sys/dev/block/252:3 -> ../../block/zram3\n/sys/block/zram3/dev = 252:3\n/sys/block/zram3/size = 8\n\
                           /sys/dev/block/8:0 -> ../../block/sda\n/sys/block/sda/dev = 8:0\n/sys/block/sda/size = 8\n\
                           /proc/self/mountinfo <<\n\t20 1 8:0 / / rw - ext4 /dev/sda rw\n\
                           \t21 20 0:41 / /run rw - tmpfs tmpfs rw\n\t22 20 252:3 / /z rw - ext4 /dev/zram3 rw\n\
                           \t23 20 7:1 / /inner rw - ext4 /dev/loop1 rw\n";

    fn beneath(more: &str) -> Option<String> {
        let mut tree = Tree::default();
        tree.overlay(&format!("{DEVICES}{more}")).unwrap();
        memory_beneath(&Root::held(&tree), "7:0".parse().unwrap())
    }

    fn over(device: &str, file: &str) -> String {
        format!("/sys/block/{device}/loop/backing_file = {file}\n")
    }

    #[test]
    fn a_file_on_a_file_system_of_memory_is_found_below_any_number_of_loops() {
        let table = [
            (over("loop0", "/run/img"), Some("tmpfs")),
            (over("loop0", "/z/img"), Some("zram3")),
            (over("loop0", "/home/img"), None),
            (over("loop0", "/inner/img") + &over("loop1", "/run/img"), Some("tmpfs")),
            (over("loop0", "/inner/img") + &over("loop1", "/z/img"), Some("zram3")),
            (over("loop0", "/inner/img") + &over("loop1", "/img"), None),
            // A loop that goes round ends.
            (over("loop0", "/inner/img") + &over("loop1", "/inner/img"), None),
            // What the kernel says of the file counts more than its path.
            (over("loop0", "/gone") + "/.fathom/asked/loop-backing/loop0 = 0:41 4711\n", Some("tmpfs")),
            (over("loop0", "/run/img") + "/.fathom/asked/loop-backing/loop0 = 8:0 4711\n", None),
            (String::new(), None),
        ];
        for (more, found) in table {
            assert_eq!(beneath(&more).as_deref(), found, "{more}");
        }
    }

    #[test]
    fn disks_of_memory_by_name() {
        assert!(is_memory("zram0") && is_memory("ram15"));
        assert!(!is_memory("ram") && !is_memory("rampart1") && !is_memory("sda"));
    }
}
