//! Saved output of other programs, of a machine that is not this one, or in an
//! old report.
//!
//! ```text
//! bytes ─plain─► text ─split─► one Part for each program ─judge─► PrintoutFinding ─► Audit
//! ```
//! Each parser takes the text of its program, reads what it knows, and ignores
//! the rest, because such text comes from terminals, mails and scanned pages. What
//! is found is judged by the rule of the audit's check, if there is one. To add a
//! kind of printout, add a file here and a line in [`KINDS`].

pub mod dmidecode;
pub mod fio_pci_check;
pub mod fio_status;
pub mod lspci;

use crate::audit::checks::{self, checks};
use crate::audit::{Audit, Check, Examined, Observation, Observe, Scene};
use fathom_text::carried;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The known kinds.
pub static KINDS: [PrintoutKind; 4] = [lspci::KIND, dmidecode::KIND, fio_status::KIND, fio_pci_check::KIND];

/// The check with this id, if it is one of those that only printouts have.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.id == id)
}

/// The commands whose printouts are known.
pub fn known() -> String {
    KINDS.map(|kind| kind.called).join("; ")
}

/// Judges saved printouts of one machine: files by name, with their bytes.
/// The audit contains only checks for which a printout has data.
///
/// # Errors
/// If one of the files does not contain a known printout.
pub fn audit(files: &[(PathBuf, Vec<u8>)]) -> Result<Audit, PrintoutError> {
    let mut parts = Vec::new();
    for (path, bytes) in files {
        parts.extend(parts_of(path, &text(bytes), &KINDS)?);
    }
    let mut findings = Vec::new();
    for part in &parts {
        let kind = KINDS.iter().find(|kind| kind.program == part.program);
        let of_part = kind.map(|kind| (kind.judge)(part, &parts)).unwrap_or_default();
        if of_part.is_empty() {
            let says = format!("nothing in this printout of {} can be judged", part.program);
            let observation = Observation::on(part.path.display().to_string()).not_applicable(says);
            findings.push((FACTS, observation));
        }
        findings.extend(of_part);
    }
    Ok(Audit { examined: sorted(findings) })
}

/// Sorts what was found by check, in the order of the catalogue.
fn sorted(findings: Vec<PrintoutFinding>) -> Vec<Examined> {
    let all = checks::catalogue().chain(CHECKS.iter());
    let mut examined: Vec<Examined> = all.map(|check| Examined { check, observations: Vec::new() }).collect();
    for (check, observation) in findings {
        match examined.iter_mut().find(|one| one.check.id == check) {
            Some(one) => one.observations.push(observation),
            None => debug_assert!(false, "there is no check {check}"),
        }
    }
    examined.retain(|one| !one.observations.is_empty());
    examined
}

// A kind of printout, and what is found in a printout.

/// A program whose printouts are read.
#[derive(Debug, Clone, Copy)]
pub struct PrintoutKind {
    /// The program.
    pub program: &'static str,
    /// The command line whose printout contains the most.
    pub called: &'static str,
    /// Whether only this program prints such a line. The text from such a line on
    /// belongs to this program, up to a line that only another one prints.
    marks: fn(&str) -> bool,
    /// Judges a printout. It also gets all printouts, because some things can be
    /// seen only by comparing two of them.
    judge: fn(&Part, &[Part]) -> Vec<PrintoutFinding>,
}

/// What one program printed in one file.
struct Part {
    /// The program.
    pub program: &'static str,
    /// The file.
    pub path: PathBuf,
    /// The lines.
    pub text: String,
}

impl Part {
    /// Begins an observation, with the line that shows it.
    pub fn observation(&self, subject: impl Into<String>, line: impl AsRef<str>) -> Observation {
        Observation::on(subject).with(&self.path, line)
    }
}

/// The id of the check whose rule judges what was found in a printout, and what
/// was seen.
type PrintoutFinding = (&'static str, Observation);

// Divides a file into the printouts of the programs in it.

/// Why a file cannot be read as a printout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrintoutError {
    /// It is empty.
    #[error("{} is empty: there is no printout to read", .0.display())]
    Empty(PathBuf),
    /// None of its lines is known.
    #[error("cannot tell which program printed {}: none of its lines is known", .0.display())]
    Unknown(PathBuf),
    /// It lists more devices than a machine can have.
    #[error("{} lists more than {ENTRIES_MAX} devices: it is not a printout of one machine", .0.display())]
    TooMany(PathBuf),
}

/// Most lines of a file that may begin an entry. A machine has some hundred
/// functions; a server that shares its adapters with virtual machines has some
/// thousand.
const ENTRIES_MAX: usize = 20_000;

/// The printouts in a text, in the order in which they begin; the lines of each
/// program are joined. Lines before the first known one are ignored.
///
/// # Errors
/// If no line is known, or too many are.
fn parts_of(path: &Path, text: &str, kinds: &[PrintoutKind]) -> Result<Vec<Part>, PrintoutError> {
    if text.trim().is_empty() {
        return Err(PrintoutError::Empty(path.to_owned()));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut current = None;
    let mut entries = 0;
    for line in text.lines() {
        if let Some(kind) = kinds.iter().find(|kind| (kind.marks)(line)) {
            entries += 1;
            let known = parts.iter().position(|part| part.program == kind.program);
            current = known.or(Some(parts.len()));
            if known.is_none() {
                parts.push(Part { program: kind.program, path: path.to_owned(), text: String::new() });
            }
        }
        if let Some(at) = current {
            parts[at].text.push_str(line);
            parts[at].text.push('\n');
        }
    }
    match entries {
        0 => Err(PrintoutError::Unknown(path.to_owned())),
        1..=ENTRIES_MAX => Ok(parts),
        _ => Err(PrintoutError::TooMany(path.to_owned())),
    }
}

// The two checks that only printouts have.

/// Facts in a printout for which no check has a rule.
const FACTS: &str = "printout.facts";
/// Whether the figures of a printout agree with each other and with other printouts.
const AGREEMENT: &str = "printout.agreement";

/// Both, in the order in which they are shown.
static CHECKS: LazyLock<Vec<Check>> = LazyLock::new(|| {
    let made = Observe::Several(only_in_printouts);
    checks(include_str!("checks.toml"), &[(FACTS, made), (AGREEMENT, made)])
});

fn only_in_printouts(_: &Scene<'_>) -> Vec<Observation> {
    vec![Observation::on("host").not_applicable("only saved printouts show this: fathom doctor --read")]
}

// Figures and words within a line of a printout.

/// The first number in a text, `,` between thousands allowed.
fn number(text: &str) -> Option<f64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[from..];
    let to = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    rest[..to].replace(',', "").trim_end_matches('.').parse().ok()
}

/// The rest of the line after a word.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    Some(line.split_once(word)?.1.trim())
}

/// The first line that contains this word, or else the first line of all. It is shown
/// as evidence.
fn line_with<'a>(lines: &'a [String], word: &str) -> &'a str {
    let line = lines.iter().find(|line| line.contains(word));
    line.or(lines.first()).map_or("", String::as_str)
}

/// Most characters of a name from a printout that a sentence shows: more than any name of
/// a device in the PCI ID database has.
const NAME_MAX: usize = 160;

/// A name from a printout as a sentence shows it: cut if it is too long to be a
/// name.
fn name(text: &str) -> String {
    let cut: String = text.chars().take(NAME_MAX).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

// The bytes of a saved printout as plain text.
//
// Printouts are copied from terminals, pagers, mails and consoles of Windows. What
// these add is removed: encoding marks, line ends of other systems, escape codes
// for colours, and letters that a pager prints twice to make them bold. Every other
// byte is kept; one that is not printable is carried (docs/adr/0008).

/// The mark with which UTF-8 may begin.
const MARK_UTF8: &[u8] = b"\xef\xbb\xbf";
/// The marks of UTF-16, which consoles of Windows write.
const MARK_UTF16_LITTLE: &[u8] = b"\xff\xfe";
const MARK_UTF16_BIG: &[u8] = b"\xfe\xff";

const ESCAPE: u8 = 0x1b;
const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;

/// Most bytes of an escape code that are searched for its end: window titles are the
/// longest codes.
const CODE_MAX_BYTES: usize = 256;

/// The text of a printout.
fn text(bytes: &[u8]) -> String {
    carried::of_text(&without_codes(&utf8(bytes)))
}

fn utf8(bytes: &[u8]) -> Vec<u8> {
    if let Some(rest) = bytes.strip_prefix(MARK_UTF16_LITTLE) {
        return from_utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(MARK_UTF16_BIG) {
        return from_utf16(rest, u16::from_be_bytes);
    }
    bytes.strip_prefix(MARK_UTF8).unwrap_or(bytes).to_vec()
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units).into_bytes()
}

fn without_codes(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            &ESCAPE => at += code_len(&bytes[at..]),
            &BACKSPACE => take_back(&mut out),
            b'\r' if bytes.get(at) == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            byte => out.push(*byte),
        }
    }
    out
}

/// Bytes of an escape code after the escape byte (ECMA-48, 5.4 and 8.3.89): a
/// control sequence `[…m`, a title `]…BEL`, a character set `(B`, or one
/// letter. A code never continues on the next line; one without an end is not a code.
fn code_len(rest: &[u8]) -> usize {
    let rest = &rest[..rest.len().min(CODE_MAX_BYTES)];
    let line = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    let rest = &rest[..line];
    let within = |end: fn(&u8) -> bool| rest.iter().skip(1).position(end).map_or(0, |at| at + 2);
    match rest.first() {
        None => 0,
        Some(b'[') => within(|byte| (0x40..=0x7e).contains(byte)),
        Some(b']') => within(|byte| *byte == BELL),
        Some(b'(' | b')') => rest.len().min(2),
        Some(_) => 1,
    }
}

/// Removes the last character of the line.
fn take_back(out: &mut Vec<u8>) {
    let is_rest = |byte: &u8| byte & 0xc0 == 0x80;
    while out.last().is_some_and(is_rest) {
        out.pop();
    }
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.pop();
    }
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

    #[test]
    fn what_terminals_and_consoles_add_is_taken_away() {
        let utf16: Vec<u8> = "\u{feff}ä\r\nb".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let utf16_big: Vec<u8> = "\u{feff}ä\nb".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let table: &[(&[u8], &str)] = &[
            (b"\xef\xbb\xbfa\r\nb\n", "a\nb\n"),
            (b"a\rb", "a\nb"),
            (&utf16, "ä\nb"),
            (&utf16_big, "ä\nb"),
            (b"\x1b[1;31mred\x1b[0m\x1b(B \x1b]0;title\x07x\x1b=y\x1b", "red xy"),
            (b"\x1b[12\nnext", "[12\nnext"),
            (b"b\x08bo\x08ol\x08ld _\x08u", "bold u"),
            ("ä\x08ä\n\x08x".as_bytes(), "ä\nx"),
        ];
        for (bytes, plain) in table {
            assert_eq!(text(bytes), *plain, "{bytes:?}");
        }
    }

    #[test]
    fn other_bytes_are_carried() {
        let carried = text(b"a\xff\x00\tb\n");
        assert_eq!(carried::to_bytes(&carried), b"a\xff\x00\tb\n");
        assert!(!carried.contains('\0') && carried.contains('\t'));
    }
}
