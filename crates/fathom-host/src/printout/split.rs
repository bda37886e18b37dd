//! Divides a file into the printouts of the programs in it.

use std::path::{Path, PathBuf};

use super::kind::{Part, PrintoutKind};

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

/// The index of the program's part, which is added if there is none.
fn of(parts: &mut Vec<Part>, kind: &PrintoutKind, path: &Path) -> usize {
    let found = parts.iter().position(|part| part.program == kind.program);
    found.unwrap_or_else(|| {
        parts.push(Part { program: kind.program, path: path.to_owned(), text: String::new() });
        parts.len() - 1
    })
}
