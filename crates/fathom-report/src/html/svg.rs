//! A small chart: two [axes](super::axis), bands, lines, bars, a legend; as inline SVG.
//!
//! Colours are CSS classes, so that the page's light, dark and print styles
//! apply; dashes tell the series apart where colour cannot.

use super::axis::Axis;
use super::markup::escape;

const WIDTH: f64 = 540.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 44.0;

/// Width of a letter of ticks and legends, on average.
const LETTER: f64 = 6.2;

#[derive(Clone, Debug)]
pub(super) struct Chart {
    title: String,
    description: String,
    x: Axis,
    y: Axis,
    body: String,
    legend: Vec<(String, String)>,
}

impl Chart {
    /// An empty chart; the description is for those who cannot see it.
    pub(super) fn new(title: &str, description: &str, x: Axis, y: Axis) -> Self {
        let (title, description) = (title.to_owned(), description.to_owned());
        Chart { title, description, x, y, body: String::new(), legend: Vec::new() }
    }

    /// Names a series, by its class.
    pub(super) fn name(&mut self, class: &str, name: &str) {
        self.legend.push((class.to_owned(), name.to_owned()));
    }

    /// A vertical band over a range of x, with a word at its top.
    pub(super) fn band(&mut self, from: f64, to: f64, word: &str) {
        let (x, right) = (self.px(from), self.px(to));
        let width = right - x;
        self.body.push_str(&format!(
            "<rect class=\"band\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{:.1}\"/>\n",
            HEIGHT - TOP - BOTTOM
        ));
        // A word needs room: about 6 px a letter at this size.
        if width > 6.0 * word.len() as f64 {
            let middle = x + width / 2.0;
            self.body.push_str(&format!(
                "<text class=\"word\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\n",
                TOP + 13.0,
                escape(word)
            ));
        }
    }

    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let coordinates = self.path(points.iter().copied());
        self.body.push_str(&format!("<polyline class=\"line {class}\" points=\"{coordinates}\"/>\n"));
    }

    /// The area between two lines over the same x.
    pub(super) fn area(&mut self, class: &str, low: &[(f64, f64)], high: &[(f64, f64)]) {
        let coordinates = self.path(low.iter().copied().chain(high.iter().rev().copied()));
        self.body.push_str(&format!("<polygon class=\"area {class}\" points=\"{coordinates}\"/>\n"));
    }

    pub(super) fn dot(&mut self, class: &str, x: f64, y: f64) {
        let (x, y) = (self.px(x), self.py(y));
        self.body
            .push_str(&format!("<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\"/>\n"));
    }

    /// A bar from 0, centred on x, `width` wide on the x axis, with its value above.
    pub(super) fn bar(&mut self, class: &str, (x, width): (f64, f64), y: f64, label: &str) {
        let (left, right, top) = (self.px(x - width / 2.0), self.px(x + width / 2.0), self.py(y));
        self.body.push_str(&format!(
            "<rect class=\"bar {class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>\n<text class=\"word\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            right - left,
            HEIGHT - BOTTOM - top,
            (left + right) / 2.0,
            top - 4.0,
            escape(label)
        ));
    }

    pub(super) fn render(&self) -> String {
        let (title, description) = (escape(&self.title), escape(&self.description));
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}. {description}\">\n<title>{title}</title>\n<desc>{description}</desc>\n<text class=\"title\" x=\"{LEFT}\" y=\"16\">{title}</text>\n{}{}{}{}</svg>\n",
            self.grid(),
            self.body,
            self.frame(),
            self.legend()
        )
    }

    fn px(&self, x: f64) -> f64 {
        LEFT + self.x.at(x) * (WIDTH - LEFT - RIGHT)
    }

    fn py(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.at(y) * (HEIGHT - TOP - BOTTOM)
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        points.map(|(x, y)| format!("{:.1},{:.1}", self.px(x), self.py(y))).collect::<Vec<_>>().join(" ")
    }

    fn grid(&self) -> String {
        let across = self.y.ticks.iter().map(|(value, label)| {
            let y = self.py(*value);
            format!(
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\n<text class=\"tick end\" x=\"{}\" y=\"{:.1}\">{}</text>\n",
                WIDTH - RIGHT,
                LEFT - 7.0,
                y + 3.5,
                escape(label)
            )
        });
        let along = self.x.ticks.iter().map(|(value, label)| {
            let (x, foot) = (self.px(*value), HEIGHT - BOTTOM);
            format!(
                "<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{foot}\" y2=\"{}\"/>\n<text class=\"tick\" x=\"{x:.1}\" y=\"{}\">{}</text>\n",
                foot + 4.0,
                foot + 16.0,
                escape(label)
            )
        });
        across.chain(along).collect()
    }

    fn frame(&self) -> String {
        let foot = HEIGHT - BOTTOM;
        format!(
            "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{foot}\" y2=\"{foot}\"/>\n<text class=\"unit\" x=\"{}\" y=\"{}\">{}</text>\n<text class=\"unit start\" x=\"6\" y=\"{}\">{}</text>\n",
            WIDTH - RIGHT,
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 8.0,
            escape(&self.x.title),
            TOP - 13.0,
            escape(&self.y.title)
        )
    }

    /// Names at the top right; in two lines where they would run into the title.
    fn legend(&self) -> String {
        let letters = |name: &str| name.chars().count() as f64;
        let width: f64 = self.legend.iter().map(|(_, name)| LETTER * letters(name) + 36.0).sum();
        // The title's letters are bold, and wider.
        let room = WIDTH - RIGHT - LEFT - 1.2 * LETTER * letters(&self.title);
        let lines = if width > room { 2 } else { 1 };
        let per_line = self.legend.len().div_ceil(lines).max(1);
        let line = |(at, names)| legend_line(names, 16.0 + 13.0 * at as f64);
        self.legend.chunks(per_line).enumerate().map(line).collect()
    }
}

/// Class and name of some series, from the right edge inward.
fn legend_line(names: &[(String, String)], foot: f64) -> String {
    let mut right = WIDTH - RIGHT;
    let mut out = String::new();
    for (class, name) in names.iter().rev() {
        let (text, y) = (right - LETTER * name.chars().count() as f64, foot - 4.0);
        out.push_str(&format!(
            "<line class=\"line {class}\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\"/>\n<text class=\"tick start\" x=\"{text:.1}\" y=\"{foot}\">{}</text>\n",
            text - 24.0,
            text - 5.0,
            escape(name)
        ));
        right = text - 36.0;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend(names: &[&str]) -> Vec<f64> {
        let axis = || Axis::exact("", 0.0, 1.0, |t| t.to_string());
        let mut chart = Chart::new("Latency by percentile", "", axis(), axis());
        names.iter().for_each(|name| chart.name("read", name));
        let places = |key: &str| -> Vec<f64> {
            let legend = chart.legend();
            legend.split(key).skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap()).collect()
        };
        assert!(places("x1=\"").iter().all(|x| *x > LEFT + 130.0), "they keep off the title");
        places("y1=\"")
    }

    #[test]
    fn a_long_legend_takes_two_lines() {
        assert_eq!(legend(&["read, completion", "write, completion"]), [12.0, 12.0]);
        let paced = ["read, response", "read, service (lat)", "write, response", "write, service (lat)"];
        assert_eq!(legend(&paced), [12.0, 12.0, 25.0, 25.0]);
        assert!(legend(&[]).is_empty());
    }
}
