//! A small chart: two [axes](super::axis), bands, series, a legend; as inline SVG.
//!
//! Colours are CSS classes, so that the page's light, dark and print styles apply; dashes tell the series apart where
//! colour cannot. The drawing is complete without a script. For the script (`page.js`), each series
//! also has its values as text, in the attributes `data-n` (name), `data-u` (unit), `data-x` and `data-v`.

use super::axis::Axis;
use super::markup::escape;

pub(super) const WIDTH: f64 = 480.0;
pub(super) const HEIGHT: f64 = 236.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 38.0;
const BOTTOM: f64 = 38.0;

/// Size of the plot, the part between the axes. It is a drawing of its own, which the script can widen.
pub(super) const PLOT_WIDTH: f64 = WIDTH - LEFT - RIGHT;
pub(super) const PLOT_HEIGHT: f64 = HEIGHT - TOP - BOTTOM;

/// Width of a letter of ticks and legends, on average.
const LETTER: f64 = 5.9;

/// Height of a line of the legend. Two lines are above the plot; with more, the plot moves down.
const LEGEND_LINE: f64 = 13.0;
const LEGEND_LINES: usize = 2;

/// What a key of the legend needs beside its name.
const KEY: f64 = 34.0;

/// A chart that is being drawn.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    title: String,
    description: String,
    x: Axis,
    y: Axis,
    /// Start and end in seconds, where x is time.
    time: Option<(f64, f64)>,
    /// The second at which the ramp ends.
    ramp: Option<f64>,
    plot: String,
    words: String,
    legend: Vec<(String, String)>,
    scale: Option<String>,
}

/// One series of points.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// CSS classes.
    pub(super) class: String,
    /// Name in the legend.
    pub(super) name: String,
    /// Unit of the values that the script shows.
    pub(super) unit: &'static str,
    /// Its points; where a stretch ends, the line is interrupted.
    pub(super) stretches: Vec<Vec<Point>>,
    /// Draws each point, not only the line.
    pub(super) has_dots: bool,
}

/// One point of a series, and how its values read.
#[derive(Clone, Debug, Default)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Lowest and highest of the values whose mean the point is.
    pub(super) range: Option<(f64, f64)>,
    pub(super) x_text: String,
    pub(super) y_text: String,
}

impl Chart {
    /// An empty chart; the description is for those who cannot see it.
    pub(super) fn new(title: &str, description: &str, x: Axis, y: Axis) -> Self {
        Chart {
            title: title.to_owned(),
            description: description.to_owned(),
            x,
            y,
            time: None,
            ramp: None,
            plot: String::new(),
            words: String::new(),
            legend: Vec::new(),
            scale: None,
        }
    }

    /// An empty chart over time, from one second to another.
    pub(super) fn over_time(title: &str, description: &str, (from, to): (f64, f64), y: Axis) -> Self {
        let x = Axis::exact("seconds since the start of the run", from, to, |t| format!("{t}"));
        Chart { time: Some((from, to)), ..Chart::new(title, description, x, y) }
    }

    /// A vertical band over a range of x, with its words for those who point at it.
    pub(super) fn band(&mut self, class: &str, (from, to): (f64, f64), word: &str) {
        let (x, width) = (self.px(from), self.px(to) - self.px(from));
        self.plot.push_str(&format!(
            "<rect class=\"band {class}\" x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{PLOT_HEIGHT}\"><title>{}</title></rect>\n",
            escape(word)
        ));
    }

    /// A word at the top of a range of x where no curve is, if there is room.
    pub(super) fn word(&mut self, (from, to): (f64, f64), word: &str) {
        let (x, width) = (self.px(from), self.px(to) - self.px(from));
        if width > LETTER * word.chars().count() as f64 {
            self.words.push_str(&format!(
                "<text class=\"word\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                LEFT + x + width / 2.0,
                TOP + 12.0,
                escape(word)
            ));
        }
    }

    /// Shades the ramp, which has this end.
    pub(super) fn ramp(&mut self, (from, to): (f64, f64), end: f64, word: &str) {
        self.band("ramp", (from, to), word);
        self.ramp = Some(end);
    }

    /// A vertical line at one x, with its words for those who point at it.
    pub(super) fn marker(&mut self, at: f64, words: &str) {
        self.plot.push_str(&format!(
            "<line class=\"marker\" x1=\"{0:.1}\" x2=\"{0:.1}\" y1=\"0\" y2=\"{PLOT_HEIGHT}\"><title>{1}</title></line>\n",
            self.px(at),
            escape(words)
        ));
    }

    pub(super) fn series(&mut self, series: &Series) {
        self.legend.push((series.class.clone(), series.name.clone()));
        let all = || series.stretches.iter().flatten();
        let texts = |text: fn(&Point) -> &str| all().map(text).collect::<Vec<_>>().join(" ");
        self.plot.push_str(&format!(
            "<g class=\"s {}\" data-n=\"{}\" data-u=\"{}\" data-x=\"{}\" data-v=\"{}\">\n",
            series.class,
            escape(&series.name),
            series.unit,
            texts(|point| &point.x_text),
            texts(|point| &point.y_text)
        ));
        for stretch in &series.stretches {
            let drawn = self.stretch(series, stretch);
            self.plot.push_str(&drawn);
        }
        self.plot.push_str("</g>\n");
    }

    fn stretch(&self, series: &Series, points: &[Point]) -> String {
        let range =
            |end: fn((f64, f64)) -> f64| points.iter().filter_map(move |p| Some((p.x, end(p.range?))));
        let ranges =
            range(|(low, _)| low).chain(range(|(_, high)| high).collect::<Vec<_>>().into_iter().rev());
        let area = match points.iter().all(|point| point.range.is_some()) {
            true => format!("<polygon class=\"area\" points=\"{}\"/>\n", self.path(ranges)),
            false => String::new(),
        };
        let line = self.path(points.iter().map(|point| (point.x, point.y)));
        // A line of no length with round ends is a dot, whose size does not change where the script widens the plot.
        let dot = |point: &Point| format!("M{:.1} {:.1}h0", self.px(point.x), self.py(point.y));
        let has_dots = series.has_dots || points.len() == 1;
        let dots = match has_dots {
            true => format!("<path class=\"dots\" d=\"{}\"/>\n", points.iter().map(dot).collect::<String>()),
            false => String::new(),
        };
        format!("{area}<polyline class=\"line\" points=\"{line}\"/>\n{dots}")
    }

    /// Anything that the chart's caller draws in the plot, in its coordinates.
    pub(super) fn drawing(&mut self, svg: &str) {
        self.plot.push_str(svg);
    }

    /// A legend of the caller's own, at the top right, which ends at x = 0.
    pub(super) fn scale(&mut self, svg: String) {
        self.scale = Some(svg);
    }

    pub(super) fn render(&self) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        let ramp = self.ramp.map(|end| format!(" data-r=\"{end}\"")).unwrap_or_default();
        let time = self.time.map(|(from, to)| format!(" data-t=\"{from} {to}\"{ramp}")).unwrap_or_default();
        let lines = self.legend_lines();
        let more = if self.scale.is_some() { 0 } else { lines.len().saturating_sub(LEGEND_LINES) };
        let down = LEGEND_LINE * more as f64;
        // A chart with a short legend is not moved.
        let (moved, end) = match more {
            0 => (String::new(), ""),
            _ => (format!("<g transform=\"translate(0 {down})\">\n"), "</g>\n"),
        };
        let height = HEIGHT + down;
        format!(
            "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}. {description}\" data-xn=\"{}\"{time}>\n<text class=\"title\" x=\"4\" y=\"13\">{title}</text>\n{moved}{}<svg class=\"plot\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{PLOT_WIDTH}\" height=\"{PLOT_HEIGHT}\" viewBox=\"0 0 {PLOT_WIDTH} {PLOT_HEIGHT}\" preserveAspectRatio=\"none\">\n{}</svg>\n{}{}{end}{}</svg>\n",
            escape(&self.x.title),
            self.grid(),
            self.plot,
            self.words,
            self.frame(),
            self.scale.clone().map_or_else(
                || legend(&lines),
                |svg| format!("<g transform=\"translate({} 13)\">{svg}</g>\n", WIDTH - RIGHT)
            ),
        )
    }

    /// Where an x lies in the plot.
    pub(super) fn px(&self, x: f64) -> f64 {
        self.x.at(x) * PLOT_WIDTH
    }

    /// Where a y lies in the plot.
    pub(super) fn py(&self, y: f64) -> f64 {
        PLOT_HEIGHT - self.y.at(y) * PLOT_HEIGHT
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        points.map(|(x, y)| format!("{:.1},{:.1}", self.px(x), self.py(y))).collect::<Vec<_>>().join(" ")
    }

    fn grid(&self) -> String {
        let across = self.y.ticks.iter().map(|(value, label)| {
            let y = TOP + self.py(*value);
            format!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>\n",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 3.5,
                escape(label)
            )
        });
        let along: String = self.x.ticks.iter().map(|(value, label)| {
            let (x, foot) = (LEFT + self.px(*value), HEIGHT - BOTTOM);
            format!(
                "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{foot}\" y2=\"{}\"/><text class=\"tick{}\" x=\"{x:.1}\" y=\"{}\">{}</text>\n",
                foot + 4.0,
                // A label that would be cut at the right edge ends there.
                if x + text_width(label) / 2.0 > WIDTH - 3.0 { " end" } else { "" },
                foot + 15.0,
                escape(label)
            )
        }).collect();
        format!("{}<g class=\"xticks\">\n{along}</g>\n", across.collect::<String>())
    }

    fn frame(&self) -> String {
        let foot = HEIGHT - BOTTOM;
        format!(
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{foot}\" y2=\"{foot}\"/>\n<text class=\"unit\" x=\"{}\" y=\"{}\">{}</text>\n<text class=\"unit start\" x=\"4\" y=\"{}\">{}</text>\n",
            WIDTH - RIGHT,
            LEFT + PLOT_WIDTH / 2.0,
            HEIGHT - 6.0,
            escape(&self.x.title),
            TOP - 11.0,
            escape(&self.y.title)
        )
    }

    /// The keys by lines: as many in the first as fit beside the title, in the others as many as fit beside the title of the
    /// vertical axis.
    fn legend_lines(&self) -> Vec<&[(String, String)]> {
        // The title's letters are bold, and wider.
        let beside_title = WIDTH - RIGHT - 1.25 * text_width(&self.title);
        let beside_axis = WIDTH - RIGHT - text_width(&self.y.title) - LETTER;
        let (mut lines, mut rest) = (Vec::new(), self.legend.as_slice());
        while !rest.is_empty() {
            let room = if lines.is_empty() { beside_title } else { beside_axis };
            let mut width = 0.0;
            let fits = |(_, name): &&(String, String)| {
                width += text_width(name) + KEY;
                width <= room
            };
            let (line, others) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            lines.push(line);
            rest = others;
        }
        lines
    }
}

/// Names at the top right, line by line.
fn legend(lines: &[&[(String, String)]]) -> String {
    let line = |(at, names): (usize, &&[(String, String)])| legend_line(names, LEGEND_LINE * (at + 1) as f64);
    lines.iter().enumerate().map(line).collect()
}

/// The width of a text, by classes of letters of a sans-serif font.
fn text_width(text: &str) -> f64 {
    let of = |letter: char| match letter {
        'm' | 'w' | 'M' | 'W' | '%' | '×' => 9.4,
        'i' | 'j' | 'l' | 't' | 'f' | '.' | ',' | ':' | '(' | ')' | ' ' => 3.6,
        'A'..='Z' => 7.6,
        _ => 6.2,
    };
    text.chars().map(of).sum()
}

/// Class and name of some series, from the right edge inward. The keys are in the order of the series.
fn legend_line(names: &[(String, String)], foot: f64) -> String {
    let mut right = WIDTH - RIGHT;
    let mut keys: Vec<String> = Vec::new();
    for (class, name) in names.iter().rev() {
        let (text, y) = (right - text_width(name), foot - 4.0);
        keys.push(format!(
            "<g class=\"key {class}\"><line class=\"line\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/><text class=\"tick start\" x=\"{text:.1}\" y=\"{foot}\">{}</text></g>\n",
            text - 23.0,
            text - 5.0,
            escape(name)
        ));
        right = text - KEY;
    }
    keys.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the keys, of which those in the first keep off the title.
    fn legend(names: &[&str]) -> Vec<f64> {
        let axis = || Axis::exact("", 0.0, 1.0, |t| t.to_string());
        let mut chart = Chart::new("Latency by percentile", "", axis(), axis());
        names.iter().for_each(|name| chart.legend.push(("read".to_owned(), (*name).to_owned())));
        let places = |key: &str| -> Vec<f64> {
            let legend = super::legend(&chart.legend_lines());
            legend.split(key).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
        };
        let (left, lines) = (places("x1=\""), places("y1=\""));
        let first = left.iter().zip(&lines).filter(|(_, line)| **line == 9.0);
        assert!(first.clone().all(|(x, _)| *x > 140.0), "{left:?}");
        assert!(left.iter().all(|x| *x > 0.0), "{left:?}");
        lines
    }

    #[test]
    fn a_long_legend_takes_as_many_lines_as_it_needs() {
        assert_eq!(legend(&["read, completion", "write, completion"]), [9.0, 9.0]);
        let paced = ["read, response", "read, service (lat)", "write, response", "write, service (lat)"];
        assert_eq!(legend(&paced), [9.0, 9.0, 22.0, 22.0]);
        assert!(legend(&[]).is_empty());
        let many = ["base line after a wait of 25 s"; 6];
        assert_eq!(legend(&many), [9.0, 22.0, 22.0, 35.0, 35.0, 48.0], "none is cut");
    }
}
