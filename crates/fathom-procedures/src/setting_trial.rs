//! `try`: the same jobs as they are and with each of several settings, in turn, and how they compare.
//!
//! The order is reversed from pass to pass, as that of [`super::InTurn`], so that a machine that drifts one way favours none of them.

use super::definition::{Parameters, ProcedureDef};
use super::job_files_in_turn::{answer_in_turn, place, rounds_in_turn};
use super::reasons;
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step};
use fathom_results::answer::{Headline, InTurnHeadline, TurnVariants};
use fathom_results::{Answer, Verdict};

/// Jobs with settings that are tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Option and value of each setting; the jobs as they are come first, and are not among them.
    pub settings: Vec<(String, String)>,
    /// How often each is measured; at least 1.
    pub rounds: u32,
}

/// What the jobs without a setting are called.
pub const AS_GIVEN: &str = "as given";

impl Tried {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "try", open: Tried::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        let settings: String = parameters.get("settings")?;
        let setting = |line: &str| {
            let pair = line.split_once('=').ok_or_else(|| format!("the setting {line} has no value"))?;
            Ok((pair.0.to_owned(), pair.1.to_owned()))
        };
        let settings = settings.split('\n').map(setting).collect::<Result<_, String>>()?;
        match parameters.get("rounds")? {
            0 => Err("the parameter rounds is 0".to_owned()),
            rounds => Ok(Box::new(Tried { settings, rounds })),
        }
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let lines: Vec<String> =
            self.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        vec![("settings".to_owned(), lines.join("\n")), ("rounds".to_owned(), self.rounds.to_string())]
    }

    /// The round of a setting; 0 is the jobs as they are.
    fn round(&self, place: usize) -> Round {
        let setting = place.checked_sub(1).map(|at| self.settings[at].clone());
        let cell = setting.as_ref().map_or(AS_GIVEN.to_owned(), |(name, value)| format!("{name}={value}"));
        Round::of(cell, RoundJobs::AsGiven { set: setting.into_iter().collect() })
    }
}

impl Procedure for Tried {
    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        answer_in_turn(history, self.next(history))
    }

    fn expected(&self) -> Vec<(Round, u32)> {
        (0..=self.settings.len()).map(|place| (self.round(place), self.rounds)).collect()
    }

    fn has_steady_targets(&self) -> bool {
        true
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        let (rounds, variants) = (history.rounds().count(), self.settings.len() + 1);
        if rounds < rounds_in_turn(variants, self.rounds) {
            return Step::Run(self.round(place(rounds, variants)));
        }
        let settings = self.settings.iter().map(|(name, value)| format!("{name}={value}"));
        let variants = TurnVariants::Settings(settings.collect());
        let headline = Headline::InTurn(InTurnHeadline { rounds: u64::from(self.rounds), variants });
        Step::Done(Verdict { headline, distrust: reasons::of_rounds(history) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{history, round};

    #[test]
    fn each_setting_is_measured_beside_the_jobs_as_they_are() {
        let setting = |value: &str| ("ioengine".to_owned(), value.to_owned());
        let tried = Tried { settings: vec![setting("libaio"), setting("psync")], rounds: 2 };
        let again = crate::open("try", &tried.parameters()).unwrap();
        assert_eq!(again.expected(), tried.expected());
        let (mut steps, mut order) = (Vec::new(), Vec::new());
        while let Step::Run(next) = tried.next(&History::new(&steps)) {
            steps = history(steps, round(&next.cell, 1_000.0));
            order.push(next.cell);
        }
        let once = "as given, ioengine=libaio, ioengine=psync";
        let back = "ioengine=psync, ioengine=libaio, as given";
        assert_eq!(order.join(", "), format!("{once}, {back}"));
    }
}
