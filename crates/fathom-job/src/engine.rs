//! What a plan must know of an I/O engine: its declaration.
//!
//! The engines themselves live in another crate, which hands its list of
//! [`EngineDef`]s to the planner; so an engine is one file there and one line
//! in its registry.

use crate::direction::{Direction, PerDirection};

/// An I/O engine as the planner sees it.
#[derive(Clone, Copy, Debug)]
pub struct EngineDef {
    /// fio's name.
    pub name: &'static str,
    /// One line: how it issues I/O.
    pub help: &'static str,
    /// Most I/Os one worker can keep in flight; 1 for synchronous engines.
    pub depth_max: u32,
    /// Buffered I/O blocks in the submit call, so depth is only reached with
    /// `direct=1` (libaio).
    pub needs_direct_for_depth: bool,
    /// Directions it can issue.
    pub directions: PerDirection<bool>,
    /// It touches no file or device (null).
    pub diskless: bool,
}

impl EngineDef {
    /// Can it issue I/O in this direction?
    pub fn can(&self, direction: Direction) -> bool {
        self.directions[direction]
    }
}
