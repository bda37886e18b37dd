//! Draws lines as a tree with branches, in the width of the screen.

use fathom_text::shown;
use fathom_text::style::Style;
use fathom_text::words::wrapped;

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
