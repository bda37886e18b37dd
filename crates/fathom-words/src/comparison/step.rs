//! The words for what to do next after a comparison, and for what a figure that is unclear needs.

use crate::StepWords;
use fathom_results::{
    Against, Basis, Comparison, ComparisonStep, FigureVerdict, RUNS_MAX, StepPurpose, UnclearDecided,
};

/// The steps in their order, each with what it does.
pub fn steps(comparison: &Comparison) -> Vec<StepWords> {
    let all = comparison.next.iter().chain(&comparison.then);
    all.map(|step| StepWords { command: step.command.clone(), why: why(step) }).collect()
}

fn why(step: &ComparisonStep) -> String {
    let consent = match step.asks_for_consent {
        true => "; it writes as before, and fathom first says which option allows it",
        false => "",
    };
    format!("{}{consent}", purpose(&step.purpose))
}

fn purpose(purpose: &StepPurpose) -> String {
    match purpose {
        StepPurpose::FillTarget { has_more } => {
            let others = if *has_more { "; then each other target in the same way" } else { "" };
            format!(
                "writes every block once, which erases what is there; it first says which consent it needs{others}"
            )
        }
        StepPurpose::SetAsBefore { subject, setting, is_one_of_several } => {
            let alike = match is_one_of_several {
                true => "; leave it out if you do not test it, so that it is alike",
                false => "",
            };
            format!("sets {setting} as {subject} had it{alike}")
        }
        StepPurpose::MeasureAgain { subject, is_elsewhere } => {
            format!("measures {subject} again{}", if *is_elsewhere { ", on its machine" } else { "" })
        }
        StepPurpose::MeasureInTurn { rounds, decides } => {
            let decides = decides.map(|it| format!(", which should decide {}", decided(it)));
            format!("measures {rounds} rounds of each{}", decides.unwrap_or_default())
        }
        StepPurpose::CompareNewRuns { decides } => decides.map_or_else(
            || "compares the new runs".to_owned(),
            |it| format!("should decide {}", decided(it)),
        ),
        StepPurpose::CompareInTurn => {
            "compares the IOPS in turn, so that a drift of the disk or the machine favours no side".to_owned()
        }
        StepPurpose::MakePage => "makes a page with each figure and its interval".to_owned(),
    }
}

/// `what is unclear`; `13 of the 15 unclear figures`.
fn decided(UnclearDecided { figures, of }: UnclearDecided) -> String {
    match figures == of {
        true => "what is unclear".to_owned(),
        false => format!(
            "{figures} of the {of} unclear figures; the others would take more than {RUNS_MAX} runs of each"
        ),
    }
}

/// What a figure that is unclear needs: `about 20 runs of each would decide it`. One whose own interval is clear says why it is
/// unclear all the same.
pub fn needed(against: &Against) -> Option<String> {
    let FigureVerdict::Unknown { runs_needed } = against.verdict else { return None };
    let why = against.is_unclear_by_number().then(|| match against.basis {
        Basis::Ranks => "too few runs for so many figures".to_owned(),
        _ => "perhaps chance among so many figures".to_owned(),
    });
    let runs = match runs_needed {
        Some(runs) => Some(format!("about {runs} runs of each would decide it")),
        // Nothing is known of the variation from run to run.
        None if against.interval.is_none() || matches!(against.basis, Basis::Within | Basis::Window) => None,
        None => Some("more than 1,000 runs of each would be needed".to_owned()),
    };
    let told: Vec<String> = why.into_iter().chain(runs).collect();
    (!told.is_empty()).then(|| told.join("; "))
}
