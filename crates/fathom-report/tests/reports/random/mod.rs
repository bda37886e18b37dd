//! Results that were never measured, made at random: every kind, with findings of every code, limits and reasons of every kind.
//!
//! The parts of a result that hold what was found are made by their JSON schema (`values`), so a rule or a field that is added
//! later is in them without a line here. What must fit together, such as the level of a trust and its reasons, is made to fit in
//! `answers`, `runs` and `procedures`, and for comparisons below. A seed gives the same result each time.

pub mod answers;
pub mod procedures;
pub mod runs;
pub mod values;

use crate::compared::compared;
use fathom_results::{Against, ComparedFigure, Comparison, Difference, FigureValues};
use values::Chance;

/// Random cases of a test: their seeds, from 1. `FATHOM_RESULTS=10000` asks for other numbers of them, and
/// `FATHOM_RESULTS_FROM=77` for another first seed.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let from = number("FATHOM_RESULTS_FROM").unwrap_or(1);
    from..from + number("FATHOM_RESULTS").unwrap_or(usual)
}

/// A comparison of two or three subjects; its figures have a value of each.
pub fn comparison(chance: &mut Chance) -> Comparison {
    let base = compared();
    let subjects = base.subjects.len();
    let mut made: Comparison = chance.of_type();
    for (subject, letter) in made.subjects.iter_mut().zip(["A", "B", "C"]) {
        letter.clone_into(&mut subject.letter);
    }
    while made.subjects.len() < subjects {
        let more = base.subjects[made.subjects.len()].clone();
        made.subjects.push(more);
    }
    let all = made.subjects.len();
    made.figures.iter_mut().for_each(|it| figure(chance, it, all));
    made.differences.iter_mut().for_each(|it| difference(chance, it, all));
    made
}

fn figure(chance: &mut Chance, figure: &mut ComparedFigure, subjects: usize) {
    figure.values.resize_with(subjects, || chance.of_type::<FigureValues>());
    figure.against.resize_with(subjects - 1, || chance.of_type::<Against>());
    for against in &mut figure.against {
        // An interval holds its ratio.
        let ratio = 0.125 + chance.share();
        (against.ratio, against.interval) = (Some(ratio), Some((ratio / 2.0, ratio * 2.0)));
    }
    for values in &mut figure.values {
        values.interval = Some((values.value / 2.0, values.value * 2.0));
    }
}

fn difference(chance: &mut Chance, difference: &mut Difference, subjects: usize) {
    difference.values.resize_with(subjects, || Some(chance.text()));
}
