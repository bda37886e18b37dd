//! The map as text: the tree from the CPU down to the drives, then the devices
//! that are made of them, then the flags.

mod branch;
pub(super) mod disk;
mod line;
pub(super) mod told;
pub(super) mod words;

use fathom_text::painted::Painted;
use fathom_text::shown;
use fathom_text::style::Style;

use super::array::Stack;
use super::flag::{Flag, FlagSeverity};
use super::map::Topology;
use super::view::branches;
use fathom_text::words::wrapped;
use line::{TreeLine, draw, draw_root};

/// The whole map for a person. A line that is longer than the screen breaks between facts, below
/// its branch.
pub fn text(map: &Topology, style: Style) -> Painted {
    let mut out = String::new();
    for bridge in map.host_bridges.iter().filter(|bridge| bridge.nested_in.is_none()) {
        let branches = branches(map, &bridge.name);
        let lines: Vec<TreeLine> = branches.iter().map(|branch| branch::line(map, branch)).collect();
        if !lines.is_empty() {
            let (node, name) = words::host_bridge(map, bridge);
            out += &format!("{}\n", style.strong(&shown::line(&format!("{node}   {name}"))));
            draw(&mut out, &lines, style);
        }
    }
    elsewhere(&mut out, map, style);
    stacks(map).iter().for_each(|stack| draw_root(&mut out, &disk::stack(map, stack).line(), style));
    flags(&mut out, map, style);
    missing(&mut out, map, style);
    style.page(&out)
}

/// Disks that are not below a PCI function.
fn elsewhere(out: &mut String, map: &Topology, style: Style) {
    let disks = map.block.iter().filter(|b| b.functions.is_empty() && map.selected.contains(&b.name));
    let lines: Vec<TreeLine> = disks.map(|block| disk::one(map, block).line()).collect();
    if !lines.is_empty() {
        out.push_str("not on PCI\n");
        draw(out, &lines, style);
    }
}

/// The devices that are made of selected disks.
pub(super) fn stacks(map: &Topology) -> Vec<&Stack> {
    let is_shown = |stack: &&Stack| {
        stack.members.iter().flat_map(|member| &member.disks).any(|disk| map.selected.contains(disk))
    };
    map.stacks.iter().filter(is_shown).collect()
}

fn severity(flag: &Flag, style: Style) -> String {
    match flag.severity {
        FlagSeverity::Bad => style.bad("bad "),
        FlagSeverity::Warn => style.careful("warn"),
        FlagSeverity::Info => style.faint("info"),
    }
}

fn flags(out: &mut String, map: &Topology, style: Style) {
    if map.flags.is_empty() {
        out.push('\n');
        let said = "The links and NUMA nodes on this path have no problem that can be seen here.";
        wrapped(said, style.width).iter().for_each(|line| *out += &format!("{}\n", style.good(line)));
    }
    for flag in &map.flags {
        let word = severity(flag, style);
        out.push_str(&format!("\n{word} {} {}\n", flag.id.word(), shown::line(&flag.node)));
        let mut say = |text: &str, columns: usize| {
            let text = shown::line(text);
            wrapped(&text, columns).iter().for_each(|line| *out += &format!("     {line}\n"));
        };
        let columns = style.width - 5;
        say(&flag.explain, columns.min(COLUMNS));
        for evidence in &flag.evidence {
            say(&format!("{} = {}", shown::path(&evidence.path), evidence.value), columns);
        }
    }
}

/// Columns of a paragraph; longer lines are hard to read.
const COLUMNS: usize = 90;

fn missing(out: &mut String, map: &Topology, style: Style) {
    for unknown in &map.complete.missing {
        let (path, reason) = (shown::path(&unknown.path), shown::line(&unknown.reason));
        let said = format!("Only root can read: {path} ({reason})");
        out.push('\n');
        wrapped(&said, style.width).iter().for_each(|line| *out += &format!("{line}\n"));
    }
}
