//! Quotes words for a shell, so that a command in a hint can be pasted as it is.

use crate::carried::{self, byte_of, is_plain};
use std::ffi::OsStr;

/// A file name or another word as the shell takes it: bare where nothing in it
/// means anything to a shell, else in quotes. A word with control characters
/// or bytes that are not text is written as `$'\xff'`, which sh of POSIX 2024,
/// bash, ksh and zsh understand.
pub fn quoted(word: impl AsRef<OsStr>) -> String {
    let text = carried::of_os(word);
    if text.chars().any(|c| byte_of(c).is_some() || c == '\t') {
        return escaped(&carried::to_bytes(&text));
    }
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "/._:-+=@,%".contains(c);
    if !text.is_empty() && text.chars().all(is_bare) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A carried word, such as a path of a plan.
pub fn quoted_carried(word: &str) -> String {
    quoted(carried::to_os(word))
}

fn escaped(bytes: &[u8]) -> String {
    let mut out = String::from("$'");
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                c if is_plain(c) && c != '\t' => out.push(c),
                c => octal(&mut out, c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        octal(&mut out, chunk.invalid());
    }
    out + "'"
}

/// Three octal digits end by themselves; a hexadecimal escape would take in a
/// digit that follows it.
fn octal(out: &mut String, bytes: &[u8]) {
    bytes.iter().for_each(|byte| out.push_str(&format!("\\{byte:03o}")));
}

/// The words of a line that [`quoted`] wrote, those in `$'…'` with their escapes; `None` where the line is of another form.
pub fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let mut word = String::new();
        while !rest.is_empty() && !rest.starts_with(' ') {
            rest = piece(rest, &mut word)?;
        }
        words.push(word);
        rest = rest.trim_start();
    }
    Some(words)
}

/// The words of such a line, each with its quotes: where it may be broken.
pub fn quoted_words(line: &str) -> Vec<&str> {
    let (mut words, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let from = rest;
        while !rest.is_empty() && !rest.starts_with(' ') {
            // A quote that does not end holds all the rest.
            rest = piece(rest, &mut String::new()).unwrap_or_default();
        }
        words.push(&from[..from.len() - rest.len()]);
        rest = rest.trim_start();
    }
    words
}

/// Adds the next piece of a word, in quotes or bare, and returns what follows it.
fn piece<'a>(text: &'a str, word: &mut String) -> Option<&'a str> {
    if let Some(inner) = text.strip_prefix("$'") {
        let ends = |(at, _): &(usize, &str)| !is_escaped(&inner[..*at]);
        let (end, _) = inner.match_indices('\'').find(ends)?;
        word.push_str(&inner[..end]);
        return Some(&inner[end + 1..]);
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let (quote, rest) = inner.split_once('\'')?;
        word.push_str(quote);
        return Some(rest);
    }
    if let Some(rest) = text.strip_prefix('\\') {
        let sign = rest.chars().next()?;
        word.push(sign);
        return Some(&rest[sign.len_utf8()..]);
    }
    let ends = |(_, c): &(usize, char)| [' ', '\'', '\\', '$'].contains(c);
    let end = text.char_indices().skip(1).find(ends).map_or(text.len(), |(end, _)| end);
    word.push_str(&text[..end]);
    Some(&text[end..])
}

/// Does the text end in a backslash that is not itself escaped?
fn is_escaped(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    #[test]
    fn words_that_mean_nothing_to_a_shell_stay_bare() {
        for (word, shown) in [
            ("/dev/nvme0n1", "/dev/nvme0n1"),
            ("a b", "'a b'"),
            ("", "''"),
            ("it's", r"'it'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("a\nb\x1b'", r"$'a\nb\033\''"),
        ] {
            assert_eq!(quoted(word), shown);
        }
        assert_eq!(quoted(OsStr::from_bytes(b"a\xff1")), r"$'a\3771'");
    }

    #[test]
    fn a_line_of_quoted_words_is_read_back() {
        for typed in [vec!["a b", "it's", "", "--x=y z", "plain"], vec![], vec!["$(reboot)", "'"]] {
            let line = typed.iter().map(quoted).collect::<Vec<_>>().join(" ");
            assert_eq!(words(&line).unwrap(), typed, "{line}");
        }
        assert_eq!(words(r"$'a\nb\'' c").unwrap(), [r"a\nb\'", "c"]);
        assert_eq!(words("run 'a"), None);
    }

    #[test]
    fn a_command_is_taken_apart_between_its_words_only() {
        for word in ["plain", "a  b", "it's a", "a\\ b'c d", "a\nb c\\", "$'", ""] {
            let command = format!("fathom run {} 'x  y'", quoted(word));
            assert_eq!(quoted_words(&command), ["fathom", "run", &quoted(word), "'x  y'"], "{command}");
        }
        assert!(quoted_words("  ").is_empty());
    }

    #[test]
    fn bash_reads_back_the_very_bytes() {
        for word in
            [&b"a b"[..], b"it's \\ $x `y`", b"\xff\xfe1\n\t\x1b[0m\\'", "\u{202e}ü".as_bytes(), b"~;*?#"]
        {
            let script = format!("printf %s {}", quoted(OsStr::from_bytes(word)));
            let said = Command::new("bash").args(["-c", &script]).output().unwrap();
            assert_eq!(said.stdout, word, "{script}");
        }
    }
}
