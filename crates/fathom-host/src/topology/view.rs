//! The part of the tree that is shown: the path to the selected drives, and
//! other devices that may use the same links.

use super::function::Function;
use super::map::Topology;
use super::role::{FunctionKind, Role};

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
