//! Whether the guard's answer is right, by what the oracle knows.

use fathom_guard::{Door, Finding, FindingKind, Refusal};

use crate::ask::Answer;
use crate::model::standing::Standing;

/// An answer that is as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// In use, refused, and the refusal names what uses it.
    Kept,
    /// Not in use and admitted.
    Admitted,
    /// Not in use, but a loop device shows the same file or an overlay has it in a layer, and the refusal names that.
    Attached,
    /// Not in use, but it holds something, and nobody consented.
    Holds,
    /// The device or the mount is read-only.
    ReadOnly,
    /// An overlay is or may be involved, and the guard cannot tell which of its files is meant.
    CannotTell,
    /// A loop device or swap of somebody else may use it, in a namespace that nobody can see.
    Foreign,
}

/// What a target without consent may be refused for at the fio door.
const CONTENTS: [FindingKind; 4] = [
    FindingKind::Partition,
    FindingKind::PartitionTable,
    FindingKind::Signature,
    FindingKind::UnknownContents,
];

/// The outcome, or what is wrong with the answer.
pub fn judge(
    standing: &Standing,
    on_read_only: bool,
    door: Door,
    answer: &Answer,
) -> Result<Outcome, String> {
    match (answer, standing.live.is_empty()) {
        (Answer::Admitted(..), true) => Ok(Outcome::Admitted),
        (Answer::Admitted(..), false) => Err(format!("let through, but in use by {:?}", standing.live)),
        (Answer::Refused(refusal), false) => judge_kept(standing, refusal),
        (Answer::Refused(refusal), true) => judge_refused(standing, door, refusal),
        (Answer::CannotTell(said), _) => Err(format!("cannot tell: {said}")),
        (Answer::Failed(_), true) if on_read_only => Ok(Outcome::ReadOnly),
        (Answer::Failed(said), _) => Err(format!("failed: {said}")),
    }
}

fn judge_kept(standing: &Standing, refusal: &Refusal) -> Result<Outcome, String> {
    let absolute = refusal.findings.iter().filter(|finding| !finding.can_be_overridden());
    let told: Vec<String> = absolute.map(ToString::to_string).collect();
    if told.is_empty() {
        return Err(format!(
            "some consent would let it through, but in use by {:?}: {refusal}",
            standing.live
        ));
    }
    let names = [&standing.live[..], &standing.attached].concat();
    match told.iter().any(|told| names_one(told, &names)) {
        true => Ok(Outcome::Kept),
        false => Err(format!("names none of {names:?}: {refusal}")),
    }
}

fn judge_refused(standing: &Standing, door: Door, refusal: &Refusal) -> Result<Outcome, String> {
    let absolute: Vec<&Finding> = refusal.findings.iter().filter(|f| !f.can_be_overridden()).collect();
    if absolute.is_empty() {
        let only_contents = refusal.findings.iter().all(|finding| CONTENTS.contains(&finding.kind));
        return match door == Door::Fio && only_contents {
            true => Ok(Outcome::Holds),
            false => Err(format!("refused in spite of full consent: {refusal}")),
        };
    }
    if standing.read_only && absolute.iter().any(|finding| finding.kind == FindingKind::ReadOnly) {
        return Ok(Outcome::ReadOnly);
    }
    let told: Vec<String> = absolute.iter().map(ToString::to_string).collect();
    let (doubts, certain): (Vec<_>, Vec<_>) = told.iter().partition(|told| told.contains("may be"));
    if certain.iter().any(|told| names_one(told, &standing.attached)) {
        return Ok(Outcome::Attached);
    }
    // What may be over somebody else's file may be over any other.
    if doubts.iter().any(|told| !names_one(told, &standing.doubtful)) {
        return Ok(Outcome::Foreign);
    }
    let may_doubt = |told: &&String| standing.is_doubtful || names_one(told, &standing.unseen);
    if !doubts.is_empty() && doubts.iter().all(may_doubt) {
        return Ok(Outcome::CannotTell);
    }
    Err(format!("refused, but nothing uses it (except {:?}): {refusal}", standing.attached))
}

/// Whether one of the names is in the text, not as a part of a longer name.
fn names_one(text: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        text.match_indices(name.as_str()).any(|(at, _)| {
            let after = text[at + name.len()..].chars().next();
            after.is_none_or(|next| !next.is_alphanumeric())
        })
    })
}

#[test]
fn loop1_is_not_loop12() {
    let names = |text| names_one(text, &["loop1".to_owned()]);
    assert!(names("is attached to loop1"));
    assert!(names("loop1: mounted"));
    assert!(!names("is attached to loop12"));
    assert!(!names("is attached to loop1p1"));
}
