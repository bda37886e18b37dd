//! What the tests will take: rounds and time from the least to the most, and what is written for certain.

use super::phase::{Fixed, Loop, TestPhase};
use super::segment::Segment;
use super::sequence::FILLS;
use super::taken::Taken;
use super::terms::PtsTerms;
use super::{Pts, PtsTest};
use crate::steady::WINDOW_ROUNDS;

/// What one test will take, without the fill, whose time depends on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTest {
    /// The test.
    pub test: &'static str,
    /// Why it is not run.
    pub cannot: Option<String>,
    /// Rounds of measurement, least and most.
    pub rounds: (u32, u32),
    /// Their time, ms, least and most.
    pub ms: (u64, u64),
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
    let mut planned = PlannedTest {
        test: test.name,
        cannot: test.cannot(terms),
        rounds: (0, 0),
        ms: (0, 0),
        fill_bytes: 0,
        writing_ms: (0, 0),
    };
    if planned.cannot.is_some() {
        return planned;
    }
    for phase in (test.phases)(terms) {
        match phase {
            TestPhase::Purge => {}
            TestPhase::Fill { .. } => planned.fill_bytes += u64::from(FILLS) * terms.active().0,
            TestPhase::Loop(Loop { segments, until }) => {
                let rounds_max = until.rounds_max;
                let least = (WINDOW_ROUNDS as u32).min(rounds_max);
                planned.add(&segments(terms, &Taken::default()), (least, rounds_max));
            }
            TestPhase::Fixed(Fixed { segments, rounds, .. }) => {
                planned.add(&segments(terms, &Taken::default()), (rounds, rounds));
            }
        }
    }
    planned
}

impl PlannedTest {
    fn add(&mut self, segments: &[Segment], (least, most): (u32, u32)) {
        let whole: u64 = segments.iter().map(|segment| segment.ms + segment.idle_ms).sum();
        let writing: u64 = segments.iter().map(|one| one.ms * u64::from(100 - one.read_percent) / 100).sum();
        let add = |sum: &mut (u64, u64), ms: u64| {
            sum.0 += u64::from(least) * ms;
            sum.1 += u64::from(most) * ms;
        };
        add(&mut self.ms, whole);
        add(&mut self.writing_ms, writing);
        self.rounds.0 += least;
        self.rounds.1 += most;
    }
}
