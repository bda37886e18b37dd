//! The map as a picture, for reports: the tree from left to right, with a bar
//! of need and capacity at every port.
//!
//! The picture needs nothing else: it has no script, and no external font or
//! style. It follows the reader's light or dark setting. A box with a flag has
//! a colour, a thick dashed border and an exclamation mark.

use std::fmt::Write;

use super::bus::HostBridge;
use super::flags::FlagSeverity;
use super::function::{Function, Role};
use super::map::Topology;
use super::text::words::{Branch, DiskText, branches, spaced};
use super::text::{disk, stacks, words};
use fathom_text::cell;
use fathom_text::{markup, shown};

/// Colours as variables, for light and for dark. Every rule applies to this
/// picture only, because a page that contains it has its own styles.
const STYLE: &str = "\
.fathom-topology{--ink:#1b1f24;--soft:#57606a;--paper:#ffffff;--box:#f6f8fa;--line:#8c959f;--need:#0969da;--over:#b35900;--flag:#b3261e}\
.fathom-topology text{font:11px ui-monospace,monospace;fill:var(--soft)}.fathom-topology .t{font-size:12px;font-weight:bold;fill:var(--ink)}\
.fathom-topology .f{fill:var(--flag);font-weight:bold}.fathom-topology .b{fill:var(--box);stroke:var(--line)}\
.fathom-topology .w{fill:var(--box);stroke:var(--flag);stroke-width:3;stroke-dasharray:7 3}.fathom-topology .e{fill:none;stroke:var(--line)}\
.fathom-topology .c{fill:none;stroke:var(--ink)}.fathom-topology .n{fill:var(--need)}.fathom-topology .o{fill:url(#fathom-over)}\
.fathom-topology .p{fill:var(--paper)}\
@media(prefers-color-scheme:dark){.fathom-topology{--ink:#e6edf3;--soft:#9da7b1;--paper:#0d1117;--box:#161b22;--line:#6e7681;--need:#58a6ff;--over:#e3a04a;--flag:#ff8078}}";

/// Stripes for the part of a need that the link cannot carry.
const OVER: &str = "<defs><pattern id=\"fathom-over\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
    patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"var(--paper)\"/>\
    <rect width=\"3\" height=\"6\" fill=\"var(--over)\"/></pattern></defs>";

/// Margin around the picture, in pixels.
const MARGIN: f64 = 16.0;

/// The whole map as one SVG document.
pub fn svg(map: &Topology) -> String {
    let (boxes, tree_height) = place(figures(map), MARGIN);
    let notes = notes(map);
    let width = boxes.iter().map(|placed| placed.x + WIDTH).fold(WIDTH * 2.0, f64::max) + MARGIN;
    let height = tree_height + LINE * notes.len() as f64 + MARGIN * 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" class=\"fathom-topology\" role=\"img\" aria-label=\"I/O topology\"><style>{STYLE}</style>{OVER}\n\
         <rect class=\"p\" width=\"100%\" height=\"100%\"/>\n"
    );
    boxes.iter().for_each(|placed| edges(&mut out, placed, &boxes));
    boxes.iter().for_each(|placed| draw(&mut out, placed));
    for (at, (class, note)) in notes.iter().enumerate() {
        let y = tree_height + MARGIN + LINE * (at as f64 + 1.0);
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.0}\" class=\"{class}\">{}</text>", escape(note));
    }
    out + "</svg>\n"
}

fn edges(out: &mut String, placed: &Placed, all: &[Placed]) {
    let from = (placed.x + WIDTH, placed.y + placed.height / 2.0);
    for child in placed.below.iter().filter_map(|at| all.get(*at)) {
        let to = (child.x, child.y + child.height / 2.0);
        let middle = (from.0 + to.0) / 2.0;
        let _ = writeln!(
            out,
            "<path class=\"e\" d=\"M{:.0} {:.0}H{middle:.0}V{:.0}H{:.0}\"/>",
            from.0, from.1, to.1, to.0
        );
    }
}

fn draw(out: &mut String, placed: &Placed) {
    let figure = &placed.figure;
    let class = if figure.flags.is_empty() { "b" } else { "w" };
    let (x, mut y) = (placed.x, placed.y);
    let (width, height) = (WIDTH, placed.height);
    let lines = figure.lines();
    let whole: Vec<String> = lines.iter().map(|(_, line)| escape(line)).collect();
    let _ = writeln!(out, "<g><title>{}</title>", whole.join("\n"));
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"6\"/>"
    );
    for (class, line) in lines {
        y += LINE;
        let characters = if class == "t" { TITLE_CHARACTERS } else { CHARACTERS };
        let line = escape(&cell::cut(&line, characters));
        let _ = writeln!(out, "<text x=\"{:.0}\" y=\"{y:.0}\" class=\"{class}\">{line}</text>", x + PAD);
    }
    if let Some(load) = &figure.load {
        draw_bar(out, x + PAD, y + PAD, load);
    }
    out.push_str("</g>\n");
}

/// The need as a filled bar, with the capacity as a frame; the part of the need
/// above the capacity is striped.
fn draw_bar(out: &mut String, x: f64, y: f64, load: &Bar) {
    let whole = WIDTH - 2.0 * PAD;
    let scale = whole / load.need_mbps.max(load.capacity_mbps);
    let (capacity, fits) = (load.capacity_mbps * scale, load.need_mbps.min(load.capacity_mbps) * scale);
    let over = load.need_mbps * scale - fits;
    let mut part = |class: &str, at: f64, width: f64| {
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{at:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{}\"/>",
            BAR
        );
    };
    part("n", x, fits);
    if over > 0.5 {
        part("o", x + fits, over);
    }
    part("c", x, capacity);
}

fn escape(text: &str) -> String {
    markup::escaped(&shown::line(text))
}

// The content of each box of the picture.

/// A box, and the boxes to its right.
pub struct Figure {
    /// The first line.
    pub title: String,
    /// Further lines.
    pub facts: Vec<String>,
    /// Lines about flags, shown with an exclamation mark.
    pub flags: Vec<String>,
    /// Need and capacity of the link below a port.
    pub load: Option<Bar>,
    /// The boxes to the right.
    pub below: Vec<Figure>,
}

/// Need and capacity of a link, in 10⁶ bytes per second.
pub struct Bar {
    /// What the devices below it need.
    pub need_mbps: f64,
    /// What it carries.
    pub capacity_mbps: f64,
}

impl Figure {
    /// Every line with its class.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        let facts = self.facts.iter().map(|fact| ("", fact.clone()));
        let load = self.load.iter().map(|bar| ("", bar.words()));
        let flags = self.flags.iter().map(|flag| ("f", format!("! {flag}")));
        let title = [("t", self.title.clone())];
        title.into_iter().chain(facts).chain(flags).chain(load).collect()
    }
}

impl Bar {
    fn words(&self) -> String {
        let (need, capacity) = (words::rate(self.need_mbps), words::rate(self.capacity_mbps));
        format!("need {need} of {capacity} ({:.2}:1)", self.need_mbps / self.capacity_mbps)
    }
}

/// The host bridges with devices below them, as boxes, then the arrays and volumes of several
/// members.
pub fn figures(map: &Topology) -> Vec<Figure> {
    let outer = map.host_bridges.iter().filter(|bridge| bridge.nested_in.is_none());
    let figures = outer.map(|bridge| host_bridge(map, bridge));
    let figures = figures.filter(|figure| !figure.below.is_empty());
    let arrays = stacks(map).into_iter().filter(|stack| stack.members.len() > 1);
    figures.chain(arrays.map(|stack| array(disk::stack(map, stack)))).collect()
}

/// A device that is made of several others, which are beside each other on its right.
fn array(disk_text: DiskText) -> Figure {
    let (below, facts) = (disk_text.below.into_iter().map(array).collect(), packed(&disk_text.facts));
    Figure { title: disk_text.name, facts, flags: disk_text.flags, load: None, below }
}

fn host_bridge(map: &Topology, bridge: &HostBridge) -> Figure {
    let (title, name) = words::host_bridge(map, bridge);
    let below = branches(map, &bridge.name).iter().map(|branch| figure(map, branch)).collect();
    Figure { title, facts: vec![name], flags: Vec::new(), load: None, below }
}

fn figure(map: &Topology, branch: &Branch) -> Figure {
    let function = branch.function;
    if !matches!(function.role, Role::Bridge | Role::Nest) {
        return end(map, function);
    }
    if let Some(device) = branch.lone_device() {
        let inner = figure(map, device);
        let title = format!("{} ─ {}", words::port(function), inner.title);
        let flags = [words::flags(map, function), inner.flags].concat();
        return Figure { title, flags, ..inner };
    }
    let below = branch.link_below();
    let link = below.and_then(|f| f.link.as_ref()).map(words::link);
    let figures = branch.below.iter().map(|below| figure(map, below)).collect();
    let load = below.and_then(bar_of);
    let title = words::place(function);
    Figure {
        title,
        facts: link.into_iter().collect(),
        flags: words::flags(map, function),
        load,
        below: figures,
    }
}

fn end(map: &Topology, function: &Function) -> Figure {
    let link = function.link.as_ref().map(words::link);
    let mut facts: Vec<String> = link.into_iter().collect();
    let mut all_flags = words::flags(map, function);
    for disk in disk::all(map, function) {
        facts.push(disk.name + &spaced(&disk.facts));
        facts.extend(disk.below.iter().map(|partition| format!("  {}", partition.text())));
        all_flags.extend(disk.flags);
    }
    facts.extend(packed(&disk::drive_facts(map, function)));
    Figure { title: words::place(function), facts, flags: all_flags, load: None, below: Vec::new() }
}

/// Splits facts at two spaces and puts as many on a line as fit.
fn packed(facts: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        let room = |line: &&mut String| line.chars().count() + fact.chars().count() + 2 <= CHARACTERS;
        match lines.last_mut().filter(room) {
            Some(line) => line.extend(["  ", fact]),
            None => lines.push(fact.clone()),
        }
    }
    lines
}

fn bar_of(function: &Function) -> Option<Bar> {
    let load = function.load?;
    let need = if load.selected.devices > 0 { load.selected } else { load.all };
    let capacity_mbps = load.capacity_mbps.filter(|capacity| *capacity > 0.0)?;
    Some(Bar { need_mbps: need.now_mbps, capacity_mbps })
}

/// Lines below the tree: disks that are not on PCI, volumes on one device, and flags.
pub fn notes(map: &Topology) -> Vec<(&'static str, String)> {
    let elsewhere = map.block.iter().filter(|b| b.functions.is_empty() && map.selected.contains(&b.name));
    let elsewhere = elsewhere.map(|block| ("", disk::one(map, block).text()));
    let single = stacks(map).into_iter().filter(|stack| stack.members.len() == 1);
    let single = single.map(|stack| ("", disk::stack(map, stack).text()));
    let flags = map.flags.iter().filter(|flag| flag.severity >= FlagSeverity::Warn);
    let flags = flags.map(|flag| ("f", format!("! {} {}: {}", flag.id, flag.node, flag.short)));
    elsewhere.chain(single).chain(flags).collect()
}

// The position of each box of the picture: columns by depth, a parent in the
// middle of its children.

/// Distance between boxes, horizontally and vertically, in pixels.
const GAP_ACROSS: f64 = 28.0;
const GAP_DOWN: f64 = 10.0;

/// A box with its position.
pub struct Placed {
    /// The content of the box.
    pub figure: Figure,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Height.
    pub height: f64,
    /// Indexes of its children in the whole list.
    pub below: Vec<usize>,
}

/// All boxes with their positions, and their total height.
pub fn place(figures: Vec<Figure>, margin: f64) -> (Vec<Placed>, f64) {
    let mut placed = Vec::new();
    let mut y = margin;
    for figure in figures {
        let (_, height) = place_one(figure, margin, y, &mut placed);
        y += height + GAP_DOWN;
    }
    (placed, y)
}

/// Places a figure and all its children, beginning at `y`. Returns its index in
/// the list and the total height.
fn place_one(mut figure: Figure, x: f64, y: f64, placed: &mut Vec<Placed>) -> (usize, f64) {
    let own = height(&figure);
    let children = std::mem::take(&mut figure.below);
    let (mut below, mut at) = (Vec::new(), y);
    for child in children {
        let (place, height) = place_one(child, x + WIDTH + GAP_ACROSS, at, placed);
        below.push(place);
        at += height + GAP_DOWN;
    }
    let under = (at - y - GAP_DOWN).max(0.0);
    let whole = own.max(under);
    // If a box is higher than its children, it starts at their top, because they are already
    // placed.
    let top = y + ((under - own) / 2.0).max(0.0);
    placed.push(Placed { figure, x, y: top, height: own, below });
    (placed.len() - 1, whole)
}

fn height(figure: &Figure) -> f64 {
    let bar = if figure.load.is_some() { BAR + PAD } else { 0.0 };
    LINE * figure.lines().len() as f64 + bar + PAD
}

// Sizes in the picture, in pixels.

/// Width of a box.
pub const WIDTH: f64 = 296.0;

/// Height of a line of text.
pub const LINE: f64 = 15.0;

/// Distance between a box's border and its content.
pub const PAD: f64 = 8.0;

/// Height of a bar.
pub const BAR: f64 = 10.0;

/// Characters of 11 pixels of a monospaced font (0.6 em each) that fit.
pub const CHARACTERS: usize = ((WIDTH - 2.0 * PAD) / (11.0 * 0.61)) as usize;

/// The same of 12 pixels, for a title.
pub const TITLE_CHARACTERS: usize = ((WIDTH - 2.0 * PAD) / (12.0 * 0.61)) as usize;
