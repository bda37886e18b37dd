//! What units mean, and what becomes of the rest of a text behind a number.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Units {
    /// `kb_base`: 1024 or 1000.
    pub kb: u64,
    /// As fio: take the unit that the rest begins with, and ignore what is unknown. Otherwise such
    /// a rest is an error.
    pub drops_rest: bool,
}

impl Default for Units {
    fn default() -> Self {
        Units { kb: 1024, drops_rest: false }
    }
}
