//! Figures and words within a line of a printout.

/// The first number in a text, `,` between thousands allowed.
pub(super) fn number(text: &str) -> Option<f64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[from..];
    let to = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    rest[..to].replace(',', "").trim_end_matches('.').parse().ok()
}

/// The rest of the line after a word.
pub(super) fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    Some(line.split_once(word)?.1.trim())
}

/// The first line that contains this word, or else the first line of all. It is shown
/// as evidence.
pub(super) fn line_with<'a>(lines: &'a [String], word: &str) -> &'a str {
    let found = lines.iter().find(|line| line.contains(word));
    found.or(lines.first()).map_or("", String::as_str)
}

/// Most characters of a name from a printout that a sentence shows: more than any name of
/// a device in the PCI ID database has.
const NAME_MAX: usize = 160;

/// A name from a printout as a sentence shows it: cut if it is too long to be a
/// name.
pub(super) fn name(text: &str) -> String {
    let cut: String = text.chars().take(NAME_MAX).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_among_words() {
        assert_eq!(number("1,250,001,920 sectors"), Some(1_250_001_920.0));
        assert_eq!(number("at 2.50 Gbits"), Some(2.5));
        assert_eq!(number("8."), Some(8.0));
        assert_eq!(number("none"), None);
        assert_eq!(after("Type: x4", "Type:"), Some("x4"));
    }

    #[test]
    fn what_is_shown_of_lines_and_names() {
        let lines = ["a: 1".to_owned(), "b: 2".to_owned()];
        assert_eq!(
            (line_with(&lines, "b:"), line_with(&lines, "c:"), line_with(&[], "a")),
            ("b: 2", "a: 1", "")
        );
        assert_eq!(name("short"), "short");
        assert_eq!(name(&"ä".repeat(200)).chars().count(), NAME_MAX + 1);
    }
}
