//! What the guides print and is wrong: figures that do not agree with the guide's own rule or with the kernel,
//! commands that fail, and names that are misspelt.
//!
//! The guides are right in most things, so their errors are copied for years.
//! Each entry has the printed text, the right one and the reason, for users who
//! follow a guide exactly.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::texts;

/// One error in a guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Slip {
    /// Row of the contract (`docs/guide-index.md`).
    #[serde(deserialize_with = "texts::one")]
    pub id: &'static str,
    /// The subject of the error.
    #[serde(deserialize_with = "texts::one")]
    pub subject: &'static str,
    /// What the guide says.
    #[serde(deserialize_with = "texts::one")]
    pub printed: &'static str,
    /// What is right.
    #[serde(deserialize_with = "texts::one")]
    pub right: &'static str,
    /// The reason.
    #[serde(deserialize_with = "texts::one")]
    pub why: &'static str,
}

static SLIPS: LazyLock<Vec<Slip>> = LazyLock::new(|| texts::rows(include_str!("slips.toml")));

/// All known errors, guide by guide, in the order of their IDs.
pub fn all() -> impl Iterator<Item = &'static Slip> {
    SLIPS.iter()
}

/// The error of this row, if there is one.
pub fn slip(id: &str) -> Option<&'static Slip> {
    all().find(|slip| slip.id.eq_ignore_ascii_case(id))
}
