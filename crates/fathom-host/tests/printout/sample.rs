//! The printouts in `samples/`.

use std::path::{Path, PathBuf};

use fathom_host::audit::{Audit, AuditText, Grade, Observation};
use fathom_host::printout::{self, PrintoutError};
use fathom_text::style::Style;

/// Every sample.
pub const ALL: [&str; 9] = [
    "dmidecode-memory",
    "dmidecode-slots",
    "fio-pci-check-bandwidth",
    "fio-pci-check-errors",
    "fio-pci-check-width",
    "fio-status",
    "lspci-list",
    "lspci-user",
    "lspci-vv",
];

/// The bytes of a sample.
pub fn bytes(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/printout/samples/{name}.txt"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What is said of these bytes, as one file.
pub fn read(bytes: &[u8]) -> Result<Audit, PrintoutError> {
    printout::audit(&[(PathBuf::from("sent.txt"), bytes.to_vec())])
}

/// What is said of these samples together.
pub fn audit(names: &[&str]) -> Audit {
    let files: Vec<_> =
        names.iter().map(|name| (PathBuf::from(format!("{name}.txt")), bytes(name))).collect();
    printout::audit(&files).unwrap()
}

/// What a check saw of a subject, with its worst verdict.
pub fn said<'a>(audit: &'a Audit, check: &str, subject: &str) -> Vec<(Grade, &'a str)> {
    let examined = audit.examined.iter().filter(|examined| examined.check.id == check);
    let seen = examined.flat_map(|examined| &examined.observations);
    let told = |seen: &'a Observation| (seen.verdicts.worst(), seen.says.as_str());
    seen.filter(|seen| seen.subject == subject).map(told).collect()
}

/// Everything that a person can read of it.
pub fn text(audit: &Audit) -> String {
    let style = Style { width: 160, ..Style::PLAIN };
    audit.to_text(&AuditText { goal: None, is_root: true, all: true, tune: None, style }).to_string()
}
