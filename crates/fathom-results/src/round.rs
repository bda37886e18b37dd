//! The place of a run in a procedure.

use serde::{Deserialize, Serialize};

/// The round of a procedure that a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoundRecord {
    /// Id of the procedure.
    pub procedure: String,
    /// Number of the round, from 1.
    pub number: u32,
    /// The cell that is measured.
    pub cell: String,
    /// How many of the facts of the host, from the first, are saved in `procedure.json` alone.
    pub shared_facts: usize,
    /// How many findings of the audit are saved there alone.
    pub shared_findings: usize,
}
