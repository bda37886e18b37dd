//! The position of each box of the picture: columns by depth, a parent in the
//! middle of its children.

use super::figure::Figure;
use super::measure::{BAR, LINE, PAD, WIDTH};

/// Distance between boxes, horizontally and vertically, in pixels.
const GAP_ACROSS: f64 = 28.0;
const GAP_DOWN: f64 = 10.0;

/// A box with its position.
pub struct Placed {
    /// The content of the box.
    pub figure: Figure,
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Height.
    pub height: f64,
    /// Indexes of its children in the whole list.
    pub below: Vec<usize>,
}

/// All boxes with their positions, and their total height.
pub fn place(figures: Vec<Figure>, margin: f64) -> (Vec<Placed>, f64) {
    let mut placed = Vec::new();
    let mut y = margin;
    for figure in figures {
        let (_, height) = place_one(figure, margin, y, &mut placed);
        y += height + GAP_DOWN;
    }
    (placed, y)
}

/// Places a figure and all its children, beginning at `y`. Returns its index in
/// the list and the total height.
fn place_one(mut figure: Figure, x: f64, y: f64, placed: &mut Vec<Placed>) -> (usize, f64) {
    let own = height(&figure);
    let children = std::mem::take(&mut figure.below);
    let (mut below, mut at) = (Vec::new(), y);
    for child in children {
        let (place, height) = place_one(child, x + WIDTH + GAP_ACROSS, at, placed);
        below.push(place);
        at += height + GAP_DOWN;
    }
    let under = (at - y - GAP_DOWN).max(0.0);
    let whole = own.max(under);
    // If a box is higher than its children, it starts at their top, because they are already
    // placed.
    let top = y + ((under - own) / 2.0).max(0.0);
    placed.push(Placed { figure, x, y: top, height: own, below });
    (placed.len() - 1, whole)
}

fn height(figure: &Figure) -> f64 {
    let bar = if figure.load.is_some() { BAR + PAD } else { 0.0 };
    LINE * figure.lines().len() as f64 + bar + PAD
}
