//! The generic character device of a namespace (`/dev/ng0n1`), and its block device.
//!
//! The kernel names no partner: it makes both devices below one parent (the controller, or
//! the subsystem if there are several paths), and gives both the same instance of the namespace (the number behind the last
//! `n`), which is unique below that parent. The number before it may differ: the block device has that of the subsystem, the
//! character device has that of the controller. Devices of single paths (`nvme0c1n1`) are hidden and are no partner.

use super::{CommandNode, CommandUnit, certain_block, file_name, only};
use crate::root::{Root, Unknown};
use std::path::Path;

/// The class of these devices in sysfs.
pub(super) const CLASS: &str = "nvme-generic";

pub(super) fn with_partner(root: &Root, dir: &Path) -> Result<CommandNode, Unknown> {
    let name = file_name(dir);
    let garbled = || Unknown::garbled(dir, &name);
    let instance = instance_of(&name, "ng").ok_or_else(garbled)?;
    let parent = dir.parent().ok_or_else(garbled)?;
    let mut partners = root.list(parent)?;
    partners.retain(|other| instance_of(other, "nvme") == Some(instance));
    let block_name = only(dir, partners, "namespace")?;
    let block_dir = parent.join(&block_name);
    let block = certain_block(root, dir, &block_dir, &block_name)?;
    let nsid = root.read_value(block_dir.join("nsid"))?;
    Ok(CommandNode { name, block_name, block, unit: CommandUnit::Namespace(nsid) })
}

/// The last number of `ng0n1`; `None` for other names, such as `nvme0c1n1`, `nvme0n1p1` and `ng0`.
fn instance_of(name: &str, prefix: &str) -> Option<u32> {
    let (first, instance) = name.strip_prefix(prefix)?.split_once('n')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(first) && is_number(instance) { instance.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DevNumber;
    use std::fs;
    use std::os::unix::fs::symlink;

    /// Parent, name, number, whether it is hidden, NSID.
    type Node<'a> = (&'a str, &'a str, u32, u32, u32);

    /// A machine of character devices `244:N` and block devices `259:N`; the paths are those of Linux 6.12.
    fn machine(nodes: &[Node<'_>]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let at = |path: &str| dir.path().join(path.trim_start_matches('/'));
        for class in ["sys/class/block", "sys/class/nvme-generic", "sys/dev/char", "sys/dev/block"] {
            fs::create_dir_all(at(class)).unwrap();
        }
        for (parent, name, number, hidden, nsid) in nodes {
            let real = format!("/sys/devices/{parent}/{name}");
            fs::create_dir_all(at(&real)).unwrap();
            let (class, kind, major) =
                if name.starts_with("ng") { (CLASS, "char", 244) } else { ("block", "block", 259) };
            let write = |file: &str, text: String| fs::write(at(&real).join(file), text).unwrap();
            write("dev", format!("{major}:{number}\n"));
            if class == "block" {
                write("hidden", format!("{hidden}\n"));
                write("nsid", format!("{nsid}\n"));
            }
            let ups = "../".repeat(real.matches('/').count() - 1);
            symlink(format!("{ups}class/{class}"), at(&real).join("subsystem")).unwrap();
            let below = real.trim_start_matches("/sys/");
            symlink(format!("../../{below}"), at(&format!("sys/class/{class}/{name}"))).unwrap();
            symlink(format!("../../{below}"), at(&format!("sys/dev/{kind}/{major}:{number}"))).unwrap();
        }
        let root = Root::recorded(dir.path());
        (dir, root)
    }

    fn read(root: &Root, minor: u32) -> Result<Option<CommandNode>, Unknown> {
        CommandNode::read(root, DevNumber { major: 244, minor })
    }

    const C0: &str = "pci0000:00/0000:00:02.0/nvme/nvme0";
    const C1: &str = "pci0000:00/0000:00:03.0/nvme/nvme1";
    const SUB: &str = "virtual/nvme-subsystem/nvme-subsys2";

    #[test]
    fn both_devices_of_a_namespace_lie_beside_each_other() {
        let (_dir, root) = machine(&[
            (C0, "nvme0n1", 6, 0, 1),
            (C0, "nvme0n2", 7, 0, 5),
            (C0, "ng0n1", 1, 0, 0),
            (C0, "ng0n2", 2, 0, 0),
        ]);
        let node = read(&root, 2).unwrap().unwrap();
        assert_eq!((node.name.as_str(), node.block_name.as_str()), ("ng0n2", "nvme0n2"));
        assert_eq!(node.unit, CommandUnit::Namespace(5));
        assert_eq!(node.block, DevNumber { major: 259, minor: 7 });
        assert_eq!(node.block_path(), Path::new("/dev/nvme0n2"));
        assert_eq!(read(&root, 9), Ok(None), "no such device");
    }

    /// Two controllers lead to one namespace: its devices lie below the subsystem, and those of the paths are hidden.
    #[test]
    fn a_namespace_with_several_paths_is_paired_below_its_subsystem() {
        let (_dir, root) = machine(&[
            (C0, "nvme2c0n1", 5, 1, 1),
            (C1, "nvme2c1n1", 4, 1, 1),
            (SUB, "nvme2n1", 2, 0, 1),
            (SUB, "nvme2n2", 3, 0, 2),
            (SUB, "ng2n1", 0, 0, 0),
        ]);
        assert_eq!(read(&root, 0).unwrap().unwrap().block_name, "nvme2n1");
    }

    /// The private namespace of a second controller: the kernel takes the number of the subsystem for the block device, and
    /// that of the controller for the character device. `nvme1n2`, on another drive, has the name that it seems to have.
    #[test]
    fn the_first_number_is_not_compared() {
        let (_dir, root) =
            machine(&[(C1, "nvme0n2", 3, 0, 2), (C1, "ng1n2", 4, 0, 0), (C0, "nvme1n2", 8, 0, 2)]);
        assert_eq!(read(&root, 4).unwrap().unwrap().block_name, "nvme0n2");
    }

    #[test]
    fn a_doubtful_pair_is_none() {
        let cases: [(&str, &[Node<'_>]); 5] = [
            ("only its partition", &[(C0, "ng0n1", 1, 0, 0), (C0, "nvme0n1p1", 6, 0, 1)]),
            ("only the hidden path", &[(C0, "ng0n1", 1, 0, 0), (C0, "nvme0c0n1", 6, 1, 1)]),
            ("hidden", &[(C0, "ng0n1", 1, 0, 0), (C0, "nvme0n1", 6, 1, 1)]),
            ("below another parent", &[(C0, "ng0n1", 1, 0, 0), (C1, "nvme0n1", 6, 0, 1)]),
            ("two", &[(C0, "ng0n1", 1, 0, 0), (C0, "nvme0n1", 6, 0, 1), (C0, "nvme3n1", 7, 0, 1)]),
        ];
        for (what, nodes) in cases {
            let (_dir, root) = machine(nodes);
            assert!(read(&root, 1).is_err(), "{what}");
        }
    }

    #[test]
    fn other_character_devices_are_none_of_these() {
        let (dir, root) = machine(&[(C0, "ng0n1", 1, 0, 0), (C0, "nvme0n1", 6, 0, 1)]);
        let real = dir.path().join("sys/devices").join(C0).join("ng0n1/subsystem");
        fs::remove_file(&real).unwrap();
        symlink("../../../../../../class/tty", &real).unwrap();
        assert_eq!(read(&root, 1), Ok(None));
        for (name, expected) in [("ng0n1", Some(1)), ("ng12n34", Some(34)), ("ng0", None), ("ng0n", None)] {
            assert_eq!(instance_of(name, "ng"), expected, "{name}");
        }
    }
}
