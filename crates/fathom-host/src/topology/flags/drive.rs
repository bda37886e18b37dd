//! Problems of a single drive: no known node, too warm.

use super::{Sight, evidence};
use crate::topology::flag::{Flag, FlagId, FlagSeverity};

pub fn unknown_node(sight: &Sight) -> Vec<Flag> {
    if sight.map.numa_nodes.len() < 2 {
        return Vec::new();
    }
    let ends = sight.disks().flat_map(|disk| disk.functions.iter().map(move |address| (disk, address)));
    let ends = ends.filter_map(|(disk, address)| Some((disk, sight.bus.functions.get(address)?)));
    let without = ends.filter(|(_, function)| function.numa_node.value.is_none());
    without
        .map(|(disk, function)| Flag {
            id: FlagId::UnknownNuma,
            severity: FlagSeverity::Warn,
            node: disk.name.clone(),
            short: "NUMA node unknown".to_owned(),
            explain: format!(
                "The machine has {} NUMA nodes, and the firmware does not report which one is nearest to {}. So fathom \
                 cannot place jobs near it; measure from each node, and look for a firmware update.",
                sight.map.numa_nodes.len(), disk.name
            ),
            evidence: vec![evidence(&function.numa_node)],
        })
        .collect()
}

pub fn hot(sight: &Sight) -> Vec<Flag> {
    let drives = sight.disks().filter_map(|disk| Some((disk, disk.drive.as_ref()?)));
    let warm = drives.filter_map(|(disk, drive)| {
        let now = drive.temperature_c.value?;
        let warning = drive.temperature_warning_c.value?;
        (now >= warning).then(|| Flag {
            id: FlagId::Hot,
            severity: FlagSeverity::Bad,
            node: disk.name.clone(),
            short: format!("{now:.0} °C, warns from {warning:.0}"),
            explain: format!(
                "{} is at {now:.1} °C and warns from {warning:.1} °C. A drive this warm slows down to protect itself, \
                 so a figure measured now shows only its cooling. Improve the air flow, raise the fan speed, and wait \
                 until it is cooler.",
                disk.name
            ),
            evidence: vec![evidence(&drive.temperature_c), evidence(&drive.temperature_warning_c)],
        })
    });
    warm.collect()
}
