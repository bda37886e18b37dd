//! Columns in three dimensions, seen from the front, the right and above.
//!
//! The first row stands at the back. Columns are drawn from the back to the front and from the left to the right, so a
//! nearer one hides what is behind it. The numbers are in the heat map, and here for those who point at a column.

use super::Matrix;
use crate::html::axis::Axis;
use crate::html::markup::escape;
use fathom_text::number::compact;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 52.0;
const FOOT: f64 = 290.0;

/// Height of the highest column.
const HIGHEST: f64 = 130.0;

/// How far a row reaches to the right and up, in columns' widths.
const DEPTH: (f64, f64) = (0.55, 0.38);

/// The part of its place that a column fills.
const FILLED: f64 = 0.6;

/// The drawing.
pub(in crate::html) fn columns(matrix: &Matrix) -> String {
    let (title, description) = (escape(&matrix.title), escape(&matrix.description()));
    let floor = Floor::of(matrix);
    let all: String = matrix.known().map(|(row, column, value)| floor.column(row, column, value)).collect();
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}. {description}\">\n<text class=\"title\" x=\"4\" y=\"13\">{title}</text>\n<text class=\"unit start\" x=\"4\" y=\"29\">{}</text>\n{}<g class=\"solid read\">\n{all}</g>\n{}</svg>\n",
        escape(matrix.unit),
        floor.outline() + &floor.scale(),
        floor.labels(matrix)
    )
}

/// Where things stand.
struct Floor {
    columns: usize,
    rows: usize,
    /// Width of the place of a column.
    step: f64,
    most: f64,
}

impl Floor {
    fn of(matrix: &Matrix) -> Floor {
        let (columns, rows) = (matrix.columns.len().max(1), matrix.rows.len().max(1));
        // Room for the labels of the rows at the right.
        let step = (WIDTH - LEFT - 70.0) / (columns as f64 + DEPTH.0 * rows as f64);
        // Many rows must not reach into the title.
        let step = step.min((FOOT - 50.0 - HIGHEST) / (DEPTH.1 * rows as f64));
        Floor { columns, rows, step, most: matrix.max().max(f64::MIN_POSITIVE) }
    }

    /// A point of the floor: in columns from the left, in rows from the front.
    fn at(&self, column: f64, from_front: f64) -> (f64, f64) {
        let (right, up) = (DEPTH.0 * self.step, DEPTH.1 * self.step);
        (LEFT + column * self.step + from_front * right, FOOT - from_front * up)
    }

    fn outline(&self) -> String {
        let (columns, rows) = (self.columns as f64, self.rows as f64);
        let corners = [self.at(0.0, 0.0), self.at(columns, 0.0), self.at(columns, rows), self.at(0.0, rows)];
        format!("<polygon class=\"floor\" points=\"{}\"/>\n", points(&corners))
    }

    /// Round values at the left, with a line for each along the walls behind the columns.
    fn scale(&self) -> String {
        let axis = Axis::linear("", 0.0, self.most, |value| compact(value, 3));
        let (columns, rows) = (self.columns as f64, self.rows as f64);
        let tick = |(value, label): &(f64, String)| {
            let height = HIGHEST * value / self.most;
            let up = |(x, y): (f64, f64)| (x, y - height);
            let walls = [up(self.at(0.0, 0.0)), up(self.at(0.0, rows)), up(self.at(columns, rows))];
            format!(
                "<polyline class=\"grid wall\" points=\"{}\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                points(&walls),
                LEFT - 6.0,
                walls[0].1 + 3.5,
                escape(label)
            )
        };
        axis.ticks.iter().filter(|(value, _)| *value <= self.most).map(tick).collect()
    }

    fn column(&self, row: usize, column: usize, value: f64) -> String {
        let front = (self.rows - 1 - row) as f64 + (1.0 - FILLED) / 2.0;
        let left = column as f64 + (1.0 - FILLED) / 2.0;
        let height = HIGHEST * value / self.most;
        let [a, b, c, d] = [
            self.at(left, front),
            self.at(left + FILLED, front),
            self.at(left + FILLED, front + FILLED),
            self.at(left, front + FILLED),
        ];
        let up = |(x, y): (f64, f64)| (x, y - height);
        // Behind the shades of the faces is the colour of the page, so that no other column shines through.
        let faces = [
            ("ground", vec![a, b, c, up(c), up(d), up(a)]),
            ("front", vec![a, b, up(b), up(a)]),
            ("side", vec![b, c, up(c), up(b)]),
            ("top", vec![up(a), up(b), up(c), up(d)]),
        ];
        let drawn: String = faces
            .iter()
            .map(|(class, corners)| format!("<polygon class=\"{class}\" points=\"{}\"/>", points(corners)))
            .collect();
        let number = compact(value, 4);
        format!("<g class=\"cell\" data-height=\"{height:.2}\">{drawn}<title>{number}</title></g>\n")
    }

    fn labels(&self, matrix: &Matrix) -> String {
        // Long labels run into their neighbours where the columns are many; all have the same size.
        let is_long = |name: &String| 6.2 * name.chars().count() as f64 > self.step - 3.0;
        let tiny = if matrix.columns.iter().any(is_long) { " tiny" } else { "" };
        let below = matrix.columns.iter().enumerate().map(|(at, name)| {
            let (x, y) = self.at(at as f64 + 0.5, 0.0);
            format!("<text class=\"tick{tiny}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>\n", y + 15.0, escape(name))
        });
        let beside = matrix.rows.iter().enumerate().map(|(at, name)| {
            let (x, y) = self.at(self.columns as f64, (self.rows - 1 - at) as f64 + 0.5);
            let (x, y) = (x + 8.0, y + 3.5);
            format!("<text class=\"tick start\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>\n", escape(name))
        });
        let (middle, _) = self.at(self.columns as f64 / 2.0, 0.0);
        let (right, _) = self.at(self.columns as f64, 0.0);
        let titles = [
            format!(
                "<text class=\"unit\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\n",
                FOOT + 34.0,
                escape(&matrix.x_title)
            ),
            format!(
                "<text class=\"unit start\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
                right + 10.0,
                FOOT + 15.0,
                escape(&matrix.y_title)
            ),
        ];
        below.chain(beside).chain(titles).collect()
    }
}

fn points(corners: &[(f64, f64)]) -> String {
    corners.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}
