//! A data sheet in words: what was reached of each claim.

use fathom_job::units::Bytes;
use fathom_results::{DeviceSheet, SheetLine, Trust, TrustLevel};
use fathom_text::number::{cell, grouped, significant};
use fathom_text::quantity::percent_with;

/// The verdicts of claims.
const REACHED: &str = "reached";
const MISSED: &str = "missed";
/// The interval of the figure holds values that reach the claim and values that miss it.
const OPEN: &str = "open";
/// No job measured it.
const UNMEASURED: &str = "not measured";
/// The figure is not the disk's.
const NOT_JUDGED_BRIEF: &str = "not judged";

/// `random read, rand-read-iops: 92,100 IOPS, claimed 90,000: reached`; a claim without a measurement says so.
pub fn claim(line: &SheetLine) -> String {
    let SheetLine { what, unit, claimed, job, .. } = line;
    let what = job.as_ref().map_or_else(|| what.clone(), |job| format!("{what}, {job}"));
    let Some((measured, share)) = line.measured.zip(line.share()) else {
        return format!("{what}: {UNMEASURED}, {} {} {unit}", kind(line), cell(*claimed));
    };
    let (measured, claimed) = (cell(measured), cell(*claimed));
    format!("{what}: {measured} {unit}, {} {claimed}: {}", kind(line), judged(line, share))
}

/// What the other value is: that of a data sheet is claimed, that of a baseline was measured.
fn kind(line: &SheetLine) -> &'static str {
    if line.is_baseline { "baseline" } else { "claimed" }
}

/// What the figures are beside, as a heading.
pub(crate) fn heading(sheet: &DeviceSheet) -> &'static str {
    if sheet.lines.iter().any(|line| line.is_baseline) { "Baseline" } else { "Data sheet" }
}

/// The unit of claims about latency.
const TIME: &str = "µs";

/// What is said of a figure that is not the disk's.
const NOT_JUDGED: &str = "not judged, because it is not the disk's figure";

/// `reached`, `missed by 29 %`, `missed, 3.0 times as long`; what is a little beside the claim counts as reached, and says
/// so.
fn judged(line: &SheetLine, share: f64) -> String {
    let off = (share - 1.0).abs();
    let is_time = line.unit == TIME;
    let is_beside = if is_time { share > 1.0 } else { share < 1.0 };
    match line.is_reached {
        Some(false) if is_time && share >= 2.0 => format!("missed, {share:.1} times as long"),
        Some(false) => format!("missed by {}", percent_with(off, 0)),
        None if line.is_open => format!("open, because the measured value is ± {}", half(line)),
        None => NOT_JUDGED.to_owned(),
        _ if is_time && is_beside => percent_with(off, 1) + " longer, which counts as reached",
        _ if is_beside => percent_with(off, 1) + " short, which counts as reached",
        _ => "reached".to_owned(),
    }
}

/// Half of the interval of the measured value: `19 %`.
fn half(line: &SheetLine) -> String {
    format!("{} %", significant(line.half_percent.unwrap_or(0.0), 2))
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

/// Each claim on a line, and how far the measured values can be trusted on the last.
pub fn lines(sheet: &DeviceSheet) -> String {
    let trust = sheet.trust.as_ref().map(|trust| format!("trust    {}", trust_of(trust)));
    sheet.lines.iter().map(claim).chain(trust).map(|line| line + "\n").collect()
}

/// The level, and why it is no higher; of a redacted sheet, which has no reasons, the level alone.
fn trust_of(trust: &Trust) -> String {
    match trust.level < TrustLevel::High && trust.reasons.is_empty() {
        true => trust.level.name().to_owned(),
        false => format!("{}: {}", trust.level.name(), fathom_words::trust::trust(trust)),
    }
}

/// All claims, and what cannot be true, one after the other.
pub fn sentence(sheet: &DeviceSheet) -> String {
    in_order(sheet).into_iter().map(claim).chain(impossible(sheet)).collect::<Vec<_>>().join("; ")
}

/// How many claims were reached, and what a run beside a sheet cannot tell.
pub(crate) fn tally(sheet: &DeviceSheet) -> String {
    let count = |verdict: &str| sheet.lines.iter().filter(|line| word(line) == verdict).count();
    let (all, reached, missed) = (sheet.lines.len(), count(REACHED), count(MISSED));
    // Each claim is counted once, so that "0 of 2 reached" is never printed with a figure far above its claim and without the reason.
    let others = [
        (OPEN, " (the claim is within ±)"),
        (UNMEASURED, ""),
        (NOT_JUDGED_BRIEF, " (not the disk's figure)"),
    ];
    let others = others.map(|(verdict, why)| match count(verdict) {
        0 => String::new(),
        n => format!(", {n} {verdict}{why}"),
    });
    let care = "the sheet may mean other conditions, and another run may differ";
    format!("{reached} of {all} {REACHED}, {missed} {MISSED}{}; {care}", others.concat())
}

/// Each claim with its conditions: `random read, 4k QD32: 63,736 ± 2.1 % of 90,000 IOPS (71 %): missed`.
pub(crate) fn whole(sheet: &DeviceSheet) -> Vec<String> {
    let text = |line: &SheetLine| {
        let SheetLine { what, unit, claimed, .. } = line;
        let claimed = cell(*claimed);
        let what = line.does.as_ref().map_or_else(|| what.clone(), |does| format!("{what}, {does}"));
        let Some((measured, share)) = line.measured.zip(line.share()) else {
            return format!("{what}: {UNMEASURED}, {} {claimed} {unit}", kind(line));
        };
        let half = line.half_percent.map(|_| format!(" ± {}", half(line))).unwrap_or_default();
        if unit == TIME {
            let measured = cell(measured);
            let (kind, verdict) = (kind(line), verdict(line, share));
            return format!("{what}: {measured} {unit}{half}, {kind} {claimed}: {verdict}");
        }
        let is_far = share >= FAR_ABOVE && line.is_reached == Some(true);
        let far = if is_far { ", far above: perhaps a cache" } else { "" };
        let (measured, share) = (cell(measured), percent_with(share, 0));
        format!("{what}: {measured}{half} of {claimed} {unit} ({share}): {}{far}", word(line))
    };
    in_order(sheet).into_iter().map(text).chain(impossible(sheet)).collect()
}

/// A figure this many times the claim is doubted: a sheet claims no less than its drive can do.
const FAR_ABOVE: f64 = 1.5;

/// Each claim in few words: `random read 63,736 of 90,000 IOPS, 71 %: missed`.
pub(crate) fn brief(sheet: &DeviceSheet) -> Vec<String> {
    let text = |line: &SheetLine| {
        let SheetLine { what, unit, claimed, .. } = line;
        let claimed = cell(*claimed);
        match line.measured.zip(line.share()) {
            Some((measured, share)) if unit == TIME => {
                let (kind, verdict) = (kind(line), verdict(line, share));
                format!("{what} {} {unit}, {kind} {claimed}: {verdict}", cell(measured))
            }
            Some((measured, share)) => {
                let (measured, share) = (cell(measured), percent_with(share, 0));
                format!("{what} {measured} of {claimed} {unit}, {share}: {}", word(line))
            }
            None => format!("{what} of {claimed} {unit}: {UNMEASURED}"),
        }
    };
    in_order(sheet).into_iter().map(text).chain(impossible(sheet)).collect()
}

/// The verdict in a word.
fn word(line: &SheetLine) -> &'static str {
    match line.is_reached {
        Some(true) => REACHED,
        Some(false) => MISSED,
        None if line.is_open => OPEN,
        None if line.measured.is_none() => UNMEASURED,
        None => NOT_JUDGED_BRIEF,
    }
}

/// The verdict about a time in few words: `reached`, `missed by 29 %`, `3.0 times as long`.
fn verdict(line: &SheetLine, share: f64) -> String {
    let off = (share - 1.0).abs();
    match line.is_reached {
        Some(false) if line.unit == TIME && share >= 2.0 => format!("{share:.1} times as long"),
        Some(false) => format!("missed by {}", percent_with(off, 0)),
        None if line.is_open => format!("{OPEN} (± {})", half(line)),
        _ => word(line).to_owned(),
    }
}

/// The same with the figures of what was missed alone.
pub(crate) fn missed(sheet: &DeviceSheet) -> String {
    let (missed, lines) = sheet.lines.iter().cloned().partition(|line| line.is_reached == Some(false));
    let others = briefest(&DeviceSheet { lines, impossible: sheet.impossible.clone(), trust: None });
    let missed = brief(&DeviceSheet { lines: missed, ..DeviceSheet::default() });
    let others = Some(others).filter(|text| !text.is_empty());
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

/// The verdicts, each told with the names of its claims.
fn verdicts(sheet: &DeviceSheet, text: impl Fn(&str, &[&str]) -> String) -> String {
    let of = |verdict: &'static str| {
        let lines = sheet.lines.iter().filter(|line| word(line) == verdict);
        let names: Vec<&str> = lines.map(|line| line.what.as_str()).collect();
        (!names.is_empty()).then(|| text(verdict, &names))
    };
    let all = [MISSED, OPEN, UNMEASURED, NOT_JUDGED_BRIEF, REACHED].map(of);
    // The details say how.
    let impossible = (!sheet.impossible.is_empty()).then(|| "the sheet contradicts itself".to_owned());
    all.into_iter().flatten().chain(impossible).collect::<Vec<_>>().join("; ")
}

/// What cannot be true.
fn impossible(sheet: &DeviceSheet) -> impl Iterator<Item = String> {
    sheet.impossible.iter().map(|it| {
        let moved = it.iops * it.block_bytes as f64 / 1e6;
        let [iops, moved, mbps] = [it.iops, moved, it.mbps].map(|value| grouped(value.round() as u64));
        let (ios, block) = (it.direction.name(), Bytes(it.block_bytes));
        format!(
            "impossible: {iops} {ios}s of {block} a second are {moved} MB/s, more than the {mbps} MB/s of the same data sheet"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_job::direction::Direction;
    use fathom_results::ImpossibleClaims;

    #[test]
    fn a_claim_that_is_missed_says_so_and_by_how_much() {
        let line = |unit: &str, claimed, measured, is_reached| SheetLine {
            what: "random read".to_owned(),
            unit: unit.to_owned(),
            claimed,
            measured,
            job: Some("j".to_owned()),
            does: Some("4k QD32".to_owned()),
            is_reached,
            ..SheetLine::default()
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
        let kept = SheetLine { is_baseline: true, ..line("IOPS", 90_000.0, Some(92_100.0), Some(true)) };
        assert_eq!(claim(&kept), "random read, j: 92,100 IOPS, baseline 90,000: reached");
        let open = SheetLine {
            is_reached: None,
            is_open: true,
            half_percent: Some(19.2),
            ..line("IOPS", 120.0, Some(100.0), None)
        };
        assert_eq!(
            claim(&open),
            "random read, j: 100 IOPS, claimed 120: open, because the measured value is ± 19 %"
        );
        let of_open = DeviceSheet { lines: vec![open], ..DeviceSheet::default() };
        assert_eq!(brief(&of_open), ["random read 100 of 120 IOPS, 83 %: open"]);
        assert_eq!(
            tally(&of_open),
            "0 of 1 reached, 0 missed, 1 open (the claim is within ±); the sheet may mean other conditions, and another run \
             may differ"
        );
        assert_eq!(whole(&of_open), ["random read, 4k QD32: 100 ± 19 % of 120 IOPS (83 %): open"]);
        let of_cache = line("IOPS", 100.0, Some(219.0), None);
        let counted =
            tally(&DeviceSheet { lines: vec![of_cache.clone(), of_cache], ..DeviceSheet::default() });
        assert!(
            counted.starts_with("0 of 2 reached, 0 missed, 2 not judged (not the disk's figure); "),
            "{counted}"
        );
        let far =
            DeviceSheet { lines: vec![line("IOPS", 1.0, Some(2.0), Some(true))], ..DeviceSheet::default() };
        let told = "random read, 4k QD32: 2.00 of 1.00 IOPS (200 %): reached, far above: perhaps a cache";
        assert_eq!(whole(&far), [told]);
        assert_eq!(briefest(&of_open), "open: random read");
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
    fn few_words_have_value_claim_and_verdict() {
        let line = |what: &str, unit: &str, claimed, measured, is_reached| SheetLine {
            what: what.to_owned(),
            unit: unit.to_owned(),
            claimed,
            measured,
            job: Some("rand-read-iops".to_owned()),
            is_reached,
            ..SheetLine::default()
        };
        let sheet = DeviceSheet {
            lines: vec![
                line("mean read latency", "µs", 80.0, Some(58.6), Some(true)),
                line("sequential write", "MB/s", 500.0, None, None),
                line("random read", "IOPS", 90_000.0, Some(63_736.0), Some(false)),
                line("mean write latency", "µs", 70.0, Some(210.0), Some(false)),
            ],
            impossible: vec![ImpossibleClaims {
                direction: Direction::Read,
                iops: 271_557.0,
                block_bytes: 4096,
                mbps: 531.59,
            }],
            ..DeviceSheet::default()
        };
        let said = [
            "random read 63,736 of 90,000 IOPS, 71 %: missed",
            "mean write latency 210 µs, claimed 70.0: 3.0 times as long",
            "sequential write of 500 MB/s: not measured",
            "mean read latency 58.6 µs, claimed 80.0: reached",
            "impossible: 271,557 reads of 4 KiB a second are 1,112 MB/s, more than the 532 MB/s of the same data sheet",
        ];
        assert_eq!(brief(&sheet), said);
        let names = "missed: random read, mean write latency; not measured: sequential write; reached: mean read latency";
        assert_eq!(briefest(&sheet), format!("{names}; the sheet contradicts itself"));
        let counted_told = "missed: random read, mean write latency; 1 not measured; 1 reached; the sheet contradicts itself";
        assert_eq!(counted(&sheet), counted_told);
    }
}
