//! The heat map: a field for each value, with its number; the darker, the higher.

use super::Matrix;
use crate::html::markup::escape;
use fathom_text::number::compact;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 34.0;
const ROW: f64 = 24.0;
const BOTTOM: f64 = 38.0;

/// How many shades there are; a number can be read on the darkest too.
const SHADES: f64 = 6.0;

/// The drawing.
pub(in crate::html) fn heat(matrix: &Matrix) -> String {
    let height = TOP + ROW * matrix.rows.len() as f64 + BOTTOM;
    let (title, description) = (escape(&matrix.title), escape(&matrix.description()));
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}. {description}\">\n<text class=\"title\" x=\"4\" y=\"13\">{title}</text>\n<text class=\"unit start\" x=\"4\" y=\"{}\">{}</text>\n<g class=\"heat read\">\n{}</g>\n{}<text class=\"unit\" x=\"{}\" y=\"{}\">{}</text>\n</svg>\n",
        TOP - 7.0,
        escape(&matrix.y_title),
        fields(matrix),
        labels(matrix),
        LEFT + (WIDTH - LEFT) / 2.0,
        height - 6.0,
        escape(&matrix.x_title)
    )
}

fn column_width(matrix: &Matrix) -> f64 {
    (WIDTH - LEFT - 4.0) / matrix.columns.len().max(1) as f64
}

fn fields(matrix: &Matrix) -> String {
    let (width, most) = (column_width(matrix), matrix.max().max(f64::MIN_POSITIVE));
    let field = |(row, column, value): (usize, usize, f64)| {
        let (x, y) = (LEFT + column as f64 * width, TOP + row as f64 * ROW);
        let shade = 1 + (value / most * (SHADES - 0.001)) as usize;
        format!(
            "<g class=\"cell\"><rect class=\"h{shade}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/><text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\n",
            width - 1.5,
            ROW - 1.5,
            x + width / 2.0,
            y + ROW / 2.0 + 3.5,
            compact(value, 4)
        )
    };
    matrix.known().map(field).collect()
}

fn labels(matrix: &Matrix) -> String {
    let width = column_width(matrix);
    let foot = TOP + ROW * matrix.rows.len() as f64 + 14.0;
    let below = matrix.columns.iter().enumerate().map(|(at, name)| {
        let x = LEFT + (at as f64 + 0.5) * width;
        format!("<text class=\"tick\" x=\"{x:.1}\" y=\"{foot:.1}\">{}</text>\n", escape(name))
    });
    let beside = matrix.rows.iter().enumerate().map(|(at, name)| {
        let y = TOP + (at as f64 + 0.5) * ROW + 3.5;
        format!("<text class=\"tick end\" x=\"{}\" y=\"{y:.1}\">{}</text>\n", LEFT - 6.0, escape(name))
    });
    below.chain(beside).collect()
}
