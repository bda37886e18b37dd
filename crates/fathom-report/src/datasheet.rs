//! A data sheet in words: what was reached of each claim.

use crate::number::cell;
use fathom_results::{DeviceSheet, SheetLine};

/// `random read, rand-read-iops: 92,100 IOPS, claimed 90,000: reached`; a claim without a measurement says so.
pub fn claim(line: &SheetLine) -> String {
    let SheetLine { what, unit, claimed, job, .. } = line;
    let what = job.as_ref().map_or_else(|| what.clone(), |job| format!("{what}, {job}"));
    let Some((measured, share)) = line.measured.zip(line.share()) else {
        return format!("{what}: not measured, claimed {} {unit}", cell(*claimed));
    };
    let (measured, claimed) = (cell(measured), cell(*claimed));
    format!("{what}: {measured} {unit}, claimed {claimed}: {}", judged(line, share))
}

/// What is said of a figure that would reach the claim, but is not the disk's.
const NOT_JUDGED: &str = "not judged, because it is not the disk's figure";

/// `reached`, `missed by 29 %`, `missed, 3.0 times as long`; what is a little beside the claim counts as reached, and says
/// so.
fn judged(line: &SheetLine, share: f64) -> String {
    let off = (share - 1.0).abs() * 100.0;
    let is_time = line.unit == "µs";
    let is_beside = if is_time { share > 1.0 } else { share < 1.0 };
    match line.is_reached {
        Some(false) if is_time && share >= 2.0 => format!("missed, {share:.1} times as long"),
        Some(false) => format!("missed by {off:.0} %"),
        None => NOT_JUDGED.to_owned(),
        _ if is_time && is_beside => format!("{off:.1} % longer, which counts as reached"),
        _ if is_beside => format!("{off:.1} % short, which counts as reached"),
        _ => "reached".to_owned(),
    }
}

/// The claims, those that were missed first.
fn in_order(sheet: &DeviceSheet) -> Vec<&SheetLine> {
    let mut lines: Vec<&SheetLine> = sheet.lines.iter().collect();
    lines.sort_by_key(|line| match line.is_reached {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    });
    lines
}

/// All claims, and what cannot be true, one after the other.
pub fn sentence(sheet: &DeviceSheet) -> String {
    in_order(sheet).into_iter().map(claim).chain(impossible(sheet)).collect::<Vec<_>>().join("; ")
}

/// Each claim in few words, its verdict first: `missed by 29 %: random read 63,736 IOPS, claimed 90,000`.
pub(crate) fn brief(sheet: &DeviceSheet) -> Vec<String> {
    let told = |line: &SheetLine| {
        let SheetLine { what, unit, claimed, .. } = line;
        let claimed = cell(*claimed);
        match line.measured.zip(line.share()) {
            Some((measured, share)) => {
                format!("{}: {what} {} {unit}, claimed {claimed}", verdict(line, share), cell(measured))
            }
            None => format!("not measured: {what}, claimed {claimed} {unit}"),
        }
    };
    in_order(sheet).into_iter().map(told).chain(impossible(sheet)).collect()
}

/// The verdict in few words: `reached`, `missed by 29 %`, `missed 3.0 times`.
fn verdict(line: &SheetLine, share: f64) -> String {
    let off = (share - 1.0).abs() * 100.0;
    match line.is_reached {
        Some(false) if line.unit == "µs" && share >= 2.0 => format!("missed {share:.1} times"),
        Some(false) => format!("missed by {off:.0} %"),
        None => "not judged".to_owned(),
        _ => "reached".to_owned(),
    }
}

/// The verdict of a claim that no job measured.
const UNMEASURED: &str = "not measured";

/// The same with the figures of what was missed alone.
pub(crate) fn missed(sheet: &DeviceSheet) -> String {
    let (missed, lines) = sheet.lines.iter().cloned().partition(|line| line.is_reached == Some(false));
    let others = briefest(&DeviceSheet { lines, impossible: sheet.impossible.clone() });
    let missed = brief(&DeviceSheet { lines: missed, impossible: Vec::new() });
    let others = Some(others).filter(|told| !told.is_empty());
    missed.into_iter().chain(others).collect::<Vec<_>>().join("; ")
}

/// The verdicts with what they are of, without the figures: `missed: random read; reached: random write, sequential read`.
pub(crate) fn briefest(sheet: &DeviceSheet) -> String {
    verdicts(sheet, |word, names| format!("{word}: {}", names.join(", ")))
}

/// Of the claims that were not missed the number alone: `missed: random read; 2 reached`.
pub(crate) fn counted(sheet: &DeviceSheet) -> String {
    verdicts(sheet, |word, names| match word {
        MISSED => format!("{word}: {}", names.join(", ")),
        _ => format!("{} {word}", names.len()),
    })
}

const MISSED: &str = "missed";

/// The verdicts, each told with the names of its claims.
fn verdicts(sheet: &DeviceSheet, told: impl Fn(&str, &[&str]) -> String) -> String {
    let of = |word: &str, is_reached: Option<bool>| {
        let is_it = |line: &&SheetLine| {
            line.is_reached == is_reached && line.measured.is_some() == (word != UNMEASURED)
        };
        let lines = sheet.lines.iter().filter(is_it);
        let names: Vec<&str> = lines.map(|line| line.what.as_str()).collect();
        (!names.is_empty()).then(|| told(word, &names))
    };
    let all =
        [of(MISSED, Some(false)), of(UNMEASURED, None), of("not judged", None), of("reached", Some(true))];
    // The details say how.
    let impossible = (!sheet.impossible.is_empty()).then(|| "the sheet contradicts itself".to_owned());
    all.into_iter().flatten().chain(impossible).collect::<Vec<_>>().join("; ")
}

/// What cannot be true.
fn impossible(sheet: &DeviceSheet) -> impl Iterator<Item = String> {
    sheet.impossible.iter().map(|said| format!("impossible: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_is_missed_says_so_and_by_how_much() {
        let line = |unit: &str, claimed, measured, is_reached| SheetLine {
            what: "random read".to_owned(),
            unit: unit.to_owned(),
            claimed,
            measured,
            job: Some("j".to_owned()),
            is_reached,
        };
        for (unit, claimed, measured, is_reached, words) in [
            ("IOPS", 90_000.0, 63_736.0, false, "63,736 IOPS, claimed 90,000: missed by 29 %"),
            ("IOPS", 90_000.0, 92_100.0, true, "92,100 IOPS, claimed 90,000: reached"),
            ("MB/s", 500.0, 480.0, true, "480 MB/s, claimed 500: 4.0 % short, which counts as reached"),
            ("µs", 70.0, 84.0, false, "84.0 µs, claimed 70.0: missed by 20 %"),
            ("µs", 70.0, 210.0, false, "210 µs, claimed 70.0: missed, 3.0 times as long"),
            ("µs", 70.0, 50.0, true, "50.0 µs, claimed 70.0: reached"),
            ("µs", 70.0, 72.1, true, "72.1 µs, claimed 70.0: 3.0 % longer, which counts as reached"),
        ] {
            let told = claim(&line(unit, claimed, Some(measured), Some(is_reached)));
            assert_eq!(told, format!("random read, j: {words}"));
        }
        let unmeasured = SheetLine { job: None, ..line("IOPS", 9.0, None, None) };
        assert_eq!(claim(&unmeasured), "random read: not measured, claimed 9.00 IOPS");
        let sheet = DeviceSheet {
            lines: vec![
                line("IOPS", 1.0, Some(2.0), Some(true)),
                unmeasured,
                line("IOPS", 2.0, Some(1.0), Some(false)),
            ],
            ..DeviceSheet::default()
        };
        let told = sentence(&sheet);
        let at = |words: &str| told.find(words).unwrap_or_else(|| panic!("{told}"));
        assert!(at("missed by") < at("not measured") && at("not measured") < at(": reached"), "{told}");
    }

    #[test]
    fn few_words_begin_with_the_verdict() {
        let line = |what: &str, unit: &str, claimed, measured, is_reached| SheetLine {
            what: what.to_owned(),
            unit: unit.to_owned(),
            claimed,
            measured,
            job: Some("rand-read-iops".to_owned()),
            is_reached,
        };
        let sheet = DeviceSheet {
            lines: vec![
                line("mean read latency", "µs", 80.0, Some(58.6), Some(true)),
                line("sequential write", "MB/s", 500.0, None, None),
                line("random read", "IOPS", 90_000.0, Some(63_736.0), Some(false)),
                line("mean write latency", "µs", 70.0, Some(210.0), Some(false)),
            ],
            impossible: vec!["9 reads are more than 8".to_owned()],
        };
        let said = [
            "missed by 29 %: random read 63,736 IOPS, claimed 90,000",
            "missed 3.0 times: mean write latency 210 µs, claimed 70.0",
            "not measured: sequential write, claimed 500 MB/s",
            "reached: mean read latency 58.6 µs, claimed 80.0",
            "impossible: 9 reads are more than 8",
        ];
        assert_eq!(brief(&sheet), said);
        let names = "missed: random read, mean write latency; not measured: sequential write; reached: mean read latency";
        assert_eq!(briefest(&sheet), format!("{names}; the sheet contradicts itself"));
        let counted_told = "missed: random read, mean write latency; 1 not measured; 1 reached; the sheet contradicts itself";
        assert_eq!(counted(&sheet), counted_told);
    }
}
