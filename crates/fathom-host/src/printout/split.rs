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
