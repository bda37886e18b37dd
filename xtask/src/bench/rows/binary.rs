//! The size of the binary: one file that must be quick to copy.

use super::{Ground, Row};

const MIB_MAX: f64 = 15.0;

/// Its size.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
    let bytes = ground.program.metadata();
    let bytes = bytes.map_err(|e| format!("{}: {e}", ground.program.display()))?.len();
    let mib = bytes as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("size of the binary", mib, MIB_MAX, "MiB")])
}
