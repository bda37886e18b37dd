//! The verdict of `fathom quick`.

use super::headline::headline;
use super::{limit, short_run, unknown_content};
use crate::case::Case;
use crate::surrounds::Surrounds;
use crate::taint::{RULES, Rule};
use fathom_results::{RunResult, Verdict};

/// Reasons for distrust that only matter where a verdict is given after a
/// minute; any other run is as long, and its target as full, as its owner chose.
const QUICK_RULES: [Rule; 2] = [unknown_content::RULE, short_run::RULE];

/// What the target does, what limited it, and what to distrust.
pub fn judge(run: &RunResult, seen: &Surrounds) -> Verdict {
    let case = Case::new(run, seen);
    let rules = RULES.iter().chain(&QUICK_RULES);
    Verdict {
        headline: headline(&case),
        limits: limit::limits(&case),
        distrust: rules.filter_map(|rule| distrust(rule, &case)).collect(),
    }
}

/// `Claim: numbers. Next: what to do.`
fn distrust(rule: &Rule, case: &Case<'_>) -> Option<String> {
    let taint = rule.taint(case)?;
    Some(format!("{} [{}]: {}. Next: {}.", sentence(&taint.message), taint.code, taint.evidence, rule.hint))
}

/// Begins with a capital letter.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene, disk};
    use crate::quick::{QuickTarget, SIX, job_text};
    use fathom_job::units::Bytes;

    fn text(can_write: bool) -> String {
        job_text(&QuickTarget {
            path: "/data/scratch".to_owned(),
            size: Bytes::gib(1),
            can_write,
            direct: true,
            engine: "io_uring".to_owned(),
            block_min: Bytes(512),
            seconds_per_cell: 7,
            is_scratch: true,
        })
    }

    const MIB: u64 = 1 << 20;

    /// A SATA-like drive: 90 µs alone, 80k reads and 60k writes at depth 32.
    fn ssd() -> Scene {
        Scene::text(&text(true))
            .seconds(0, 7, &[Flow::reads(530, MIB, 15_000_000)])
            .seconds(1, 7, &[Flow::reads(11_000, 4096, 90_000)])
            .seconds(2, 7, &[Flow::reads(80_000, 4096, 398_000)])
            .seconds(3, 7, &[Flow::writes(490, MIB, 16_300_000)])
            .seconds(4, 7, &[Flow::writes(60_000, 4096, 531_000)])
            .seconds(5, 7, &[Flow::reads(49_000, 4096, 455_000), Flow::writes(21_000, 4096, 455_000)])
    }

    fn bytes(reads: bool) -> u64 {
        match reads {
            true => 7 * (530 * MIB + 4096 * (11_000 + 80_000 + 49_000)),
            false => 7 * (490 * MIB + 4096 * (60_000 + 21_000)),
        }
    }

    #[test]
    fn six_figures_in_one_sentence() {
        let run = ssd().disk(disk("sda", bytes(true), bytes(false))).run();
        let verdict = judge(&run, &Scene::surrounds());
        assert_eq!(
            verdict.headline,
            "4 KiB random: 80.0k read IOPS, 60.0k write IOPS, 70.0k IOPS at 70/30 (QD32); \
             one read at a time takes 90.0 µs (p99 90.0 µs); \
             1 MiB sequential: 556 MB/s read, 514 MB/s write (QD8)."
        );
        assert_eq!(verdict.limits.len(), 3, "{:#?}", verdict.limits);
        let codes: Vec<&str> =
            verdict.distrust.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
        assert_eq!(codes, ["few-samples", "short-run"], "{:#?}", verdict.distrust);
        for line in &verdict.distrust {
            assert!(line.contains(". Next: ") && line.ends_with('.'), "{line}");
        }
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let run = Scene::text(&text(false)).seconds(1, 7, &[Flow::reads(11_000, 4096, 90_000)]).run();
        let verdict = judge(&run, &Scene::surrounds());
        assert!(verdict.headline.starts_with("one read at a time takes 90.0 µs"), "{}", verdict.headline);
        assert!(verdict.headline.ends_with("not measured: seq-read-bandwidth, rand-read-iops, seq-write-bandwidth, rand-write-iops, mixed-70-30."));
        assert_eq!(verdict.limits.len(), 1);
        let nothing = judge(&Scene::text(&text(false)).run(), &Scene::surrounds());
        assert_eq!((nothing.headline.as_str(), nothing.limits.len()), ("Nothing was measured.", 0));
    }

    #[test]
    fn a_cached_target_is_distrusted() {
        let run = ssd().disk(disk("sda", bytes(true) / 10, bytes(false))).run();
        let verdict = judge(&run, &Scene::surrounds());
        assert!(
            verdict.distrust.iter().any(|line| line.contains("[unwritten-range]") && line.contains("10 %"))
        );
        assert!(verdict.limits.iter().any(|line| line.contains("without the disk")), "{:#?}", verdict.limits);
    }

    #[test]
    fn every_measurement_is_judged_once() {
        let run = ssd().run();
        let verdict = judge(&run, &Scene::surrounds());
        for one in SIX {
            let told = verdict.limits.iter().map(|line| line.matches(one.name).count()).sum::<usize>();
            assert_eq!(told, 1, "{}: {:#?}", one.name, verdict.limits);
        }
    }
}
