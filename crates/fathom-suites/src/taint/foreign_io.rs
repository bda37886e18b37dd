//! Somebody else used the disk meanwhile: the kernel counted more than we moved.

use super::{Found, Rule};
use crate::case::Case;
use crate::quantity::{bytes, percent};
use crate::witness::Witness;
use fathom_job::direction::Direction;

pub(super) const RULE: Rule = Rule {
    code: "foreign-io",
    hint: "stop what else uses the disk (iotop, fatrace), or test an idle one",
    check,
};

/// The kernel may count this share of our own bytes on a file: I/O in flight at
/// the edges of a window, and a filesystem's metadata, are well below a tenth.
const FILE_SHARE: f64 = 0.10;
/// A whole device carries nothing of its own: counts agree within a thousandth
/// there, and a hundredth is somebody.
const DEVICE_SHARE: f64 = 0.01;
/// Looking for partitions and signatures, as udev does when a device is closed,
/// takes some hundred KiB.
const PROBES: u64 = 1 << 20;

fn check(case: &Case<'_>) -> Option<Found> {
    // Buffered I/O is read ahead and written back at the kernel's own pace.
    case.witnesses.iter().filter(|witness| witness.is_direct).find_map(|witness| foreign(case, witness))
}

fn foreign(case: &Case<'_>, witness: &Witness) -> Option<Found> {
    let more = |d: Direction| witness.kernel[d].saturating_sub(witness.ours_at_most[d]);
    let foreign = (more(Direction::Read) + more(Direction::Write)).saturating_sub(PROBES + ramp_edges(case));
    let ours = (witness.ours_at_most.read + witness.ours_at_most.write) as f64;
    let kernel = (witness.kernel.read + witness.kernel.write) as f64;
    let share = if witness.has_file { FILE_SHARE } else { DEVICE_SHARE };
    if ours == 0.0 || foreign as f64 <= share * ours {
        return None;
    }
    let evidence = format!(
        "{} saw {} read and {} written, {} of what fathom moved ({} and {})",
        witness.disk(),
        bytes(witness.kernel.read as f64),
        bytes(witness.kernel.write as f64),
        percent(kernel / ours),
        bytes(witness.ours_at_most.read as f64),
        bytes(witness.ours_at_most.write as f64),
    );
    let who = match witness.has_file {
        true => "others used the disk during the run, or the filesystem writes far more than it is given",
        false => "others used the disk during the run",
    };
    Found::new(who, evidence)
}

/// Bytes in flight when a ramp ends: the kernel counts them in the window that
/// follows, fathom in none.
fn ramp_edges(case: &Case<'_>) -> u64 {
    let ramped = case.on_disk().flat_map(|cell| cell.clones).filter(|clone| clone.planned.ramp.0 > 0);
    ramped.map(|clone| u64::from(clone.planned.depth.reachable) * clone.planned.block_max().0).sum()
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

    const DIRECT: &str = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";

    #[test]
    fn more_than_ours() {
        let others = found(DIRECT, 5_000, 1_000).unwrap();
        assert_eq!(
            others.evidence,
            "sda saw 20.5 MB read and 4.10 MB written, 120 % of what fathom moved (20.5 MB and 0 B)"
        );
        assert_eq!(found(DIRECT, 5_010, 200), None, "udev looks at a device");
        assert!(found(DIRECT, 4_900, 400).is_some(), "writes beside a job that only reads");
        assert_eq!(found("rw=randread bs=4k ioengine=psync filename=/dev/sda", 9_000, 0), None, "readahead");
    }

    #[test]
    fn a_filesystem_has_io_of_its_own() {
        let file = DIRECT.replace("/dev/sda", "/data/f");
        assert_eq!(found(&file, 5_000, 700), None);
        assert!(found(&file, 5_000, 1_000).is_some());
    }

    #[test]
    fn what_is_in_flight_when_a_ramp_ends_is_ours() {
        let job = "rw=randread bs=1m ioengine=libaio iodepth=64 direct=1 filename=/dev/sda ramp_time=2s";
        let flow = Flow::reads(50, 1 << 20, 100_000);
        let seen = Scene::surrounds();
        let found = |mib: u64| {
            let scene = Scene::of(job).ramp(0, 2, flow).all(5, flow).disk(disk("sda", mib << 20, 0));
            check(&Case::new(&scene.run(), &seen)).is_some()
        };
        assert_eq!((found(250 + 64), found(250 + 80)), (false, true));
    }
}
