//! `in-turn`: several job files, one after the other, several times, and how they compare.
//!
//! The order is reversed from pass to pass (A B, B A, A B, …), so that a machine that drifts one
//! way favours none of them, and the n-th runs of two files are near in time.

use super::definition::{Parameters, ProcedureDef};
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step};
use super::{answer_of_rounds, reasons};
use fathom_results::answer::{Gain, Headline, InTurnHeadline, TurnVariants};
use fathom_results::{Answer, NextStep, Verdict};

/// Job files that are measured in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InTurn {
    /// The job files as they were named; at least two.
    pub files: Vec<String>,
    /// How often each is measured; at least 1.
    pub rounds: u32,
}

/// What separates the names of the files in the saved parameter. No path has it.
const SEPARATOR: char = '\n';

impl InTurn {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "in-turn", open: InTurn::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        let files: String = parameters.get("files")?;
        let files: Vec<String> = files.split(SEPARATOR).map(str::to_owned).collect();
        match (files.len(), parameters.get("rounds")?) {
            (0 | 1, _) => Err("the parameter files names fewer than two files".to_owned()),
            (_, 0) => Err("the parameter rounds is 0".to_owned()),
            (_, rounds) => Ok(Box::new(InTurn { files, rounds })),
        }
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let files = self.files.join(&SEPARATOR.to_string());
        vec![("files".to_owned(), files), ("rounds".to_owned(), self.rounds.to_string())]
    }

    /// The name of each file's cell: its stem, with a number where another file has the same.
    fn cells(&self) -> Vec<String> {
        let stem = |file: &String| {
            let name = file.rsplit('/').next().unwrap_or(file);
            name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
        };
        let stems: Vec<String> = self.files.iter().map(stem).collect();
        let mut cells: Vec<String> = Vec::new();
        for stem in &stems {
            let numbered = (2..).map(|number| format!("{stem} {number}"));
            let mut names = std::iter::once(stem.clone()).chain(numbered);
            cells.extend(names.find(|name| !cells.contains(name)));
        }
        cells
    }

    fn round(&self, place: usize) -> Round {
        let jobs = RoundJobs::Files { files: vec![self.files[place].clone()] };
        Round::of(self.cells().swap_remove(place), jobs)
    }

    /// The history knows too little of the jobs to compare them: what I/O they do, and since when their
    /// latencies count. So it says only that they were measured.
    fn verdict(&self, history: &History<'_>) -> Verdict {
        let (rounds, variants) = (u64::from(self.rounds), TurnVariants::Files(self.cells()));
        let headline = Headline::InTurn(InTurnHeadline { rounds, variants });
        Verdict { headline, distrust: reasons::of_rounds(history) }
    }
}

/// Which of so many variants is measured in this round, counted from 0: the order turns from pass to pass.
pub(super) fn place(round: usize, variants: usize) -> usize {
    let (pass, at) = (round / variants, round % variants);
    if pass.is_multiple_of(2) { at } else { variants - 1 - at }
}

/// The rounds of so many variants, each measured so often.
pub(super) fn rounds_in_turn(variants: usize, times: u32) -> usize {
    variants * times as usize
}

/// The answer of variants that were measured in turn. How they differ, a comparison says.
pub(super) fn answer_in_turn(history: &History<'_>, step: Step) -> Option<Answer> {
    let Step::Done(verdict) = step else { return None };
    let next = NextStep {
        command: "fathom compare latest".to_owned(),
        gain: Gain::Differences,
        needs_consent: false,
    };
    answer_of_rounds::concluded(history, verdict, next).filter(|_| history.failed().is_none())
}

impl Procedure for InTurn {
    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        answer_in_turn(history, self.next(history))
    }

    fn expected(&self) -> Vec<(Round, u32)> {
        (0..self.files.len()).map(|place| (self.round(place), self.rounds)).collect()
    }

    fn has_steady_targets(&self) -> bool {
        true
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        let (rounds, files) = (history.rounds().count(), self.files.len());
        match rounds < rounds_in_turn(files, self.rounds) {
            true => Step::Run(self.round(place(rounds, files))),
            false => Step::Done(self.verdict(history)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{history, round};

    fn measured(files: &[&str], rounds: u32, iops: impl Fn(&str, usize) -> f64) -> (Vec<String>, Verdict) {
        let procedure = InTurn { files: files.iter().map(|file| (*file).to_owned()).collect(), rounds };
        let (mut steps, mut order) = (Vec::new(), Vec::new());
        loop {
            match procedure.next(&History::new(&steps)) {
                Step::Run(next) => {
                    let n = History::new(&steps).of_cell(&next.cell).count();
                    steps = history(steps, round(&next.cell, iops(&next.cell, n)));
                    order.push(next.cell);
                }
                Step::Done(verdict) => return (order, verdict),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn the_order_turns_from_pass_to_pass() {
        let (order, _) = measured(&["a.fio", "b.fio"], 3, |_, _| 1_000.0);
        assert_eq!(order.join(" "), "a b b a a b");
        let (order, _) = measured(&["x/a.fio", "y/a.fio", "c"], 2, |_, _| 1_000.0);
        assert_eq!(order.join(", "), "a, a 2, c, c, a 2, a");
        let (order, _) = measured(&["x/a b.fio", "y/a b.fio", "a b 2.fio"], 1, |_, _| 1_000.0);
        assert_eq!(order.join(", "), "a b, a b 2, a b 2 2");
    }

    #[test]
    fn its_verdict_compares_nothing() {
        let (_, verdict) =
            measured(&["a.fio", "b.fio"], 3, |cell, _| if cell == "b" { 2_000.0 } else { 1_000.0 });
        let expected =
            "2 job files were measured 3 times each, in turn: a, b. fathom compare says how they differ.";
        assert_eq!(fathom_words::headline(&verdict.headline), expected);
    }

    #[test]
    fn its_parameters_make_it_again() {
        let procedure = InTurn { files: vec!["a b.fio".to_owned(), "c=d".to_owned()], rounds: 4 };
        let again = crate::open("in-turn", &procedure.parameters()).unwrap();
        assert_eq!(again.expected(), procedure.expected());
        assert!(crate::open("in-turn", &[]).is_err());
    }
}
