//! What a target is wanted for.

/// What a target is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Reading, beside others that read.
    Read,
    /// Reading and writing.
    Write,
}
