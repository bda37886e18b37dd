//! The tree of ports and endpoints, as lines with branches.

use std::fmt::Write;

use super::{disk, words};
use crate::topology::function::Function;
use crate::topology::map::Topology;
use crate::topology::role::{Kind, Role};

/// A line and what hangs below it.
pub struct Line {
    /// What it says.
    pub text: String,
    /// Below it.
    pub below: Vec<Line>,
}

/// Draws lines with their branches.
pub fn draw(out: &mut String, lines: &[Line]) {
    draw_at(out, lines, "");
}

fn draw_at(out: &mut String, lines: &[Line], indent: &str) {
    for (at, line) in lines.iter().enumerate() {
        let is_last = at + 1 == lines.len();
        let (corner, run) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let _ = writeln!(out, "{indent}{corner}{}", line.text);
        draw_at(out, &line.below, &format!("{indent}{run}"));
    }
}

/// A function with all below it; `None` for one that leads to nothing that
/// was asked for.
pub fn line(map: &Topology, function: &Function) -> Option<Line> {
    let children: Vec<&Function> = map.nodes.iter().filter(|f| f.parent == Some(function.address)).collect();
    let mut below: Vec<Line> = children.iter().filter_map(|child| line(map, child)).collect();
    if function.role != Role::Bridge && function.role != Role::Nest {
        below = disk::lines(map, function);
        return is_shown(map, function).then(|| Line { text: endpoint(map, function), below });
    }
    let leads = below.pop()?;
    // A port and the one device in it are one line.
    let is_port = matches!(function.kind, Kind::RootPort | Kind::SwitchDown);
    let is_lone = below.is_empty() && children.len() == 1 && children[0].role != Role::Bridge;
    if is_port && is_lone {
        let text = format!("{} ─ {}", words::port(function), leads.text) + &words::flags(map, function);
        return Some(Line { text, below: leads.below });
    }
    below.push(leads);
    let link = children.iter().find(|child| child.link.is_some()).filter(|_| is_port);
    let load = link.map(|child| words::load(child)).unwrap_or_default();
    let text = format!("{}{load}{}", words::place(function), words::flags(map, function));
    Some(Line { text, below })
}

/// Drives that were asked for; of the rest what may want the same links.
fn is_shown(map: &Topology, function: &Function) -> bool {
    let mut disks = map.disks_of(function.address);
    let is_selected = disks.any(|disk| map.selected.contains(&disk.name));
    let is_rival = function.link.is_some() && function.role != Role::Other;
    is_selected || (is_rival && (map.targets.is_empty() || shares_a_port(map, function)))
}

fn shares_a_port(map: &Topology, function: &Function) -> bool {
    let parent = |f: &Function| map.nodes.iter().find(|other| Some(other.address) == f.parent);
    let mut above = std::iter::successors(parent(function), |f| parent(f));
    above.any(|port| map.nodes.iter().any(|f| f.address == port.address && carries_selected(map, f)))
}

/// Whether data of a selected drive passes this port.
fn carries_selected(map: &Topology, port: &Function) -> bool {
    let below = map.nodes.iter().filter(|f| f.parent == Some(port.address));
    below.filter_map(|child| child.load).any(|load| load.selected.devices > 0)
}

fn endpoint(map: &Topology, function: &Function) -> String {
    let mut text = words::place(function);
    if let Some(link) = &function.link {
        let _ = write!(text, "  {}", words::link(link));
    }
    if let Some(ceiling) = function.ceiling_mbps() {
        let _ = write!(text, "  ceiling {}", words::rate(ceiling));
    }
    text + &disk::drive_facts(map, function) + &words::flags(map, function)
}
