//! Links that run below what they could (docs/guide-index.md: V-78), and slots that are slower than
//! the device in them.
//!
//! Only the lower end of a link is judged: a port that is faster than the
//! device below it is not a fault, and an empty port is not a fault either.

use super::{Flag, FlagEvidence, FlagId, FlagSeverity, Sight, evidence, of_end};
use crate::calc::pcie::{LinkDirection, efficiency};
use crate::topology::function::{Function, FunctionKind};
use crate::topology::link::Link;

pub(super) fn narrowed(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    if !link.is_narrowed() {
        return None;
    }
    let (now, could) = (link.current.rate()?, link.capable?);
    let lost = if now.lanes * 2 == could.lanes {
        "width halved".to_owned()
    } else {
        format!("x{} of x{}", now.lanes, could.lanes)
    };
    Some(Flag {
        id: FlagId::DowngradedWidth,
        severity: FlagSeverity::Bad,
        node: function.address.to_string(),
        short: format!("{lost}: reseat"),
        explain: format!(
            "The link above {} trained {} lanes; both ends have {}. It carries {:.0} of {:.0} MB/s. Lanes are lost \
             because of dirt, a bad riser or a bad contact: reseat the device and the riser, then try another slot, \
             and check in the firmware settings how the slot is split.",
            sight.called(function),
            now.lanes,
            could.lanes,
            now.raw_mbps(),
            could.raw_mbps()
        ),
        evidence: [&link.current, &link.max, &link.partner_max].map(|end| evidence(&end.lanes)).to_vec(),
    })
}

pub(super) fn slowed(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    if !link.is_slowed() {
        return None;
    }
    let (now, could) = (link.current.rate()?, link.capable?);
    Some(Flag {
        id: FlagId::DowngradedSpeed,
        severity: FlagSeverity::Warn,
        node: function.address.to_string(),
        short: format!("{} of {}: check again under load", now.generation, could.generation),
        explain: format!(
            "The link above {} runs at {} GT/s; both ends support {}. Some links slow down while idle, so this matters \
             only if the link is still slow while the drive is busy. Then check the signal quality (riser, cable) and \
             the speed limit in the firmware settings.",
            sight.called(function),
            now.generation.gigatransfers(),
            could.generation.gigatransfers()
        ),
        evidence: [&link.current, &link.max, &link.partner_max].map(|end| evidence(&end.speed)).to_vec(),
    })
}

pub(super) fn slot_limited(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    if !link.is_slot_limited() {
        return None;
    }
    let (own, slot, could) = (link.max.rate()?, link.partner_max.rate()?, link.capable?);
    Some(Flag {
        id: FlagId::SlotLimited,
        severity: FlagSeverity::Warn,
        node: function.address.to_string(),
        short: format!("slot is {slot}, device supports {own}"),
        explain: format!(
            "{} could use {own} but is below a port of {slot}, so at most {:.0} of its {:.0} MB/s are possible. Move \
             it to a slot with enough lanes: a slot may have fewer lanes than its size suggests.",
            sight.called(function),
            could.raw_mbps(),
            own.raw_mbps()
        ),
        evidence: [of_end(&link.max), of_end(&link.partner_max)].concat(),
    })
}

// Ports with more load than their link carries, and ports of the chipset.

/// A smaller ratio of load to capacity may be rounding.
const RATIO_MIN: f64 = 1.001;

pub(super) fn oversubscribed(sight: &Sight, function: &Function, link: &Link) -> Option<Flag> {
    let load = function.load.as_ref()?;
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
        evidence: of_end(&link.current),
    })
}

const INTEL: u32 = 0x8086;

/// PCI device numbers of the root ports and the SATA controllers of Intel's chipsets.
const CHIPSET_PORTS: std::ops::RangeInclusive<u8> = 0x1b..=0x1d;
const CHIPSET_SATA: [u8; 2] = [0x17, 0x1f];

/// Intel's link between CPU and chipset is not a PCI function, so the tree does
/// not show it and no sum contains it. AMD's chipsets are a switch below
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

// What slows or disturbs the packets on the path: power saving, errors,
// payload size.

pub(super) fn power_saving(sight: &Sight, function: &Function, _: &Link) -> Option<Flag> {
    let on: Vec<FlagEvidence> =
        function.aspm.iter().filter(|fact| fact.value == Some(true)).map(evidence).collect();
    let names: Vec<String> = on
        .iter()
        .filter_map(|one| Some(one.path.file_name()?.to_string_lossy().trim_end_matches("_aspm").to_owned()))
        .collect();
    (!on.is_empty()).then(|| Flag {
        id: FlagId::AspmOnPath,
        severity: FlagSeverity::Warn,
        node: function.address.to_string(),
        short: format!("link may sleep ({})", names.join(", ")),
        explain: format!(
            "The link above {} may sleep between requests, and waking it up takes from one to some tens of \
             microseconds. This matters for latency at low depth, not for bandwidth. Write 0 to the files named here \
             during a run; no boot parameter and no reboot is needed.",
            sight.called(function)
        ),
        evidence: on,
    })
}

pub fn errors(sight: &Sight) -> Vec<Flag> {
    let with_ports = sight.links().flat_map(|function| {
        let port = function.parent.and_then(|parent| sight.bus.functions.get(&parent));
        [Some(function), port].into_iter().flatten()
    });
    let mut flags: Vec<Flag> = with_ports.filter_map(|function| error_flag(sight, function)).collect();
    flags.sort_by(|a, b| a.node.cmp(&b.node));
    flags.dedup();
    flags
}

fn error_flag(sight: &Sight, function: &Function) -> Option<Flag> {
    let counters = [&function.aer.correctable, &function.aer.nonfatal, &function.aer.fatal];
    let counted: Vec<_> = counters.into_iter().filter(|fact| fact.value.unwrap_or(0) > 0).collect();
    let lost: u64 = [&function.aer.nonfatal, &function.aer.fatal].iter().filter_map(|fact| fact.value).sum();
    let total: u64 = counted.iter().filter_map(|fact| fact.value).sum();
    let last_line = |text: &str| text.lines().last().unwrap_or_default().to_owned();
    (total > 0).then(|| Flag {
        id: FlagId::AerErrors,
        severity: if lost > 0 { FlagSeverity::Warn } else { FlagSeverity::Info },
        node: function.address.to_string(),
        short: format!("{} counted {total} PCIe errors", function.address.short()),
        explain: format!(
            "{} has counted {total} errors, {lost} of them not repaired. Some bridges count errors that did not \
             happen, mostly without load, so check whether the count grows while data moves. If it does, reseat the \
             device and the riser, then replace the riser, the device and the board, one after the other.",
            sight.called(function)
        ),
        evidence: counted.into_iter().map(evidence).map(|e| FlagEvidence { value: last_line(&e.value), ..e }).collect(),
    })
}

pub fn payload(sight: &Sight) -> Vec<Flag> {
    let ends = sight.disks().flat_map(|disk| disk.functions.iter());
    let mut ends: Vec<&Function> =
        ends.filter_map(|address| sight.bus.functions.get(address)).filter(|f| f.link.is_some()).collect();
    ends.sort_by_key(|function| function.address);
    ends.dedup_by_key(|function| function.address);
    ends.into_iter().filter_map(|end| payload_flag(sight, end)).collect()
}

/// All ports on a path must be able to take a packet, so the smallest maximum
/// payload of them is the limit of the path.
fn payload_flag(sight: &Sight, end: &Function) -> Option<Flag> {
    let path: Vec<&Function> = sight.bus.up_from(end.address).collect();
    let linked = path.iter().filter(|f| f.link.is_some() || f.kind == FunctionKind::RootPort);
    let capable: Option<Vec<u32>> = linked.map(|function| function.payload_capable_bytes.value).collect();
    let (could, now) = (capable?.into_iter().min()?, end.payload_bytes.value?);
    let generation = end.link.as_ref()?.current.rate()?.generation;
    let share = |payload| efficiency(generation, payload, LinkDirection::DeviceToHost);
    let gain = (share(could) / share(now) - 1.0) * 100.0;
    (now < could).then(|| Flag {
        id: FlagId::MpsGap,
        severity: FlagSeverity::Warn,
        node: end.address.to_string(),
        short: format!("payload {now} of {could} bytes"),
        explain: format!(
            "Packets of {} carry {now} bytes; every port on its path could take {could}, which would give {gain:.1} % \
             more data on the link. The boot parameter pci=pcie_bus_perf sets this, but it can disturb hot-plug and \
             transfers between devices.",
            sight.called(end)
        ),
        evidence: vec![evidence(&end.payload_bytes), evidence(&end.payload_capable_bytes)],
    })
}
