//! A plot of the report: measured series, guides, two axes.

use super::axis::Axis;
use super::markup::escape;
use super::svg::{Chart, Point, Series};
use fathom_results::{ReportAxis, ReportPlot, ReportSeries};
use fathom_text::number::{compact, reported};
use fathom_text::shown::line;

/// Colours that the style has, and kinds of dashes of guides.
const CLASSES: usize = 8;
const GUIDES: usize = 5;

/// Series with more points have no dot for each.
const DOTS_MAX: usize = 40;

/// Series with more points are thinned: the plot has no more pixels.
const POINTS_MAX: usize = 800;

/// The drawing; `None` where nothing was measured.
pub(super) fn plot(plot: &ReportPlot) -> Option<String> {
    let measured = || plot.series.iter().flat_map(|series| &series.points);
    let xs = || measured().map(|(x, _)| *x);
    let ys = || measured().map(|(_, y)| *y);
    let x = axis(&plot.x, (xs().reduce(f64::min)?, xs().reduce(f64::max)?), false);
    let y = axis(&plot.y, (ys().reduce(f64::min)?, ys().reduce(f64::max)?), true);
    let (low, high) = (ys().reduce(f64::min)?, ys().reduce(f64::max)?);
    let description =
        format!("{}: {} from {} to {}", plot.title, plot.y.label, reported(low), reported(high));
    // The caption has the title.
    let mut chart = Chart::new("", &description, x, y);
    let all = || plot.series.iter().filter(|series| !series.points.is_empty());
    let measured = all().filter(|series| !series.is_guide).count();
    let mut guides = (0..).map(guide_class);
    let mut lines = (0..).map(|at| class(at, measured));
    for series in all() {
        let class = if series.is_guide { guides.next() } else { lines.next() };
        let mut drawn = drawn(series, class.unwrap_or_default());
        // Dashes would tear a dense line.
        if !series.is_guide && series.points.len() > DOTS_MAX {
            drawn.class += " dense";
        }
        if series.is_counts {
            chart.drawing(&needles(&chart, series, &drawn.class));
            drawn.class += " counts";
        }
        chart.series(&drawn);
    }
    Some(chart.render())
}

/// A drawing below its title.
pub(super) fn figure(title: &str, svg: &str) -> String {
    format!("<figure>\n<figcaption>{}</figcaption>\n{svg}</figure>\n", escape(&line(title)))
}

/// The colour of a line. Of more than there are colours, two neighbours share one, and the second is dotted.
fn class(at: usize, of: usize) -> String {
    match of {
        0..=CLASSES => format!("c{}", at + 1),
        _ => format!("c{}{}", at / 2 % CLASSES + 1, if at % 2 == 1 { " second" } else { "" }),
    }
}

/// Each guide of a plot has dashes of its own.
fn guide_class(at: usize) -> String {
    format!("guide g{}", at % GUIDES + 1)
}

/// A thin column for each count: a line from one to the next would show counts where there are none.
fn needles(chart: &Chart, series: &ReportSeries, class: &str) -> String {
    let foot = chart.py(f64::MIN);
    let needle = |(x, y): &(f64, f64)| format!("M{:.1} {foot:.1}V{:.1}", chart.px(*x), chart.py(*y));
    let path: String = series.points.iter().map(needle).collect();
    format!("<g class=\"{class}\"><path class=\"needles\" d=\"{path}\"/></g>\n")
}

/// The axis. A linear axis of values begins at 0, so that a small change looks small.
fn axis(of: &ReportAxis, (low, high): (f64, f64), is_value: bool) -> Axis {
    let label = tick;
    match of.is_log && low > 0.0 {
        true => Axis::log(&of.label, low, high.max(low * 1.01), label),
        false if is_value => Axis::linear(&of.label, low.min(0.0), high, label),
        false => Axis::exact(&of.label, low, if high > low { high } else { low + 1.0 }, label),
    }
}

/// `0.01`, `1,000`, `20k`.
fn tick(value: f64) -> String {
    match value.abs() {
        large if large >= 10_000.0 => compact(value, 3).replace(".00", "").replace(".0", ""),
        large if large >= 1_000.0 => reported(value),
        _ => format!("{value}").replace('-', "−"),
    }
}

fn drawn(series: &ReportSeries, class: String) -> Series {
    let step = series.points.len().div_ceil(POINTS_MAX).max(1);
    let point = |(x, y): &(f64, f64)| Point {
        x: *x,
        y: *y,
        range: None,
        // The script takes the texts apart at blanks.
        x_text: reported(*x),
        y_text: reported(*y),
    };
    let points: Vec<Point> = series.points.iter().step_by(step).map(point).collect();
    Series {
        class,
        name: series.name.clone(),
        unit: "",
        has_dots: !series.is_guide && points.len() <= DOTS_MAX,
        // Counts are not joined by a line.
        stretches: match series.is_counts {
            true => points.into_iter().map(|point| vec![point]).collect(),
            false => vec![points],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_have_no_zeros_behind_the_point() {
        let ticks = [0.01, 0.5, 5.0, 1_000.0, 20_000.0, 1e6, 1.5e6, -0.2].map(tick);
        assert_eq!(ticks, ["0.01", "0.5", "5", "1,000", "20k", "1M", "1.50M", "−0.2"]);
    }

    #[test]
    fn beyond_eight_lines_neighbours_share_a_colour() {
        assert_eq!([class(0, 8), class(7, 8)], ["c1", "c8"]);
        assert_eq!([class(0, 10), class(1, 10), class(9, 10)], ["c1", "c1 second", "c5 second"]);
    }

    #[test]
    fn counts_are_not_joined() {
        let series = vec![ReportSeries::counts("I/Os", vec![(0.1, 5.0), (10.0, 7.0)])];
        let (x, y) = (ReportAxis::log("ms"), ReportAxis::log("I/Os"));
        let svg = plot(&ReportPlot { title: "t".to_owned(), x, y, series }).unwrap();
        assert!(svg.contains("needles"), "{svg}");
        let lines = svg.split("<polyline class=\"line\" points=\"").skip(1);
        assert!(
            lines.clone().count() == 2
                && lines.into_iter().all(|line| !line.split('"').next().unwrap().contains(' ')),
            "{svg}"
        );
    }
}
