//! The tree of ports and endpoints, as lines with branches.

use std::fmt::Write;

use fathom_text::shown;

use super::{disk, words};
use crate::topology::function::Function;
use crate::topology::map::Topology;
use crate::topology::role::Role;
use crate::topology::view::Branch;

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
        let _ = writeln!(out, "{indent}{corner}{}", shown::line(&line.text));
        draw_at(out, &line.below, &format!("{indent}{run}"));
    }
}

/// A branch with all below it.
pub fn line(map: &Topology, branch: &Branch) -> Line {
    let function = branch.function;
    if !matches!(function.role, Role::Bridge | Role::Nest) {
        return Line { text: endpoint(map, function), below: disk::lines(map, function) };
    }
    let flags = words::flags(map, function);
    if let Some(device) = branch.lone_device() {
        let device = line(map, device);
        let text = format!("{} ─ {}{flags}", words::port(function), device.text);
        return Line { text, below: device.below };
    }
    let load = branch.link_below().map(words::load).unwrap_or_default();
    let text = format!("{}{load}{flags}", words::place(function));
    Line { text, below: branch.below.iter().map(|below| line(map, below)).collect() }
}

fn endpoint(map: &Topology, function: &Function) -> String {
    let mut text = words::place(function);
    if let Some(link) = &function.link {
        let _ = write!(text, "  {}", words::link(link));
        if let Some(ceiling) = &link.ceiling {
            // The default payload is the least: a larger one only adds.
            let least = if ceiling.payload_is_assumed { "≥ " } else { "" };
            let _ = write!(text, "  ceiling {least}{}", words::rate(ceiling.mbps));
        }
    }
    text + &disk::drive_facts(map, function) + &words::flags(map, function)
}
