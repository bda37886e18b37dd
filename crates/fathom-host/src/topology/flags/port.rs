//! Ports with more load than their link carries, and ports of the chipset.

use super::{Sight, evidence, of_end};
use crate::topology::flag::{Flag, FlagEvidence, FlagId, FlagSeverity};
use crate::topology::function::Function;
use crate::topology::load::Load;
use crate::topology::role::FunctionKind;

/// A smaller ratio of load to capacity may be rounding.
const RATIO_MIN: f64 = 1.001;

pub fn oversubscribed(sight: &Sight) -> Vec<Flag> {
    let ports = sight.links().filter_map(|function| Some((function, function.load.as_ref()?)));
    ports.filter_map(|(function, load)| oversubscribed_flag(sight, function, load)).collect()
}

fn oversubscribed_flag(sight: &Sight, function: &Function, load: &Load) -> Option<Flag> {
    let capacity = load.capacity_mbps?;
    let (need, whose, severity) = [
        (load.selected, "the selected drives", FlagSeverity::Warn),
        (load.storage, "all storage", FlagSeverity::Info),
        (load.all, "everything (network and graphics too)", FlagSeverity::Info),
    ]
    .into_iter()
    .find(|(need, ..)| need.now_mbps > capacity * RATIO_MIN)?;
    let ratio = need.now_mbps / capacity;
    Some(Flag {
        id: FlagId::Oversubscribed,
        severity,
        node: function.address.to_string(),
        short: format!("oversubscribed {ratio:.2}:1 by {whose}"),
        explain: format!(
            "Below {}, {whose} ({} devices) can move {:.0} MB/s; its link carries {capacity:.0}. Together they reach \
             at most {:.0} % of their rate. Use fewer of them at once, or move some to another port.",
            sight.called(function),
            need.devices,
            need.now_mbps,
            100.0 / ratio
        ),
        evidence: function.link.as_ref().map(|link| of_end(&link.current)).unwrap_or_default(),
    })
}

const INTEL: u32 = 0x8086;

/// PCI device numbers of the root ports and the SATA controllers of Intel's chipsets.
const CHIPSET_PORTS: std::ops::RangeInclusive<u8> = 0x1b..=0x1d;
const CHIPSET_SATA: [u8; 2] = [0x17, 0x1f];

/// Intel's link between CPU and chipset is not a PCI function, so the tree does
/// not show it and no sum contains it (V-73). AMD's chipsets are a switch below
/// a port of the CPU, and are counted like any other switch.
pub fn chipset(sight: &Sight) -> Vec<Flag> {
    let functions = sight.on_path.iter().filter_map(|address| sight.bus.functions.get(address));
    functions.filter(|function| is_in_chipset(sight, function)).map(chipset_flag).collect()
}

fn is_in_chipset(sight: &Sight, function: &Function) -> bool {
    let place = function.address.device;
    let is_place = match function.kind {
        FunctionKind::RootPort => CHIPSET_PORTS.contains(&place),
        FunctionKind::Integrated => CHIPSET_SATA.contains(&place),
        _ => false,
    };
    // A domain of VMD copies the device numbers of the ports it took over.
    let outermost = sight.bus.up_from(function.address).last();
    let is_on_first_bus = outermost.is_some_and(|f| (f.address.domain, f.address.bus) == (0, 0));
    is_place && is_on_first_bus && function.vendor.value == Some(INTEL)
}

fn chipset_flag(function: &Function) -> Flag {
    let address = function.address;
    Flag {
        id: FlagId::ChipsetAttached,
        severity: FlagSeverity::Warn,
        node: address.to_string(),
        short: "behind the chipset (by its number; confidence low)".to_owned(),
        explain: format!(
            "{} has the vendor and device number of a chipset's port, but a CPU's port may have the same. All ports of \
             a chipset share one link to the CPU, which is about as wide as four lanes, is not visible as a PCI link, \
             and adds latency. The board's manual shows which slots are connected to the CPU.",
            address.short()
        ),
        evidence: vec![
            evidence(&function.vendor),
            FlagEvidence {
                path: address.sys_dir().into(),
                value: format!("device {:02x} on bus 00", address.device),
            },
        ],
    }
}
