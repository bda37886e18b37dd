//! Text that fits a terminal: lines that are too long are broken between words, under their beginning.
//!
//! A command line that is to be copied is never broken: it has a line of its own, and the terminal
//! shows it in as many rows as it needs.

use fathom_text::words::wrapped;

/// Columns that a text under its label needs at least; with fewer, it goes below the label.
const ROOM_MIN: usize = 12;

/// Columns of text below its label.
const BELOW: usize = 6;

/// Lines of a message, such as `error: ...` and `  hint: ...`. A quoted line of a file stays as it is.
pub fn message(text: &str, columns: usize) -> String {
    lines(text.lines().map(|line| match line.starts_with("  | ") {
        true => line.to_owned(),
        false => one_message(line, columns),
    }))
}

fn one_message(line: &str, columns: usize) -> String {
    let label = label_end(line);
    match command_at(line, label).filter(|_| is_too_long(line, columns)) {
        None => hanging(line, label, columns),
        Some(at) if at == label => line.to_owned(),
        Some(at) => {
            let explained = hanging(line[..at].trim_end(), label, columns);
            format!("{explained}\n{}{}", " ".repeat(indent(line, label)), &line[at..])
        }
    }
}

/// Where a command line begins that ends a hint or a note, or that is the hint.
fn command_at(line: &str, label: usize) -> Option<usize> {
    let is_hint = line.starts_with("  ");
    let begins = line.match_indices("fathom ").map(|(at, _)| at);
    begins
        .filter(|_| is_hint || line.starts_with("note: "))
        .find(|at| (*at == label && is_hint) || (*at > label && line[..*at].ends_with(": ")))
}

/// Where the text behind a label begins, in bytes: behind `hint: `, or behind two blanks.
fn label_end(line: &str) -> usize {
    let margin = line.len() - line.trim_start().len();
    let text = &line[margin..];
    let labels = ["error: ", "warning: ", "note: ", "hint: "];
    let known = labels.iter().find(|label| text.starts_with(**label)).map(|label| label.len());
    margin + known.or_else(|| gap_end(text)).unwrap_or(0)
}

/// Where the text begins behind the first gap of at least two blanks, or behind a dash.
fn gap_end(text: &str) -> Option<usize> {
    if text.starts_with("- ") {
        return Some(2);
    }
    let gap = text.find("  ")?;
    Some(text.len() - text[gap..].trim_start().len()).filter(|end| *end < text.len())
}

/// Text for people: paragraphs at the margin are filled; in an indented line, the text
/// after a gap stays under itself.
pub fn page(text: &str, columns: usize) -> String {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for line in text.lines() {
        match groups.last_mut().filter(|group| continues(group, line)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    lines(groups.iter().map(|group| match group.iter().any(|line| is_too_long(line, columns)) {
        true => filled(group, columns),
        false => group.join("\n"),
    }))
}

/// Whether a line belongs to the text that these lines began.
fn continues(group: &[&str], line: &str) -> bool {
    let begin = group.first().copied().unwrap_or_default();
    let margin = |line: &str| line.chars().count() - line.trim_start().chars().count();
    match (begin.trim().is_empty() || line.trim().is_empty(), margin(begin)) {
        (true, _) => false,
        (false, 0) if gap_end(begin).is_none() => margin(line) == 0,
        (false, _) => gap_end(begin.trim_start()).is_some() && margin(line) == indent(begin, text_at(begin)),
    }
}

fn text_at(line: &str) -> usize {
    let margin = line.len() - line.trim_start().len();
    margin + gap_end(line.trim_start()).unwrap_or(0)
}

fn filled(group: &[&str], columns: usize) -> String {
    let begin = group.first().copied().unwrap_or_default();
    let whole: Vec<&str> = [begin].into_iter().chain(group.iter().skip(1).map(|line| line.trim())).collect();
    match text_at(begin) {
        // A command line without an explanation.
        at if at > 0 && !begin.trim_start().contains("  ") && begin.trim_start().starts_with("fathom ") => {
            begin.to_owned()
        }
        at => hanging(&whole.join(" "), at, columns),
    }
}

/// The line, broken before `columns`; what follows is under the byte `at`.
fn hanging(line: &str, at: usize, columns: usize) -> String {
    if !is_too_long(line, columns) {
        return line.to_owned();
    }
    let hang = indent(line, at);
    let (label, text) = line.split_at(at);
    if columns < hang + ROOM_MIN {
        let below = " ".repeat(BELOW);
        let text = wrapped(text, columns.saturating_sub(BELOW));
        return format!("{}\n{below}{}", label.trim_end(), text.join(&format!("\n{below}")));
    }
    format!("{label}{}", wrapped(text, columns - hang).join(&format!("\n{}", " ".repeat(hang))))
}

fn indent(line: &str, at: usize) -> usize {
    line[..at].chars().count()
}

fn is_too_long(line: &str, columns: usize) -> bool {
    line.chars().count() > columns
}

fn lines(all: impl Iterator<Item = String>) -> String {
    all.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_broken_under_its_label() {
        for (text, folded) in [
            ("error: one two three four five", "error: one two three\n       four five\n"),
            (
                "short\n  | a quoted line that stays as it is\n",
                "short\n  | a quoted line that stays as it is\n",
            ),
            (
                "  hint: to list what is there: fathom runs --json",
                "  hint: to list what is\n        there:\n        fathom runs --json\n",
            ),
            ("  hint: fathom run --set runtime=10 job.fio", "  hint: fathom run --set runtime=10 job.fio\n"),
        ] {
            assert_eq!(message(text, 23), folded);
        }
        assert_eq!(
            message("page     a/very/long/path/of/a/page.html", 30),
            "page     a/very/long/path/of/a/page.html\n"
        );
    }

    #[test]
    fn a_page_is_filled_and_its_tables_stay_tables() {
        let table = "  --write SERIAL    write to it and\n                    to no other\n";
        assert_eq!(page(table, 35), table);
        let narrow =
            "  --write SERIAL    write to it\n                    and to no\n                    other\n";
        assert_eq!(page(table, 34), narrow);
        assert_eq!(page(table, 30), "  --write SERIAL\n      write to it and to no\n      other\n");
        let paragraphs = "One two three\nfour five.\n\n  - Six seven\n";
        assert_eq!(page(paragraphs, 80), paragraphs);
        assert_eq!(page(paragraphs, 16), paragraphs);
        assert_eq!(page("One two three\nfour five.\n", 12), "One two\nthree four\nfive.\n");
        let command = "  fathom run job.fio --set a=1\n";
        assert_eq!(page(command, 20), command);
    }
}
