//! What a procedure knows: the steps that ended.

use fathom_results::procedure::{ContentSamples, Preparation, RoundDone, StepDone, StepRecord};

/// The steps of a procedure that ended, in order.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    steps: &'a [StepRecord],
    sitting: Option<u32>,
}

/// A reason to doubt rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubted<'a> {
    /// Its stable short name.
    pub code: &'a str,
    /// The reason in one sentence, as the first of the rounds has it.
    pub message: &'a str,
    /// In how many rounds.
    pub times: usize,
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

    /// The reasons to doubt rounds, each with the number of rounds that it affects; the most frequent
    /// first.
    pub fn doubts(&self) -> Vec<String> {
        self.doubts_among(|_| true)
    }

    /// The same, of the reasons whose code counts.
    pub fn doubts_among(&self, counts: impl Fn(&str) -> bool) -> Vec<String> {
        let rounds = self.rounds().count();
        let line = |Doubted { code, message, times }: Doubted<'_>| {
            format!("In {times} of {rounds} rounds: {message} [{code}]")
        };
        self.doubted().into_iter().filter(|doubted| counts(doubted.code)).map(line).collect()
    }

    /// The reasons to doubt rounds; the most frequent first.
    pub fn doubted(&self) -> Vec<Doubted<'a>> {
        let mut found: Vec<Doubted<'a>> = Vec::new();
        for doubt in self.rounds().flat_map(|round| &round.doubts) {
            match found.iter_mut().find(|known| known.code == doubt.code) {
                Some(known) => known.times += 1,
                None => found.push(Doubted { code: &doubt.code, message: &doubt.message, times: 1 }),
            }
        }
        found.sort_by_key(|doubted| std::cmp::Reverse(doubted.times));
        found
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
