//! What the tests will take: rounds and time from the least to the most, and what is written for certain.

use super::phase::{Fixed, Loop, TestPhase};
use super::segment::Segment;
use super::sequence::FILLS;
use super::taken::Taken;
use super::terms::PtsTerms;
use super::until::Until;
use super::{Pts, PtsTest};
use fathom_judge::steady::WINDOW_ROUNDS;
use fathom_results::RunEnd;
use fathom_results::answer::CannotRun;
use fathom_results::procedure::{RoundDone, StepDone, StepRecord};

/// What one test will take, without the fill, whose time depends on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTest {
    /// The test.
    pub test: &'static str,
    /// Why it is not run.
    pub cannot: Option<CannotRun>,
    /// Rounds of measurement, least and most.
    pub rounds: (u32, u32),
    /// Their time, ms, least and most.
    pub ms: (u64, u64),
    /// Its rounds end earlier when they have written so many bytes.
    pub written_max: Option<u64>,
    /// Bytes that the fill writes.
    pub fill_bytes: u64,
    /// The time in which it writes at random or in order beside that, ms, least and most; a mix counts by its share of
    /// writes.
    pub writing_ms: (u64, u64),
}

/// What each test will take.
pub fn plan(pts: &Pts) -> Vec<PlannedTest> {
    pts.tests.iter().map(|test| of_test(test, &pts.terms)).collect()
}

fn of_test(test: &PtsTest, terms: &PtsTerms) -> PlannedTest {
    let cannot = test.cannot(terms);
    let phases = if cannot.is_some() { Vec::new() } else { (test.phases)(terms) };
    let (least, most) = (Course::of(&phases, terms, least), Course::of(&phases, terms, |it| it.rounds_max));
    let fills = phases.iter().filter(|phase| matches!(phase, TestPhase::Fill { .. })).count() as u64;
    let limit = |phase: &TestPhase| if let TestPhase::Loop(it) = phase { it.until.written_max } else { None };
    PlannedTest {
        test: test.name,
        cannot,
        rounds: (least.rounds, most.rounds),
        ms: (least.ms, most.ms),
        written_max: phases.iter().find_map(limit),
        fill_bytes: fills * u64::from(FILLS) * terms.active().0,
        writing_ms: (least.writing_ms, most.writing_ms),
    }
}

/// The fewest rounds after which a loop can end: one where it ends with what it has written, because a fast device writes that
/// in one round; else those of a window, and all of them where nothing is tracked.
fn least(until: &Until) -> u32 {
    match until {
        Until { written_max: Some(_), .. } => 1,
        Until { tracked, rounds_max, .. } if tracked.is_empty() => *rounds_max,
        Until { rounds_max, .. } => (WINDOW_ROUNDS as u32).min(*rounds_max),
    }
}

/// One possible course of a test: its loops have so many rounds.
#[derive(Default)]
struct Course {
    rounds: u32,
    ms: u64,
    writing_ms: u64,
    /// The rounds so far, without figures: what a round does can follow from how many were before.
    steps: Vec<StepRecord>,
}

impl Course {
    fn of(phases: &[TestPhase], terms: &PtsTerms, many: fn(&Until) -> u32) -> Course {
        let mut course = Course::default();
        for phase in phases {
            let (cell, segments, rounds) = match phase {
                TestPhase::Purge | TestPhase::Fill { .. } => continue,
                TestPhase::Loop(Loop { until, segments }) => (&until.cell, segments, many(until)),
                TestPhase::Fixed(Fixed { cell, segments, rounds }) => (cell, segments, *rounds),
            };
            let taken = Taken { steps: course.steps.iter().collect() };
            course.add(cell, &segments(terms, &taken), rounds);
        }
        course
    }

    fn add(&mut self, cell: &str, segments: &[Segment], rounds: u32) {
        let whole: u64 = segments.iter().map(|segment| segment.ms + segment.idle_ms).sum();
        let writing: u64 = segments.iter().map(|one| one.ms * u64::from(100 - one.read_percent) / 100).sum();
        self.rounds += rounds;
        self.ms += u64::from(rounds) * whole;
        self.writing_ms += u64::from(rounds) * writing;
        for _ in 0..rounds {
            let (cell, ended) = (cell.to_owned(), RunEnd::ByItself);
            let did = StepDone::Round(RoundDone { cell, ended, ..RoundDone::default() });
            let number = self.steps.len() as u32;
            self.steps.push(StepRecord { number, sitting: 0, began_unix_ns: 0, ended_unix_ns: 0, did });
        }
    }
}
