//! Why the figures of a subject need care.

use fathom_results::{Answer, TrustLevel};

/// A reason for less than full trust, and the cells whose runs have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub level: TrustLevel,
    /// It takes the place of the result, as where memory answered.
    pub is_instead: bool,
    /// One sentence.
    pub why: String,
    /// Names of cells; that of what is no suite is empty.
    pub cells: Vec<String>,
}

impl Doubt {
    /// The reason that a run of this cell has.
    pub fn of(answer: &Answer, cell: &str) -> Option<Doubt> {
        let level = answer.trust.level;
        let why = fathom_words::instead(answer).unwrap_or_else(|| fathom_words::trust::trust(&answer.trust));
        let is_instead = answer.instead.is_some();
        (level < TrustLevel::High).then(|| Doubt { level, is_instead, why, cells: vec![cell.to_owned()] })
    }

    /// Adds it to those that are known; the same reason in another cell is no other doubt.
    pub fn add_to(self, known: &mut Vec<Doubt>) {
        match known.iter_mut().find(|other| other.level == self.level && other.why == self.why) {
            Some(same) if same.cells.contains(&self.cells[0]) => {}
            Some(same) => same.cells.extend(self.cells),
            None => known.push(self),
        }
    }
}

/// The lowest trust first, and of the same trust what takes the place of the result.
pub(super) fn sort(doubts: &mut [Doubt]) {
    doubts.sort_by_key(|doubt| (doubt.level, !doubt.is_instead));
}
