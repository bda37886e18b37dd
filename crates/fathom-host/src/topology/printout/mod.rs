//! What other tools print, as facts: so that a figure in an old report or a
//! guide can be checked against the sum that it should be.
//!
//! Each parser takes a whole printout, keeps what it knows, and passes over
//! the rest: such text comes from terminals, mails and scanned pages.

pub mod dmidecode;
pub mod fio_pci_check;
pub mod fio_status;
pub mod lspci;

/// The first number in a text, `,` between thousands allowed.
fn number(text: &str) -> Option<f64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[from..];
    let to = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    rest[..to].replace(',', "").trim_end_matches('.').parse().ok()
}

/// What stands after a word, on its line.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    Some(line.split_once(word)?.1.trim())
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
}
