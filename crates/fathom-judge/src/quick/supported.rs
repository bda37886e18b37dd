//! Every sentence of a verdict is based on the data that it names and on no other: without one of
//! them it is missing, and without any other it is still there.
//!
//! Runs are generated, of every sort of target and with every sort of trouble. From each, one
//! figure after the other is removed, and the run is judged again.

use super::judge::sentences;
use super::told::{Datum, Figure, Told};
use super::{QuickTarget, SIX, job_text};
use crate::fixture::{DirectionLoad, RunBuilder, disk};
use crate::surrounds::Surrounds;
use fathom_job::units::Bytes;
use fathom_results::{CpuQuota, FindingWeight, HostFinding, JobResult, KernelWorkerKind, Latency, RunResult};
use fathom_stats::{Moments, SplitMix64};

const MIB: u64 = 1 << 20;
const FIGURES: [Figure; 17] = [
    Figure::Ios,
    Figure::Seconds,
    Figure::Latency,
    Figure::Percentiles,
    Figure::Submission,
    Figure::Usage,
    Figure::KernelThreads,
    Figure::Ceiling,
    Figure::Errors,
    Figure::Probe,
    Figure::Target,
    Figure::Counters,
    Figure::Hypervisor,
    Figure::Steal,
    Figure::Quota,
    Figure::Disturbances,
    Figure::Samples,
];

/// Generated runs.
const ROUNDS: u32 = 100;

/// One figure or another, by chance.
fn pick<T: Copy>(random: &mut SplitMix64, choices: &[T]) -> T {
    choices[(random.next_bits() % choices.len() as u64) as usize]
}

/// A target and its surroundings.
fn target(random: &mut SplitMix64, text: &QuickTarget) -> (QuickTarget, Surrounds) {
    let path = pick(random, &["/data/scratch", "/dev/sda"]);
    let name = pick(random, &["sda", "vda", "loop3", "zram0", "sda", "vda"]);
    let fs_type = pick(random, &["ext4", "ext4", "tmpfs"]).to_owned();
    let target = QuickTarget {
        path: path.to_owned(),
        can_write: pick(random, &[true, false]) && path == "/data/scratch",
        direct: pick(random, &[true, true, false]),
        engine: pick(random, &["io_uring", "libaio"]).to_owned(),
        is_scratch: path == "/data/scratch",
        ..text.clone()
    };
    let seen = Surrounds {
        disk_name: Some(name.to_owned()),
        is_virtual: Some(name == "vda"),
        is_loop: name == "loop3",
        fs_type: Some(fs_type),
        hypervisor: pick(random, &[None, Some("kvm")]).map(str::to_owned),
        steal_percent: pick(random, &[None, Some(5.0)]),
        direct: target.direct,
        ..crate::fixture::surrounds()
    };
    (target, seen)
}

/// The seconds of one measurement.
fn measured(random: &mut SplitMix64, scene: RunBuilder, job: usize, writes: bool, depth: u64) -> RunBuilder {
    let block = if depth == 8 { MIB } else { 4096 };
    // No measurement moves so little that a sum of three digits does not show it.
    let few: &[u64] = if depth == 8 { &[60, 530, 1_000] } else { &[16_000, 80_000, 300_000] };
    let ios = pick(random, few);
    // Full queues, and some that were not kept full.
    let latency_ns = pick(random, &[depth * 1_000_000_000 / ios, depth * 500_000_000 / ios]);
    let unsteady = pick(random, &[false, false, true]);
    let late = pick(random, &[0, 0, latency_ns / 2]);
    let errors = pick(random, &[0, 0, 0, 3]);
    (0..7).fold(scene, |scene, second| {
        let ios = if unsteady && second % 2 == 0 { ios / 3 } else { ios };
        let reads =
            DirectionLoad { submission_ns: late, errors, ..DirectionLoad::reads(ios, block, latency_ns) };
        let flow = if writes {
            DirectionLoad { direction: DirectionLoad::writes(1, 1, 1).direction, ..reads }
        } else {
            reads
        };
        scene.seconds(job, 1, &[flow])
    })
}

/// A random run of `quick`.
fn run(random: &mut SplitMix64) -> (RunResult, Surrounds) {
    let plain = QuickTarget {
        path: String::new(),
        size: Bytes::gib(1),
        can_write: false,
        direct: true,
        engine: String::new(),
        block_min: Bytes(512),
        seconds_per_cell: 7,
        is_scratch: true,
    };
    let (target, seen) = target(random, &plain);
    let mut scene = RunBuilder::text(&job_text(&target));
    for (job, one) in SIX.iter().filter(|one| target.can_write || !one.writes).enumerate() {
        if pick(random, &[true, true, true, false]) {
            scene = measured(random, scene, job, one.rw.contains("write"), u64::from(one.depth));
        }
        let (user, system) = pick(random, &[(0.02, 0.03), (0.1, 0.2), (0.2, 0.5), (0.3, 0.69), (0.6, 0.39)]);
        scene = scene.cpu(job, user, system);
        if pick(random, &[true, false, false]) {
            scene = scene.kernel_workers(job as u32, KernelWorkerKind::IoWq, 4, 2_000_000_000);
        }
        if pick(random, &[true, false]) {
            scene = scene.calibrated(job as u32, "null", 320_000);
        }
    }
    let way = if target.direct { "direct" } else { "buffered" };
    let facts = [(format!("probe.{way}.completes_inline"), "true"), ("loop_direct_io".to_owned(), "false")];
    for (fact, value) in facts {
        if pick(random, &[true, false]) {
            scene = scene.fact(&format!("target.{}.{fact}", target.path), value);
        }
    }
    if pick(random, &[true, false]) {
        let heat: [(&str, &str, &[u64]); 1] = [("temperature", "nvme0", &[360_150, 355_150])];
        scene = (0..30)
            .fold(scene, |scene, at| scene.sampled(at * 1_000_000_000, (at + 1) * 1_000_000_000, &heat));
    }
    let mut run = scene.run();
    count(random, &mut run, &seen);
    if pick(random, &[true, false, false]) {
        run.record.self_knowledge.disturbances.push(throttled());
    }
    if pick(random, &[true, false, false, false, false]) {
        let quota = CpuQuota {
            quota_ns: 50_000_000,
            period_ns: 100_000_000,
            periods: 300,
            stopped: pick(random, &[3, 240]),
        };
        run.record.self_knowledge.cpu_quota = Some(quota);
    }
    (run, seen)
}

/// What the kernel counted: nothing, as much, less, or far more.
fn count(random: &mut SplitMix64, run: &mut RunResult, seen: &Surrounds) {
    let [read, written] = moved(run);
    let percent = pick(random, &[0, 100, 100, 30, 478]);
    if percent > 0 {
        let name = seen.disk_name.as_deref().unwrap();
        run.record.disks.push(disk(name, read / 100 * percent, written / 100 * percent));
    }
}

fn throttled() -> HostFinding {
    HostFinding {
        check: "cpu.throttle".to_owned(),
        subject: "cpu1".to_owned(),
        weight: FindingWeight::Warn,
        says: "throttled for 120 ms".to_owned(),
        path: String::new(),
        raw: String::new(),
    }
}

/// The run without one of its data.
fn without(run: &RunResult, seen: &Surrounds, datum: &Datum) -> (RunResult, Surrounds) {
    let (mut run, mut seen) = (run.clone(), seen.clone());
    match &datum.measurement {
        Some(name) => take_of_one(&mut run, name, datum.figure),
        None => take_of_all(&mut run, &mut seen, datum.figure),
    }
    (run, seen)
}

/// Bytes that all jobs moved: read, written.
fn moved(run: &RunResult) -> [u64; 2] {
    let all = |bytes: fn(&JobResult) -> u64| run.jobs.iter().map(bytes).sum();
    [all(|job| job.totals.directions.read.bytes), all(|job| job.totals.directions.write.bytes)]
}

/// Without a measurement, the kernel would have counted less as well.
fn uncount(run: &mut RunResult, before: [u64; 2]) {
    let after = moved(run);
    for disk in &mut run.record.disks {
        for at in 0..2 {
            let sectors =
                u128::from(disk.sectors[at]) * u128::from(after[at]) / u128::from(before[at].max(1));
            disk.sectors[at] = sectors as u64;
        }
    }
}

fn take_of_one(run: &mut RunResult, name: &str, figure: Figure) {
    let before = moved(run);
    let ids: Vec<u32> =
        run.jobs.iter().filter(|job| job.planned.name == name).map(|job| job.planned.id).collect();
    let known = &mut run.record.self_knowledge;
    match figure {
        Figure::KernelThreads => known.kernel_workers.retain(|threads| !ids.contains(&threads.job)),
        Figure::Ceiling => known.calibrations.retain(|one| !ids.contains(&one.job)),
        _ => {}
    }
    for job in run.jobs.iter_mut().filter(|job| ids.contains(&job.planned.id)) {
        match figure {
            Figure::Ios => (job.totals, job.series) = (Default::default(), Vec::new()),
            Figure::Seconds => job.series.clear(),
            Figure::Usage => job.outcome = None,
            _ => {}
        }
        for flow in [&mut job.totals.directions.read, &mut job.totals.directions.write] {
            match figure {
                Figure::Latency => {
                    flow.total = Latency::default();
                    flow.completion.moments = Moments::default();
                }
                Figure::Percentiles => flow.completion.histogram = None,
                Figure::Submission => flow.submission = Latency::default(),
                Figure::Errors => flow.errors = 0,
                _ => {}
            }
        }
    }
    uncount(run, before);
}

fn take_of_all(run: &mut RunResult, seen: &mut Surrounds, figure: Figure) {
    let record = &mut run.record;
    match figure {
        Figure::Probe => record.host.retain(|fact| !fact.name.contains(".probe.")),
        Figure::Target => {
            record.host.retain(|fact| !fact.name.starts_with("target.") || fact.name.contains(".probe."));
            record.disks.clear();
            (seen.disk_name, seen.fs_type, seen.is_virtual, seen.is_loop) = (None, None, None, false);
        }
        Figure::Counters => (record.disks, record.process_io) = (Vec::new(), None),
        Figure::Hypervisor => seen.hypervisor = None,
        Figure::Steal => seen.steal_percent = None,
        Figure::Quota => record.self_knowledge.cpu_quota = None,
        Figure::Disturbances => record.self_knowledge.disturbances.clear(),
        Figure::Samples => run.samples = Default::default(),
        _ => {}
    }
}

/// Everything that can be taken from a run of `quick`.
fn all_data() -> Vec<Datum> {
    let of_one = FIGURES.into_iter().filter(|figure| figure.is_of_one());
    let of_all = FIGURES.into_iter().filter(|figure| !figure.is_of_one());
    let named =
        of_one.flat_map(|figure| SIX.map(|one| Datum { measurement: Some(one.name.to_owned()), figure }));
    named.chain(of_all.map(|figure| Datum { measurement: None, figure })).collect()
}

/// Those that are still said.
fn texts(told: &[Told]) -> Vec<&str> {
    told.iter().map(|told| told.text.as_str()).collect()
}

#[test]
fn a_sentence_stands_on_the_data_that_it_names_and_on_no_other() {
    let mut random = SplitMix64::new(2_026);
    let mut seen_figures = Vec::new();
    for round in 0..ROUNDS {
        let (run, seen) = run(&mut random);
        let [claims, shown] = sentences(&run, &seen);
        for told in claims.iter().chain(&shown) {
            assert!(!told.data.is_empty(), "round {round}: it names nothing: {told}");
            seen_figures.extend(told.data.iter().map(|datum| datum.figure));
        }
        for datum in all_data() {
            let (less, seen_less) = without(&run, &seen, &datum);
            let [claims_left, shown_left] = sentences(&less, &seen_less);
            let shown_left = texts(&shown_left);
            for told in shown.iter().filter(|told| told.data.contains(&datum)) {
                assert!(!shown_left.contains(&&*told.text), "round {round}: said without {datum:?}: {told}");
            }
            // Reasons for doubt are few of many: one may make room for another. And where nothing
            // is left to be judged nothing is said.
            let left = texts(&claims_left);
            for told in claims.iter().filter(|told| !left.is_empty() && !told.data.contains(&datum)) {
                let why = format!("round {round}: not said without {datum:?}, which it does not name");
                assert!(left.contains(&&*told.text), "{why}: {told}\nleft: {left:#?}");
            }
        }
    }
    for figure in FIGURES {
        assert!(seen_figures.contains(&figure), "no sentence of these runs is based on {figure:?}");
    }
}
