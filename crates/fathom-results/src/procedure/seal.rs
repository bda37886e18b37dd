//! The seal of a procedure: what its history held when it ended.

use serde::{Deserialize, Serialize};

/// The extent of the history. Each round has its own seal, and the history names its checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcedureSeal {
    /// Length of the history, bytes.
    pub history_bytes: u64,
    /// CRC-32 of all its lines as eight hexadecimal digits.
    pub history_crc32: String,
}
