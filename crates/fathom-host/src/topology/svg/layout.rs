//! Where each box of the picture stands: columns by depth, a parent in the
//! middle of its children.

use super::figure::Figure;
use super::measure::{BAR, LINE, PAD, WIDTH};

/// Between boxes, across and down.
const GAP_ACROSS: f64 = 28.0;
const GAP_DOWN: f64 = 10.0;

/// A box in its place.
pub struct Placed {
    /// What is in it.
    pub figure: Figure,
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Height.
    pub height: f64,
    /// Places of those below it, in the whole list.
    pub below: Vec<usize>,
}

/// All boxes, and the height that they take.
pub fn place(figures: Vec<Figure>, margin: f64) -> (Vec<Placed>, f64) {
    let mut placed = Vec::new();
    let mut y = margin;
    for figure in figures {
        let (_, height) = place_one(figure, margin, y, &mut placed);
        y += height + GAP_DOWN;
    }
    (placed, y)
}

/// Places a figure and all below it from `y` down; its place in the list and
/// the height of all.
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
    // A box higher than its children keeps them at its top: they are placed.
    let top = y + ((under - own) / 2.0).max(0.0);
    placed.push(Placed { figure, x, y: top, height: own, below });
    (placed.len() - 1, whole)
}

fn height(figure: &Figure) -> f64 {
    let bar = if figure.load.is_some() { BAR + PAD } else { 0.0 };
    LINE * figure.lines().len() as f64 + bar + PAD
}
