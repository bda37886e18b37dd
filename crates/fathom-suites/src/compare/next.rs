//! What would decide the figures that are unclear: one command.

use super::subject::Subject;
use crate::again::Again;
use fathom_results::{Basis, ComparedFigure, FigureVerdict, NextStep};

/// Runs of each that give an interval, where single runs do not tell how many it takes.
const RUNS: u32 = 5;

/// Nobody measures more often than this for one figure.
pub(super) const RUNS_MAX: u32 = 100;

/// Options of a command that say how its result is shown.
const FORMS: [&str; 3] = ["--html", "--json", "--details"];

/// The command; `None` where no figure is unclear, and where nothing that can be measured again decides one.
pub(super) fn next(subjects: &[Subject], figures: &[ComparedFigure]) -> Option<NextStep> {
    let has = subjects.iter().map(|subject| subject.about.runs).min()?;
    let needed = runs_needed(figures)?;
    let runs = needed.runs.max(has + 1).to_string();
    let decides = needed.decides();
    let first = &subjects[0];
    if first.in_turn.is_some() && subjects.iter().all(|subject| subject.in_turn == first.in_turn) {
        let again = Again::of(&first.command, "compare")?.without_flags(&FORMS).with("--rounds", &runs);
        return Some(step(&again, format!("measures {runs} rounds of each, which should decide {decides}")));
    }
    let fewest = subjects.iter().min_by_key(|subject| subject.about.runs)?;
    let again = ["run", "quick"].iter().find_map(|command| Again::of(&fewest.command, command))?;
    let again = again.without_flags(&FORMS).without("--output-format").with("--repeat", &runs);
    let letter = &fewest.about.letter;
    let others: Vec<&str> =
        subjects.iter().map(|one| one.about.letter.as_str()).filter(|one| one != letter).collect();
    let others = others.join(" and ");
    let why = format!(
        "measures {letter} again as it was set up; then {others} in the same way; that should decide {decides}"
    );
    Some(step(&again, why))
}

/// The runs that are worth it, and how many of the unclear figures they decide.
struct Needed {
    runs: u32,
    figures: usize,
    unclear: usize,
}

impl Needed {
    /// `what is unclear`; `13 of the 15 unclear figures`.
    fn decides(&self) -> String {
        match self.figures == self.unclear {
            true => "what is unclear".to_owned(),
            false => format!("{} of the {} unclear figures", self.figures, self.unclear),
        }
    }
}

fn runs_needed(figures: &[ComparedFigure]) -> Option<Needed> {
    let unclear = figures.iter().flat_map(|figure| &figure.against).filter_map(|it| match it.verdict {
        FigureVerdict::Unknown { runs_needed } => Some((runs_needed, it.basis)),
        _ => None,
    });
    let unclear: Vec<(Option<u32>, Basis)> = unclear.collect();
    // Where single runs tell nothing of their variation, some runs give an interval first.
    let runs = unclear.iter().map(|(runs, basis)| match basis {
        Basis::Within | Basis::Nothing => runs.unwrap_or(RUNS),
        _ => runs.unwrap_or(u32::MAX),
    });
    let worth: Vec<u32> = runs.filter(|runs| *runs <= RUNS_MAX).collect();
    Some(Needed { runs: *worth.iter().max()?, figures: worth.len(), unclear: unclear.len() })
}

fn step(again: &Again, why: String) -> NextStep {
    let consent = if again.had_consent { "; give consent to write again" } else { "" };
    NextStep { command: again.text(), why: why + consent }
}
