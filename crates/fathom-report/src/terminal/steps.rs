//! What to do next, where it may take several commands: one below the other, in their order.

use super::answer::{LABEL, broken};
use fathom_text::style::Style;
use fathom_text::words::wrapped;
use fathom_words::StepWords;

/// The steps, numbered where there are several. Each command is whole, and what it does is never cut.
pub(super) fn steps<'s>(steps: impl Iterator<Item = &'s StepWords>, style: Style) -> String {
    let steps: Vec<&StepWords> = steps.collect();
    let mut text = String::new();
    for (at, step) in steps.iter().enumerate() {
        let number = if steps.len() > 1 { format!("{}. ", at + 1) } else { String::new() };
        let label = if at == 0 { "next" } else { "" };
        text += &one(step, label, &number, style);
    }
    text
}

fn one(step: &StepWords, label: &str, number: &str, style: Style) -> String {
    let indent = LABEL + number.chars().count();
    let room = style.width.saturating_sub(indent);
    let label = style.faint(&format!("{label:<LABEL$}"));
    let command = broken(&step.command, room)
        .replace(&format!("\n{}", " ".repeat(LABEL)), &format!("\n{}", " ".repeat(indent)));
    let is_one_line = !command.contains('\n');
    if is_one_line && command.chars().count() + 2 + step.why.chars().count() <= room {
        return format!("{label}{number}{command}  {}\n", style.faint(&step.why));
    }
    let why: String = wrapped(&step.why, room)
        .iter()
        .map(|line| format!("{}{}\n", " ".repeat(indent), style.faint(line)))
        .collect();
    format!("{label}{number}{command}\n{why}")
}
