//! The map as text: the tree from the CPU down to the drives, then the devices
//! that are made of them, then the flags.

pub(super) mod disk;
pub(super) mod words;

use std::fmt::Write;

use super::block::Stack;
use super::flags::{Flag, FlagSeverity};
use super::function::{Function, Role};
use super::map::Topology;
use fathom_text::painted::Painted;
use fathom_text::shown;
use fathom_text::style::Style;
use fathom_text::words::wrapped;
use words::{Branch, DiskText, branches, spaced};

/// The whole map for a person. A line that is longer than the screen breaks between facts, below
/// its branch.
pub fn text(map: &Topology, style: Style) -> Painted {
    let mut out = String::new();
    for bridge in map.host_bridges.iter().filter(|bridge| bridge.nested_in.is_none()) {
        let branches = branches(map, &bridge.name);
        let lines: Vec<TreeLine> = branches.iter().map(|branch| line(map, branch)).collect();
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
        let message = "The links and NUMA nodes on this path have no problem that can be seen here.";
        wrapped(message, style.width).iter().for_each(|line| *out += &format!("{}\n", style.good(line)));
    }
    for flag in &map.flags {
        let word = severity(flag, style);
        out.push_str(&format!("\n{word} {} {}\n", flag.id, shown::line(&flag.node)));
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
        let message = format!("Only root can read: {path} ({reason})");
        out.push('\n');
        wrapped(&message, style.width).iter().for_each(|line| *out += &format!("{line}\n"));
    }
}

// The tree of ports and endpoints, as lines with branches.

/// The lines of a branch and of all branches below it.
pub fn line(map: &Topology, branch: &Branch) -> TreeLine {
    let function = branch.function;
    let flags = words::flags(map, function);
    if !matches!(function.role, Role::Bridge | Role::Nest) {
        let below = disk::all(map, function).iter().map(DiskText::line).collect();
        return TreeLine { text: endpoint(map, function), flags, below };
    }
    if let Some(device) = branch.lone_device() {
        let device = line(map, device);
        let text = format!("{} ─ {}", words::port(function), device.text);
        return TreeLine { text, flags: [device.flags, flags].concat(), below: device.below };
    }
    let load = branch.link_below().map(words::load).unwrap_or_default();
    let text = format!("{}{load}", words::place(function));
    TreeLine { text, flags, below: branch.below.iter().map(|below| line(map, below)).collect() }
}

fn endpoint(map: &Topology, function: &Function) -> String {
    let mut text = words::place(function);
    if let Some(link) = &function.link {
        let _ = write!(text, "  {}", words::link(link));
        if let Some(ceiling) = &link.ceiling {
            // The default payload is the smallest; a larger one gives a higher ceiling.
            let least = if ceiling.payload_is_assumed { "≥ " } else { "" };
            let _ = write!(text, "  ceiling {least}{}", words::rate(ceiling.mbps));
        }
    }
    text + &spaced(&disk::drive_facts(map, function))
}

// Draws lines as a tree with branches, in the width of the screen.

/// The fewest columns that a text gets, however deep it is in the tree.
const ROOM_MIN: usize = 24;

/// A line and the lines below it.
pub struct TreeLine {
    /// The text of the line. Two spaces separate facts: a line that is too long breaks there.
    pub text: String,
    /// What is wrong there, each shown with an exclamation mark.
    pub flags: Vec<String>,
    /// The lines below it.
    pub below: Vec<TreeLine>,
}

/// Draws lines with their branches.
pub fn draw(out: &mut String, lines: &[TreeLine], style: Style) {
    draw_at(out, lines, "", style);
}

/// Draws a line without a branch of its own, and the branches below it.
pub fn draw_root(out: &mut String, line: &TreeLine, style: Style) {
    let run = if line.below.is_empty() { "   " } else { "│  " };
    let lines = laid_out(line, style.width - run.chars().count(), style);
    for (at, text) in lines.iter().enumerate() {
        *out += &format!("{}{text}\n", if at == 0 { "" } else { run });
    }
    draw_at(out, &line.below, "", style);
}

fn draw_at(out: &mut String, lines: &[TreeLine], indent: &str, style: Style) {
    for (at, line) in lines.iter().enumerate() {
        let is_last = at + 1 == lines.len();
        let (corner, run) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let inner = format!("{indent}{run}");
        let rest = format!("{inner}{}", if line.below.is_empty() { "   " } else { "│  " });
        for (at, text) in
            laid_out(line, style.width.saturating_sub(rest.chars().count()), style).iter().enumerate()
        {
            let head = if at == 0 { format!("{indent}{corner}") } else { rest.clone() };
            *out += &format!("{head}{text}\n");
        }
        draw_at(out, &line.below, &inner, style);
    }
}

/// The facts and flags in lines of at most so many columns; a fact that is longer breaks between
/// words.
fn laid_out(line: &TreeLine, columns: usize, style: Style) -> Vec<String> {
    let room = columns.max(ROOM_MIN);
    let facts = line.text.split("  ").filter(|fact| !fact.is_empty()).map(|fact| (fact.to_owned(), false));
    let flags = line.flags.iter().map(|flag| (format!("! {flag}"), true));
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (fact, is_flag) in facts.chain(flags) {
        for part in wrapped(&shown::line(&fact), room) {
            let long = part.chars().count();
            let painted = if is_flag { style.bad(&part) } else { part };
            match lines.last_mut().filter(|(_, used)| used + 2 + long <= room) {
                Some((line, used)) => {
                    *line += &format!("  {painted}");
                    *used += 2 + long;
                }
                None => lines.push((painted, long)),
            }
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_breaks_beside_its_branch() {
        let leaf = |text: &str| TreeLine { text: text.to_owned(), flags: Vec::new(), below: Vec::new() };
        let below = vec![leaf("a"), TreeLine { flags: vec!["odd".to_owned()], ..leaf("b") }];
        let lines = [TreeLine { below, ..leaf("first fact of the line  second fact") }, leaf("last")];
        let mut out = String::new();
        draw(&mut out, &lines, Style { width: 30, ..Style::PLAIN });
        let drawn =
            ["├─ first fact of the line", "│  │  second fact", "│  ├─ a", "│  └─ b  ! odd", "└─ last"];
        assert_eq!(out.lines().collect::<Vec<_>>(), drawn);
    }
}
