//! The map as text: the tree from the CPU down to the drives, then the devices
//! that are made of them, then the flags.

mod branch;
pub(super) mod disk;
mod line;
pub(super) mod told;
pub(super) mod words;

use std::fmt::Write;

use fathom_text::shown;

use super::flag::{Flag, FlagSeverity};
use super::map::Topology;
use super::view::branches;
use fathom_text::words::wrapped;
use line::{TreeLine, draw};

/// The whole map for a terminal. Long lines are not cut or wrapped, because
/// that would hide facts.
pub fn text(map: &Topology) -> String {
    let mut out = String::new();
    for bridge in map.host_bridges.iter().filter(|bridge| bridge.nested_in.is_none()) {
        let branches = branches(map, &bridge.name);
        let lines: Vec<TreeLine> = branches.iter().map(|branch| branch::line(map, branch)).collect();
        if !lines.is_empty() {
            let (node, name) = words::host_bridge(map, bridge);
            let _ = writeln!(out, "{}", shown::line(&format!("{node}   {name}")));
            draw(&mut out, &lines);
        }
    }
    elsewhere(&mut out, map);
    stacks(&mut out, map);
    flags(&mut out, map);
    missing(&mut out, map);
    out
}

/// Disks that are not below a PCI function.
fn elsewhere(out: &mut String, map: &Topology) {
    let disks = map.block.iter().filter(|b| b.functions.is_empty() && map.selected.contains(&b.name));
    let lines: Vec<TreeLine> = disks.map(|block| disk::one(map, block).line()).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "not on PCI");
        draw(out, &lines);
    }
}

fn stacks(out: &mut String, map: &Topology) {
    let shown = map.stacks.iter().filter(|stack| {
        stack.members.iter().flat_map(|member| &member.disks).any(|disk| map.selected.contains(disk))
    });
    for stack in shown {
        let text = disk::stack(map, stack) + &words::flags_of(map, &stack.name);
        let _ = writeln!(out, "{}", shown::line(&text));
    }
}

fn severity(flag: &Flag) -> &'static str {
    match flag.severity {
        FlagSeverity::Bad => "bad ",
        FlagSeverity::Warn => "warn",
        FlagSeverity::Info => "info",
    }
}

fn flags(out: &mut String, map: &Topology) {
    if map.flags.is_empty() {
        let _ = writeln!(out, "\nNothing wrong was found on the path.");
    }
    for flag in &map.flags {
        let _ = writeln!(out, "\n{} {} {}", severity(flag), flag.id.word(), shown::line(&flag.node));
        for line in wrapped(&flag.explain, COLUMNS) {
            let _ = writeln!(out, "     {}", shown::line(&line));
        }
        for evidence in &flag.evidence {
            let _ = writeln!(out, "     {} = {}", shown::path(&evidence.path), shown::line(&evidence.value));
        }
    }
}

/// Columns of a paragraph; longer lines are hard to read.
const COLUMNS: usize = 90;

fn missing(out: &mut String, map: &Topology) {
    for unknown in &map.complete.missing {
        let (path, reason) = (shown::path(&unknown.path), shown::line(&unknown.reason));
        let _ = writeln!(out, "\nOnly root can read: {path} ({reason})");
    }
}
