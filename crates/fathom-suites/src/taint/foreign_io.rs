//! Somebody else used the disk meanwhile: the kernel counted more than we moved.

use super::{Found, Rule};
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{bytes, percent};

pub(super) const RULE: Rule = Rule {
    code: "foreign-io",
    hint: "stop what else uses the disk (iotop, fatrace), or test an idle one",
    check,
};

/// The kernel may count this share of our own bytes: I/O in flight at the edges
/// of a window, and a filesystem's metadata, are well below a tenth.
const SHARE_MAX: f64 = 1.10;

fn check(case: &Case<'_>) -> Option<Found> {
    // Buffered I/O is read ahead and written back at the kernel's own pace.
    let witness = case.witness.as_ref().filter(|_| case.is_direct())?;
    let ours = (witness.ours_at_most.read + witness.ours_at_most.write) as f64;
    let kernel = (witness.kernel.read + witness.kernel.write) as f64;
    if ours == 0.0 || kernel <= SHARE_MAX * ours {
        return None;
    }
    let evidence = format!(
        "{} saw {} read and {} written, {} of what fathom moved ({} and {})",
        witness.disk,
        bytes(witness.kernel.read as f64),
        bytes(witness.kernel.write as f64),
        percent(kernel / ours),
        bytes(witness.ours_at_most.read as f64),
        bytes(witness.ours_at_most.write as f64),
    );
    let who = match case.on_disk().any(Cell::is_on_file) {
        true => "others used the disk during the run, or the filesystem writes far more than it is given",
        false => "others used the disk during the run",
    };
    Found::new(who, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene, disk};

    fn found(options: &str, read: u64, written: u64) -> Option<Found> {
        let delta = disk("sda", read * 4096, written * 4096);
        let run = Scene::of(options).all(5, Flow::reads(1_000, 4096, 100_000)).disk(delta).run();
        check(&Case::new(&run, &Scene::surrounds()))
    }

    #[test]
    fn more_than_ours() {
        const DIRECT: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let others = found(DIRECT, 5_000, 1_000).unwrap();
        assert_eq!(
            others.evidence,
            "sda saw 20.5 MB read and 4.10 MB written, 120 % of what fathom moved (20.5 MB and 0 B)"
        );
        assert_eq!(found(DIRECT, 5_200, 200), None);
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/dev/sda", 9_000, 0), None, "readahead");
    }
}
