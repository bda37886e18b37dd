//! A data sheet in words: what was reached of each claim.

use crate::number::cell;
use fathom_results::{DeviceSheet, SheetLine};

/// `random read reached: 92,100 of 90,000 IOPS`, `random read missed by 29 %: 63,736 of 90,000 IOPS`, `latency of one read
/// missed by 20 %: 84.0 µs, claimed 70.0 µs`; a claim without a measurement says so.
pub fn claim(line: &SheetLine) -> String {
    let SheetLine { what, unit, claimed, .. } = line;
    let Some((measured, share)) = line.measured.zip(line.share()) else {
        return format!("{what} of {} {unit}: not measured", cell(*claimed));
    };
    let judged = match line.is_reached {
        Some(false) => format!("missed by {:.0} %", (share - 1.0).abs() * 100.0),
        _ => "reached".to_owned(),
    };
    let (measured, claimed) = (cell(measured), cell(*claimed));
    // Less is better, so a share of it says nothing.
    match unit.as_str() {
        "µs" => format!("{what} {judged}: {measured} {unit}, claimed {claimed} {unit}"),
        _ => format!("{what} {judged}: {measured} of {claimed} {unit}"),
    }
}

/// All claims, and what cannot be true, one after the other.
pub fn sentence(sheet: &DeviceSheet) -> String {
    let claims = sheet.lines.iter().map(claim);
    let impossible = sheet.impossible.iter().map(|said| format!("impossible: {said}"));
    claims.chain(impossible).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_is_missed_says_so_and_by_how_much() {
        let told = |what: &str, unit: &str, claimed, measured, is_reached| {
            let (what, unit) = (what.to_owned(), unit.to_owned());
            claim(&SheetLine { what, unit, claimed, measured, job: None, is_reached })
        };
        let cases = [
            (
                "random read",
                "IOPS",
                90_000.0,
                Some(63_736.0),
                Some(false),
                "missed by 29 %: 63,736 of 90,000 IOPS",
            ),
            ("random read", "IOPS", 90_000.0, Some(92_100.0), Some(true), "reached: 92,100 of 90,000 IOPS"),
            ("sequential read", "MB/s", 500.0, Some(480.0), Some(true), "reached: 480 of 500 MB/s"),
            (
                "latency of one read",
                "µs",
                70.0,
                Some(84.0),
                Some(false),
                "missed by 20 %: 84.0 µs, claimed 70.0 µs",
            ),
            (
                "latency of one read",
                "µs",
                70.0,
                Some(210.0),
                Some(false),
                "missed by 200 %: 210 µs, claimed 70.0 µs",
            ),
            ("latency of one read", "µs", 70.0, Some(50.0), Some(true), "reached: 50.0 µs, claimed 70.0 µs"),
        ];
        for (what, unit, claimed, measured, is_reached, words) in cases {
            assert_eq!(told(what, unit, claimed, measured, is_reached), format!("{what} {words}"));
        }
        assert_eq!(told("random write", "IOPS", 9.0, None, None), "random write of 9.00 IOPS: not measured");
    }
}
