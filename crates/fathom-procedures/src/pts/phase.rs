//! The parts of a test: emptying the device, filling it, rounds until steady state, rounds of a fixed number.

use super::segment::Segment;
use super::taken::Taken;
use super::terms::PtsTerms;
use super::until::Until;
use fathom_job::units::Bytes;

/// The segments of a round, from what the test has measured before.
pub type Segments = Box<dyn Fn(&PtsTerms, &Taken<'_>) -> Vec<Segment>>;

/// One part of a test.
pub enum TestPhase {
    /// The device is emptied: "as if never written".
    Purge,
    /// Workload-independent preconditioning: twice the active range in order, in blocks of this size.
    Fill {
        /// What its rounds are called.
        cell: String,
        /// Size of the blocks.
        block: Bytes,
    },
    /// Rounds until steady state, or until a limit.
    Loop(Loop),
    /// So many rounds.
    Fixed(Fixed),
}

/// Rounds until the tracking variables are steady in the same window.
pub struct Loop {
    /// What its rounds are called, and when they end.
    pub until: Until,
    /// What a round does.
    pub segments: Segments,
}

/// So many rounds.
pub struct Fixed {
    /// What its rounds are called.
    pub cell: String,
    /// What a round does.
    pub segments: Segments,
    /// How many rounds.
    pub rounds: u32,
}
