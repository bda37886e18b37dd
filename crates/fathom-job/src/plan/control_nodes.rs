//! Names under `/dev` that look like a drive and are its control node (contract V-54: the guide's example
//! names `/dev/fctl`, with a letter for the digit of `fct1`).

/// What a name is, and which device to name instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ControlNode {
    /// `the control node of an NVMe controller`.
    pub what: &'static str,
    /// What to name.
    pub instead: String,
}

/// Nodes of drivers, and of no drive.
const OF_DRIVERS: &[&str] = &[
    "mapper/control",
    "loop-control",
    "nvme-fabrics",
    "btrfs-control",
    "ublk-control",
    "zfs",
    "megaraid_sas_ioctl_node",
    "mpt3ctl",
];

/// The control node of this name, if it is one by its form.
pub(super) fn control_node(path: &str) -> Option<ControlNode> {
    let name = path.strip_prefix("/dev/")?;
    if OF_DRIVERS.contains(&name) {
        return Some(ControlNode {
            what: "the control node of a driver",
            instead: "fathom devices lists the devices".to_owned(),
        });
    }
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
    if let Some(card) = name.strip_prefix("fct").filter(|card| number("fct").is_some() || card.len() == 1) {
        return Some(fusion(card));
    }
    if let Some(number) = number("nvme") {
        return Some(ControlNode {
            what: "the control node of an NVMe controller",
            instead: format!("/dev/nvme{number}n1 is its first namespace, which holds data"),
        });
    }
    if let Some((controller, namespace)) = name.strip_prefix("ng").and_then(|rest| rest.split_once('n'))
        && let (Ok(controller), Ok(namespace)) = (controller.parse::<u32>(), namespace.parse::<u32>())
    {
        return Some(ControlNode {
            what: "the node for NVMe commands of a namespace",
            instead: format!("/dev/nvme{controller}n{namespace} is the same namespace as a block device"),
        });
    }
    if number("sg").is_some() || name.starts_with("bsg/") {
        return Some(ControlNode {
            what: "the node for SCSI commands of a device",
            instead: "lsscsi -g shows its block device, such as /dev/sdb".to_owned(),
        });
    }
    None
}

/// `fct0` belongs to the device `fioa`, `fct1` to `fiob`; a letter is a misprint.
fn fusion(card: &str) -> ControlNode {
    let letter = card.parse::<u8>().map(|number| char::from(b'a' + number.min(25)));
    match letter {
        Ok(letter) => ControlNode {
            what: "the control node of a Fusion-io card",
            instead: format!("/dev/fio{letter} is its block device"),
        },
        Err(_) => ControlNode {
            what: "a misprint of the control node of a Fusion-io card, whose last character is a digit",
            instead: "/dev/fioa is the block device of /dev/fct0, /dev/fiob that of /dev/fct1".to_owned(),
        },
    }
}
