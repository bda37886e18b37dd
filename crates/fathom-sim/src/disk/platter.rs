//! Where data is on the platters, and how long the arm needs to get there.
//!
//! Tracks at the edge are longer and pass faster. The rate falls linearly with the stroke s, from the outer
//! edge to the inner: `rate = outer − (outer − inner) · s`. So the share of the capacity outside of s is `u =
//! (outer · s − (outer − inner) · s² / 2) / mean`, and a read of the whole disk needs the same time for each
//! part of the stroke. That makes this time a coordinate: s is its share of the whole, and the angle of a
//! sector is the time modulo one turn.

use crate::DiskModel;

#[derive(Debug)]
pub(super) struct Platter {
    capacity_bytes: f64,
    outer: f64,
    inner: f64,
    /// Time for a read of the whole disk.
    whole_ns: f64,
    turn_ns: u64,
    seek_least_ns: f64,
    seek_stroke_ns: f64,
}

impl Platter {
    pub fn new(model: &DiskModel) -> Self {
        let (outer, inner) = (model.outer_bytes_per_s as f64, model.inner_bytes_per_s as f64);
        let capacity_bytes = model.capacity_bytes as f64;
        Self {
            capacity_bytes,
            outer,
            inner,
            whole_ns: capacity_bytes * 2e9 / (outer + inner),
            turn_ns: 60_000_000_000 / u64::from(model.turns_per_minute),
            seek_least_ns: model.seek_least_ns as f64,
            seek_stroke_ns: model.seek_stroke_ns as f64,
        }
    }

    /// When a read of the whole disk would be at `offset`.
    pub fn position_ns(&self, offset: u64) -> u64 {
        let share = offset as f64 / self.capacity_bytes;
        // The quadratic equation for s, in the form that does not cancel near the edge.
        let mean = f64::midpoint(self.outer, self.inner);
        let root = (self.outer * self.outer - 2.0 * (self.outer - self.inner) * mean * share).max(0.0).sqrt();
        let stroke = 2.0 * mean * share / (self.outer + root);
        (stroke * self.whole_ns).round() as u64
    }

    /// The seek between two positions: `least + stroke · √distance`.
    pub fn seek_ns(&self, from_ns: u64, to_ns: u64) -> u64 {
        let distance = from_ns.abs_diff(to_ns) as f64 / self.whole_ns;
        (self.seek_least_ns + self.seek_stroke_ns * distance.sqrt()).round() as u64
    }

    /// How long after `now_ns` the sector at a position comes round.
    pub fn rotation_ns(&self, now_ns: u64, position_ns: u64) -> u64 {
        let (angle, target) = (now_ns % self.turn_ns, position_ns % self.turn_ns);
        (target + self.turn_ns - angle) % self.turn_ns
    }
}
