//! Several measurements judged together: which one is better, by how much, and how sure that is.
//!
//! A [`Subject`] is one of the things that are compared: a run, the rounds of a procedure, or values
//! that a person typed. The first is the baseline. Every figure that two subjects share becomes a
//! ratio with an interval; many figures are adjusted for their number; what cannot be compared is
//! left out with the reason. docs/adr/0014 explains the choices.

mod cause;
mod cell;
mod cell_runs;
mod differ;
mod doubt;
mod explained;
mod figure;
mod matched;
mod metric;
mod next;
mod of_fio;
mod of_program;
mod of_runs;
mod of_windows;
mod properties;
mod settings;
mod subject;
#[cfg(test)]
mod tests;

pub use of_runs::SubjectOfRuns;
pub use of_windows::WindowFigure;
pub use subject::{Subject, TypedFigure};

use fathom_results::{COMPARISON_FORMAT, ComparedFigure, Comparison};
use fathom_stats::holm_adjusted;
use matched::Matched;
use metric::ComparedMetric;

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

/// Differences up to these ratios count as none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerances {
    /// Of rates, means and typed values.
    pub rate: f64,
    /// Of percentiles of latency.
    pub percentile: f64,
}

impl Tolerances {
    /// 3 % for rates, 5 % for percentiles: the practical limits of the design (research on user
    /// experience, §3b).
    pub const USUAL: Tolerances = Tolerances { rate: 0.03, percentile: 0.05 };

    fn of(&self, metric: ComparedMetric) -> f64 {
        if metric.is_percentile() { self.percentile } else { self.rate }
    }
}

/// Compares every subject after the first with the first.
pub fn compare(mut subjects: Vec<Subject>, tolerances: &Tolerances) -> Comparison {
    for (place, subject) in subjects.iter_mut().enumerate() {
        subject.about.letter = letter(place);
    }
    matched::name_only_jobs_alike(&mut subjects);
    matched::say_what_is_missing(&mut subjects);
    let Matched { figures, left_out } = matched::matched(&subjects);
    let compared = figures.iter().map(|row| {
        let baseline = row[0];
        let against = row[1..].iter().enumerate().map(|(at, candidate)| {
            let (from, to) = (&subjects[0], &subjects[at + 1]);
            let are_pairs = from.in_turn.is_some() && from.in_turn == to.in_turn;
            figure::against(baseline, candidate, are_pairs, tolerances)
        });
        ComparedFigure {
            job: baseline.key.place(),
            cell: baseline.cell.clone(),
            metric: baseline.key.metric.clone(),
            unit: baseline.metric.unit().to_owned(),
            is_more_better: baseline.metric.is_more_better(),
            values: row.iter().map(|figure| figure::values(figure)).collect(),
            against: against.collect(),
        }
    });
    let mut compared: Vec<ComparedFigure> = compared.collect();
    judge(&mut compared);
    let mut steps = next::steps(&subjects, &compared).into_iter();
    let mut comparison = Comparison {
        format: COMPARISON_FORMAT,
        subjects: matched::with_those_not_alike(&subjects, &figures),
        differences: differ::differences(&subjects),
        left_out,
        figures: compared,
        causes: cause::causes(&subjects),
        not_shown: None,
        doubts: Vec::new(),
        next: steps.next(),
        then: steps.collect(),
        series: None,
    };
    explained::explain(&mut comparison);
    comparison.doubts = doubt::doubts(&comparison, &subjects);
    comparison
}

/// Adjusts the p-values for their number, and says what each ratio means.
fn judge(figures: &mut [ComparedFigure]) {
    let p_values: Vec<f64> = figures.iter().flat_map(|f| &f.against).filter_map(|a| a.p_value).collect();
    let count = p_values.len();
    let mut adjusted = holm_adjusted(&p_values).into_iter();
    for ComparedFigure { values, against, is_more_better, .. } in figures {
        let (baseline, candidates) = (&values[0], &values[1..]);
        for (against, candidate) in against.iter_mut().zip(candidates) {
            let p = against.p_value.and_then(|_| adjusted.next());
            figure::judge(against, (p, count), &baseline.values, &candidate.values, *is_more_better);
        }
    }
}

/// `A` to `Z`, then `A2`, ….
fn letter(place: usize) -> String {
    let letter = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        more => format!("{letter}{}", more + 1),
    }
}
