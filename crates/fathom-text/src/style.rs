//! How a text for a person looks: colours, width and characters. Colour repeats what the words say
//! and never replaces it.

use crate::painted::Painted;
use crate::words::wrapped;

/// What the place where a text is read can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Use colour and bold.
    pub colour: bool,
    /// Columns: tables are cut to fit, text is wrapped.
    pub width: usize,
    /// Lines that are seen at once: a first screen is cut to fit. `usize::MAX` for a file.
    pub height: usize,
    /// Use characters that ASCII does not have. [`Style::page`] replaces them where this is false,
    /// so a text is always written with them.
    pub utf8: bool,
}

impl Style {
    /// No colour, 100 columns, and the 24 lines of the smallest usual terminal: for files and pipes.
    pub const PLAIN: Style = Style { colour: false, width: 100, height: 24, utf8: true };

    /// What the eye should find first.
    pub fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters less.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What went well.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// What needs care.
    pub fn careful(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// What went wrong.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// `label` and a text that wraps under itself.
    pub fn labelled(self, label: &str, text: &str) -> String {
        const LABEL: usize = 11;
        let room = self.width.saturating_sub(LABEL + 2).max(20);
        let lines = wrapped(text, room);
        let rest = format!("\n{}", " ".repeat(LABEL + 2));
        format!("  {}{}\n", self.faint(&format!("{label:<LABEL$}")), lines.join(&rest))
    }

    /// The finished text: nothing in it commands the terminal but the colours of this style, and
    /// without UTF-8 there are only characters of ASCII. Every character takes one column before
    /// and after.
    pub fn page(self, text: &str) -> Painted {
        let page = Painted::of(text);
        if self.utf8 { page } else { page.in_ascii() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_between_words_under_its_label() {
        let style = Style { width: 33, ..Style::PLAIN };
        let text = style.labelled("ended by", "runtime over, then some more words");
        assert_eq!(text, "  ended by   runtime over, then\n             some more words\n");
    }

    #[test]
    fn colour_only_when_asked() {
        assert_eq!(Style::PLAIN.bad("x"), "x");
        assert_eq!(Style { colour: true, ..Style::PLAIN }.bad("x"), "\x1b[1;31mx\x1b[0m");
    }

    #[test]
    fn without_utf_8_a_page_has_only_ascii_in_the_same_columns() {
        let text = "├─ a…\n│  └─ 5 µs → 3×, größe ± 5 %\n";
        assert_eq!(Style::PLAIN.page(text).as_str(), text);
        let page = Style { utf8: false, ..Style::PLAIN }.page(text);
        assert_eq!(page.as_str(), "|- a~\n|  `- 5 us > 3x, gr??e +-5 %\n");
    }
}
