//! What other programs print, saved in a file: of a machine that is not here,
//! or in an old report.
//!
//! ```text
//! bytes ─plain─► text ─split─► one Part for each program ─judge─► Found ─► Audit
//! ```
//! Each parser takes the text of its program, keeps what it knows, and passes
//! over the rest: such text comes from terminals, mails and scanned pages. What
//! is found is judged by the rule of the audit's check, wherever one has a rule
//! for it. A kind of printout is a file here and its line in [`KINDS`].

mod check;
pub mod dmidecode;
mod figure;
pub mod fio_pci_check;
pub mod fio_status;
mod kind;
pub mod lspci;
mod plain;
mod split;

use std::path::{Path, PathBuf};

use crate::audit::{Audit, Check, Examined, Observation, checks};
use kind::Found;

pub use kind::PrintoutKind;
pub use split::PrintoutError;

/// The kinds that are known.
pub static KINDS: [PrintoutKind; 4] = [lspci::KIND, dmidecode::KIND, fio_status::KIND, fio_pci_check::KIND];

/// The checks that only printouts have.
static CHECKS: [Check; 2] = check::CHECKS;

/// The check that only printouts have, with this id.
pub fn find(id: &str) -> Option<&'static Check> {
    CHECKS.iter().find(|check| check.id == id)
}

/// How each program is called whose printouts are known.
pub fn known() -> String {
    KINDS.map(|kind| kind.called).join("; ")
}

/// Judges saved printouts of one machine: files by name, with their bytes.
/// Only the checks that a printout can answer are in the audit.
///
/// # Errors
/// If one of the files holds no printout that is known.
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
            found.push(nothing(part.program, &part.path));
        }
        found.extend(of_part);
    }
    Ok(Audit { examined: sorted(found) })
}

fn nothing(program: &str, path: &Path) -> Found {
    let says = format!("nothing in this printout of {program} can be judged");
    let seen = Observation::on(path.display().to_string()).not_applicable(says);
    Found::of(check::FACTS, seen)
}

/// By check, in the order of the catalogue.
fn sorted(found: Vec<Found>) -> Vec<Examined> {
    let all = checks::catalogue().chain(&CHECKS);
    let mut examined: Vec<Examined> = all.map(|check| Examined { check, observations: Vec::new() }).collect();
    for Found { check, seen } in found {
        match examined.iter_mut().find(|one| one.check.id == check) {
            Some(one) => one.observations.push(seen),
            None => debug_assert!(false, "there is no check {check}"),
        }
    }
    examined.retain(|one| !one.observations.is_empty());
    examined
}
