//! What slows or disturbs the packets on the path: power saving, errors,
//! payload size.

use super::{Sight, evidence};
use crate::calc::packet::{LinkDirection, efficiency};
use crate::topology::flag::{Flag, FlagEvidence, FlagId, FlagSeverity};
use crate::topology::function::Function;

pub fn power_saving(sight: &Sight) -> Vec<Flag> {
    sight.links().filter_map(|function| power_flag(sight, function)).collect()
}

fn power_flag(sight: &Sight, function: &Function) -> Option<Flag> {
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
    let linked =
        path.iter().filter(|f| f.link.is_some() || f.kind == crate::topology::role::FunctionKind::RootPort);
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
