//! Direct reads that never reached the disk. Holes and unwritten extents of a file read as zeros
//! without I/O; so do blocks that a thin volume never allocated: the volume counts the read, the
//! disks below it do not.

use super::counts_disagree::KERNEL_SHARE_MIN;
use super::{Found, TaintRule};
use crate::case::Case;
use crate::witness::{SECTOR, Witness};
use fathom_job::direction::Direction;
use fathom_results::{DiskDelta, Evidence, Weight};

/// The code of the rule.
pub(crate) const CODE: &str = "unwritten-range";

pub(super) const RULE: TaintRule = TaintRule { code: CODE, weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    holes(case).or_else(|| beneath(case).filter(|_| case.is_direct()))
}

/// The filesystem answered. A device has no holes above its own counters.
fn holes(case: &Case<'_>) -> Option<Found> {
    let on_files = case.witnesses.iter().filter(|witness| witness.has_file && witness.is_direct);
    on_files
        .filter(|witness| witness.share_reached(Direction::Read).is_some())
        .find_map(|witness| Some(short(witness)?.about(case.part(|cell| witness.is_of(cell)))))
}

fn short(witness: &Witness) -> Option<Found> {
    witness.share_reached(Direction::Read).filter(|share| *share < KERNEL_SHARE_MIN)?;
    Some(Found::new(Evidence::UnwrittenRange {
        read_bytes: witness.ours.read,
        volume: None,
        disks: vec![witness.disk()],
        disk_bytes: witness.reached(Direction::Read),
    }))
}

/// A volume answered. All disks below it are added up, because of stripes; layers count twice,
/// which can only hide a finding.
fn beneath(case: &Case<'_>) -> Option<Found> {
    let [witness] = case.witnesses.as_slice() else { return None };
    let is_below = |disk: &&DiskDelta| !witness.disks.contains(&disk.disk);
    let below: Vec<_> = case.run.record.disks.iter().filter(is_below).collect();
    // The loop-device rule judges the page cache behind a loop device.
    if below.is_empty() || case.target_fact("loop_direct_io") == Some("false") {
        return None;
    }
    let disk_bytes = below.iter().map(|disk| disk.sectors[0].saturating_mul(SECTOR)).sum::<u64>();
    let read_bytes = witness.ours.read;
    if disk_bytes as f64 >= KERNEL_SHARE_MIN * read_bytes as f64 {
        return None;
    }
    let disks = below.iter().map(|disk| disk.disk.clone()).collect();
    Some(Found::new(Evidence::UnwrittenRange { read_bytes, volume: Some(witness.disk()), disks, disk_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::Finding;

    fn words(finding: &Finding) -> String {
        fathom_words::of_finding(finding).evidence
    }

    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::surrounds::Surrounds;
    use crate::taint::findings;

    fn found(target: &str, kernel: u64) -> Option<Found> {
        let options = format!("rw=randread bs=4k ioengine=psync direct=1 filename={target}");
        let run = RunBuilder::of(&options)
            .all(5, DirectionLoad::reads(1_000, 4096, 20_000))
            .disk(disk("sda", kernel, 0))
            .run();
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    #[test]
    fn holes_cost_no_io() {
        assert_eq!(found("/data/f", 0).unwrap().evidence(), "20.5 MB read, of which sda saw 0 B (0.0 %)");
        assert_eq!(found("/data/f", 4096 * 5_000), None);
        assert_eq!(found("/dev/sda", 0), None, "a device has no holes above its counters");
    }

    #[test]
    fn somebody_who_reads_the_disk_hides_no_hole() {
        // 38 % of what the job read is written; others read as much as the holes hold.
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/data/f";
        let found = |own: Option<u64>| {
            let flow = DirectionLoad::reads(1_000, 4096, 20_000);
            let scene = RunBuilder::of(job).all(5, flow).disk(disk("sda", 4096 * 5_000, 0));
            let scene = own.into_iter().fold(scene, |scene, ios| scene.own_reads(4096 * ios));
            findings(&scene.run(), &crate::fixture::surrounds())
        };
        let codes = |own| found(own).into_iter().map(|finding| finding.code().to_owned()).collect::<Vec<_>>();
        let hidden = found(Some(1_900));
        let unwritten = hidden.iter().find(|finding| finding.code() == CODE).unwrap();
        assert_eq!(words(unwritten), "20.5 MB read, of which sda saw 7.78 MB (38 %)");
        let foreign = hidden.iter().find(|finding| finding.code() == "foreign-io").unwrap();
        assert_eq!(words(foreign), "others read 12.7 MB on sda, and fathom read 7.78 MB");
        assert!(!codes(Some(5_000)).contains(&CODE.to_owned()), "all of it was fathom's");
        assert!(!codes(None).contains(&CODE.to_owned()), "the kernel does not say it");
    }

    #[test]
    fn a_thin_volume_answers_what_it_never_gave_out() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/dm-0";
        let found = |below| {
            let scene = RunBuilder::of(job).all(5, DirectionLoad::reads(1_000, 4096, 20_000));
            let run = scene.disk(disk("dm-0", 4096 * 5_000, 0)).disk(disk("sda", below, 0)).run();
            let surrounds = Surrounds { disk_name: Some("dm-0".to_owned()), ..crate::fixture::surrounds() };
            findings(&run, &surrounds).into_iter().find(|finding| finding.code() == RULE.code)
        };
        assert_eq!(words(&found(0).unwrap()), "20.5 MB read from dm-0, of which sda saw 0 B (0.0 %)");
        assert_eq!(found(4096 * 5_000), None);
    }
}
