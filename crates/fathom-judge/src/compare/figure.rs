//! One figure of a subject, compared with that of the baseline.

use super::subject::SubjectFigure;
use super::{CONFIDENCE, Tolerances};
use fathom_results::{Against, Basis, FigureValues, FigureVerdict};
use fathom_stats::{
    Estimate, RUNS_MIN, SeenDifference, TestedRatio, interval_ratio, mean_ratio, median,
    median_rank_interval, paired_ratio, rank_ratio,
};

/// Differences with a smaller probability, after the adjustment for many figures, are told.
const LEVEL: f64 = 1.0 - CONFIDENCE;

/// Percentiles are compared by their order from so many runs on; three runs give no interval at 95 %.
const RANKS_MIN: usize = 4;

/// The value of a figure with its interval.
pub(super) fn values(figure: &SubjectFigure) -> FigureValues {
    let values = figure.values.clone();
    if let Some(middle) =
        figure.metric.is_percentile().then(|| middle(&values)).flatten().filter(|_| values.len() > 1)
    {
        let (value, interval) = middle;
        return FigureValues { value, interval, values, order_p_value: None };
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let interval = estimate(figure).map(|e| (e.low, e.high));
    FigureValues { value: mean, interval, order_p_value: order_p_value(figure), values }
}

/// An order that is less likely than this by chance is told: of five runs only those that rise or fall in each step.
const ORDER_LEVEL: f64 = 0.02;

/// How likely the order of the runs is by chance, where it hardly is. Rates and typed values stand for the others, because a test of
/// every figure would find an order in one of them by chance.
fn order_p_value(figure: &SubjectFigure) -> Option<f64> {
    let p_value = figure.metric.is_rate().then(|| fathom_stats::order_p_value(&figure.values)).flatten();
    p_value.filter(|p_value| *p_value <= ORDER_LEVEL)
}

/// The median, because percentiles have long tails, which move a mean; and its interval by the order of the values, which
/// needs six.
fn middle(values: &[f64]) -> Option<(f64, Option<(f64, f64)>)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |rank: u64| sorted.get(rank.checked_sub(1)? as usize).copied();
    let interval = median_rank_interval(sorted.len() as u64, CONFIDENCE);
    let interval = interval.and_then(|(low, high)| Some((at(low)?, at(high)?)));
    Some((median(&mut sorted.clone())?, interval))
}

/// The interval of a figure: of the mean of its runs, or within its run.
fn estimate(figure: &SubjectFigure) -> Option<Estimate> {
    match figure.values.len() {
        1 => figure.within,
        _ => Estimate::of_independent(&figure.values, CONFIDENCE),
    }
}

/// The ratio of a figure to that of the baseline. What it means is decided by [`judge`], when the
/// p-values of all figures are known.
pub(super) fn against(
    baseline: &SubjectFigure,
    candidate: &SubjectFigure,
    are_pairs: bool,
    tolerances: &Tolerances,
) -> Against {
    let tested = tested(baseline, candidate, are_pairs);
    let (basis, found) = tested.map_or((Basis::Nothing, None), |(basis, found)| (basis, Some(found)));
    let (from, to) = (values(baseline).value, values(candidate).value);
    let shown = (from > 0.0).then(|| to / from);
    // The estimate of a test by ranks or pairs is another one than the ratio of the two values that stand beside it.
    // A reader divides these, so their ratio is told wherever the interval holds it.
    let is_held = |ratio: &f64| found.is_none_or(|f| (f.ratio.low..=f.ratio.high).contains(ratio));
    Against {
        ratio: shown.filter(is_held).or(found.map(|f| f.ratio.value)),
        interval: found.map(|f| (f.ratio.low, f.ratio.high)),
        basis,
        p_value: found.map(|f| f.p_value),
        p_value_adjusted: None,
        tolerance: tolerances.of(baseline.metric),
        verdict: FigureVerdict::Unknown { runs_needed: None },
    }
}

/// The strongest comparison that these values allow.
fn tested(
    baseline: &SubjectFigure,
    candidate: &SubjectFigure,
    are_pairs: bool,
) -> Option<(Basis, TestedRatio)> {
    let (from, to) = (&baseline.values, &candidate.values);
    let runs = from.len().min(to.len());
    if runs < RUNS_MIN {
        let (from, to) = (estimate(baseline)?, estimate(candidate)?);
        return interval_ratio(&from, &to).map(|found| (Basis::Within, found));
    }
    if are_pairs && from.len() == to.len() {
        return paired_ratio(from, to, CONFIDENCE).map(|found| (Basis::Pairs, found));
    }
    if baseline.metric.is_percentile() && runs >= RANKS_MIN {
        return rank_ratio(from, to, CONFIDENCE).map(|found| (Basis::Ranks, found));
    }
    let found = mean_ratio(from, to, CONFIDENCE)?;
    let is_of_window = baseline.is_of_window || candidate.is_of_window;
    let basis = if is_of_window { Basis::Window } else { Basis::Runs };
    Some((basis, TestedRatio { ratio: found.ratio, p_value: found.p_value }))
}

/// Are these enough runs, and is each of them 0?
fn is_nothing(values: &[f64]) -> bool {
    values.len() >= RUNS_MIN && values.iter().all(|value| *value == 0.0)
}

/// What a ratio means. `adjusted` is its p-value, adjusted for all figures, of which there are `figures`.
///
/// A difference within the tolerance counts as none, also if it is certain, because it is too small to
/// matter. Every other difference is told if its p-value is small enough.
pub(super) fn judge(
    against: &mut Against,
    (adjusted, figures): (Option<f64>, usize),
    baseline: &[f64],
    candidate: &[f64],
    is_more_better: bool,
) {
    against.p_value_adjusted = adjusted;
    let tolerance = against.tolerance;
    against.verdict =
        match (against.interval, against.ratio) {
            // Nothing is a ratio to 0, and nothing on both sides differs in nothing.
            _ if is_nothing(baseline) && is_nothing(candidate) => FigureVerdict::Same,
            (Some((low, high)), _) if low >= 1.0 - tolerance && high <= 1.0 + tolerance => {
                FigureVerdict::Same
            }
            (Some(_), Some(ratio)) if adjusted.is_some_and(|p| p <= LEVEL) => {
                if (ratio > 1.0) == is_more_better { FigureVerdict::Better } else { FigureVerdict::Worse }
            }
            (_, ratio) => {
                // Of so many figures at once this probability is the one that counts for the first of them (Holm).
                let level = LEVEL / figures.max(1) as f64;
                FigureVerdict::Unknown {
                    runs_needed: ratio.and_then(|r| needed(against, r, baseline, candidate, level)),
                }
            }
        };
}

/// The runs of each side after which a difference like this one, or its absence, could be told, by the test that they get.
fn needed(against: &Against, ratio: f64, baseline: &[f64], candidate: &[f64], level: f64) -> Option<u32> {
    let measured = match against.basis {
        // A window has five rounds, whatever would decide.
        Basis::Window => None,
        Basis::Ranks => SeenDifference::of_ranks(baseline, candidate, ratio),
        Basis::Pairs => SeenDifference::of_pairs(baseline, candidate),
        _ => SeenDifference::of_means(baseline, candidate),
    };
    measured?.runs_needed(against.tolerance, level, CONFIDENCE)
}
