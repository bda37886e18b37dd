//! The phases of a worker.

use minicbor::{Decode, Encode};

/// The phases of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
#[cbor(index_only)]
pub enum Phase {
    /// Files are laid out, memory is touched.
    #[n(0)]
    Prepare,
    /// Warm-up: I/O runs, and its counts are kept apart.
    #[n(1)]
    Ramp,
    /// The measured window.
    #[n(2)]
    Measure,
    /// I/O that was in flight at the end completes.
    #[n(3)]
    Drain,
}
