//! The next step: which test and which of its parts come now, from the steps that ended.

use super::phase::{Fixed, Loop, TestPhase};
use super::segment::{Segment, job_file};
use super::taken::Taken;
use super::terms::PtsTerms;
use super::write_cache::CacheSetting;
use super::{Pts, PtsTest};
use crate::precondition::{Portion, Portions};
use crate::{History, Round, RoundJobs, Step, Wait};
use fathom_job::parse::Adjust;
use fathom_job::units::Bytes;
use fathom_results::procedure::{Preparation, StepDone, StepRecord};

/// Passes of the workload-independent preconditioning (SNIA PTS: twice the user capacity).
pub const FILLS: u32 = 2;

/// The longest wait for an array to be built, in seconds: it may take days.
const ARRAY_WAIT_S: u64 = 7 * 86_400;

/// I/Os in flight while the device is filled. The standard leaves it open.
const FILL_DEPTH: u32 = 32;

/// The step that comes now; `None` after the last.
pub fn next(pts: &Pts, history: &History<'_>) -> Option<Step> {
    let mut steps = history.steps();
    if !pts.terms.is_simulated {
        match steps.split_first() {
            Some((first, rest)) if matches!(first.did, StepDone::Waited { .. }) => steps = rest,
            _ => return Some(Step::Wait(Wait::Built { at_most_seconds: ARRAY_WAIT_S })),
        }
    }
    if pts.terms.cache_setting == CacheSetting::Set {
        match steps.split_first() {
            Some((first, rest)) if is_tuning(first) => steps = rest,
            _ => return Some(Step::Prepare(Preparation::Tuning { in_force: true })),
        }
    }
    pts.tests.iter().find_map(|test| {
        let (taken, next) = take(test, &pts.terms, steps);
        steps = &steps[taken.steps.len()..];
        next
    })
}

/// The steps of each test that has begun.
pub fn of_each<'a>(pts: &Pts, history: &History<'a>) -> Vec<(&'static PtsTest, Taken<'a>)> {
    let is_before = |step: &&StepRecord| matches!(step.did, StepDone::Waited { .. }) || is_tuning(step);
    let before = history.steps().iter().take_while(is_before).count();
    let mut steps = &history.steps()[before..];
    let taken = pts.tests.iter().map(|test| {
        let (taken, _) = take(test, &pts.terms, steps);
        steps = &steps[taken.steps.len()..];
        (*test, taken)
    });
    taken.collect()
}

fn is_tuning(step: &StepRecord) -> bool {
    matches!(&step.did, StepDone::Prepared { preparation: Preparation::Tuning { .. }, .. })
}

/// Takes the steps of a test from the beginning of these, and says which is missing first.
fn take<'a>(test: &PtsTest, terms: &PtsTerms, steps: &'a [StepRecord]) -> (Taken<'a>, Option<Step>) {
    let mut taken = Taken::default();
    if test.cannot(terms).is_some() {
        return (taken, None);
    }
    for phase in (test.phases)(terms) {
        let next = of_phase(&phase, terms, &mut taken, steps);
        if next.is_some() {
            return (taken, next);
        }
    }
    (taken, None)
}

/// Takes the steps of a phase, and says which is missing.
fn of_phase<'a>(
    phase: &TestPhase,
    terms: &PtsTerms,
    taken: &mut Taken<'a>,
    steps: &'a [StepRecord],
) -> Option<Step> {
    if let TestPhase::Purge = phase {
        return purge(terms, taken, steps);
    }
    let cell = phase.cell();
    while let Some(step) = steps.get(taken.steps.len()) {
        if phase.has_ended(terms, taken) || step.round().is_none_or(|round| round.cell != cell) {
            break;
        }
        taken.steps.push(step);
    }
    let round = match phase {
        _ if phase.has_ended(terms, taken) => return None,
        TestPhase::Purge => return None,
        TestPhase::Fill { block, .. } => {
            let portion = fill_portions(*block, terms).nth(taken.rounds(cell).len())?;
            fill_round(cell, portion, terms)
        }
        TestPhase::Loop(Loop { segments, .. }) | TestPhase::Fixed(Fixed { segments, .. }) => {
            measured(cell, &segments(terms, taken), terms)
        }
    };
    Some(Step::Run(round))
}

fn purge<'a>(terms: &PtsTerms, taken: &mut Taken<'a>, steps: &'a [StepRecord]) -> Option<Step> {
    if !terms.purges {
        return None;
    }
    let preparation = Preparation::Purge { target: terms.target.clone() };
    match steps.get(taken.steps.len()) {
        Some(step) if matches!(step.did, StepDone::Prepared { .. }) => {
            taken.steps.push(step);
            None
        }
        _ => Some(Step::Prepare(preparation)),
    }
}

impl TestPhase {
    /// What its rounds are called.
    fn cell(&self) -> &str {
        match self {
            TestPhase::Purge => "",
            TestPhase::Fill { cell, .. } => cell,
            TestPhase::Loop(rounds) => &rounds.until.cell,
            TestPhase::Fixed(rounds) => &rounds.cell,
        }
    }

    fn has_ended(&self, terms: &PtsTerms, taken: &Taken<'_>) -> bool {
        let done = || taken.rounds(self.cell()).len();
        match self {
            TestPhase::Purge => true,
            TestPhase::Fill { block, .. } => done() >= fill_portions(*block, terms).count(),
            TestPhase::Loop(rounds) => taken.has_ended(&rounds.until),
            TestPhase::Fixed(rounds) => done() >= rounds.rounds as usize,
        }
    }
}

/// The rounds of a test, at the most, with how often each comes.
pub fn expected(test: &PtsTest, terms: &PtsTerms) -> Vec<(Round, u32)> {
    if test.cannot(terms).is_some() {
        return Vec::new();
    }
    let nothing = Taken::default();
    let of_phase = |phase: TestPhase| match phase {
        TestPhase::Purge => Vec::new(),
        TestPhase::Fill { cell, block } => {
            let mut rounds: Vec<(Portion, u32)> = Vec::new();
            for portion in Portions::of(0, terms.active().0, block.0).iter() {
                match rounds
                    .iter_mut()
                    .find(|(known, _)| (known.size, known.block) == (portion.size, portion.block))
                {
                    Some((_, times)) => *times += FILLS,
                    None => rounds.push((portion, FILLS)),
                }
            }
            rounds.into_iter().map(|(portion, times)| (fill_round(&cell, portion, terms), times)).collect()
        }
        TestPhase::Loop(Loop { until, segments }) => {
            vec![(measured(&until.cell, &segments(terms, &nothing), terms), until.rounds_max)]
        }
        TestPhase::Fixed(Fixed { cell, segments, rounds }) => {
            vec![(measured(&cell, &segments(terms, &nothing), terms), rounds)]
        }
    };
    (test.phases)(terms).into_iter().flat_map(of_phase).collect()
}

fn fill_portions(block: Bytes, terms: &PtsTerms) -> impl Iterator<Item = Portion> + use<> {
    let active = terms.active().0;
    (0..FILLS).flat_map(move |_| Portions::of(0, active, block.0).iter())
}

fn fill_round(cell: &str, portion: Portion, terms: &PtsTerms) -> Round {
    let (engine, direct) = (&terms.engine, u8::from(terms.direct));
    let Portion { offset, size, block } = portion;
    let text = format!(
        "[fill]\nioengine={engine}\niodepth={FILL_DEPTH}\ndirect={direct}\nrefill_buffers=1\nrw=write\nbs={block}\n\
         offset={offset}\nsize={size}\n"
    );
    round(cell, text, terms)
}

fn measured(cell: &str, segments: &[Segment], terms: &PtsTerms) -> Round {
    round(cell, job_file(segments, terms), terms)
}

fn round(cell: &str, text: String, terms: &PtsTerms) -> Round {
    let adjust = Adjust { target: Some(terms.target.clone()), ..Adjust::default() };
    let jobs = RoundJobs::Text { text, adjust };
    Round::of(cell, jobs)
}
