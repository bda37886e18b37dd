//! What the groups of a suite came to, in words, and its figures.

use fathom_figures::metric::{Better, METRICS, Metric, MetricUnit};
use fathom_results::answer::{GroupFigure, GroupHeadline, JudgedRule, SuiteHeadline, TimesOf};
use fathom_text::number::{grouped, three};
use fathom_text::quantity::{bandwidth, iops, latency, percent, percent_with};
use fathom_text::words::counted;

/// One figure of each group, behind what the rules say.
pub fn headline(headline: &SuiteHeadline) -> String {
    let broken = headline.broken.iter().map(judged);
    let kept = headline.kept.map(|part| format!("{} of {} published limits are kept", part.times, part.of));
    let groups = headline.groups.iter().map(|it| format!("{}: {}", it.group, of_group(it)));
    let more = (headline.more > 0).then(|| format!("{} more below", headline.more));
    let holes = headline.rounds_failed;
    let failed = (holes > 0).then(|| format!("{} failed", counted(holes, "round")));
    let parts: Vec<String> = broken.chain(kept).chain(groups).chain(more).chain(failed).collect();
    if parts.is_empty() { "nothing was measured.".to_owned() } else { parts.join("; ") + "." }
}

/// `512k IOPS ± 1.0 % (iodepth=256)`, without the words of the suite for the group.
pub fn of_group(group: &GroupHeadline) -> String {
    let half = group.half_share.map(|half| format!(" ± {}", percent(half))).unwrap_or_default();
    let value = figure_of(&group.metric, group.value);
    let alone = |share: f64| format!("{} of the sum of what each reaches alone", percent_with(share, 1));
    match &group.of {
        GroupFigure::Best { cell, times } => {
            let cell = cell.as_ref().map(|cell| format!(" ({cell})")).unwrap_or_default();
            let times = times.as_ref().map(|times| format!(", {}", times_of(times))).unwrap_or_default();
            format!("{value}{half}{cell}{times}")
        }
        GroupFigure::Array { share } => {
            format!("the array reaches {} of the sum of its members", percent_with(*share, 1))
        }
        GroupFigure::Together { targets, share } => {
            format!("{targets} targets together {value}, {}", alone(*share))
        }
        GroupFigure::MostOf { targets, share } => {
            format!("most with targets {targets}: {value}, {}", alone(*share))
        }
    }
}

/// `0.42 × sets`.
fn times_of(times: &TimesOf) -> String {
    format!("{} × {}", three(times.times), times.group.as_deref().unwrap_or("the first"))
}

/// A rule beside what was measured, without a full stop.
pub fn judged(rule: &JudgedRule) -> String {
    let JudgedRule { cell, metric, source, .. } = rule;
    let bound =
        |word: &str, value: Option<f64>| value.map(|value| format!("{word} {}", figure_of(metric, value)));
    let limit = [bound("at least", rule.at_least), bound("at most", rule.at_most)];
    let limit = limit.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let title = title_of(metric);
    match (rule.passes, rule.value) {
        (Some(passes), Some(value)) => {
            let passes = if passes { "passes" } else { "does NOT pass" };
            let word = known(metric).map(word).unwrap_or_default();
            format!("{cell}: {word}{} {passes} ({limit}: {source})", figure_of(metric, value))
        }
        _ => format!("{cell}: no {title} was measured, so it is not judged ({limit}: {source})"),
    }
}

fn known(id: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.id == id)
}

/// A value with the id of its metric. A metric of a later version has no unit.
pub(crate) fn figure_of(id: &str, value: f64) -> String {
    known(id).map_or_else(|| format!("{id} {}", three(value)), |metric| figure(metric, value))
}

/// The title of the metric with this id in a suite, with the unit.
pub(crate) fn title_of(id: &str) -> String {
    known(id).map_or_else(|| id.to_owned(), Metric::suite_title)
}

/// Is a lower value of the metric with this id the better one?
pub(crate) fn is_less_better(id: &str) -> bool {
    known(id).is_some_and(|metric| metric.better == Better::Less)
}

/// What [`figure`] does not say, before it: `sync p99 `; nothing of a rate.
pub fn word(metric: &Metric) -> String {
    match metric.unit {
        MetricUnit::Nanoseconds => format!("{} ", metric.title),
        _ => String::new(),
    }
}

/// A value of a metric in its base unit, in a sentence: `51.2k IOPS`, `2.10 GB/s`, `93.4 µs`.
pub fn figure(metric: &Metric, value: f64) -> String {
    match (metric.id, metric.unit) {
        ("worker_cpu", _) => percent_with(value / 100.0, 0) + " of a core",
        ("all_cpus", _) => percent_with(value / 100.0, 1) + " of all CPUs",
        ("cache_share", _) => percent_with(value / 100.0, 1) + " from memory",
        (_, MetricUnit::Bytes) => format!("{} {}", three(value / 1024.0), metric.title),
        (_, MetricUnit::Seconds) => format!("{} {}", three(value), metric.title),
        (_, MetricUnit::Count | MetricUnit::PerMinute) => format!("{value:.0} {}", metric.title),
        (_, MetricUnit::Percent) => format!("{} {}", percent_with(value / 100.0, 1), metric.words),
        (_, MetricUnit::PerSecond) => format!("{} {}", iops(value), metric.title),
        (_, MetricUnit::BytesPerSecond) => bandwidth(value),
        _ => latency(value),
    }
}

/// What more demand than that of the knee does where the rate stays.
pub(crate) const fn more_than_knee(adds_latency: bool) -> &'static str {
    if adds_latency { "more only adds latency" } else { "more gains nothing" }
}

/// Why depths say nothing: the engine of a job cannot have so many I/Os in flight.
pub(crate) fn depth_not_reached(asked: &str, reachable: u64) -> String {
    format!(
        "the depth was not reached: iodepth={asked} asks for more I/Os in flight than the job can have ({}), so the values of \
         iodepth say nothing about depth. numjobs=, or ioengine=io_uring with direct=1, keeps more in flight.",
        grouped(reachable)
    )
}
