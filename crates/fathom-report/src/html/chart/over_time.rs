//! What all charts over time have in common: their range, and the marks of ramp, standstills and events.

use crate::html::svg::Chart;
use fathom_figures::{GridStep, Row};
use fathom_job::units::Nanos;
use fathom_results::{Event, RunResult};

/// What the part before the measurement is.
const RAMP: &str = "ramp: not counted";

/// Marks of one chart: more would hide the data.
const MARKS_MAX: usize = 20;

/// Something that happened at one moment of the run.
#[derive(Clone, Debug)]
pub(in crate::html) struct Moment {
    seconds: f64,
    says: String,
}

/// The events that concern a row: those of its clones, those of no job, and the fall of its rate.
pub(in crate::html) fn moments(run: &RunResult, row: &Row<'_>) -> Vec<Moment> {
    let is_ours = |event: &&Event| {
        event.job.is_none_or(|job| row.members.iter().any(|member| member.planned.id == job))
    };
    let moment = |event: &Event| Moment {
        seconds: event.at_ns as f64 / 1e9,
        says: format!("+{} {}", Nanos(event.at_ns), event.text),
    };
    run.events.iter().filter(is_ours).map(moment).chain(fall(row)).collect()
}

fn fall(row: &Row<'_>) -> Option<Moment> {
    let (fall, from_ns) = (row.rate_fall()?, row.measured_from_ns()?);
    let seconds = from_ns as f64 / 1e9 + fall.at_s as f64;
    Some(Moment { seconds, says: format!("the rate fell at second {} of the measurement", fall.at_s) })
}

/// First and last second of the row's whole windows; `None` without one.
pub(super) fn reach(row: &Row<'_>) -> Option<(f64, f64)> {
    let whole = || row.grid().steps.iter().filter(|step| step.is_whole());
    let (first, last) = (whole().next()?, whole().next_back()?);
    Some((first.start_ns as f64 / 1e9, end(last)))
}

/// Shades what is before the measurement, which begins at `from`; all in seconds.
pub(super) fn mark_ramp(chart: &mut Chart, from: f64, (start, to): (f64, f64)) {
    if from > start {
        chart.ramp((start, from.min(to)), from, RAMP);
    }
}

/// Shades the ramp and the seconds without I/O, and marks events.
pub(super) fn mark(chart: &mut Chart, row: &Row<'_>, moments: &[Moment], (start, to): (f64, f64)) {
    if let Some(from_ns) = row.measured_from_ns() {
        mark_ramp(chart, from_ns as f64 / 1e9, (start, to));
    }
    let still: Vec<&GridStep> =
        row.grid().steps.iter().filter(|step| step.is_whole() && is_still(step)).collect();
    for stretch in still.chunk_by(|a, b| a.start_ns + a.length_ns == b.start_ns).take(MARKS_MAX) {
        let from = stretch[0].start_ns as f64 / 1e9;
        let range = (from, end(stretch[stretch.len() - 1]));
        chart.band("still", range, "no I/O");
        chart.word(range, "no I/O");
    }
    let inside = moments.iter().filter(|moment| (start..=to).contains(&moment.seconds));
    inside.take(MARKS_MAX).for_each(|moment| chart.marker(moment.seconds, &moment.says));
}

fn is_still(step: &GridStep) -> bool {
    step.all_ios() == 0.0
}

fn end(step: &GridStep) -> f64 {
    (step.start_ns + step.length_ns) as f64 / 1e9
}
