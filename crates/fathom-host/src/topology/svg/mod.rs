//! The map as a picture, for reports: the tree from left to right, with a bar
//! of need and capacity at every port.
//!
//! The picture needs nothing else: it has no script, and no external font or
//! style. It follows the reader's light or dark setting. A box with a flag has
//! a colour, a thick dashed border and an exclamation mark.

mod figure;
mod layout;
mod measure;

use fathom_text::{markup, shown};
use std::fmt::Write;

use super::map::Topology;
use layout::{Placed, place};

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
    let (boxes, tree_height) = place(figure::figures(map), MARGIN);
    let notes = figure::notes(map);
    let width =
        boxes.iter().map(|placed| placed.x + measure::WIDTH).fold(measure::WIDTH * 2.0, f64::max) + MARGIN;
    let height = tree_height + measure::LINE * notes.len() as f64 + MARGIN * 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" class=\"fathom-topology\" role=\"img\" aria-label=\"I/O topology\"><style>{STYLE}</style>{OVER}\n\
         <rect class=\"p\" width=\"100%\" height=\"100%\"/>\n"
    );
    boxes.iter().for_each(|placed| edges(&mut out, placed, &boxes));
    boxes.iter().for_each(|placed| draw(&mut out, placed));
    for (at, (class, note)) in notes.iter().enumerate() {
        let y = tree_height + MARGIN + measure::LINE * (at as f64 + 1.0);
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.0}\" class=\"{class}\">{}</text>", escape(note));
    }
    out + "</svg>\n"
}

fn edges(out: &mut String, placed: &Placed, all: &[Placed]) {
    let from = (placed.x + measure::WIDTH, placed.y + placed.height / 2.0);
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
    let (width, height) = (measure::WIDTH, placed.height);
    let lines = figure.lines();
    let whole: Vec<String> = lines.iter().map(|(_, line)| escape(line)).collect();
    let _ = writeln!(out, "<g><title>{}</title>", whole.join("\n"));
    let _ = writeln!(
        out,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"6\"/>"
    );
    for (class, line) in lines {
        y += measure::LINE;
        let characters = if class == "t" { measure::TITLE_CHARACTERS } else { measure::CHARACTERS };
        let line = escape(&measure::cut(&line, characters));
        let _ =
            writeln!(out, "<text x=\"{:.0}\" y=\"{y:.0}\" class=\"{class}\">{line}</text>", x + measure::PAD);
    }
    if let Some(load) = &figure.load {
        bar(out, x + measure::PAD, y + measure::PAD, load);
    }
    out.push_str("</g>\n");
}

/// The need as a filled bar, with the capacity as a frame; the part of the need
/// above the capacity is striped.
fn bar(out: &mut String, x: f64, y: f64, load: &figure::Bar) {
    let whole = measure::WIDTH - 2.0 * measure::PAD;
    let scale = whole / load.need_mbps.max(load.capacity_mbps);
    let (capacity, fits) = (load.capacity_mbps * scale, load.need_mbps.min(load.capacity_mbps) * scale);
    let over = load.need_mbps * scale - fits;
    let mut part = |class: &str, at: f64, width: f64| {
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{at:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{}\"/>",
            measure::BAR
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
