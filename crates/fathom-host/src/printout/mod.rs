//! Saved output of other programs, of a machine that is not this one, or in an
//! old report.
//!
//! ```text
//! bytes ─plain─► text ─split─► one Part for each program ─judge─► Found ─► Audit
//! ```
//! Each parser takes the text of its program, reads what it knows, and ignores
//! the rest, because such text comes from terminals, mails and scanned pages. What
//! is found is judged by the rule of the audit's check, if there is one. To add a
//! kind of printout, add a file here and a line in [`KINDS`].

mod check;
pub mod dmidecode;
mod figure;
pub mod fio_pci_check;
pub mod fio_status;
mod kind;
pub mod lspci;
mod plain;
mod split;

use std::path::PathBuf;

use crate::audit::{Audit, Check, Examined, Observation, checks};
use check::CHECKS;
use kind::Found;

pub use kind::PrintoutKind;
pub use split::PrintoutError;

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
        parts.extend(split::parts(path, &plain::text(bytes), &KINDS)?);
    }
    let mut found = Vec::new();
    for part in &parts {
        let kind = KINDS.iter().find(|kind| kind.program == part.program);
        let of_part = kind.map(|kind| (kind.judge)(part, &parts)).unwrap_or_default();
        if of_part.is_empty() {
            let says = format!("nothing in this printout of {} can be judged", part.program);
            let seen = Observation::on(part.path.display().to_string()).not_applicable(says);
            found.push((check::FACTS, seen));
        }
        found.extend(of_part);
    }
    Ok(Audit { examined: sorted(found) })
}

/// Sorts what was found by check, in the order of the catalogue.
fn sorted(found: Vec<Found>) -> Vec<Examined> {
    let all = checks::catalogue().chain(CHECKS.iter());
    let mut examined: Vec<Examined> = all.map(|check| Examined { check, observations: Vec::new() }).collect();
    for (check, seen) in found {
        match examined.iter_mut().find(|one| one.check.id == check) {
            Some(one) => one.observations.push(seen),
            None => debug_assert!(false, "there is no check {check}"),
        }
    }
    examined.retain(|one| !one.observations.is_empty());
    examined
}
