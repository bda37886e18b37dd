//! A comparison: a case for each figure, which fails where it is worse than the baseline's.

use super::exported::{Case, CaseOutcome, Exported};
use crate::comparison::{FigureUnit, figure_name, subject, verdict_word};
use fathom_results::{Against, ComparedFigure, Comparison, FigureVerdict};
use fathom_text::number::{change, change_interval};
use fathom_words::comparison as words;

/// The code of a figure that is worse.
const WORSE: &str = "worse";

impl Exported {
    /// A comparison.
    pub fn of_comparison(compared: &Comparison) -> Exported {
        let subjects =
            compared.subjects.iter().map(|of| ("subject", format!("{}: {}", of.letter, subject(of))));
        let headline = match words::not_shown(compared) {
            Some((says, because)) => format!("{says}: {because}"),
            None => words::headline(compared),
        };
        let doubts = words::doubts(compared).into_iter().map(|doubt| ("trust", doubt));
        let others = || compared.subjects.iter().skip(1).enumerate();
        let cases = others().flat_map(|(place, of)| {
            compared.figures.iter().filter_map(move |figure| case(figure, place, &of.letter))
        });
        Exported {
            name: "comparison".to_owned(),
            kind: "compare".to_owned(),
            answer: [("result", headline)].into_iter().chain(subjects).chain(doubts).collect(),
            cases: cases.collect(),
            table: table(compared),
            ..Exported::default()
        }
    }
}

fn case(figure: &ComparedFigure, place: usize, letter: &str) -> Option<Case> {
    let against = figure.against.get(place)?;
    let name = name(figure);
    let sentence = format!("{}: {} {}", name, verdict_word(against.verdict), differs(against));
    let outcome = match against.verdict {
        FigureVerdict::Better | FigureVerdict::Same => CaseOutcome::Passed,
        FigureVerdict::Worse => CaseOutcome::Failed(vec![(WORSE.to_owned(), sentence.clone())]),
        FigureVerdict::Unknown { .. } => {
            let needed = words::needed(against).map(|needed| format!(": {needed}")).unwrap_or_default();
            CaseOutcome::Skipped(format!("{sentence}{needed}"))
        }
    };
    Some(Case { name: format!("{letter} {name}"), seconds: None, outcome, figures: vec![sentence] })
}

/// `cell job IOPS`.
fn name(figure: &ComparedFigure) -> String {
    let parts = [&figure.cell, &figure.job, &figure.metric];
    parts.iter().filter(|part| !part.is_empty()).map(|part| part.as_str()).collect::<Vec<_>>().join(" ")
}

/// `+12.3 % (+8.1 % to +16.4 %)`.
fn differs(against: &Against) -> String {
    let interval = against.interval.map(|ends| format!(" ({})", change_interval(ends)));
    against.ratio.map_or_else(String::new, |ratio| change(ratio) + &interval.unwrap_or_default())
}

fn table(compared: &Comparison) -> Vec<Vec<String>> {
    let letters: Vec<&str> = compared.subjects.iter().map(|of| of.letter.as_str()).collect();
    let against =
        letters.iter().skip(1).flat_map(|letter| [format!("{letter} against A"), "verdict".to_owned()]);
    let heads =
        ["figure".to_owned()].into_iter().chain(letters.iter().map(|it| (*it).to_owned())).chain(against);
    let line = |figure: &ComparedFigure| {
        let unit = FigureUnit::of(figure);
        let job = [figure.cell.as_str(), &figure.job].join(" ");
        let name = format!("{} {}", job.trim(), figure_name(figure));
        let values = figure.values.iter().map(|values| unit.cell(values.value));
        let verdicts =
            figure.against.iter().flat_map(|it| [differs(it), verdict_word(it.verdict).to_owned()]);
        [name].into_iter().chain(values).chain(verdicts).collect()
    };
    [heads.collect()].into_iter().chain(compared.figures.iter().map(line)).collect()
}
