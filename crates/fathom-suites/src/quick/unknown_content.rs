//! A device that fathom did not fill: whether the blocks it reads were ever
//! written is not known (contracts V-23, V-49).

use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::latency;
use crate::taint::{Found, Rule};
use fathom_job::plan::TargetKind;

pub(super) const RULE: Rule = Rule {
    code: "unknown-content",
    hint: "fill the device once before reading it, where its contents may go",
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let first = case.cells.first()?.planned();
    let device = first.files.iter().find(|file| file.kind == TargetKind::Block)?;
    let reads = case.cells.iter().find(|cell| !cell.planned().writes())?;
    let mean =
        reads.latency_ns_mean().map(|ns| format!(" in {} on average", latency(ns))).unwrap_or_default();
    let evidence = format!("{} answered {}{mean}", device.path, told(reads));
    Found::new(
        "blocks that were never written, or trimmed since, are answered without touching the medium",
        evidence,
    )
}

fn told(cell: &Cell<'_>) -> String {
    format!("reads of {}", cell.planned().block.read.max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene};

    fn found(target: &str) -> Option<Found> {
        let options = format!("rw=randread bs=4k ioengine=psync direct=1 filename={target}");
        let run = Scene::of(&options).all(3, Flow::reads(1_000, 4096, 90_000)).run();
        check(&Case::new(&run, &Scene::surrounds()))
    }

    #[test]
    fn devices_only() {
        assert_eq!(
            found("/dev/sda").unwrap().evidence,
            "/dev/sda answered reads of 4 KiB in 90.0 µs on average"
        );
        assert_eq!(found("/data/f"), None);
    }
}
