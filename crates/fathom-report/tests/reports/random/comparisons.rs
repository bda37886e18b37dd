//! Random comparisons of two or three subjects: their words are random, and so are their verdicts.

use super::values::Chance;
use crate::compared::compared;
use fathom_results::{Against, ComparedFigure, Comparison, Difference, FigureValues};

/// A comparison; its figures have a value of each subject.
pub fn comparison(seed: u64) -> Comparison {
    let chance = &mut Chance::of(seed);
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
