//! Tests that ask the guard, with every consent that can be given.

use std::path::Path;
use std::sync::Arc;

use fathom_device::Root;
use fathom_guard::{Access, Admitted, Consent, Door, FindingKind, Guard, GuardError, Refusal};
use fathom_lab::{Drive, Ends};

pub const DOORS: [Door; 2] = [Door::Native, Door::Fio];

/// A guard of this machine, with the consent of these words on the command line.
#[track_caller]
pub fn guard(door: Door, write: &[&str], destroy: &[&str]) -> Guard {
    let names = |words: &[&str]| words.iter().map(|word| word.parse().unwrap()).collect();
    let consent = Consent { write: names(write), destroy: names(destroy), overwrite_files: Vec::new() };
    Guard::new(Root::live(), door, consent)
}

/// Every word that could mean the drive or one of its partitions.
pub fn words_of(drive: &Drive) -> Vec<String> {
    let mut names = vec![drive.serial.clone()];
    names.extend(std::fs::read_to_string(drive.sysfs().join("wwid")).map(|name| name.trim().to_owned()));
    let partitions = names.iter().map(|name| format!("{name}-part1")).collect::<Vec<_>>();
    names.extend(partitions);
    names
}

#[track_caller]
pub fn refusal(result: Result<Arc<Admitted>, GuardError>) -> Refusal {
    match result {
        Err(GuardError::Refused(refusal)) => *refusal,
        other => panic!("not refused: {other:?}"),
    }
}

/// No command and no consent allows a write to `node`, because of `kind`; its ends stay as they are.
#[track_caller]
pub fn check_barred(node: &str, drive: &Drive, kind: FindingKind) {
    let words = words_of(drive);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let before = Ends::of(node);
    for door in DOORS {
        for words in [&[][..], &words[..]] {
            let refusal = refusal(guard(door, words, words).admit(Path::new(node), Access::Write));
            assert!(refusal.has(kind), "{door:?}: {refusal}");
            assert!(!refusal.can_be_overridden(), "{door:?}: {refusal}");
        }
    }
    before.assert_unchanged();
}

/// Both commands need `--destroy` for `node`, and nothing less is enough; its ends stay as they are.
/// With the word that the refusal names, both allow it.
#[track_caller]
pub fn check_needs_destroy(node: &str, kind: FindingKind) {
    let before = Ends::of(node);
    for door in DOORS {
        let refused = refusal(guard(door, &[], &[]).admit(Path::new(node), Access::Write));
        assert!(refused.has(kind), "{door:?}: {refused}");
        let word = hinted(&refused, "--destroy");
        let again = refusal(guard(door, &[&word], &[]).admit(Path::new(node), Access::Write));
        assert!(again.has(kind), "{door:?}: {again}");
        check_admitted(&guard(door, &[], &[&word]), node);
    }
    before.assert_unchanged();
}

/// Blank and not in use: `fathom run` needs `--write`, `fathom fio` needs nothing.
#[track_caller]
pub fn check_free(node: &str) {
    let refused = refusal(guard(Door::Native, &[], &[]).admit(Path::new(node), Access::Write));
    assert!(refused.has(FindingKind::NoConsent), "{refused}");
    let word = hinted(&refused, "--write");
    check_admitted(&guard(Door::Native, &[&word], &[]), node);
    check_admitted(&guard(Door::Fio, &[], &[]), node);
}

#[track_caller]
pub fn check_admitted(guard: &Guard, node: &str) {
    let admitted = guard.admit(Path::new(node), Access::Write);
    let admitted = admitted.unwrap_or_else(|e| panic!("{node}: {e}"));
    assert!(admitted.is_claimed(), "{node}");
}

/// The word that the refusal says to give.
#[track_caller]
pub fn hinted(refusal: &Refusal, flag: &str) -> String {
    let words = refusal.hints.first().and_then(|hint| hint.split_once(&format!("{flag} ")));
    let (_, word) = words.unwrap_or_else(|| panic!("no {flag} in {:?}", refusal.hints));
    word.to_owned()
}
