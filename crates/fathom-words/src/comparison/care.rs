//! Why a comparison needs care: a sentence for each doubt.

use super::cause::others;
use super::{figure_name, property};
use crate::capital;
use crate::instead::of_instead;
use crate::trust::trust;
use fathom_results::{Comparison, ComparisonDoubt, SubjectDoubt};
use fathom_text::number::three;
use fathom_text::words::listed;

/// Properties that are named one by one.
const NAMED: usize = 3;

/// All of them, the most serious first: causes that nobody tested, and then the rest.
pub fn doubts(comparison: &Comparison) -> Vec<String> {
    let each = comparison.doubts.iter().map(|doubt| sentence(comparison, doubt));
    others(comparison).into_iter().chain(each).collect()
}

fn sentence(comparison: &Comparison, doubt: &ComparisonDoubt) -> String {
    match doubt {
        ComparisonDoubt::SeveralDiffer { properties } => several_differ(comparison, *properties),
        ComparisonDoubt::OrderMatters { subject, figures, p_value } => format!(
            "The runs of {subject} depend on their order, as with a drift or in blocks ({}; by chance in {} of 100 sets): a \
             difference between sets that were not measured in turn may be that.",
            names(comparison, figures),
            three(100.0 * p_value),
        ),
        ComparisonDoubt::LessTrust { subjects, cells, of_cells, is_even, doubt } => {
            let even = if *is_even { " alike, which gives no side an advantage" } else { "" };
            let (level, place) = (capital(doubt.trust.level.name()), of_cells_of(cells, *of_cells));
            format!("{level} trust in {}{place}{even}: {}", subjects.join(" and "), less_trust(doubt))
        }
        ComparisonDoubt::RateFell { subject, jobs, runs, of } => {
            let when = match of {
                1 => "during the run".to_owned(),
                of => format!("in {runs} of {of} runs"),
            };
            let jobs = listed(jobs);
            format!("The rate of {jobs} of {subject} fell {when}: the rate that lasted is compared there.")
        }
        ComparisonDoubt::OtherRates { jobs } => format!(
            "The rates that are asked of {} differ: at a lower rate the CPU and the disk rest longer between two I/Os, and each \
             I/O takes longer by the time that they need to wake. To compare the disks, or settings of one disk, ask for one rate.",
            listed(jobs)
        ),
        ComparisonDoubt::OneRun => {
            "Where there is one run only, the interval shows only how much the figure varied within it. \
             How much they vary from run to run is not known. To measure that, give --repeat 5 to fathom run or fathom suite run."
                .to_owned()
        }
        ComparisonDoubt::OneTest => {
            "The intervals show how much the rounds of one measurement window varied, which follow each other. How much a figure \
             varies from one test to the next is not known."
                .to_owned()
        }
        ComparisonDoubt::ManyFigures { figures } => format!(
            "{figures} figures are compared: the more figures, the more often one of them seems to differ by chance. So each \
             needs more evidence than its own 95 % interval: a figure can be unclear although its interval leaves out 0 %."
        ),
        ComparisonDoubt::NoInterval { figures } => format!(
            "No conclusion for {}: an interval needs at least three runs of each that do not vary too much.",
            names(comparison, figures)
        ),
        ComparisonDoubt::NotInTurn { subjects, has_several_runs } => not_in_turn(subjects, *has_several_runs),
    }
}

/// Why a run has less trust: what takes the place of its result, or else the reasons.
fn less_trust(doubt: &SubjectDoubt) -> String {
    let instead = doubt.instead.as_ref().map(|instead| of_instead(instead, doubt.lost.as_ref(), None));
    instead.unwrap_or_else(|| trust(&doubt.trust))
}

/// The figures at these places.
fn names(comparison: &Comparison, places: &[usize]) -> String {
    let figures = places.iter().filter_map(|place| comparison.figures.get(*place));
    listed(&figures.map(figure_name).collect::<Vec<_>>())
}

fn several_differ(comparison: &Comparison, properties: u64) -> String {
    let first: Vec<String> = comparison.own_differences().take(NAMED).map(property).collect();
    let more = match properties.saturating_sub(NAMED as u64) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "{properties} properties differ ({}{more}): the figures do not tell which of them is the cause",
        first.join(", ")
    )
}

/// ` in the cell read depth=8`; empty where all cells have the doubt.
fn of_cells_of(cells: &[String], of: u64) -> String {
    match cells {
        [] => String::new(),
        [only] => format!(" in the cell {only}"),
        cells => format!(" in {} of {of} cells ({})", cells.len(), listed(cells)),
    }
}

fn not_in_turn(subjects: &[String], has_several_runs: bool) -> String {
    let Some((first, others)) = subjects.split_first() else { return String::new() };
    let first = match has_several_runs {
        true => format!("All runs of {first} came"),
        false => format!("{first} was measured"),
    };
    format!(
        "{first} before {}: if the disk or the machine also changed meanwhile, that would look like a difference.",
        listed(others)
    )
}
