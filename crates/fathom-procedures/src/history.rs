//! What a procedure knows: the steps that ended.

use fathom_results::procedure::{ContentSamples, Preparation, RoundDone, StepDone, StepRecord};
use fathom_results::{Reason, RoundsPart};

/// The steps of a procedure that ended, in order.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    steps: &'a [StepRecord],
    sitting: Option<u32>,
}

impl<'a> History<'a> {
    /// Of these steps.
    pub fn new(steps: &'a [StepRecord]) -> Self {
        History { steps, sitting: None }
    }

    /// The same, for the step that follows in this sitting: 0, and one more for each time that it was resumed.
    pub fn in_sitting(self, sitting: u32) -> Self {
        History { sitting: Some(sitting), ..self }
    }

    /// How many steps still hold. What was prepared for a round holds if the round followed in the same sitting; after an
    /// interruption between the two it is done again, because others may have changed it.
    pub fn steps_that_hold(&self) -> usize {
        // The sitting of the round that follows, or of the step that comes next.
        let mut following = self.sitting;
        let holds = |step: &&StepRecord| {
            if step.round().is_some() {
                following = Some(step.sitting);
            }
            *following.get_or_insert(step.sitting) == step.sitting
        };
        self.steps.iter().rev().filter(holds).count()
    }

    /// All steps.
    pub fn steps(&self) -> &'a [StepRecord] {
        self.steps
    }

    /// The rounds.
    pub fn rounds(&self) -> impl Iterator<Item = &'a RoundDone> + use<'a> {
        self.steps.iter().filter_map(StepRecord::round)
    }

    /// The rounds of one cell.
    pub fn of_cell<'c>(&self, cell: &'c str) -> impl Iterator<Item = &'a RoundDone> + use<'a, 'c> {
        self.rounds().filter(move |round| round.cell == cell)
    }

    /// The first round that did not end by itself, or in which a job failed.
    pub fn failed(&self) -> Option<&'a RoundDone> {
        self.rounds().find(|round| round.failed().is_some())
    }

    /// What rules found in rounds, each with the number of rounds, as the first of them has it; the most frequent first.
    pub fn doubts(&self) -> Vec<Reason> {
        self.doubts_among(|_| true)
    }

    /// The same, of the rules whose code counts.
    pub fn doubts_among(&self, counts: impl Fn(&str) -> bool) -> Vec<Reason> {
        let of = self.rounds().count() as u64;
        let mut all: Vec<Reason> = Vec::new();
        for finding in self.rounds().flat_map(RoundDone::findings).filter(|it| counts(it.code())) {
            let is_same = |known: &&mut Reason| known.finding().is_some_and(|it| it.code() == finding.code());
            match all.iter_mut().find(is_same).and_then(|known| known.rounds.as_mut()) {
                Some(rounds) => rounds.times += 1,
                None => all.push(Reason { rounds: Some(RoundsPart { times: 1, of }), ..Reason::of(finding) }),
            }
        }
        all.sort_by_key(|reason| std::cmp::Reverse(reason.rounds.map(|rounds| rounds.times)));
        all
    }

    /// What the samples held that were read last.
    pub fn samples(&self) -> Option<&'a ContentSamples> {
        self.steps.iter().rev().find_map(|step| match &step.did {
            StepDone::Sampled(samples) => Some(samples),
            _ => None,
        })
    }

    /// Is the tuning in force after these steps?
    pub fn is_tuned(&self) -> bool {
        let last = self.steps.iter().rev().find_map(|step| match &step.did {
            StepDone::Prepared { preparation: Preparation::Tuning { in_force }, .. } => Some(*in_force),
            _ => None,
        });
        last.unwrap_or(false)
    }

    /// The preparation that ended last, if no round followed it.
    pub fn just_prepared(&self) -> Option<&'a Preparation> {
        match &self.steps.last()?.did {
            StepDone::Prepared { preparation, .. } => Some(preparation),
            _ => None,
        }
    }
}
