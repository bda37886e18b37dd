//! The three directions of data I/O, and values kept once for each.

use serde::{Deserialize, Serialize};
use std::ops::{Index, IndexMut};

/// What an I/O does to the data: fio's `ddir`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Data moves from the target.
    Read,
    /// Data moves to the target.
    Write,
    /// The range is given back to the target (discard, punch hole).
    Trim,
}

impl Direction {
    /// All three, in fio's order, which is also the order of comma lists.
    pub const ALL: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

    /// `read`, `write` or `trim`, as fio's JSON names it.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
        }
    }
}

/// A value for each [`Direction`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PerDirection<T> {
    /// For reads.
    pub read: T,
    /// For writes.
    pub write: T,
    /// For trims.
    pub trim: T,
}

impl<T> PerDirection<T> {
    /// The same computation for each direction.
    pub fn from_fn(mut f: impl FnMut(Direction) -> T) -> Self {
        let [r, w, t] = Direction::ALL;
        PerDirection { read: f(r), write: f(w), trim: f(t) }
    }

    /// Direction and value, in fio's order.
    pub fn iter(&self) -> impl Iterator<Item = (Direction, &T)> {
        Direction::ALL.into_iter().map(move |d| (d, &self[d]))
    }

    /// Applies `f` to each value.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> PerDirection<U> {
        PerDirection { read: f(self.read), write: f(self.write), trim: f(self.trim) }
    }
}

impl<T> Index<Direction> for PerDirection<T> {
    type Output = T;

    fn index(&self, direction: Direction) -> &T {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
            Direction::Trim => &self.trim,
        }
    }
}

impl<T> IndexMut<Direction> for PerDirection<T> {
    fn index_mut(&mut self, direction: Direction) -> &mut T {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
            Direction::Trim => &mut self.trim,
        }
    }
}
