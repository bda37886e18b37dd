//! Whether the blocks that are read were ever written (contracts V-23, V-49): not known for a
//! device that fathom did not fill; for one that it filled, known up to where the fill ended.

use super::fill::FILL;
use crate::case::Case;
use crate::cell::Cell;
use crate::figure::Figure;
use crate::quantity::{bytes, latency};
use crate::taint::{Found, TaintRule, TaintWeight};
use fathom_job::plan::TargetKind;
use fathom_results::FileRecord;

pub(super) const RULE: TaintRule = TaintRule {
    code: "unknown-content",
    weight: TaintWeight::Medium,
    hint: "fill the target once before reading it, if its contents may be lost",
    stands_on: &[Figure::Ios],
    check,
};

/// Only a part of the target was filled, and so measured.
pub(super) const PART: TaintRule = TaintRule {
    code: "part-measured",
    weight: TaintWeight::Medium,
    hint: "to measure all of it, a job file with size=100%, after a complete fill",
    stands_on: &[Figure::Plan],
    check: part,
};

const MESSAGE: &str =
    "reads of blocks that were never written, or trimmed since, are answered without touching the medium";

fn check(case: &Case<'_>) -> Option<Found> {
    let all = Cell::all(case.run);
    let reads = case.cells.iter().find(|cell| !cell.planned().writes() && cell.ios() > 0)?;
    match all.iter().find(|cell| cell.name() == FILL) {
        Some(fill) => stopped_early(fill),
        None => unfilled(reads),
    }
}

fn unfilled(reads: &Cell<'_>) -> Option<Found> {
    let is_unknown = |file: &&FileRecord| file.kind == TargetKind::Block && !file.is_written;
    let device = reads.planned().files.iter().find(is_unknown)?;
    let mean =
        reads.latency_ns_mean().map(|ns| format!(" in {} on average", latency(ns))).unwrap_or_default();
    let block = reads.planned().block.read.max();
    Found::new(MESSAGE, format!("{}: {} answered reads of {block}{mean}", reads.name(), device.path))
}

fn stopped_early(fill: &Cell<'_>) -> Option<Found> {
    let (asked, written) = (fill.planned().files.first()?.size.0, fill.totals.directions.write.bytes);
    let evidence = format!("the fill wrote {} of the {} read", bytes(written as f64), bytes(asked as f64));
    (written < asked).then(|| Found { message: MESSAGE.to_owned(), evidence, weight: None, of: None })
}

fn part(case: &Case<'_>) -> Option<Found> {
    let all = Cell::all(case.run);
    let file = all.iter().find(|cell| cell.name() == FILL)?.planned().files.first()?;
    let length = file.length.filter(|length| *length > file.size)?;
    let evidence = format!("the first {} of the {length} of {}", file.size, file.path);
    Found::new("only a part of the target was filled and measured; the rest may be slower", evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(target: &str) -> Option<Found> {
        let options = format!("rw=randread bs=4k ioengine=psync direct=1 filename={target}");
        let run = RunBuilder::of(&options).all(3, DirectionLoad::reads(1_000, 4096, 90_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn devices_only() {
        assert_eq!(
            found("/dev/sda").unwrap().evidence,
            "t: /dev/sda answered reads of 4 KiB in 90.0 µs on average"
        );
        assert_eq!(found("/data/f"), None);
    }

    #[test]
    fn what_was_not_read_answered_nothing() {
        let run = RunBuilder::of("rw=read bs=1m ioengine=psync direct=1 filename=/dev/sda").run();
        assert_eq!(check(&Case::new(&run, &crate::fixture::surrounds())), None);
    }

    fn filled(size: &str, mib: u64) -> [Option<String>; 2] {
        let text = format!(
            "[global]\nioengine=psync\ndirect=1\nfilename=/dev/sda\nsize={size}\nbs=1m\n\
             [fill]\nrw=write\n[r]\nstonewall\nrw=read\n"
        );
        let scene = RunBuilder::text(&text).seconds(0, 1, &[DirectionLoad::writes(mib, 1 << 20, 90_000)]);
        let run = scene.seconds(1, 1, &[DirectionLoad::reads(100, 1 << 20, 90_000)]).run();
        let seen = crate::fixture::surrounds();
        let case = Case::new(&run, &seen);
        [check(&case), part(&case)].map(|found| found.map(|found| found.evidence))
    }

    #[test]
    fn the_fill_makes_content_known_as_far_as_it_came() {
        assert_eq!(filled("1g", 1024), [None, None]);
        let part = Some("the first 512 MiB of the 1 GiB of /dev/sda".to_owned());
        assert_eq!(filled("512m", 512), [None, part]);
        assert_eq!(filled("1g", 300)[0].as_deref(), Some("the fill wrote 315 MB of the 1.07 GB read"));
    }
}
