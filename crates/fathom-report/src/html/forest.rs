//! A forest plot: each figure's ratio to the baseline with its interval, beside the band in which a
//! difference counts as none. And the runs of each figure as dots, so that one can see how they vary.

use super::markup::escape;
use crate::comparison::{FigureUnit, figure_name, verdict_word};
use fathom_results::{ComparedFigure, ComparedSubject};
use fathom_text::number::change;
use fathom_text::shown::line;

/// Where the parts of a plot are.
struct Layout {
    /// The plots of one page are told apart by it: one is shown on a wide screen, the other on a narrow one.
    class: &'static str,
    width: f64,
    /// Where the axis begins, after the names, and ends, before the words.
    from: f64,
    to: f64,
    /// Height of a figure, and how far its name is above its line.
    row: f64,
    name_above: f64,
    /// Names are cut after so many letters.
    letters_max: usize,
}

/// Names beside the lines.
const WIDE: Layout = Layout {
    class: "on-wide",
    width: 760.0,
    from: 250.0,
    to: 600.0,
    row: 26.0,
    name_above: 0.0,
    letters_max: 38,
};

/// Names above the lines, for a screen of 400 pixels.
const NARROW: Layout = Layout {
    class: "on-narrow",
    width: 372.0,
    from: 6.0,
    to: 250.0,
    row: 42.0,
    name_above: 18.0,
    letters_max: 50,
};

const TOP: f64 = 30.0;
const AXIS: f64 = 34.0;

/// Size of the drawing of the runs of one figure, and where its dots end.
const STRIP_WIDTH: f64 = 440.0;
const STRIP_TO: f64 = 420.0;

/// Figures that are drawn; the table has all.
pub(super) const FIGURES_MAX: usize = 40;

/// Ratios that may be marked on the axis, in per cent of the baseline.
const TICKS: [f64; 17] =
    [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 1.0, 1.01, 1.02, 1.05, 1.1, 1.33, 2.0, 4.0, 10.0];

/// The plot of one subject against the baseline, for wide and for narrow screens; empty without a ratio.
pub(super) fn forest(figures: &[ComparedFigure], subjects: &[ComparedSubject], place: usize) -> String {
    let shown: Vec<&ComparedFigure> =
        figures.iter().filter(|figure| figure.against[place - 1].ratio.is_some()).take(FIGURES_MAX).collect();
    if shown.is_empty() {
        return String::new();
    }
    [WIDE, NARROW].iter().map(|layout| plot(&shown, subjects, place, layout)).collect()
}

fn plot(shown: &[&ComparedFigure], subjects: &[ComparedSubject], place: usize, layout: &Layout) -> String {
    let scale = Scale::of(shown, place, layout);
    let bottom = TOP + shown.len() as f64 * layout.row;
    let mut drawn = scale.axis(bottom, &subjects[0].letter, &subjects[place].letter);
    for (at, figure) in shown.iter().enumerate() {
        drawn += &row(figure, place, &scale, TOP + (at as f64 + 0.5) * layout.row);
    }
    let told: Vec<String> = shown.iter().map(|figure| spoken(figure, place)).collect();
    format!(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{drawn}</svg>\n",
        layout.class,
        layout.width,
        bottom + AXIS,
        escape(&told.join("; "))
    )
}

fn spoken(figure: &ComparedFigure, place: usize) -> String {
    let against = &figure.against[place - 1];
    let ratio = against.ratio.map_or_else(String::new, change);
    format!("{} {ratio}, {}", name(figure), verdict_word(against.verdict))
}

fn name(figure: &ComparedFigure) -> String {
    format!("{} {}", line(&figure.job), line(&figure.metric)).trim().to_owned()
}

/// The logarithmic axis of ratios.
struct Scale<'l> {
    low: f64,
    high: f64,
    layout: &'l Layout,
}

impl<'l> Scale<'l> {
    /// Around 1, and around all ratios with their intervals.
    fn of(figures: &[&ComparedFigure], place: usize, layout: &'l Layout) -> Scale<'l> {
        let ends = figures.iter().flat_map(|figure| {
            let against = &figure.against[place - 1];
            let (low, high) = against.interval.or(against.ratio.map(|r| (r, r))).unwrap_or((1.0, 1.0));
            [low, high, 1.0 - against.tolerance, 1.0 + against.tolerance]
        });
        let usable = ends.filter(|end| end.is_finite() && *end > 0.0).map(f64::ln);
        let (low, high) = usable.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let room = (high - low) * 0.05;
        // Beyond a hundredth and a hundred times, the place says nothing more.
        let most = 100.0_f64.ln();
        Scale { low: (low - room).max(-most), high: (high + room).min(most), layout }
    }

    fn x(&self, ratio: f64) -> f64 {
        let share = (ratio.max(1e-9).ln() - self.low) / (self.high - self.low);
        self.layout.from + share.clamp(0.0, 1.0) * (self.layout.to - self.layout.from)
    }

    fn axis(&self, bottom: f64, baseline: &str, candidate: &str) -> String {
        let mut out = String::new();
        let mut last = f64::NEG_INFINITY;
        for tick in TICKS {
            let (x, is_inside) = (self.x(tick), (self.low..=self.high).contains(&tick.ln()));
            let is_free = tick == 1.0 || (x - last >= 46.0 && (x - self.x(1.0)).abs() >= 46.0);
            if !is_inside || !is_free {
                continue;
            }
            last = x;
            let class = if tick == 1.0 { "one" } else { "rule" };
            let label = if tick == 1.0 { "equal".to_owned() } else { format!("{tick} ×") };
            out += &format!(
                "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/><text class=\"mark\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>\n",
                bottom + 15.0
            );
        }
        let is = if self.layout.name_above > 0.0 {
            "the line is the"
        } else {
            "the dot is the ratio, the line is its"
        };
        let title = format!("{candidate} compared with {baseline}: {is} 95 % interval");
        out + &format!("<text class=\"heading\" x=\"0\" y=\"16\">{}</text>\n", escape(&title))
    }
}

fn row(figure: &ComparedFigure, place: usize, scale: &Scale, y: f64) -> String {
    let layout = scale.layout;
    let against = &figure.against[place - 1];
    let ratio = against.ratio.unwrap_or(1.0);
    let word = verdict_word(against.verdict);
    let (band_from, band_to) = (scale.x(1.0 - against.tolerance), scale.x(1.0 + against.tolerance));
    let mut out = format!(
        "<rect class=\"tolerance\" x=\"{band_from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{}\"/>",
        y - layout.row / 2.0,
        band_to - band_from,
        layout.row
    );
    let whole = name(figure);
    let cut: String = match whole.chars().count() > layout.letters_max {
        true => whole.chars().take(layout.letters_max - 1).chain(['…']).collect(),
        false => whole,
    };
    let name_y = y + 4.0 - layout.name_above;
    out += &format!("<text class=\"what\" x=\"0\" y=\"{name_y:.1}\">{}</text>", escape(&cut));
    // The name has the upper half of its row.
    let y = y + layout.name_above / 3.0;
    if let Some((low, high)) = against.interval {
        out += &format!(
            "<line class=\"reach {word}\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            scale.x(low),
            scale.x(high)
        );
    }
    out += &format!("<circle class=\"ratio {word}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>", scale.x(ratio));
    out + &format!(
        "<text class=\"word\" x=\"{:.1}\" y=\"{:.1}\">{} {word}</text>\n",
        layout.to + 14.0,
        y + 4.0,
        change(ratio)
    )
}

/// The runs of a figure as dots, a line for each subject; empty where each has one run.
pub(super) fn dots(figure: &ComparedFigure, subjects: &[ComparedSubject]) -> String {
    let all = || figure.values.iter().flat_map(|values| values.values.iter().copied());
    if figure.values.iter().all(|values| values.values.len() < 2) {
        return String::new();
    }
    let (low, high) = all().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    let room = ((high - low) * 0.08).max(high * 0.001);
    let (low, high) = ((low - room).max(0.0), high + room);
    let x = |value: f64| 30.0 + (value - low) / (high - low).max(f64::MIN_POSITIVE) * (STRIP_TO - 30.0);
    let unit = FigureUnit::of(figure);
    let height = 24.0 + subjects.len() as f64 * 22.0 + 18.0;
    let mut out = format!(
        "<svg viewBox=\"0 0 {STRIP_WIDTH} {height}\" role=\"img\" aria-label=\"The runs of {}\">\n<text class=\"heading\" x=\"0\" y=\"13\">{}</text>\n",
        escape(&name(figure)),
        escape(format!("{} {}", line(&figure.job), figure_name(figure)).trim())
    );
    for (at, (subject, values)) in subjects.iter().zip(&figure.values).enumerate() {
        let y = 34.0 + at as f64 * 22.0;
        out += &format!(
            "<text class=\"what\" x=\"0\" y=\"{:.1}\">{}</text><line class=\"rule\" x1=\"30\" x2=\"{STRIP_TO}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
            y + 4.0,
            escape(&subject.letter)
        );
        for value in &values.values {
            out += &format!("<circle class=\"run\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>", x(*value));
        }
        out += &format!(
            "<line class=\"middle\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"{1:.1}\" y2=\"{2:.1}\"/>\n",
            x(values.value),
            y - 8.0,
            y + 8.0
        );
    }
    let y = height - 3.0;
    out + &format!(
        "<text class=\"mark\" x=\"30\" y=\"{y}\">{}</text><text class=\"mark last\" x=\"{STRIP_TO}\" y=\"{y}\">{}</text>\n</svg>\n",
        unit.cell(low),
        unit.cell(high)
    )
}
