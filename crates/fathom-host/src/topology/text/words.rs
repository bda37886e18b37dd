//! The texts of the map for rates, links and positions.

use super::TreeLine;
use crate::calc::pcie::LinkRate;
use crate::topology::bus::HostBridge;
use crate::topology::function::{Function, FunctionKind, Role};
use crate::topology::link::Link;
use crate::topology::map::Topology;
use fathom_text::quantity::bandwidth;

/// What a link carries or a device needs: `7.88 GB/s`, `250 MB/s`.
pub fn rate(mbps: f64) -> String {
    bandwidth(1e6 * mbps)
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

// A disk as it is shown, in parts: the text joins them into one line, and the picture
// shows them on several lines.

/// A disk, a partition, or a use of one.
pub struct DiskText {
    /// Its name, size, and what it is part of, if that is one thing.
    pub name: String,
    /// What is wrong with it.
    pub flags: Vec<String>,
    /// Its serial and model, where its function does not show them.
    pub facts: Vec<String>,
    /// Its partitions, and its uses if there are several: they are beside each other.
    pub below: Vec<DiskText>,
}

impl DiskText {
    /// All parts in one line.
    pub fn text(&self) -> String {
        let flags: String = self.flags.iter().map(|flag| format!("  ! {flag}")).collect();
        self.name.clone() + &spaced(&self.facts) + &flags
    }

    /// Its line, with the lines of what is on it.
    pub fn line(&self) -> TreeLine {
        let text = self.name.clone() + &spaced(&self.facts);
        TreeLine { text, flags: self.flags.clone(), below: self.below.iter().map(DiskText::line).collect() }
    }
}

/// Each fact with two spaces before it.
pub fn spaced(facts: &[String]) -> String {
    facts.iter().map(|fact| format!("  {fact}")).collect()
}

// The part of the tree that is shown: the path to the selected drives, and
// other devices that may use the same links.

/// A function that is shown, with the functions below it that are shown.
pub struct Branch<'a> {
    /// The function.
    pub function: &'a Function,
    /// Below it.
    pub below: Vec<Branch<'a>>,
}

impl<'a> Branch<'a> {
    /// The only device in this port, if it has one. The two are shown as one
    /// line.
    pub fn lone_device(&self) -> Option<&Branch<'a>> {
        let is_port = matches!(self.function.kind, FunctionKind::RootPort | FunctionKind::SwitchDown);
        match self.below.as_slice() {
            [one] if is_port && one.function.role != Role::Bridge => Some(one),
            _ => None,
        }
    }

    /// The function at the lower end of the link below this port.
    pub fn link_below(&self) -> Option<&'a Function> {
        let is_port = matches!(self.function.kind, FunctionKind::RootPort | FunctionKind::SwitchDown);
        self.below.iter().map(|branch| branch.function).find(|f| is_port && f.link.is_some())
    }
}

/// The branches that are shown below a host bridge.
pub fn branches<'a>(map: &'a Topology, host_bridge: &str) -> Vec<Branch<'a>> {
    let roots = map.nodes.iter().filter(|f| f.host_bridge == host_bridge && f.parent.is_none());
    roots.filter_map(|root| branch(map, root)).collect()
}

fn branch<'a>(map: &'a Topology, function: &'a Function) -> Option<Branch<'a>> {
    let children = map.nodes.iter().filter(|f| f.parent == Some(function.address));
    let below: Vec<Branch> = children.filter_map(|child| branch(map, child)).collect();
    let leads = matches!(function.role, Role::Bridge | Role::Nest);
    let is_shown = if leads { !below.is_empty() } else { is_end_shown(map, function) };
    is_shown.then_some(Branch { function, below })
}

/// Whether an endpoint is shown: a selected drive, or a device that may use the same links.
fn is_end_shown(map: &Topology, function: &Function) -> bool {
    let is_selected = map.disks_of(function.address).any(|disk| map.selected.contains(&disk.name));
    let is_rival = function.link.is_some() && function.role != Role::Other;
    is_selected || (is_rival && (map.targets.is_empty() || shares_a_link(map, function)))
}

/// Whether data of a selected drive passes a link above this function.
fn shares_a_link(map: &Topology, function: &Function) -> bool {
    let parent = |f: &&Function| map.nodes.iter().find(|other| Some(other.address) == f.parent);
    let mut above = std::iter::successors(parent(&function), parent);
    above.any(|port| port.load.is_some_and(|load| load.selected.devices > 0))
}
