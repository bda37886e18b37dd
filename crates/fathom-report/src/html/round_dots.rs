//! The rounds drawn: those of a job as dots in their order, so that one can see whether the figure moves one way; and of a procedure
//! whose rounds do not all measure the same, such as a preconditioning, the rate over the time that was measured, a line for each cell.

use super::markup::escape;
use super::report_plot::{figure, plot};
use crate::rounds::is_one_cell;
use fathom_results::procedure::ProcedureResult;
use fathom_results::{ReportAxis, ReportPlot, ReportSeries};
use fathom_stats::Estimate;

const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 132.0;
/// Where the dots are: beside the marks, and below the heading.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 425.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 112.0;

/// Where the values are drawn.
struct Scale {
    low: f64,
    high: f64,
    last: usize,
}

impl Scale {
    fn of(values: &[f64], (least, most): (f64, f64)) -> Self {
        let room = ((most - least) * 0.15).max(most * 0.001).max(f64::MIN_POSITIVE);
        Scale { low: (least - room).max(0.0), high: most + room, last: values.len() - 1 }
    }

    fn x(&self, at: usize) -> f64 {
        LEFT + 12.0 + at as f64 / self.last.max(1) as f64 * (RIGHT - LEFT - 24.0)
    }

    /// What lies outside is at the edge.
    fn y(&self, value: f64) -> f64 {
        BOTTOM - (value.clamp(self.low, self.high) - self.low) / (self.high - self.low) * (BOTTOM - TOP)
    }

    /// A line from the left to the right.
    fn line(&self, class: &str, value: f64) -> String {
        let y = self.y(value);
        format!("<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>")
    }
}

/// A dot for each value; a line at `value`, which describes all rounds, and a band where it has an interval.
pub(super) fn round_dots(
    title: &str,
    values: &[f64],
    value: Option<f64>,
    interval: Option<Estimate>,
    shown: &dyn Fn(f64) -> String,
) -> String {
    let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    let scale = Scale::of(values, (least, most));
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n<text class=\"heading\" x=\"0\" y=\"13\">{}</text>\n",
        escape(&format!("{title}: {}", values.iter().map(|v| shown(*v)).collect::<Vec<_>>().join("; "))),
        escape(title.trim())
    );
    if let Some(mean) = interval {
        let (top, bottom) = (scale.y(mean.high), scale.y(mean.low));
        out += &format!(
            "<rect class=\"interval\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            RIGHT - LEFT,
            bottom - top
        );
    }
    for end in if least == most { vec![least] } else { vec![least, most] } {
        let (x, y) = (LEFT - 8.0, scale.y(end) + 4.0);
        out += &scale.line("rule", end);
        out += &format!("<text class=\"mark last\" x=\"{x}\" y=\"{y:.1}\">{}</text>", escape(&shown(end)));
    }
    out += &value.map(|value| scale.line("middle", value)).unwrap_or_default();
    for (at, value) in values.iter().enumerate() {
        let (x, y) = (scale.x(at), scale.y(*value));
        out += &format!("<circle class=\"run\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
    }
    for (at, anchor) in [(0, "mark"), (scale.last, "mark last")] {
        let (x, y, number) = (scale.x(at), HEIGHT - 3.0, at + 1);
        out += &format!("<text class=\"{anchor}\" x=\"{x:.1}\" y=\"{y}\">round {number}</text>");
    }
    out + "\n</svg>\n"
}

/// More cells than this have no lines that can be told apart: they are values that a search tried.
const CELLS_MAX: usize = 8;

/// A cell with fewer rounds has no course.
const ROUNDS_MIN: usize = 3;

/// The drawing; empty where no cell has a course.
pub(super) fn course(procedure: &ProcedureResult) -> String {
    let series = if is_one_cell(procedure) { Vec::new() } else { series(procedure) };
    let has_course = series.iter().any(|cell| cell.points.len() >= ROUNDS_MIN);
    if !has_course || series.len() > CELLS_MAX {
        return String::new();
    }
    let title = "Rate of each round".to_owned();
    let (x, y) = (ReportAxis::linear("measured time, s"), ReportAxis::linear("MB/s"));
    let Some(svg) = plot(&ReportPlot { title, x, y, series }) else { return String::new() };
    format!(
        "<section>\n<h2>The rounds in their order</h2>\n<div class=\"charts\">\n{}</div>\n<p class=\"note\">A point is a round, at the time of its end; of a rate that fell it is the one that lasted.</p>\n</section>\n",
        figure("Rate of each round", &svg)
    )
}

/// A line for each cell, in the order in which they began.
fn series(procedure: &ProcedureResult) -> Vec<ReportSeries> {
    let mut cells: Vec<ReportSeries> = Vec::new();
    let mut seconds = 0.0;
    for round in procedure.rounds() {
        seconds += round.whole.seconds;
        let Some(rate) = round.whole.lasting_bandwidth() else { continue };
        let point = (seconds, rate / 1e6);
        match cells.iter_mut().find(|cell| cell.name == round.cell) {
            Some(cell) => cell.points.push(point),
            None => cells.push(ReportSeries::measured(round.cell.clone(), vec![point])),
        }
    }
    cells
}
