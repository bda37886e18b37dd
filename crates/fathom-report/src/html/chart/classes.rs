//! The latency histogram (T-28): which share of the I/Os took how long, in fio's classes.

use super::axis_title;
use crate::html::axis::Axis;
use crate::html::markup::escape;
use crate::html::svg::{Chart, PLOT_HEIGHT};
use fathom_figures::latency_classes::{ClassShare, class_shares};
use fathom_figures::{DirectionFigures, Row};
use fathom_text::quantity::percent_of;

/// How much of a class's width its bars take together.
const FILLED: f64 = 0.8;

/// Names below the bars that fit beside each other.
const LABELS_MAX: usize = 9;

/// Bars for each direction; `None` where no distribution was kept, or of too few I/Os.
pub(in crate::html) fn classes(row: &Row<'_>) -> Option<String> {
    let flows = row.flows_apart_or_mixed();
    let kept: Vec<(&str, Vec<ClassShare>)> = flows.iter().filter_map(of_flow).collect();
    // One class alone is a bar of 100 %, which says less than the percentiles.
    let (first, last) = reach(&kept).filter(|(first, last)| first < last)?;
    let names: Vec<String> = kept[0].1[first..=last].iter().map(name).collect();
    let every = names.len().div_ceil(LABELS_MAX);
    let shown = names.iter().enumerate().filter(|(at, _)| at % every == 0);
    let ticks = shown.map(|(at, name)| (at as f64, name.clone())).collect();
    let x = Axis::fixed(&format!("{} below", axis_title(&flows)), -0.6, names.len() as f64 - 0.4, ticks);
    let high = kept.iter().flat_map(|(_, shares)| shares).map(|class| class.percent).fold(0.0, f64::max);
    let y = Axis::linear("% of I/Os", 0.0, high, |v| format!("{v}"));
    let told = kept.iter().map(|(direction, shares)| described(direction, &shares[first..=last]));
    let mut chart = Chart::new("Latency histogram", &told.collect::<Vec<_>>().join("; "), x, y);
    for (at, (direction, shares)) in kept.iter().enumerate() {
        let bars = shares[first..=last].iter().enumerate();
        let side = |class: usize| class as f64 - FILLED / 2.0 + FILLED * at as f64 / kept.len() as f64;
        let width = FILLED / kept.len() as f64;
        let drawn: String =
            bars.map(|(class, share)| bar(&chart, direction, side(class), width, share)).collect();
        chart.drawing(&drawn);
    }
    Some(chart.render())
}

/// The shares of the main latency of a direction.
fn of_flow<'a>(flow: &DirectionFigures<'a>) -> Option<(&'a str, Vec<ClassShare>)> {
    let (_, latency) = flow.main_latency().filter(|(_, latency)| !latency.has_too_few())?;
    let shares = class_shares(latency.histogram.as_ref()?)?;
    Some((flow.name, shares))
}

/// The first and the last class with I/Os of any direction.
fn reach(kept: &[(&str, Vec<ClassShare>)]) -> Option<(usize, usize)> {
    let has_ios = |at: &usize| kept.iter().any(|(_, shares)| shares[*at].percent > 0.0);
    let all = 0..kept.first()?.1.len();
    Some((all.clone().find(has_ios)?, all.rev().find(has_ios)?))
}

fn name(class: &ClassShare) -> String {
    class.below_ns.map_or("more".to_owned(), |ns| super::latency_tick(ns as f64))
}

fn described(direction: &str, shares: &[ClassShare]) -> String {
    let with_ios = shares.iter().filter(|class| class.percent > 0.0);
    let each: Vec<String> = with_ios
        .map(|class| format!("below {}: {}", name(class), percent_of(class.percent, 100.0)))
        .collect();
    format!("{direction}: {}", each.join(", "))
}

fn bar(chart: &Chart, direction: &str, from: f64, width: f64, class: &ClassShare) -> String {
    if class.percent <= 0.0 {
        return String::new();
    }
    let (left, right, top) = (chart.px(from), chart.px(from + width), chart.py(class.percent));
    format!(
        "<rect class=\"bar {direction}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>below {}: {}</title></rect>\n",
        right - left,
        PLOT_HEIGHT - top,
        name(class),
        escape(&percent_of(class.percent, 100.0))
    )
}
