//! One file, taken apart into what each program printed in it.

use std::path::{Path, PathBuf};

use super::kind::{Part, PrintoutKind};

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrintoutError {
    /// It holds nothing.
    #[error("{} is empty: there is no printout to read", .0.display())]
    Empty(PathBuf),
    /// No line of it is known.
    #[error("cannot tell which program printed {}: no line of it is of a kind that is known", .0.display())]
    Unknown(PathBuf),
    /// It lists more than a machine can have.
    #[error("{} lists more than {ENTRIES_MAX} devices, which is no printout of one machine", .0.display())]
    TooMany(PathBuf),
}

/// Lines of a file that may begin something: a machine has some hundred
/// functions, a server that shares its adapters with virtual machines some
/// thousand.
const ENTRIES_MAX: usize = 20_000;

/// The printouts in a text, each program's lines together, in the order in which
/// they begin. Lines before the first that is known are passed over.
///
/// # Errors
/// If no line is known, or too many are.
pub(super) fn parts(path: &Path, text: &str, kinds: &[PrintoutKind]) -> Result<Vec<Part>, PrintoutError> {
    if text.trim().is_empty() {
        return Err(PrintoutError::Empty(path.to_owned()));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut current = None;
    let mut entries = 0;
    for line in text.lines() {
        if let Some(kind) = kinds.iter().find(|kind| (kind.marks)(line)) {
            entries += 1;
            current = Some(of(&mut parts, kind, path));
        }
        if let Some(at) = current {
            let part = &mut parts[at];
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    match (parts.is_empty(), entries > ENTRIES_MAX) {
        (true, _) => Err(PrintoutError::Unknown(path.to_owned())),
        (false, true) => Err(PrintoutError::TooMany(path.to_owned())),
        (false, false) => Ok(parts),
    }
}

/// The place of a program's part, which is made if it is not there.
fn of(parts: &mut Vec<Part>, kind: &PrintoutKind, path: &Path) -> usize {
    let found = parts.iter().position(|part| part.program == kind.program);
    found.unwrap_or_else(|| {
        parts.push(Part { program: kind.program, path: path.to_owned(), text: String::new() });
        parts.len() - 1
    })
}
