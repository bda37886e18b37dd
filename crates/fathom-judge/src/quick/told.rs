//! Sentences of the verdict, with the data that they are based on.
//!
//! The code that writes a sentence also names the figures that it read. A test removes each of
//! these figures and judges again: the sentence must be missing. It also removes each figure that
//! the sentence does not name: the sentence must still be there.

use crate::case::Case;
use crate::cell::Cell;
pub(super) use crate::figure::Figure;
use fathom_job::direction::Direction;
use fathom_results::finding::{ForeignIo, PageCache};
use fathom_results::{Finding, Seen};
use std::fmt;
use std::ops::Deref;

/// One figure of one measurement, or of the whole run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Datum {
    /// Name of the measurement; `None` for what belongs to all.
    pub measurement: Option<String>,
    pub figure: Figure,
}

/// Figures of one measurement.
pub(super) fn of(cell: &Cell<'_>, figures: &[Figure]) -> Vec<Datum> {
    let name = cell.name();
    figures.iter().map(|figure| Datum { measurement: Some(name.to_owned()), figure: *figure }).collect()
}

/// Figures of the whole run.
pub(super) fn of_run(figures: &[Figure]) -> Vec<Datum> {
    figures.iter().map(|figure| Datum { measurement: None, figure: *figure }).collect()
}

/// The data behind a finding from the kernel's counts of a disk: the counts, which disk it is, and
/// all that was moved on it in the directions that the finding is about.
pub(super) fn counters(case: &Case<'_>, finding: &Finding) -> Vec<Datum> {
    let is_counted = |cell: &&Cell<'_>| is_counted(cell, finding);
    let moved = case.on_disk().filter(is_counted).flat_map(|cell| of(cell, &[Figure::Ios]));
    of_run(&[Figure::Counters, Figure::Target]).into_iter().chain(moved).collect()
}

/// Is a finding from the kernel's counts about a direction in which the measurement moved something?
pub(super) fn is_counted(cell: &Cell<'_>, finding: &Finding) -> bool {
    let directions = directions(&finding.seen);
    cell.flows().any(|(direction, _)| direction != Direction::Trim && directions.contains(&direction))
}

/// The directions that a finding from the kernel's counts is about.
fn directions(seen: &Seen) -> Vec<Direction> {
    match seen {
        Seen::ForeignIo(ForeignIo::Others { others, own, .. }) => {
            others.iter().chain(own).map(|moved| moved.direction).collect()
        }
        Seen::PageCache(PageCache::FewerBytes { directions, .. }) => {
            directions.iter().map(|cached| cached.direction).collect()
        }
        Seen::PageCache(PageCache::FewerRequests { direction, .. } | PageCache::Sooner { direction, .. }) => {
            vec![*direction]
        }
        Seen::UnwrittenRange { .. } | Seen::ForeignIo(ForeignIo::MoreThanHeld { .. }) => {
            vec![Direction::Read]
        }
        _ => Vec::new(),
    }
}

/// A piece of text with its data. It dereferences to the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub text: String,
    pub data: Vec<Datum>,
}

impl Told {
    pub fn new(text: impl Into<String>, data: Vec<Datum>) -> Self {
        Told { text: text.into(), data }
    }

    /// Pieces in a row, with `between` between them.
    pub fn joined(pieces: impl IntoIterator<Item = Told>, between: &str) -> Self {
        let mut whole = Told::default();
        for piece in pieces {
            if !whole.text.is_empty() {
                whole.text.push_str(between);
            }
            whole = whole.and(piece);
        }
        whole
    }

    /// Followed by another piece.
    pub fn and(mut self, next: Told) -> Self {
        self.text.push_str(&next.text);
        self.data.extend(next.data);
        self.data.sort();
        self.data.dedup();
        self
    }

    /// With words around it that are based on the same data.
    pub fn within(self, write: impl FnOnce(&str) -> String) -> Self {
        Told { text: write(&self.text), data: self.data }
    }
}

impl Deref for Told {
    type Target = str;
    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq<&str> for Told {
    fn eq(&self, text: &&str) -> bool {
        self.text == *text
    }
}
