//! What TKperf does wrong, and what is done here: each is named in the report, because it moves figures.
//!
//! Source: TKperf 2.2 and its tracker.

use crate::pts::PtsTest;
use fathom_results::answer::{Deviation, TkperfDefect};

/// The tests that a defect concerns (none: all of them), and the defect.
const CORRECTIONS: &[(&[&str], TkperfDefect)] = &[
    (&[], TkperfDefect::RestsBetweenCells),
    (&[], TkperfDefect::SameAddresses),
    (&[], TkperfDefect::LosesResults),
    (&[], TkperfDefect::MountByName),
    (&["iops", "lat", "tp", "wsat"], TkperfDefect::UnprovenErase),
    (&["iops", "lat"], TkperfDefect::FillsOnceEach),
    (&["lat"], TkperfDefect::WeightedLatency),
    (&["tp"], TkperfDefect::UnfilledBlocks),
    (&["tp"], TkperfDefect::JudgesOneBlock),
    (&["tp", "hdd-tp"], TkperfDefect::SameStart),
    (&["tp"], TkperfDefect::StartsAtZero),
    (&["wsat"], TkperfDefect::SizeTooLarge),
    (&["hdd-iops", "hdd-tp"], TkperfDefect::ZonesTooShort),
];

/// The defects that concern these tests.
pub fn corrections(tests: &[&'static PtsTest]) -> Vec<Deviation> {
    let concerns = |names: &[&str]| names.is_empty() || tests.iter().any(|test| names.contains(&test.name));
    let all = CORRECTIONS.iter().filter(|(names, _)| concerns(names));
    all.map(|(_, defect)| Deviation::TkperfDefect { defect: *defect }).collect()
}
