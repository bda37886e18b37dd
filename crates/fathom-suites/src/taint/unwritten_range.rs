//! Direct reads of a file that never reached the disk: holes and unwritten
//! extents read as zeros without I/O.

use super::counts_disagree::KERNEL_SHARE_MIN;
use super::{Found, Rule};
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{bytes, percent};
use fathom_job::direction::Direction;

pub(super) const RULE: Rule =
    Rule { code: "unwritten-range", hint: "write the whole file once before reading it", check };

fn check(case: &Case<'_>) -> Option<Found> {
    let witness =
        case.witness.as_ref().filter(|_| case.is_direct() && case.on_disk().any(Cell::is_on_file))?;
    let share = witness.share(Direction::Read).filter(|share| *share < KERNEL_SHARE_MIN)?;
    let (ours, theirs) = (witness.ours.read as f64, witness.kernel.read as f64);
    let evidence =
        format!("{} read, of which {} saw {} ({})", bytes(ours), witness.disk, bytes(theirs), percent(share));
    let message = "reads were answered without the disk: a sparse or unwritten file, or one that the filesystem compresses or caches";
    Found::new(message, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene, disk};

    fn found(target: &str, kernel: u64) -> Option<Found> {
        let options = format!("rw=randread bs=4k ioengine=psync direct=1 filename={target}");
        let run =
            Scene::of(&options).all(5, Flow::reads(1_000, 4096, 20_000)).disk(disk("sda", kernel, 0)).run();
        check(&Case::new(&run, &Scene::surrounds()))
    }

    #[test]
    fn holes_cost_no_io() {
        assert_eq!(found("/data/f", 0).unwrap().evidence, "20.5 MB read, of which sda saw 0 B (0.0 %)");
        assert_eq!(found("/data/f", 4096 * 5_000), None);
        assert_eq!(found("/dev/sda", 0), None, "a device has no holes above its counters");
    }
}
