//! Draws lines as a tree with branches.

use std::fmt::Write;

use fathom_text::shown;

/// A line and the lines below it.
pub struct TreeLine {
    /// The text of the line.
    pub text: String,
    /// The lines below it.
    pub below: Vec<TreeLine>,
}

/// Draws lines with their branches.
pub fn draw(out: &mut String, lines: &[TreeLine]) {
    draw_at(out, lines, "");
}

fn draw_at(out: &mut String, lines: &[TreeLine], indent: &str) {
    for (at, line) in lines.iter().enumerate() {
        let is_last = at + 1 == lines.len();
        let (corner, run) = if is_last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let _ = writeln!(out, "{indent}{corner}{}", shown::line(&line.text));
        draw_at(out, &line.below, &format!("{indent}{run}"));
    }
}
