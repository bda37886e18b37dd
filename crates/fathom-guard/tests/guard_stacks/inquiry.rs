//! One finished stack: every question about it, the writes, and the proof.

use fathom_guard::{Consent, Door};

use crate::ask::{Answer, ask, full_consent, overwrite};
use crate::candidate::{Candidate, candidates};
use crate::dice::Dice;
use crate::model::standing::Target;
use crate::tally::Tally;
use crate::verdict::{Outcome, judge};
use crate::world::World;

/// A candidate that the guard lets in, and the words that this takes.
struct Free {
    candidate: Candidate,
    consent: Consent,
}

/// Asks about at most `paths` paths, writes what was admitted, and takes the stack down. Gives what
/// is wrong.
pub fn inquire(world: &mut World, paths: usize, dice: &mut Dice, tally: &mut Tally) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut free = Vec::new();
    for candidate in chosen(world, paths, dice) {
        ask_at_both_doors(world, candidate, tally, &mut free).unwrap_or_else(|error| wrong.push(error));
    }
    // What was let through wrongly is not written: one thing is proved at a time.
    if wrong.is_empty() {
        world.witness();
        let junk = dice.bytes(64 << 10);
        let written = free.iter().map(|free| write(world, free, &junk, tally));
        wrong.extend(written.collect::<Vec<_>>().into_iter().filter_map(Result::err));
        match world.check_mounted() {
            Ok(canaries) => tally.canaries += canaries,
            Err(error) => wrong.push(format!("the oracle was wrong: {error}")),
        }
    }
    wrong.extend(world.take_down());
    tally.checked_at_rest += world.checked_at_rest;
    wrong
}

fn chosen(world: &World, paths: usize, dice: &mut Dice) -> Vec<Candidate> {
    let mut all = candidates(world);
    while all.len() > paths {
        all.swap_remove(dice.below(all.len()));
    }
    all
}

/// At fio's door, what is in use is asked for with consent and everything else without.
fn ask_at_both_doors(
    world: &mut World,
    candidate: Candidate,
    tally: &mut Tally,
    free: &mut Vec<Free>,
) -> Result<(), String> {
    let is_live = !world.model.standing(candidate.target).live.is_empty();
    let consent = full_consent(&candidate.path);
    let scripts = if is_live { consent.clone() } else { Consent::default() };
    tally.count(ask_one(world, &candidate, Door::Fio, scripts)?.0);
    let (outcome, _) = ask_one(world, &candidate, Door::Native, consent.clone())?;
    tally.count(outcome);
    if outcome == Outcome::Admitted {
        free.push(Free { candidate, consent });
    }
    Ok(())
}

fn ask_one(
    world: &mut World,
    candidate: &Candidate,
    door: Door,
    consent: Consent,
) -> Result<(Outcome, Answer), String> {
    let standing = world.model.standing(candidate.target);
    let answer = ask(&candidate.path, door, consent);
    let outcome = judge(&standing, candidate.read_only, door, &answer)
        .map_err(|error| format!("{:?} at {door:?}: {error}", candidate.path))?;
    // The guard has opened the file for writing, so an overlay has copied it up.
    if let (Outcome::Admitted, Target::File(file)) = (outcome, candidate.target) {
        world.model.copy_up(file);
    }
    Ok((outcome, answer))
}

fn write(world: &mut World, free: &Free, junk: &[u8], tally: &mut Tally) -> Result<(), String> {
    let size_bytes = match free.candidate.target {
        Target::File(file) => world.model.file(file).size_bytes,
        Target::Device(device) => world.model.device(device).size_bytes,
    };
    let answer = ask_one(world, &free.candidate, Door::Native, free.consent.clone())?.1;
    if let Answer::Admitted(_guard, admitted) = answer {
        tally.overwritten += 1;
        tally.written_bytes += overwrite(&admitted, size_bytes, junk);
    }
    Ok(())
}
