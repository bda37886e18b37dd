//! A data sheet in words: what was reached of each claim.

use crate::number::cell;
use fathom_results::{DeviceSheet, SheetLine};

/// `random read 63,736 of 90,000 IOPS (71 %)`; a claim without a measurement says so.
pub fn claim(line: &SheetLine) -> String {
    let SheetLine { what, unit, claimed, .. } = line;
    match (line.measured, line.share()) {
        (Some(measured), Some(share)) => {
            format!("{what} {} of {} {unit} ({:.0} %)", cell(measured), cell(*claimed), share * 100.0)
        }
        _ => format!("{what} of {} {unit}: not measured", cell(*claimed)),
    }
}

/// All claims, and what cannot be true, one after the other.
pub fn sentence(sheet: &DeviceSheet) -> String {
    let claims = sheet.lines.iter().map(claim);
    let impossible = sheet.impossible.iter().map(|said| format!("impossible: {said}"));
    claims.chain(impossible).collect::<Vec<_>>().join("; ")
}
