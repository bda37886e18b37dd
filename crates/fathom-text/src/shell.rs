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
