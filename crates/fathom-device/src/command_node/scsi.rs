//! The generic character device of a SCSI device (`/dev/sg0`), and its disk.
//!
//! Linux numbers both kinds of devices on their own, so `sg1` may be the node of `sda`. Both lie below the directory of the SCSI
//! device, whose name is its address (`2:0:0:0`): `scsi_generic/sg0` and `block/sda`.

use super::{CommandNode, CommandUnit, certain_block, file_name, only};
use crate::root::{Root, Unknown};
use std::path::Path;

/// The class of these devices in sysfs.
pub(super) const CLASS: &str = "scsi_generic";

/// What the driver of disks calls them; the block devices of optical drives (`sr0`) are none.
const DISK: &str = "sd";

pub(super) fn with_partner(root: &Root, dir: &Path) -> Result<CommandNode, Unknown> {
    let name = file_name(dir);
    let device = dir.parent().and_then(Path::parent).ok_or_else(|| Unknown::garbled(dir, &name))?;
    let address = file_name(device).parse().map_err(|()| Unknown::garbled(device, &file_name(device)))?;
    let blocks = device.join("block");
    let mut disks = if root.exists(&blocks) { root.list(&blocks)? } else { Vec::new() };
    disks.retain(|disk| disk.starts_with(DISK));
    let block_name = only(dir, disks, "SCSI device")?;
    let block = certain_block(root, dir, &blocks.join(&block_name), &block_name)?;
    Ok(CommandNode { name, block_name, block, unit: CommandUnit::Scsi(address) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DevNumber;
    use crate::sys::scsi::ScsiAddress;
    use std::fs;
    use std::os::unix::fs::symlink;

    const HOST: &str = "/sys/devices/pci0000:00/host2/target2:0:0";

    /// A machine of SCSI devices: address, number of its node, its block devices, and whether `/sys/class/block` has them there.
    fn machine(devices: &[(&str, u32, &[&str], bool)]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path.trim_start_matches('/'));
        for class in ["sys/class/block", "sys/class/scsi_generic", "sys/dev/char", "sys/elsewhere"] {
            fs::create_dir_all(at(class)).unwrap();
        }
        for (address, node, blocks, in_class) in devices {
            let sg = format!("{HOST}/{address}/scsi_generic/sg{node}");
            fs::create_dir_all(at(&sg)).unwrap();
            let ups = "../".repeat(sg.matches('/').count() - 1);
            symlink(format!("{ups}class/scsi_generic"), at(&sg).join("subsystem")).unwrap();
            symlink(
                format!("../../{}", sg.trim_start_matches("/sys/")),
                at(&format!("sys/dev/char/21:{node}")),
            )
            .unwrap();
            for (minor, name) in blocks.iter().enumerate() {
                let block = format!("{HOST}/{address}/block/{name}");
                fs::create_dir_all(at(&block)).unwrap();
                fs::write(at(&block).join("dev"), format!("8:{}\n", node * 16 + minor as u32)).unwrap();
                let shown = if *in_class { block } else { "/sys/elsewhere".to_owned() };
                let below = format!("../../{}", shown.trim_start_matches("/sys/"));
                symlink(below, at(&format!("sys/class/block/{name}"))).unwrap();
            }
        }
        let root = Root::recorded(dir.path());
        (dir, root)
    }

    fn read(root: &Root, minor: u32) -> Result<Option<CommandNode>, Unknown> {
        CommandNode::read(root, DevNumber { major: 21, minor })
    }

    #[test]
    fn a_node_and_its_disk_have_one_address_and_their_own_numbers() {
        let (_dir, root) = machine(&[
            ("2:0:0:0", 1, &["sda"], true),
            ("2:0:0:1", 0, &["sdb"], true),
            ("2:0:3:0", 2, &[], true),
        ]);
        for (minor, name, disk, unit) in [(1, "sg1", "sda", [2, 0, 0, 0]), (0, "sg0", "sdb", [2, 0, 0, 1])] {
            let node = read(&root, minor).unwrap().unwrap();
            assert_eq!((node.name.as_str(), node.block_name.as_str()), (name, disk));
            assert_eq!(node.unit, CommandUnit::Scsi(ScsiAddress(unit)));
            assert_eq!(node.block, DevNumber { major: 8, minor: minor * 16 });
            assert_eq!(node.block_path(), Path::new("/dev").join(disk));
        }
        assert_eq!(read(&root, 9), Ok(None), "no such device");
    }

    /// An enclosure or a tape has no disk; a disk whose driver is not bound shows none.
    #[test]
    fn a_doubtful_pair_is_none() {
        let cases: [(&str, &str, &[&str], bool); 5] = [
            ("no block device", "2:0:0:0", &[], true),
            ("an optical drive", "2:0:0:0", &["sr0"], true),
            ("two disks", "2:0:0:0", &["sda", "sdb"], true),
            ("a block device elsewhere", "2:0:0:0", &["sda"], false),
            ("no address", "2:0:0", &["sda"], true),
        ];
        for (what, address, blocks, in_class) in cases {
            let (_dir, root) = machine(&[(address, 0, blocks, in_class)]);
            assert!(read(&root, 0).is_err(), "{what}");
        }
    }
}
