//! The verdict of `fathom quick`.

use super::fill::FILL;
use super::headline::headline;
use super::told::Told;
use super::{distrust, limit};
use crate::case::Case;
use crate::surrounds::Surrounds;
use fathom_results::{RunResult, Verdict};

/// What the target does, what limited it, and what to distrust.
pub fn judge(run: &RunResult, seen: &Surrounds) -> Verdict {
    let case = the_case(run, seen);
    if case.cells.iter().all(|cell| cell.ios() == 0) {
        let headline = format!("Nothing was measured: {}.", reason(run).trim_end_matches('.'));
        return Verdict { headline, ..Verdict::default() };
    }
    let texts = |told: Vec<Told>| told.into_iter().map(|told| told.text).collect();
    Verdict {
        headline: headline(&case).text,
        limits: texts(limit::limits(&case)),
        distrust: texts(distrust::lines(&case)),
    }
}

/// Every sentence of the verdict with the data that it is based on: first the claims, where those
/// about limits are separate for each measurement, then all sentences as they are shown. Empty
/// where nothing was measured.
#[cfg(test)]
pub(super) fn sentences(run: &RunResult, seen: &Surrounds) -> [Vec<Told>; 2] {
    let case = the_case(run, seen);
    if case.cells.iter().all(|cell| cell.ios() == 0) {
        return [Vec::new(), Vec::new()];
    }
    let headline = vec![headline(&case)];
    let shown = [headline.clone(), limit::limits(&case), distrust::lines(&case)].concat();
    [[headline, limit::apart(&case)].concat(), shown]
}

/// The fill is part of the kernel's counts; its own figures are not judged.
fn the_case<'a>(run: &'a RunResult, seen: &'a Surrounds) -> Case<'a> {
    let mut case = Case::new(run, seen);
    case.cells.retain(|cell| cell.name() != FILL);
    case
}

/// Why nothing was measured: the first failure, else how the run ended.
fn reason(run: &RunResult) -> &str {
    let failures = run.jobs.iter().filter_map(|job| job.outcome.as_ref()?.failure.as_ref());
    let first = failures.map(|failure| failure.message.as_str()).next();
    first.or(run.incomplete.as_deref()).unwrap_or("no job was started")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::quick::{QuickTarget, SIX, job_text};
    use fathom_job::units::Bytes;

    fn text(can_write: bool) -> String {
        job_text(&target(can_write))
    }

    fn target(can_write: bool) -> QuickTarget {
        QuickTarget {
            path: "/data/scratch".to_owned(),
            size: Bytes::gib(1),
            can_write,
            direct: true,
            engine: "io_uring".to_owned(),
            block_min: Bytes(512),
            seconds_per_cell: 7,
            is_scratch: true,
        }
    }

    const MIB: u64 = 1 << 20;

    /// A SATA-like drive: 90 µs alone, 80k reads and 60k writes at depth 32.
    fn ssd() -> RunBuilder {
        RunBuilder::text(&text(true))
            .seconds(0, 7, &[DirectionLoad::reads(530, MIB, 15_000_000)])
            .seconds(1, 7, &[DirectionLoad::reads(11_000, 4096, 90_000)])
            .seconds(2, 7, &[DirectionLoad::reads(80_000, 4096, 398_000)])
            .seconds(3, 7, &[DirectionLoad::writes(490, MIB, 16_300_000)])
            .seconds(4, 7, &[DirectionLoad::writes(60_000, 4096, 531_000)])
            .seconds(
                5,
                7,
                &[DirectionLoad::reads(49_000, 4096, 455_000), DirectionLoad::writes(21_000, 4096, 455_000)],
            )
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
        let verdict = judge(&run, &crate::fixture::surrounds());
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
        let run =
            RunBuilder::text(&text(false)).seconds(1, 7, &[DirectionLoad::reads(11_000, 4096, 90_000)]).run();
        let verdict = judge(&run, &crate::fixture::surrounds());
        assert!(verdict.headline.starts_with("one read at a time takes 90.0 µs"), "{}", verdict.headline);
        assert!(verdict.headline.ends_with("not measured: seq-read-bandwidth, rand-read-iops, seq-write-bandwidth, rand-write-iops, mixed-70-30."));
        assert_eq!(verdict.limits.len(), 1);
    }

    #[test]
    fn nothing_measured_has_a_reason_and_no_more() {
        let told = |scene: RunBuilder| {
            let verdict = judge(&scene.run(), &crate::fixture::surrounds());
            assert!(verdict.limits.is_empty() && verdict.distrust.is_empty(), "{verdict:#?}");
            verdict.headline
        };
        assert_eq!(told(RunBuilder::text(&text(false))), "Nothing was measured: no job was started.");
        let failed = RunBuilder::text(&text(false)).failed("cannot open /data/scratch: permission denied");
        assert_eq!(told(failed), "Nothing was measured: cannot open /data/scratch: permission denied.");
    }

    #[test]
    fn an_unsteady_figure_is_a_range() {
        let mut scene =
            RunBuilder::text(&text(false)).seconds(0, 7, &[DirectionLoad::reads(530, MIB, 15_000_000)]);
        for ios in [10_000, 74_000, 40_000, 40_000, 41_000] {
            scene = scene.seconds(2, 1, &[DirectionLoad::reads(ios, 4096, 780_000)]);
        }
        let verdict = judge(&scene.run(), &crate::fixture::surrounds());
        assert!(
            verdict
                .headline
                .starts_with("4 KiB random: 41.0k (10.0k to 74.0k between seconds) read IOPS (QD32)"),
            "{}",
            verdict.headline
        );
        assert!(verdict.headline.contains("sequential: 556 MB/s read"), "{}", verdict.headline);
        assert!(
            verdict.distrust.iter().any(|line| line.contains("[unstable]: rand-read-iops: 10.0k to 74.0k"))
        );
    }

    #[test]
    fn the_fill_is_no_figure() {
        let target = QuickTarget { is_scratch: false, ..target(true) };
        let scene = RunBuilder::text(&job_text(&target)).seconds(
            0,
            2,
            &[DirectionLoad::writes(512, MIB, 15_600_000)],
        );
        let verdict = judge(
            &scene.seconds(2, 7, &[DirectionLoad::reads(11_000, 4096, 90_000)]).run(),
            &crate::fixture::surrounds(),
        );
        let told = format!("{verdict:?}");
        assert!(!told.contains("fill") && verdict.headline.starts_with("one read at a time"), "{verdict:#?}");
    }

    #[test]
    fn a_cached_target_is_distrusted() {
        let run = ssd().disk(disk("sda", bytes(true) / 10, bytes(false))).run();
        let verdict = judge(&run, &crate::fixture::surrounds());
        assert!(
            verdict.distrust.iter().any(|line| line.contains("[unwritten-range]") && line.contains("10 %"))
        );
        assert!(verdict.limits.iter().any(|line| line.contains("without the disk")), "{:#?}", verdict.limits);
    }

    #[test]
    fn every_measurement_is_judged_once() {
        let run = ssd().run();
        let verdict = judge(&run, &crate::fixture::surrounds());
        for one in SIX {
            // What speaks against a limit may name a measurement again.
            let judged = verdict.limits.iter().filter_map(|line| line.split(" Not certain: ").next());
            let told = judged.map(|line| line.matches(one.name).count()).sum::<usize>();
            assert_eq!(told, 1, "{}: {:#?}", one.name, verdict.limits);
        }
    }
}
