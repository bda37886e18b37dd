//! What was done and found, over all stacks.

use std::collections::BTreeMap;
use std::fmt;

use crate::verdict::Outcome;

/// Counts that add up.
#[derive(Default)]
pub struct Tally {
    pub stacks: usize,
    pub steps: BTreeMap<&'static str, usize>,
    pub outcomes: BTreeMap<String, usize>,
    pub questions: usize,
    pub overwritten: usize,
    pub written_bytes: u64,
    /// Canaries read through mounts after the writes.
    pub canaries: usize,
    /// File systems checked after everything was unmounted.
    pub checked_at_rest: usize,
}

impl Tally {
    pub fn count_step(&mut self, name: &'static str) {
        *self.steps.entry(name).or_default() += 1;
    }

    pub fn count(&mut self, outcome: Outcome) {
        self.questions += 1;
        *self.outcomes.entry(format!("{outcome:?}")).or_default() += 1;
    }

    pub fn of(&self, outcome: Outcome) -> usize {
        self.outcomes.get(&format!("{outcome:?}")).copied().unwrap_or_default()
    }

    pub fn add(&mut self, other: Tally) {
        self.stacks += other.stacks;
        self.questions += other.questions;
        self.overwritten += other.overwritten;
        self.written_bytes += other.written_bytes;
        self.canaries += other.canaries;
        self.checked_at_rest += other.checked_at_rest;
        other.steps.into_iter().for_each(|(name, count)| *self.steps.entry(name).or_default() += count);
        other.outcomes.into_iter().for_each(|(name, count)| *self.outcomes.entry(name).or_default() += count);
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} stacks, {} questions {:?}, {} targets overwritten with {} MiB, {} canaries read, {} file \
             systems checked at rest; steps {:?}",
            self.stacks,
            self.questions,
            self.outcomes,
            self.overwritten,
            self.written_bytes >> 20,
            self.canaries,
            self.checked_at_rest,
            self.steps
        )
    }
}
