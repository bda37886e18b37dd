//! What a run was checked against, and the outcomes.
//!
//! A taint exists only when something is wrong. These lines are in every record: they show why a
//! sound figure can be trusted, and which figures could not be checked.

use crate::case::Case;
use crate::cell::Cell;
use crate::surrounds::Surrounds;
use crate::taint;
use crate::witness::{FILE_SYSTEM_SHARE, PROBES, Witness};
use fathom_job::direction::Direction;
use fathom_results::{CheckOutcome, Finding, RunResult, Seen, SelfCheck};
use fathom_text::quantity::{bytes, grouped, iops, latency, percent};

/// Counts of one device and of its user differ by less than this in a sound run (measured on loop
/// and zram: below a tenth of it), apart from I/Os at the edges of the run.
const COUNTS_WITHIN: f64 = 0.001;

/// Longest time between the first I/O and the reading of the kernel's counters, seconds; on an idle
/// machine it is about 50 µs.
const EDGE_SECONDS: f64 = 0.02;

/// Largest share of a run that its edges may explain. In a shorter run the two
/// counts cannot be compared.
const EDGES_MAX: f64 = 0.05;

/// Name of the comparison with the kernel's counters.
const COUNTS: &str = "kernel-counts";

/// Name of what the members of an array counted.
const MEMBERS: &str = "members";

/// Everything that can be compared, the most doubted figure first.
pub fn checks(run: &RunResult, seen: &Surrounds) -> Vec<SelfCheck> {
    let case = Case::new(run, seen);
    let mut checks = kernel_counts(&case);
    checks.extend(of_members(&case));
    let cells = case.cells.iter().filter(|cell| cell.ios() > 0);
    checks.extend(cells.flat_map(|cell| [littles_law(&case, cell), clock(&case, cell), ceiling(cell)]));
    checks
}

fn check(name: &str, outcome: CheckOutcome, evidence: String) -> SelfCheck {
    SelfCheck { name: name.to_owned(), outcome, evidence }
}

/// fathom's counts against `/sys/block/*/stat`, disk by disk.
fn kernel_counts(case: &Case<'_>) -> Vec<SelfCheck> {
    let is_foreign = taint::found("foreign-io", case).is_some();
    let found = case.witnesses.iter().map(|witness| counts(case, witness, is_foreign));
    let unknown = case.no_witness.iter().map(|why| check(COUNTS, CheckOutcome::Unknown, why.clone()));
    found.chain(unknown).collect()
}

fn counts(case: &Case<'_>, witness: &Witness, is_foreign: bool) -> SelfCheck {
    let told: Vec<String> = Direction::ALL.into_iter().filter_map(|d| side_by_side(witness, d)).collect();
    if !witness.is_direct {
        let why = "the page cache is in between: it reads ahead, writes back later, and answers reads itself";
        return check(COUNTS, CheckOutcome::Unknown, format!("{why} ({})", told.join("; ")));
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
    let told = told.join("; ");
    if is_foreign || !agree(within) {
        // A host at rest moves as much, and of a job that moved less it is many times that.
        let is_little = !is_foreign && agree_but(within, PROBES);
        return match is_little {
            true => {
                check(COUNTS, CheckOutcome::Unknown, format!("fathom moved too little to compare ({told})"))
            }
            false => check(COUNTS, CheckOutcome::Broken, told),
        };
    }
    match agree(within.min(EDGES_MAX)) {
        true => check(COUNTS, CheckOutcome::Holds, told),
        false => check(COUNTS, CheckOutcome::Unknown, format!("the run was too short to compare ({told})")),
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
    let of =
        |direction: Direction| members.iter().map(|disk| disk.ios[direction as usize]).sum::<u64>() as f64;
    let (reads, writes) = (of(Direction::Read), of(Direction::Write));
    let (read, written) = (witness.requests.read.ours as f64, witness.requests.write.ours as f64);
    let told = match (read > 0.0, written > 0.0) {
        (false, true) => {
            format!("each write cost {:.1} reads and {:.1} writes", reads / written, writes / written)
        }
        (true, false) => format!("each read cost {:.1} reads", reads / read),
        _ => format!(
            "{} reads and {} writes became {} reads and {} writes",
            grouped(read as u64),
            grouped(written as u64),
            grouped(reads as u64),
            grouped(writes as u64)
        ),
    };
    let names: Vec<&str> = members.iter().map(|disk| disk.disk.as_str()).collect();
    let flushed = members.iter().any(|disk| disk.flushes.is_some_and(|flushes| flushes > 0));
    let flushed = if witness.syncs > 0 && flushed { ", flushes included," } else { "" };
    let told = format!("{told}{flushed} of its members ({})", names.join(", "));
    Some(check(MEMBERS, CheckOutcome::Holds, told))
}

/// A share from which on it is told as a multiple.
const MULTIPLE_MIN: f64 = 10.0;

/// What the kernel counted, as a share of what fathom counted: `99.98 %`, `2,614 times as much`.
fn of_ours(share: f64) -> String {
    match share {
        share if share >= MULTIPLE_MIN => format!("{} times as much", grouped(share.round() as u64)),
        share => format!("{:.2} %", 100.0 * share),
    }
}

/// `, 7.78 MB of it for fathom`, where the disk did other work too.
fn own_part(witness: &Witness, direction: Direction) -> String {
    let (own, all) = (witness.reached(direction) as f64, witness.kernel[direction] as f64);
    let is_part = own < all * (1.0 - TOLD_FROM);
    if is_part { format!(", {} of it for fathom", bytes(own)) } else { String::new() }
}

/// A part of what a disk did for others is told from this share on.
const TOLD_FROM: f64 = 0.01;

fn side_by_side(witness: &Witness, direction: Direction) -> Option<String> {
    let requests = witness.requests[direction];
    if requests.ours == 0 && requests.kernel == 0 {
        return None;
    }
    let (ours, theirs) = (witness.ours[direction], witness.kernel[direction]);
    let for_us = own_part(witness, direction);
    let share = witness.share(direction).map_or_else(String::new, |share| format!(", {}", of_ours(share)));
    let beside = witness.ours_at_most[direction] - ours;
    let why = witness.why_requests_differ(direction);
    let why = match why.or_else(|| witness.own_of_file_system(direction).map(str::to_owned)) {
        Some(why) => format!(": {why}"),
        None if beside > 0 => format!(", and up to {} in ramps at the same time", bytes(beside as f64)),
        None => String::new(),
    };
    Some(format!(
        "{} counted {} {}s of {}{share}{for_us}; fathom {} of {}{why}",
        witness.disk(),
        grouped(requests.kernel),
        direction.name(),
        bytes(theirs as f64),
        grouped(requests.ours),
        bytes(ours as f64)
    ))
}

/// I/Os in flight = IOPS × latency, against the depth.
fn littles_law(case: &Case<'_>, cell: &Cell<'_>) -> SelfCheck {
    const NAME: &str = "littles-law";
    let Some(law) = cell.law() else {
        return check(NAME, CheckOutcome::Unknown, format!("{}: latency was not kept", cell.name()));
    };
    let outcome = match taint::found(NAME, case) {
        Some(Finding { seen: Seen::LittlesLaw { law, .. }, .. }) if law.job == cell.name() => {
            CheckOutcome::Broken
        }
        _ => CheckOutcome::Holds,
    };
    check(NAME, outcome, fathom_words::law(&law, 2))
}

/// Latency against what the generator shows without a target.
fn clock(case: &Case<'_>, cell: &Cell<'_>) -> SelfCheck {
    const NAME: &str = "clock-resolution";
    let notes = cell.members[0].outcome.as_ref().map(|outcome| outcome.notes.as_slice()).unwrap_or_default();
    let clock = notes.iter().find(|(name, _)| name == "clock").map_or("unknown", |(_, name)| name);
    let least = cell.latency_ns_shown_min();
    let told =
        least.map_or_else(String::new, |ns| format!(", whose smallest latency is {}", latency(ns as f64)));
    let Some(mean) = cell.mean_shown() else {
        return check(NAME, CheckOutcome::Unknown, format!("{}: latency was not kept", cell.name()));
    };
    let is_near = cell.has_target() && taint::found(NAME, case).is_some();
    let outcome = if is_near { CheckOutcome::Broken } else { CheckOutcome::Holds };
    check(NAME, outcome, format!("{}: mean latency {mean} by clock {clock}{told}", cell.name()))
}

/// IOPS against what the generator reaches without a target.
fn ceiling(cell: &Cell<'_>) -> SelfCheck {
    const NAME: &str = "generator-ceiling";
    let Some(top) = cell.ceiling() else {
        return check(
            NAME,
            CheckOutcome::Unknown,
            format!("{}: fathom's own top speed was not checked", cell.name()),
        );
    };
    if cell.is_too_short() {
        let why = format!("{}: it measured for too short a time for a rate", cell.name());
        return check(NAME, CheckOutcome::Unknown, why);
    }
    let share = cell.iops() / top.iops;
    let outcome = if share > 1.0 { CheckOutcome::Broken } else { CheckOutcome::Holds };
    let (rate, most) = (iops(cell.iops()), iops(top.iops));
    let engine = top.engine;
    let share = percent(share);
    check(
        NAME,
        outcome,
        format!("{}: {rate} IOPS, {share} of the {most} that the {engine} engine reaches", cell.name()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use fathom_results::{DiskDelta, Phase};

    #[test]
    fn a_share_of_many_times_is_a_multiple() {
        assert_eq!([0.9998, 9.99, 2_613.9].map(of_ours), ["99.98 %", "999.00 %", "2,614 times as much"]);
    }

    const JOB: &str = "rw=randread bs=4k ioengine=libaio iodepth=8 direct=1 filename=/dev/sda";

    fn found(scene: RunBuilder, name: &str) -> SelfCheck {
        let run = scene.run();
        let all = checks(&run, &crate::fixture::surrounds());
        all.into_iter().find(|check| check.name == name).unwrap()
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
        all.into_iter().find(|check| check.name == MEMBERS).map(|check| check.evidence)
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
