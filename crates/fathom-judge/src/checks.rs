//! What a run was checked against, and the outcomes.
//!
//! A taint exists only when something is wrong. These lines are in every record: they show why a
//! sound figure can be trusted, and which figures could not be checked.

use crate::case::Case;
use crate::cell::Cell;
use crate::surrounds::Surrounds;
use crate::taint;
use crate::witness::{FILE_SYSTEM_SHARE, PROBES, Witness};
use fathom_figures::Ceiling;
use fathom_job::direction::Direction;
use fathom_results::self_check::{
    CeilingCompared, CountsDifferBy, CountsOfDirection, CountsUnclear, KernelCounts,
};
use fathom_results::{CheckEvidence, CheckOutcome, Evidence, Finding, RunResult, SelfCheck};

/// Counts of one device and of its user differ by less than this in a sound run (measured on loop
/// and zram: below a tenth of it), apart from I/Os at the edges of the run.
const COUNTS_WITHIN: f64 = 0.001;

/// Longest time between the first I/O and the reading of the kernel's counters, seconds; on an idle
/// machine it is about 50 µs.
const EDGE_SECONDS: f64 = 0.02;

/// Largest share of a run that its edges may explain. In a shorter run the two
/// counts cannot be compared.
const EDGES_MAX: f64 = 0.05;

/// Everything that can be compared, the most doubted figure first.
pub fn checks(run: &RunResult, surrounds: &Surrounds) -> Vec<SelfCheck> {
    let case = Case::new(run, surrounds);
    let mut checks = kernel_counts(&case);
    checks.extend(of_members(&case));
    let cells = case.cells.iter().filter(|cell| cell.ios() > 0);
    checks.extend(cells.flat_map(|cell| [littles_law(&case, cell), clock(&case, cell), ceiling(cell)]));
    checks
}

const fn check(outcome: CheckOutcome, evidence: CheckEvidence) -> SelfCheck {
    SelfCheck { evidence, outcome }
}

/// fathom's counts against `/sys/block/*/stat`, disk by disk.
fn kernel_counts(case: &Case<'_>) -> Vec<SelfCheck> {
    let is_foreign = taint::found("foreign-io", case).is_some();
    let found = case.witnesses.iter().map(|witness| counts(case, witness, is_foreign));
    let unknown = case.no_witness.iter().map(|why| {
        let counts = KernelCounts::NotCounted { why: why.clone() };
        check(CheckOutcome::Unknown, CheckEvidence::KernelCounts(counts))
    });
    found.chain(unknown).collect()
}

fn counts(case: &Case<'_>, witness: &Witness, is_foreign: bool) -> SelfCheck {
    let (outcome, unclear) = outcome(case, witness, is_foreign);
    let counts = KernelCounts::Compared {
        disks: witness.disks.clone(),
        directions: Direction::ALL.into_iter().filter_map(|d| side_by_side(witness, d)).collect(),
        unclear,
    };
    check(outcome, CheckEvidence::KernelCounts(counts))
}

fn outcome(case: &Case<'_>, witness: &Witness, is_foreign: bool) -> (CheckOutcome, Option<CountsUnclear>) {
    let unknown = |why| (CheckOutcome::Unknown, Some(why));
    if !witness.is_direct {
        return unknown(CountsUnclear::PageCache);
    }
    let seconds = case.on_disk().map(|cell| cell.seconds()).fold(0.0, f64::max);
    let within = COUNTS_WITHIN + EDGE_SECONDS / seconds.max(EDGE_SECONDS);
    // The rule foreign-io judges what the kernel counted in excess.
    let agree_but = |within: f64, spare: u64| {
        let above = if witness.has_file { within.max(FILE_SYSTEM_SHARE) } else { within };
        Direction::ALL.into_iter().all(|d| {
            let spare = spare as f64 / (witness.ours_at_most[d] as f64).max(1.0);
            witness.agrees(d, within, above.max(spare))
        })
    };
    let agree = |within: f64| agree_but(within, 0);
    if is_foreign || !agree(within) {
        // A host at rest moves as much, and of a job that moved less it is many times that.
        let is_little = !is_foreign && agree_but(within, PROBES);
        return if is_little { unknown(CountsUnclear::TooLittle) } else { (CheckOutcome::Broken, None) };
    }
    match agree(within.min(EDGES_MAX)) {
        true => (CheckOutcome::Holds, None),
        false => unknown(CountsUnclear::TooShort),
    }
}

/// What the I/Os of an array cost its members: the read-modify-write of small writes to RAID 5 and 6, the copies of a mirror.
fn of_members(case: &Case<'_>) -> Option<SelfCheck> {
    let [witness] = case.witnesses.as_slice() else { return None };
    let is_array = witness.is_direct && case.target_fact("md_level").is_some();
    let members: Vec<_> =
        case.run.record.disks.iter().filter(|disk| !witness.disks.contains(&disk.disk)).collect();
    // With fewer or more disks below it, a member has partitions or is itself made of others.
    let count = case.target_fact("md_disks").and_then(|text| text.parse::<usize>().ok());
    if !is_array || count != Some(members.len()) {
        return None;
    }
    // An array that is being built gives its members more to do than what fathom asks for.
    if case.target_fact("md_sync_action").is_some_and(|action| action != "idle") {
        return None;
    }
    let of = |direction: Direction| members.iter().map(|disk| disk.ios[direction as usize]).sum();
    let flushed = members.iter().any(|disk| disk.flushes.is_some_and(|flushes| flushes > 0));
    let evidence = CheckEvidence::Members {
        disks: members.iter().map(|disk| disk.disk.clone()).collect(),
        own_reads: witness.requests.read.ours,
        own_writes: witness.requests.write.ours,
        reads: of(Direction::Read),
        writes: of(Direction::Write),
        with_flushes: witness.syncs > 0 && flushed,
    };
    Some(check(CheckOutcome::Holds, evidence))
}

/// A part of what a disk did for others is given from this share on.
const OTHERS_FROM: f64 = 0.01;

fn side_by_side(witness: &Witness, direction: Direction) -> Option<CountsOfDirection> {
    let requests = witness.requests[direction];
    if requests.ours == 0 && requests.kernel == 0 {
        return None;
    }
    let (own_bytes, disk_bytes) = (witness.ours[direction], witness.kernel[direction]);
    let reached = witness.reached(direction);
    let has_others = (reached as f64) < disk_bytes as f64 * (1.0 - OTHERS_FROM);
    let beside = witness.ours_at_most[direction] - own_bytes;
    let ramps = (beside > 0).then_some(CountsDifferBy::Ramps { bytes: beside });
    let why = witness.why_requests_differ(direction);
    Some(CountsOfDirection {
        direction,
        requests: requests.kernel,
        disk_bytes,
        disk_bytes_own: has_others.then_some(reached),
        ios: requests.ours,
        own_bytes,
        because: why.or_else(|| witness.own_of_file_system(direction)).or(ramps),
    })
}

/// I/Os in flight = IOPS × latency, against the depth.
fn littles_law(case: &Case<'_>, cell: &Cell<'_>) -> SelfCheck {
    let law = cell.law();
    let outcome = match taint::found("littles-law", case) {
        _ if law.is_none() => CheckOutcome::Unknown,
        Some(Finding { evidence: Evidence::LittlesLaw { law, .. }, .. }) if law.job == cell.name() => {
            CheckOutcome::Broken
        }
        _ => CheckOutcome::Holds,
    };
    check(outcome, CheckEvidence::LittlesLaw { job: cell.name().to_owned(), law })
}

/// Latency against what the generator shows without a target. It is the time that an I/O took, from its descriptor to its
/// completion; of a job with a rate it is the time of the target, because the response contains the wait for a free slot.
fn clock(case: &Case<'_>, cell: &Cell<'_>) -> SelfCheck {
    let notes = cell.members[0].outcome.as_ref().map(|outcome| outcome.notes.as_slice()).unwrap_or_default();
    let clock = notes.iter().find(|(name, _)| name == "clock").map_or("unknown", |(_, name)| name);
    let latency_ns_mean = cell.latency_ns_mean();
    let is_near = || cell.has_target() && taint::found("clock-resolution", case).is_some();
    let outcome = match latency_ns_mean {
        None => CheckOutcome::Unknown,
        Some(_) if is_near() => CheckOutcome::Broken,
        Some(_) => CheckOutcome::Holds,
    };
    let evidence = CheckEvidence::ClockResolution {
        job: cell.name().to_owned(),
        latency_ns_mean,
        is_service: cell.is_paced(),
        clock: clock.to_owned(),
        latency_ns_min: cell.latency_ns_shown_min(),
    };
    check(outcome, evidence)
}

/// IOPS against what the generator reaches without a target.
fn ceiling(cell: &Cell<'_>) -> SelfCheck {
    let (outcome, of) = match cell.ceiling() {
        None => (CheckOutcome::Unknown, CeilingCompared::NotMeasured),
        Some(_) if cell.is_too_short() => (CheckOutcome::Unknown, CeilingCompared::TooShort),
        Some(Ceiling { engine, iops: iops_max }) => {
            let iops = cell.iops();
            let outcome = if iops > iops_max { CheckOutcome::Broken } else { CheckOutcome::Holds };
            (outcome, CeilingCompared::Rates { iops, iops_max, engine })
        }
    };
    check(outcome, CheckEvidence::GeneratorCeiling { job: cell.name().to_owned(), of })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use fathom_results::{DiskDelta, Phase};

    const JOB: &str = "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 filename=/dev/sda";

    /// A check with its evidence in words.
    #[derive(Debug)]
    struct Found {
        outcome: CheckOutcome,
        evidence: String,
    }

    fn found(scene: RunBuilder, name: &str) -> Found {
        let run = scene.run();
        let all = checks(&run, &crate::fixture::surrounds());
        let check = all.into_iter().find(|check| check.evidence.name() == name).unwrap();
        Found { outcome: check.outcome, evidence: fathom_words::check(&check.evidence) }
    }

    fn scene(options: &str, counted: u64) -> RunBuilder {
        let delta = DiskDelta { ios: [counted, 0, 0], ..disk("sda", 4096 * counted, 0) };
        RunBuilder::of(options).all(5, DirectionLoad::reads(40_000, 4096, 199_000)).disk(delta)
    }

    #[test]
    fn kernel_counts_hold_break_or_are_unknown() {
        let sound = found(scene(JOB, 200_010), "kernel-counts");
        assert_eq!(sound.outcome, CheckOutcome::Holds);
        assert_eq!(sound.evidence, "sda counted 200,010 reads of 819 MB, 100.01 %; fathom 200,000 of 819 MB");
        assert_eq!(found(scene(JOB, 190_000), "kernel-counts").outcome, CheckOutcome::Broken);
        let cached = found(scene(&JOB.replace("direct=1 ", ""), 1_000), "kernel-counts");
        assert_eq!(cached.outcome, CheckOutcome::Unknown);
        let silent = found(scene(JOB, 0).fact("target./dev/sda.iostats", "false"), "kernel-counts");
        assert!(
            silent.outcome == CheckOutcome::Unknown && silent.evidence.contains("iostats is 0"),
            "{silent:?}"
        );
    }

    /// 1,000 writes in a second to an array of three members.
    fn members(level: &str, job: &str, each: [u64; 3], disks: &str) -> Option<String> {
        let job = format!("{job} bs=4k ioengine=psync direct=1 filename=/dev/md0");
        let load = match job.contains("randread") {
            true => DirectionLoad::reads(1_000, 4096, 20_000),
            false => DirectionLoad::writes(1_000, 4096, 20_000),
        };
        let mut scene = RunBuilder::of(&job).all(1, load).disk(disk("md0", 4096 * 1_000, 0));
        for name in ["sda", "sdb", "sdc"] {
            scene = scene.disk(DiskDelta { ios: each, ..disk(name, 0, 0) });
        }
        let scene =
            scene.fact("target./dev/md0.disk", "md0").fact("target./dev/md0.disks", "md0 sda sdb sdc");
        let run = scene.fact("target./dev/md0.md_level", level).fact("target./dev/md0.md_disks", disks).run();
        let all = checks(&run, &crate::fixture::surrounds());
        all.iter().map(|check| &check.evidence).find(|it| it.name() == "members").map(fathom_words::check)
    }

    #[test]
    fn the_members_of_an_array_count_what_its_ios_cost() {
        let of = "of its members (sda, sdb, sdc)";
        for (level, job, each, told) in [
            ("raid5", "rw=randwrite", [667, 666, 0], "each write cost 2.0 reads and 2.0 writes"),
            ("raid1", "rw=randwrite", [0, 1_000, 0], "each write cost 0.0 reads and 3.0 writes"),
            ("raid0", "rw=randread", [333, 0, 0], "each read cost 1.0 reads"),
        ] {
            assert_eq!(members(level, job, each, "3").as_deref(), Some(&*format!("{told} {of}")));
        }
        assert_eq!(
            members("raid5", "rw=randwrite", [1, 1, 0], "2"),
            None,
            "there are more disks below than members"
        );
    }

    #[test]
    fn no_reason_is_made_up_and_edges_prove_nothing() {
        let doubled = found(scene(JOB, 400_000), "kernel-counts");
        assert_eq!(doubled.outcome, CheckOutcome::Broken);
        assert!(!doubled.evidence.contains("split"), "{}", doubled.evidence);
        // 4,000 I/Os in a hundredth of a second, of which the disk saw none.
        let short = RunBuilder::of(JOB).window(
            0,
            Phase::Measure,
            10_000_000,
            &[DirectionLoad::reads(4_000, 4096, 20_000)],
        );
        let delta = DiskDelta { ios: [0; 3], ..disk("sda", 0, 0) };
        let unseen = found(short.disk(delta), "kernel-counts");
        assert_eq!(unseen.outcome, CheckOutcome::Unknown);
        assert!(unseen.evidence.starts_with("the run was too short to compare"), "{}", unseen.evidence);
    }

    /// 40 reads of 512 bytes beside writes: some reads of a host at rest are many times that, and change no figure.
    #[test]
    fn a_job_that_moved_little_is_not_compared_by_shares() {
        let job = JOB.replace("bs=4k", "bs=512");
        let told = |read: u64| {
            let scene = RunBuilder::of(&job).all(4, DirectionLoad::reads(10, 512, 100_000));
            found(scene.disk(DiskDelta { ios: [50, 0, 0], ..disk("sda", read, 0) }), "kernel-counts")
        };
        let little = told(196_608);
        assert_eq!(little.outcome, CheckOutcome::Unknown);
        assert!(little.evidence.starts_with("fathom moved too little to compare"), "{}", little.evidence);
        assert_eq!(told(4 << 20).outcome, CheckOutcome::Broken);
        assert_eq!(told(10_240).outcome, CheckOutcome::Broken, "less than what fathom moved");
    }

    #[test]
    fn a_ramp_beside_another_jobs_window_is_no_strangers() {
        let text = "[global]\nioengine=psync\ndirect=1\nrw=randread\nbs=4k\nfilename=/dev/sda\n\
                    [a]\n[b]\nramp_time=2\n";
        let flow = DirectionLoad::reads(1_000, 4096, 100_000);
        let scene = RunBuilder::text(text).seconds(0, 4, &[flow]).ramp(1, 2, flow).seconds(1, 2, &[flow]);
        let delta = DiskDelta { ios: [8_000, 0, 0], ..disk("sda", 8_000 * 4096, 0) };
        let counts = found(scene.disk(delta), "kernel-counts");
        assert_eq!(counts.outcome, CheckOutcome::Holds);
        assert!(
            counts.evidence.ends_with("24.6 MB, and up to 8.19 MB in ramps at the same time"),
            "{}",
            counts.evidence
        );
    }

    #[test]
    fn a_part_of_what_a_disk_did_is_not_all_that_fathom_asked_for() {
        let file = JOB.replace("/dev/sda", "/data/f");
        let holes = found(scene(&file, 200_000).own_reads(4096 * 76_000), "kernel-counts");
        assert_eq!(holes.outcome, CheckOutcome::Broken);
        let told = "sda counted 200,000 reads of 819 MB, 100.00 %, 311 MB of it for fathom; fathom 200,000 of 819 MB";
        assert_eq!(holes.evidence, told);
        let sound = found(scene(&file, 200_000).own_reads(4096 * 200_000), "kernel-counts");
        assert_eq!(sound.outcome, CheckOutcome::Holds);
    }

    #[test]
    fn a_file_system_adds_a_little() {
        let on_file = |counted| found(scene(&JOB.replace("/dev/sda", "/data/f"), counted), "kernel-counts");
        assert_eq!(on_file(203_000).outcome, CheckOutcome::Holds);
        assert_eq!(on_file(230_000).outcome, CheckOutcome::Broken);
        assert_eq!(found(scene(JOB, 203_000), "kernel-counts").outcome, CheckOutcome::Broken);
    }

    #[test]
    fn what_a_file_system_does_by_itself_is_named() {
        let job = "rw=write bs=4k ioengine=psync direct=1 fdatasync=1 filename=/data/f";
        let scene = |of_journal: u64| {
            let flow = DirectionLoad::writes(1_000, 4096, 111_000);
            let mut delta =
                DiskDelta { ios: [0, 15_000, 5_000], ..disk("sda", 0, (5_000 + of_journal) * 4096) };
            delta.sectors[2] = 5_000 * 8;
            found(RunBuilder::of(job).all(5, flow).syncs(5_000).disk(delta), "kernel-counts")
        };
        let synced = scene(10_000);
        assert_eq!(synced.outcome, CheckOutcome::Holds, "{synced:?}");
        assert_eq!(
            synced.evidence,
            "sda counted 15,000 writes of 61.4 MB, 300.00 %; fathom 5,000 of 20.5 MB: at each sync, the file \
             system also wrote its journal and metadata; sda counted 5,000 trims of 20.5 MB; fathom 0 of 0 B: \
             the file system trimmed blocks that no file uses"
        );
        assert_eq!(scene(100_000).outcome, CheckOutcome::Broken, "more than a journal needs");
    }

    #[test]
    fn the_law_the_clock_and_the_ceiling() {
        let law = found(scene(JOB, 200_000), "littles-law");
        assert_eq!(law.outcome, CheckOutcome::Holds);
        assert_eq!(law.evidence, "t: 40.0k IOPS × 199 µs = 7.96 in flight, depth 8");
        let starved = RunBuilder::of(JOB).all(5, DirectionLoad::reads(40_000, 4096, 20_000));
        assert_eq!(found(starved, "littles-law").outcome, CheckOutcome::Broken);
        let calibrated = || scene(JOB, 200_000).calibrated(0, "null", 10_000_000);
        let clock = found(calibrated(), "clock-resolution");
        assert_eq!(clock.evidence, "t: mean latency 199 µs by clock tsc, whose smallest latency is 40.0 ns");
        let ceiling = found(calibrated(), "generator-ceiling");
        assert_eq!(ceiling.evidence, "t: 40.0k IOPS, 0.4 % of the 10.0M that the null engine reaches");
        assert_eq!(found(scene(JOB, 200_000), "generator-ceiling").outcome, CheckOutcome::Unknown);
    }
}
