//! Emphasis on a terminal. Colour repeats what the words say, never replaces it.

/// Every code that a [`Style`] paints with.
pub(super) const CODES: [&str; 6] = ["0", "1", "2", "32", "33", "1;31"];

/// How a summary is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Use colour and bold.
    pub colour: bool,
    /// Columns of the terminal; tables are cut to fit, text is wrapped.
    pub width: usize,
}

impl Style {
    /// No colour, 100 columns: for files and pipes.
    pub const PLAIN: Style = Style { colour: false, width: 100 };

    /// What the eye should find first.
    pub(super) fn strong(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// What matters less.
    pub(super) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// What went well.
    pub(super) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// What needs care.
    pub(super) fn careful(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// What went wrong.
    pub(super) fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// `label` and a text that wraps under itself.
    pub(super) fn labelled(self, label: &str, text: &str) -> String {
        const LABEL: usize = 11;
        let room = self.width.saturating_sub(LABEL + 2).max(20);
        let lines = wrapped(text, room);
        let rest = format!("\n{}", " ".repeat(LABEL + 2));
        format!("  {}{}\n", self.faint(&format!("{label:<LABEL$}")), lines.join(&rest))
    }
}

/// Text in lines of at most `room` characters, broken between words.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("starts with one line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            lines.push(word.to_owned());
        } else {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_between_words_under_its_label() {
        let style = Style { colour: false, width: 33 };
        let text = style.labelled("ended by", "runtime over, then some more words");
        assert_eq!(text, "  ended by   runtime over, then\n             some more words\n");
    }

    #[test]
    fn colour_only_when_asked() {
        assert_eq!(Style::PLAIN.bad("x"), "x");
        assert_eq!(Style { colour: true, width: 80 }.bad("x"), "\x1b[1;31mx\x1b[0m");
    }
}
