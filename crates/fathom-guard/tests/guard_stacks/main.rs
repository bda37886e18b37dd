//! The guard on random stacks of files, loop devices, file systems and namespaces, against an oracle
//! that knows what is in use because it watched the stack being built.
//!
//! ```text
//! seed ─draw─► plan ─steps─► World (the real machine) ──► candidates ─ask─► Guard ─► answer
//!                              └────► Model (the oracle) ─────────► standing ─► verdict ◄┘
//! ```
//! What the guard admits is then really overwritten, and every file system that the oracle calls
//! live must still be whole. So a mistake of the oracle shows as well as one of the guard.
//!
//! `FATHOM_STACKS_SECONDS` says how long the random part takes at least, `FATHOM_STACKS` how many
//! stacks it builds at least, and `FATHOM_STACKS_SEED` with which seed it begins. To build one stack
//! again: `FATHOM_STACKS=1 FATHOM_STACKS_SECONDS=0 FATHOM_STACKS_SEED=…`.
//!
//! The seeds follow each other, so two runs that begin with the same one build the same stacks in the
//! same order, and only how far they come depends on the machine. A run that is asked for a time, or
//! for more stacks than usual, must also have taken every kind of step. It is never cut off before:
//! a slow machine takes longer for it.

mod ask;
mod candidate;
mod cases;
mod dice;
mod image;
mod inquiry;
mod inside;
mod kernel;
mod model;
mod program;
mod stack;
mod steps;
mod tally;
mod verdict;
mod world;

use std::env;
use std::time::{Duration, Instant};

use image::Images;
use stack::Plan;
use steps::STEPS;
use tally::Tally;
use verdict::Outcome;

/// Stacks of a run that asks for nothing else. A run of fewer may leave out kinds of steps.
const STACKS: u64 = 40;
/// After so many stacks, a kind of step that was in none cannot be done on this machine.
const STACKS_MAX: u64 = 200;

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

#[test]
fn nothing_in_use_is_let_through() {
    inside::run("nothing_in_use_is_let_through", random_stacks);
}

#[test]
fn named_stacks_are_judged_right() {
    inside::run("named_stacks_are_judged_right", || cases::judge_all(&images()));
}

fn images() -> Images {
    let dir = tempfile::tempdir().expect("a directory");
    Images::make(dir.path()).unwrap_or_else(|e| panic!("{e}"))
}

fn random_stacks() -> String {
    let images = images();
    let begun = Instant::now();
    let time = Duration::from_secs(number("FATHOM_STACKS_SECONDS").unwrap_or_default());
    let stacks = number("FATHOM_STACKS").unwrap_or(STACKS);
    let first = number("FATHOM_STACKS_SEED").unwrap_or(1);
    let must_cover = stacks > STACKS || !time.is_zero();
    let mut all = Tally::default();
    for seed in first.. {
        let built = seed - first;
        let is_enough = built >= stacks && begun.elapsed() >= time;
        let is_covered = missing(&all).is_empty() || built >= STACKS_MAX;
        if is_enough && (is_covered || !must_cover) {
            break;
        }
        let plan = Plan::draw(seed);
        match plan.run(&images) {
            Ok(tally) => all.add(tally),
            Err(failure) => panic!("{}", plan.shrink(&images, failure)),
        }
    }
    if must_cover {
        check_coverage(&all);
    }
    format!("seeds from {first}, {:.1} s: {all}", begun.elapsed().as_secs_f64())
}

/// The kinds of steps that no stack had.
fn missing(all: &Tally) -> Vec<&'static str> {
    let names = STEPS.iter().map(|step| step.name);
    names.filter(|name| !all.steps.contains_key(name)).collect()
}

/// A test that builds nothing finds nothing.
fn check_coverage(all: &Tally) {
    assert!(missing(all).is_empty(), "no stack had a step {:?}: {all}", missing(all));
    for outcome in [Outcome::Kept, Outcome::Admitted, Outcome::Attached] {
        assert!(all.of(outcome) * 2 > all.stacks, "too few answers {outcome:?}: {all}");
    }
    assert!(all.of(Outcome::CannotTell) * 10 < all.questions, "the guard cannot tell too often: {all}");
    assert!(
        all.overwritten * 2 > all.stacks && all.checked_at_rest * 2 > all.stacks,
        "too little proof: {all}"
    );
}
