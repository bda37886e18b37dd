//! The cells that several subjects have, and on which side of a comparison the rules found something in them.

use super::cell_runs::CellRuns;
use super::subject::Subject;
use std::collections::BTreeMap;

/// Shares of the runs of a cell with the same disturbance that differ by this are uneven.
pub(super) const UNEVEN: f64 = 0.5;

/// A cell, with the letters of the subjects that have it and their runs of it.
pub(super) struct SharedCell<'a> {
    pub name: &'a str,
    pub of: Vec<(&'a str, &'a CellRuns)>,
}

/// The cells that at least two subjects have. Subjects of which no rule can know anything do not count.
pub(super) fn shared_cells(subjects: &[Subject]) -> Vec<SharedCell<'_>> {
    let judged = || subjects.iter().filter(|subject| subject.about.trust.is_some());
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<SharedCell<'_>> = Vec::new();
    for subject in judged() {
        for cell in &subject.cells {
            let name = cell.name.as_str();
            let place = *places.entry(name).or_insert_with(|| {
                all.push(SharedCell { name, of: Vec::new() });
                all.len() - 1
            });
            all[place].of.push((&subject.about.letter, cell));
        }
    }
    all.retain(|cell| cell.of.len() > 1);
    all
}

/// The letters of the subjects in whose runs a rule found something, and of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    pub found: Vec<String>,
    pub others: Vec<String>,
}

impl SharedCell<'_> {
    /// `None` where the rule found as much in the runs of all.
    pub fn uneven(&self, code: &str) -> Option<Sides> {
        let shares = self.of.iter().map(|(_, runs)| runs.share(code));
        let (low, high) = shares.fold((1.0_f64, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
        let middle = (low + high) / 2.0;
        let letters = |is_found: bool| {
            let those = self.of.iter().filter(|(_, runs)| (runs.share(code) >= middle) == is_found);
            those.map(|(letter, _)| (*letter).to_owned()).collect()
        };
        (high - low >= UNEVEN).then(|| Sides { found: letters(true), others: letters(false) })
    }
}
