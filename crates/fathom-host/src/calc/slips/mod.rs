//! What the guides print and is wrong: figures that do not agree with the guide's own rule or with the kernel,
//! commands that fail, and names that are misspelt.
//!
//! The guides are right in most things, so their errors are copied for years.
//! Each entry has the printed text, the right one and the reason, for users who
//! follow a guide exactly.

mod hgst;
mod intel;
mod maklee;
#[cfg(test)]
mod tests;
mod testverse;
mod vsl;

use schemars::JsonSchema;
use serde::Serialize;

/// One error in a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Slip {
    /// Row of the contract (`docs/guide-index.md`).
    pub id: &'static str,
    /// The subject of the error.
    pub subject: &'static str,
    /// What the guide says.
    pub printed: &'static str,
    /// What is right.
    pub right: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// All known errors, guide by guide, in the order of their IDs.
pub fn all() -> impl Iterator<Item = &'static Slip> {
    [vsl::SLIPS, maklee::SLIPS, hgst::SLIPS, intel::SLIPS, testverse::SLIPS].into_iter().flatten()
}

/// The error of this row, if there is one.
pub fn slip(id: &str) -> Option<&'static Slip> {
    all().find(|slip| slip.id.eq_ignore_ascii_case(id))
}
