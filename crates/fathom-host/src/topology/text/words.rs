//! The texts of the map for rates, links and positions.

use crate::calc::pcie::LinkRate;
use crate::topology::bus::HostBridge;
use crate::topology::function::Function;
use crate::topology::link::Link;
use crate::topology::map::Topology;
use crate::topology::role::{FunctionKind, Role};

/// `7.9 GB/s`, `250 MB/s`; powers of ten.
pub fn rate(mbps: f64) -> String {
    match mbps {
        small if small < 999.5 => format!("{small:.0} MB/s"),
        large => format!("{:.1} GB/s", large / 1000.0),
    }
}

/// Where a host bridge is (`node0  cpus 0-15`), and how it is called
/// (`pci0000:00  [CPU root]`).
pub fn host_bridge(map: &Topology, bridge: &HostBridge) -> (String, String) {
    let node = bridge.numa_node.map_or("node ?".to_owned(), |node| format!("node{node}"));
    let of_node = bridge.numa_node.and_then(|n| map.numa_nodes.iter().find(|node| node.number == n));
    let near = of_node.and_then(|node| node.cpus.get()).or(bridge.cpus.get());
    let cpus = near.map(|cpus| format!("  cpus {cpus}")).unwrap_or_default();
    (node + &cpus, format!("{}  [CPU root]", bridge.name))
}

/// A port that is part of its device's line: `42:00.0`.
pub fn port(function: &Function) -> String {
    match function.kind {
        FunctionKind::RootPort => format!("{} root port", function.address.short()),
        _ => function.address.short(),
    }
}

/// `41:00.0 switch up`, `43:00.0 storage`, with the slot's label.
pub fn place(function: &Function) -> String {
    let what = match (function.role, function.kind) {
        (Role::Bridge, kind) => kind.word(),
        (role, _) => role.word(),
    };
    let slot = function.slot.as_ref().and_then(|slot| slot.value.as_ref());
    let slot = slot.map(|slot| format!("  \"{slot}\"")).unwrap_or_default();
    format!("{} {what}{slot}", function.address.short())
}

/// `Gen4 x2 (could be Gen4 x4)`, `Gen4 x4 ok`, or why it is unknown.
pub fn link(link: &Link) -> String {
    match (link.current.rate(), link.capable) {
        (Some(now), Some(could)) if now.raw_mbps() < could.raw_mbps() => {
            format!("{now} (both ends support {could})")
        }
        (Some(now), Some(_)) => format!("{now} ok"),
        (Some(now), None) => format!("{now} (the best rate is unknown)"),
        (None, could) => could
            .map_or("link unknown".to_owned(), |could: LinkRate| format!("link unknown (could be {could})")),
    }
}

/// What a port's link carries, and what the devices below it need.
pub fn load(below: &Function) -> String {
    let (Some(own), Some(load)) = (&below.link, &below.load) else {
        return String::new();
    };
    let Some(capacity) = load.capacity_mbps else {
        return format!("  {}", link(own));
    };
    let mut text = format!("  {}  {} raw", link(own), rate(capacity));
    let need = if load.selected.devices > 0 { load.selected } else { load.all };
    text += &format!("  need {}", rate(need.now_mbps));
    if need.healthy_mbps > need.now_mbps {
        text += &format!(" now / {} if healthy", rate(need.healthy_mbps));
    }
    text += &format!("  ratio {:.2}", need.now_mbps / capacity);
    if let Some(healthy) = load.ratio_healthy().filter(|_| need.healthy_mbps > need.now_mbps) {
        text += &format!(" ({healthy:.2})");
    }
    if load.all.devices > load.selected.devices && load.selected.devices > 0 {
        text += &format!(" (everything below: {:.2})", load.all.now_mbps / capacity);
    }
    text
}

/// The flags of a function, in a few words each.
pub fn flags(map: &Topology, function: &Function) -> Vec<String> {
    flags_of(map, &function.address.to_string())
}

/// The same for any node.
pub fn flags_of(map: &Topology, node: &str) -> Vec<String> {
    map.flags_of(node).map(|flag| flag.short.clone()).collect()
}
