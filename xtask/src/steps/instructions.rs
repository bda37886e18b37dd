//! No I/O costs more instructions than it did.

use crate::{fathom, instructions};

/// Counts and compares with `benches/instructions.json`.
pub fn check() -> Result<(), String> {
    instructions::check(&fathom::build()?)
}
