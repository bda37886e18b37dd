//! Every sentence about what was measured, what came out, what deviates, and what to do next, side by side: a sample of each kind.

use fathom_job::direction::Direction;
use fathom_job::plan::Rate;
use fathom_results::answer::*;
use fathom_results::finding::{IoRate, RateFallEvidence};
use fathom_results::procedure::{ContentFault, FallFigures};
use fathom_results::{
    Finding, Incomplete, JobsPart, NotSettled, Prescribed, Reason, RoundFailure, RoundsPart, RunEnd, Trend,
    Unchecked, Unrated, Why,
};
use fathom_words::{deviation, headline, lines, measured_jobs, next, remark, settled, subject, trust};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

const PART: RoundsPart = RoundsPart { times: 2, of: 3 };
const SECOND: u64 = 1_000_000_000;

fn text(text: &str) -> String {
    text.to_owned()
}

fn some(names: &[&str], of: u64) -> JobsPart {
    JobsPart { names: names.iter().map(|name| text(name)).collect(), of }
}

fn device(kind: AttachedKind) -> MeasuredDevice {
    MeasuredDevice {
        path: text("/dev/sda"),
        model: Some(text("SAMSUNG MZ")),
        bytes: Some(480_000_000_000),
        kind: Some(kind),
    }
}

fn files(path: &str, files: u64, is_scratch: bool, bytes: Option<u64>) -> MeasuredKind {
    let device = Some(device(AttachedKind::Scsi { rotates: Some(false) }));
    let fs_type = Some(text("ext4"));
    MeasuredKind::Files { path: text(path), files, bytes, is_scratch, fs_type, device }
}

fn measured() -> Vec<Measured> {
    let one = |kind| Measured::Targets { targets: vec![MeasuredTarget { kind, jobs: None }], more: 0 };
    let bare = MeasuredDevice { path: text("/dev/sdb"), model: None, bytes: None, kind: None };
    let kinds = [
        AttachedKind::Nvme,
        AttachedKind::Scsi { rotates: Some(true) },
        AttachedKind::Scsi { rotates: None },
        AttachedKind::Virtual,
        AttachedKind::Mmc,
        AttachedKind::Pmem,
        AttachedKind::Loop,
        AttachedKind::Ram,
        AttachedKind::DeviceMapper,
        AttachedKind::Md,
        AttachedKind::Remote,
        AttachedKind::NullBlk,
        AttachedKind::Device,
    ];
    let of_kind = |kind| one(MeasuredKind::Device { device: MeasuredDevice { model: None, ..device(kind) } });
    let several = vec![
        MeasuredTarget { kind: files("/data/a", 1, false, Some(1 << 30)), jobs: Some(some(&["a", "b"], 4)) },
        MeasuredTarget { kind: files("/data/b", 8, false, None), jobs: Some(some(&["c", "d", "e"], 4)) },
        MeasuredTarget { kind: MeasuredKind::Device { device: bare }, jobs: None },
    ];
    let mut all = vec![
        Measured::NoDevice { engine: None },
        Measured::NoDevice { engine: Some(text("null")) },
        Measured::Numbered { paths: vec![text("/dev/sda"), text("/dev/sdb")] },
        one(MeasuredKind::Simulated { path: text("sim:datacentre"), bytes: Some(60_000_000_000) }),
        one(MeasuredKind::Device { device: device(AttachedKind::Nvme) }),
        one(files("/data/s", 1, true, Some(1 << 30))),
        Measured::Targets { targets: several.clone(), more: 0 },
        Measured::Targets { targets: several, more: 2 },
    ];
    all.extend(kinds.map(of_kind));
    all
}

fn run(jobs: u64, order: JobOrder) -> MeasuredJobs {
    let time = TimeSpan { shortest_ns: 10 * SECOND, longest_ns: 12 * SECOND };
    MeasuredJobs::Run { jobs, of: 6, time, ramp_ns_max: SECOND, ramps_differ: jobs == 6, order }
}

fn jobs() -> Vec<MeasuredJobs> {
    let stage = |names: &[&str], is_partly| StageJobs {
        names: names.iter().map(|name| text(name)).collect(),
        is_partly,
    };
    let stages = vec![stage(&["load"], false), stage(&["pages", "log"], true)];
    let cut = |job: &str, has_failed| CutJob { job: text(job), has_failed, after_ns: 3_200_000_000 };
    let suite = |kind, steps| {
        let (suite, title, source) = (text("vroc"), text("Intel VROC"), text("the guide"));
        MeasuredJobs::Suite(SuiteRounds { suite, title, source, kind, rounds: 9, steps })
    };
    let standard = |purged, tests: &[&str], fill_rounds| {
        let tests = tests.iter().map(|test| text(test)).collect();
        MeasuredJobs::Standard(StandardRounds {
            standard: text("SNIA PTS 2.0.2 (Enterprise)"),
            tests: vec![text("iops"), text("lat")],
            demand: Some(StandardDemand { workers: 4, depth: 32, tests }),
            active_percent: 100,
            purged,
            fill_rounds,
            test_rounds: 5,
        })
    };
    let mut all = vec![
        run(1, JobOrder::Single),
        run(6, JobOrder::SameTime { is_partly: true }),
        run(6, JobOrder::InTurn),
        run(6, JobOrder::Stages { stages: 2, jobs: stages }),
        run(6, JobOrder::Stages { stages: 40, jobs: Vec::new() }),
        MeasuredJobs::Rounds {
            each: Box::new(run(6, JobOrder::InTurn)),
            workload: text("4k randread QD32"),
            written_bytes: 12_000_000_000,
            laid_out_bytes: 1_000_000_000,
        },
        MeasuredJobs::Values {
            measured: 5,
            of: 9,
            option: text("iodepth"),
            first: Some(Box::new(run(6, JobOrder::InTurn))),
        },
        MeasuredJobs::SuiteCells { suite: text("vroc"), cells: 3 },
        suite(SuiteOrigin::Own, None),
        suite(SuiteOrigin::Guide, Some(PART)),
        suite(SuiteOrigin::Shape, None),
        standard(StandardPurge::BeforeEach, &[], 2),
        standard(StandardPurge::Not, &["iops"], 2),
        standard(StandardPurge::NotAsked, &[], 0),
    ];
    for (count, why) in [(0, None), (1, Some(RunEnd::Interrupted)), (2, None), (3, None)] {
        let cut = ["a", "b", "c"].iter().take(count).map(|job| cut(job, *job == "a")).collect();
        let time = (count > 0).then_some(TimeSpan { shortest_ns: 10 * SECOND, longest_ns: 10 * SECOND });
        let why = why.map(|by| Incomplete::Ended { by, message: None });
        all.push(MeasuredJobs::Cut { why, complete: count as u64, of: 6, time, cut });
    }
    all
}

fn direction(direction: Direction) -> DirectionHeadline {
    DirectionHeadline {
        direction,
        ios: 300_000,
        runtime_ns: 10 * SECOND,
        has_too_few: false,
        iops: Some(30_000.0),
        is_response: false,
        mean_ns: Some(90_000.0),
        p99_ns: Some(571_000.0),
        longest_ns: None,
    }
}

fn job(name: &str) -> JobHeadline {
    JobHeadline {
        job: text(name),
        ios: 300_000,
        runtime_ns: 10 * SECOND,
        unrated: None,
        in_bytes: false,
        iops: Some(30_000.0),
        bytes_per_second: Some(122_880_000.0),
        half_share: None,
        asked: None,
        fall: None,
        uneven: None,
        sync: None,
        directions: vec![direction(Direction::Read)],
    }
}

fn fall() -> RateFallEvidence {
    let rate = |iops: f64| IoRate { iops, bytes_per_second: iops * 4096.0 };
    RateFallEvidence {
        job: text("j"),
        in_bytes: false,
        at_s: 12,
        lasts_from_s: 15,
        bytes_before: 37.8e9,
        before: rate(90_000.0),
        lasting: rate(30_000.0),
    }
}

fn of_jobs(jobs: Vec<JobHeadline>) -> Headline {
    Headline::Jobs { jobs, more: 0 }
}

fn headlines_of_runs() -> Vec<Headline> {
    let mix = vec![direction(Direction::Read), direction(Direction::Write)];
    let paced = vec![DirectionHeadline { is_response: true, ..direction(Direction::Read) }];
    let few = DirectionHeadline { has_too_few: true, ios: 5, p99_ns: None, ..direction(Direction::Trim) };
    let write = vec![direction(Direction::Write)];
    let uneven =
        |shorter, iops_of_all| UnevenWorkers { workers: 4, shorter, shortest_ns: 3 * SECOND, iops_of_all };
    let one = [
        job("j"),
        JobHeadline { in_bytes: true, half_share: Some(0.86), ..job("j") },
        JobHeadline { half_share: Some(2.0), ..job("j") },
        JobHeadline { unrated: Some(Unrated::TooShort), ios: 1, runtime_ns: 3_000_000, ..job("j") },
        JobHeadline { unrated: Some(Unrated::TooFew), ios: 5, ..job("j") },
        JobHeadline { asked: Some(Rate::Ios(40_000)), directions: paced.clone(), ..job("j") },
        JobHeadline { asked: Some(Rate::Bytes(200_000_000)), directions: paced, ..job("j") },
        JobHeadline { fall: Some(fall()), ..job("j") },
        JobHeadline { uneven: Some(uneven(1, Some(40_000.0))), ..job("j") },
        JobHeadline { uneven: Some(uneven(2, None)), ..job("j") },
        JobHeadline {
            sync: Some(SyncHeadline { mean_ns: 2e6, p99_ns: Some(9e6) }),
            directions: write,
            ..job("j")
        },
        JobHeadline { directions: mix.clone(), half_share: Some(0.2), ..job("j") },
        JobHeadline {
            directions: mix.clone(),
            asked: Some(Rate::Ios(90_000)),
            fall: Some(fall()),
            ..job("j")
        },
        JobHeadline { directions: vec![few, direction(Direction::Read)], ..job("j") },
    ];
    let mut all: Vec<Headline> = one.into_iter().map(|job| of_jobs(vec![job])).collect();
    let mixed = |name| JobHeadline { directions: mix.clone(), ..job(name) };
    all.push(of_jobs(vec![job("a"), mixed("b")]));
    all.push(Headline::Jobs { jobs: vec![job("a"), mixed("b"), job("c")], more: 1 });
    all.push(Headline::Jobs { jobs: vec![job("a"), mixed("b"), job("c"), job("d")], more: 3 });
    let failed = NoFigures::Failed { message: text("no space left on the device.") };
    let interrupted = Incomplete::Ended { by: RunEnd::Interrupted, message: None };
    let why_nothing = [None, Some(failed), Some(NoFigures::Incomplete { why: interrupted })];
    all.extend(why_nothing.map(|because| Headline::Nothing { because }));
    let load = |workers, used| CpuLoadHeadline {
        job: text("burn"),
        workers,
        asked: 0.5,
        used,
        runtime_ns: 10 * SECOND,
    };
    all.push(Headline::CpuLoads {
        jobs: vec![load(1, Some(0.493)), load(2, Some(0.066)), load(2, None)],
        more: 0,
    });
    all.push(Headline::CpuLoads { jobs: vec![load(1, Some(1.0))], more: 2 });
    let of_quick = [
        "rand-read-iops",
        "rand-write-iops",
        "seq-read-bandwidth",
        "seq-write-bandwidth",
        "rand-read-latency",
    ];
    all.push(Headline::Quick { jobs: of_quick.map(job).to_vec(), block_bytes: 4096, depth: 32 });
    all
}

fn mean(half_share: Option<f64>) -> Option<MeanOfRounds> {
    Some(MeanOfRounds { mean: 51_200.0, half_share, lowest: 50_000.0, highest: 52_000.0 })
}

fn of_rounds(name: &str) -> JobOfRounds {
    JobOfRounds {
        job: text(name),
        does: text("4k QD32"),
        unrated: None,
        asked: None,
        iops: mean(Some(0.004)),
        bytes_per_second: mean(Some(0.004)),
        falls: None,
        mean_ns: mean(Some(1.5)),
        p99_ns: Some(MedianOfRounds { median: 7e5, lowest: 1e5, highest: 2e6, rounds: 3 }),
        is_response: false,
    }
}

fn headlines_of_rounds() -> Vec<Headline> {
    let rounds = |rounds, jobs| Headline::Rounds(RoundsHeadline { rounds, is_quick: false, jobs });
    let unrated = |rounds| UnratedRounds { rounds, why: Unrated::TooShort, ios: 2_560, seconds: 0.017 };
    let asked = |rate, kept| AskedOfRounds { rate, kept, iops_lowest: 1_500.0, iops_highest: 2_000.0 };
    let first = FallFigures { at_s: 12, bytes_before: 36e9, iops_before: 3_000.0, ..FallFigures::default() };
    let falls = FallsOfRounds { rounds: 2, of: 3, first };
    let with_rate =
        |rate, kept| JobOfRounds { asked: Some(asked(rate, kept)), is_response: true, ..of_rounds("j") };
    let without =
        JobOfRounds { iops: mean(None), bytes_per_second: mean(None), mean_ns: mean(None), ..of_rounds("j") };
    let names = [
        "rand-read-iops",
        "rand-write-iops",
        "seq-read-bandwidth",
        "seq-write-bandwidth",
        "rand-read-latency",
    ];
    let quick = RoundsHeadline { rounds: 3, is_quick: true, jobs: names.map(of_rounds).to_vec() };
    vec![
        rounds(3, Vec::new()),
        rounds(3, vec![of_rounds("j")]),
        rounds(2, vec![without.clone()]),
        rounds(3, vec![without]),
        rounds(3, vec![JobOfRounds { unrated: Some(unrated(3)), ..of_rounds("j") }]),
        rounds(3, vec![JobOfRounds { unrated: Some(unrated(1)), ..of_rounds("j") }]),
        rounds(3, vec![with_rate(Rate::Ios(2_000), 3)]),
        rounds(3, vec![with_rate(Rate::Bytes(8_000_000), 2)]),
        rounds(3, vec![with_rate(Rate::Ios(2_000), 0)]),
        rounds(3, vec![JobOfRounds { falls: Some(falls), ..of_rounds("j") }]),
        Headline::Rounds(quick),
        Headline::RoundFailed {
            round: text("0002-repeat"),
            why: RoundFailure::Failed { message: text("no space") },
        },
    ]
}

fn value(value: &str, iops: f64) -> SearchedValue {
    SearchedValue {
        value: text(value),
        iops,
        bytes_per_second: iops * 4096.0,
        mean_ns: 320_000.0,
        limited_ns: Some(640_000.0),
        is_response: iops > 60_000.0,
        rounds: 3,
        fallen: u64::from(iops < 20_000.0),
    }
}

fn headlines_of_searches() -> Vec<Headline> {
    let search = |has_limit: bool, repeat, found| {
        let limit = has_limit.then(|| SearchLimit { figure: text("p99"), limit_ns: 1_000_000 });
        let values = [("1", 10_000.0), ("8", 95_000.0), ("64", 100_000.0), ("128", 60_000.0)];
        let values = values.into_iter().map(|(name, iops)| value(name, iops)).collect();
        Headline::Search(SearchHeadline { option: text("iodepth"), limit, repeat, found, values })
    };
    let knee = |lower_beyond, adds_latency, possible| {
        Some(SearchResult::Knee { value: text("8"), lower_beyond, adds_latency, possible })
    };
    let lower = |after_gap| Some(LowerBeyond { value: text("128"), after_gap });
    let possible = |from: &str, to: Option<&str>| Some(PossibleKnees { from: text(from), to: to.map(text) });
    vec![
        search(false, 1, None),
        search(false, 1, knee(None, true, None)),
        search(false, 1, knee(None, false, None)),
        search(false, 3, knee(lower(None), true, possible("8", Some("8")))),
        search(false, 3, knee(lower(Some(text("64"))), true, possible("1", None))),
        search(false, 3, Some(SearchResult::StillRises)),
        search(false, 1, Some(SearchResult::DepthNotReached { value: text("8"), reachable: 1 })),
        search(true, 1, Some(SearchResult::Within { value: text("8"), next: Some(text("64")) })),
        search(true, 1, Some(SearchResult::NoneIsWithin)),
        search(true, 1, Some(SearchResult::AllAreWithin)),
    ]
}

fn precondition(passes: u64, passes_before: u64) -> PreconditionHeadline {
    let rate = |pass| PassRate { pass, bytes: 6.7e7, seconds: 3.0, too_hot: (pass == 1).then_some(PART) };
    PreconditionHeadline {
        target: text("/dev/loop7"),
        bytes: 67_109_376,
        needless: None,
        is_disproved: false,
        passes,
        passes_before,
        block_bytes: 131_072,
        rates: (1..=passes.min(2)).map(rate).collect(),
        random: None,
        proof: None,
    }
}

fn other_headlines() -> Vec<Headline> {
    let turns = |variants| Headline::InTurn(InTurnHeadline { rounds: 3, variants });
    let tuning = |figure, has_fallen, effect| {
        Headline::Tuning(TuningHeadline { knob: text("queue.nr_requests"), figure, has_fallen, effect })
    };
    let ratio = |low| TuningEffect::Ratio { median: 1.1, low, high: 1.12, pairs: 8 };
    let random = RandomHeadline {
        block_bytes: 4096,
        bytes: 1.47e8,
        seconds: 360.0,
        iops_first: Some(100.0),
        iops_last: Some(90.0),
        settled: Some(SettledRate { iops: 91.0, half_share: 0.01 }),
        too_hot: None,
    };
    let proof = |is_whole| ProofHeadline { read_bytes: 21_000_000, is_whole, sure_share: 0.99 };
    let of = Headline::Precondition;
    vec![
        turns(TurnVariants::Settings(vec![text("direct=0"), text("direct=1")])),
        turns(TurnVariants::Files(vec![text("a"), text("b")])),
        tuning(JudgedFigure::Iops, true, TuningEffect::RateFell),
        tuning(JudgedFigure::Bandwidth, false, TuningEffect::TooFew),
        tuning(JudgedFigure::Latency, false, ratio(1.05)),
        tuning(JudgedFigure::Iops, false, ratio(0.99)),
        of(precondition(0, 0)),
        of(precondition(0, 2)),
        of(PreconditionHeadline { random: Some(random), proof: Some(proof(false)), ..precondition(2, 1) }),
        of(PreconditionHeadline { proof: Some(proof(true)), ..precondition(22, 0) }),
        of(PreconditionHeadline { needless: Some(FastAsNew::Optane), ..precondition(0, 0) }),
        of(PreconditionHeadline { needless: Some(FastAsNew::HardDisk), ..precondition(0, 0) }),
        of(PreconditionHeadline { is_disproved: true, ..precondition(1, 0) }),
    ]
    .into_iter()
    .chain(verified_headlines())
    .collect()
}

fn verified_headlines() -> Vec<Headline> {
    let pass = |pass, checked_bytes, wrong, unchecked| VerifiedPass {
        pass,
        written_bytes: 67_108_864,
        write_seconds: 2.0,
        checked_bytes,
        read_seconds: 1.0,
        wrong,
        unchecked,
    };
    let one = |pass: VerifiedPass| VerifiedHeadline {
        target: text("/dev/sdb"),
        bytes: 67_108_864,
        method: text("crc32c"),
        is_read_only: false,
        wrong: pass.wrong,
        passes: vec![pass],
        errors: 0,
        faults: Vec::new(),
    };
    let (whole, none) = (67_108_864, Unchecked::default());
    let left = Unchecked { failed: 3, newer: 2, ..none };
    let right = one(pass(1, whole, 0, none));
    let read_only = VerifiedPass { written_bytes: 0, ..pass(1, whole, 0, none) };
    let two = vec![pass(1, whole, 0, none), pass(2, whole, 0, none)];
    let seven = (1..=7).map(|n| pass(n, whole, u64::from(n == 4), none)).collect();
    let all = [
        right.clone(),
        VerifiedHeadline { is_read_only: true, ..one(read_only) },
        VerifiedHeadline { passes: two, ..right.clone() },
        VerifiedHeadline { passes: seven, wrong: 1, ..right.clone() },
        one(pass(1, 0, 0, left)),
        one(pass(1, whole - 4096, 0, left)),
        one(pass(1, whole, 1, none)),
        VerifiedHeadline { errors: 2, ..one(pass(1, whole - 4096, 12, left)) },
        VerifiedHeadline { errors: 1, ..one(pass(1, whole - 4096, 0, none)) },
    ];
    all.into_iter().map(Headline::Verified).collect()
}

fn headlines_of_standards() -> Vec<Headline> {
    let tracked = |quantity, mean| TrackedMean { variable: text("RND 4 KiB, 0/100"), quantity, mean };
    let means = vec![
        tracked(JudgedFigure::Iops, 145_000.0),
        tracked(JudgedFigure::Bandwidth, 5e8),
        tracked(JudgedFigure::Latency, 90_000.0),
    ];
    let states = [
        (LoopState::NotBegun, 0),
        (LoopState::Untracked { written_bytes: 4.8e11 }, 3),
        (LoopState::Steady { after_round: 9 }, 9),
        (LoopState::NotSteady { written_bytes: None }, 25),
        (LoopState::NotSteady { written_bytes: Some((2e12, 1.9e12)) }, 25),
        (LoopState::NotYet, 4),
    ];
    let test = |loops: Vec<StandardLoop>| StandardTest {
        test: text("IOPS test"),
        not_run: None,
        rounds: 3,
        loops,
        stopped: None,
    };
    let of_loop =
        |(state, rounds)| StandardLoop { cell: text("iops-round"), rounds, state, means: means.clone() };
    let mut tests: Vec<StandardTest> = states.into_iter().map(|state| test(vec![of_loop(state)])).collect();
    tests.push(test(Vec::new()));
    let why = RoundFailure::Failed { message: text("the device went away") };
    let stopped = StoppedTest { cell: text("iops-round"), round: 3, why };
    tests.push(StandardTest { stopped: Some(stopped), ..test(vec![of_loop((LoopState::NotYet, 2))]) });
    let all = Headline::Standard(StandardHeadline { tests: tests.clone() });
    let alone = tests.into_iter().map(|test| Headline::Standard(StandardHeadline { tests: vec![test] }));
    alone.chain([all]).collect()
}

fn headlines_of_suites() -> Vec<Headline> {
    let rule = |passes: Option<bool>| JudgedRule {
        cell: text("busy etcd"),
        metric: text("sync_p99"),
        value: passes.map(|_| 12e6),
        passes,
        at_most: Some(1e7),
        at_least: Some(1e3),
        source: text("etcd's guide"),
    };
    let group = |metric: &str, value, of| GroupHeadline {
        group: text("reads"),
        metric: text(metric),
        value,
        half_share: Some(0.01),
        of,
    };
    let best = |group: Option<&str>| GroupFigure::Best {
        cell: Some(text("iodepth=256")),
        times: Some(TimesOf { times: 0.42, group: group.map(text) }),
    };
    let only = || GroupFigure::Best { cell: None, times: None };
    let groups = vec![
        group("iops", 512_000.0, only()),
        group("bandwidth", 2.1e9, best(None)),
        group("latency_p99", 93_400.0, best(Some("sets"))),
        group("x_of_later", 3.0, only()),
        group("iops", 5e5, GroupFigure::Array { share: 0.941 }),
        group("iops", 5e5, GroupFigure::Together { targets: 3, share: 0.536 }),
        group("iops", 5e5, GroupFigure::MostOf { targets: text("2+3"), share: 1.0 }),
    ];
    let broken = [Some(false), Some(true), None].map(rule).to_vec();
    let whole = SuiteHeadline { broken, kept: Some(PART), groups, more: 2, rounds_failed: 1 };
    vec![Headline::Suite(SuiteHeadline::default()), Headline::Suite(whole)]
}

fn headlines() -> Vec<Headline> {
    [
        headlines_of_runs(),
        headlines_of_rounds(),
        headlines_of_searches(),
        other_headlines(),
        headlines_of_standards(),
        headlines_of_suites(),
    ]
    .concat()
}

fn remarks() -> Vec<Remark> {
    let search =
        |end| LatencySearched { job: text("lt"), percentile: 99.0, target_ns: 2_000_000, depth: 6, end };
    let ends = [SearchEnd::Kept, SearchEnd::NeverKept, SearchEnd::Unfinished];
    let varies = |trend| RemarkKind::RoundsVary { share: 0.029, trend };
    let kinds = [
        RemarkKind::LatencySearches { searches: ends.map(search).to_vec() },
        RemarkKind::Merged {
            merged: vec![MergedIos {
                direction: Direction::Read,
                ios: 50_000,
                requests: 3_125,
                disk: text("sda"),
            }],
        },
        RemarkKind::Rests { job: None },
        RemarkKind::Rests { job: Some(text("j")) },
        RemarkKind::OneMember { members: 4 },
        RemarkKind::Alone,
        RemarkKind::Undisturbed,
        RemarkKind::Unflushed { jobs: None },
        RemarkKind::Unflushed { jobs: Some(some(&["a", "b"], 3)) },
        RemarkKind::Unflushed { jobs: Some(some(&["a", "b", "c"], 4)) },
        RemarkKind::Filled { part: None },
        RemarkKind::Filled { part: Some(FilledPart { bytes: 33_554_432, of_bytes: 67_108_864 }) },
        RemarkKind::NotPreconditioned,
        RemarkKind::Scheduler { name: text("none") },
        varies(None),
        varies(Some(Trend::Falls)),
        varies(Some(Trend::Rises)),
    ];
    let of = |kind| Remark { kind, rounds: None };
    kinds.into_iter().map(of).chain([Remark { kind: RemarkKind::Alone, rounds: Some(PART) }]).collect()
}

fn gains() -> Vec<Gain> {
    vec![
        Gain::StartsAgain,
        Gain::KernelMessages,
        Gain::ListsTargets,
        Gain::ListsDisks,
        Gain::ListsDirectDisks,
        Gain::LongEnough,
        Gain::FailedIos,
        Gain::IsSteady,
        Gain::AfterOthers,
        Gain::PastPageCache,
        Gain::PastPageCacheWithoutMmap,
        Gain::ExplainsFill,
        Gain::SlowMachine,
        Gain::AfterQuota,
        Gain::Disturbances,
        Gain::SlowCpus,
        Gain::HotParts,
        Gain::LastingRate,
        Gain::EnoughIos,
        Gain::AfterFall,
        Gain::FallingRate,
        Gain::LongestIos,
        Gain::ChangingFigures,
        Gain::Lasts { minutes: 6 },
        Gain::Variation,
        Gain::DisturbingParts,
        Gain::StandardReport,
        Gain::Page,
        Gain::EveryValue,
        Gain::Differences,
        Gain::PreparedTarget,
        Gain::GoesOn { consent: Vec::new() },
        Gain::GoesOn { consent: vec![text("--write"), text("--erase")] },
    ]
}

fn not_settled() -> Vec<NotSettled> {
    let all = [
        NotSettled::NoLook { seconds: 20 },
        NotSettled::TooShort,
        NotSettled::WarmUp,
        NotSettled::LevelChanged { at: 60, span_s: 0 },
        NotSettled::Drifts { change: -0.05, most: 0.08, ahead_s: 0 },
        NotSettled::Alike { effective_values: 3.0 },
        NotSettled::Unsure { half_width: 0.04, times_longer: 4.0 },
        NotSettled::Short { most: 0.03, times_longer: Some(1.8), ahead_s: 0 },
        NotSettled::Short { most: 0.03, times_longer: None, ahead_s: 0 },
        NotSettled::TooEarly { seconds: 60, needed_s: 120 },
        NotSettled::Uncovered { share: 1.0, needed: 2.0 },
    ];
    all.into_iter().chain(all.map(|why| why.of_seconds(2, 600))).collect()
}

fn later(evidence: u64) -> Finding {
    serde_json::from_value(
        serde_json::json!({"code": "x-of-later", "evidence": evidence, "weight": "medium"}),
    )
    .unwrap()
}

fn deviations() -> Vec<Deviation> {
    let cache = |is, is_fixed| Deviation::WriteCache { is, wants_on: false, is_fixed };
    let small = CannotRun::SmallIos { needs_bytes: 512, target: text("/dev/sdb"), smallest_bytes: 4096 };
    let points = vec![
        UnverifiedPoint::ThroughputFill,
        UnverifiedPoint::WindowMaximum,
        UnverifiedPoint::SaturationEnd,
        UnverifiedPoint::RecoveryRange,
        UnverifiedPoint::MostIops,
    ];
    let differs = |now: Option<&str>, is_given| Deviation::RunsDiffer {
        run: text("W2"),
        what: text("bs"),
        now: now.map(text),
        before: Some(text("4k")),
        first: text("W1"),
        is_given,
    };
    let mut all = vec![
        Deviation::Simulated { scale: 1 },
        Deviation::Simulated { scale: 64 },
        Deviation::TimesDivided { divisor: 60, of: Prescribed::Standard },
        Deviation::TimesDivided { divisor: 60, of: Prescribed::Suite },
        Deviation::NotPurged,
        Deviation::PurgedWithZeroes,
        cache(CacheState::On, false),
        cache(CacheState::Off, false),
        cache(CacheState::Unread, true),
        Deviation::ActiveRange { percent: 50, standard_percent: 100 },
        Deviation::Demand { tests: vec![text("iops"), text("hir")], demand: (8, 2), standard: (4, 32) },
        Deviation::TestNotRun { test: text("IOPS test"), because: small },
        Deviation::TestNotRun {
            test: text("IOPS test"),
            because: CannotRun::SmallRange { needs_bytes: 16 << 20, has_bytes: 1 << 20 },
        },
        Deviation::CellsLeftOut {
            test: text("IOPS test"),
            block_bytes: vec![512],
            target: text("/dev/sdb"),
            smallest_bytes: 4096,
        },
        Deviation::Interrupted { times: 1 },
        Deviation::Unverified { points },
        Deviation::Tkperf,
        Deviation::Unsound { drive: text("nvme0"), says: text("104 % of its rated life are used") },
        Deviation::OtherConditions { interruption: 1, differences: vec![text("the kernel was A and is B")] },
        Deviation::GroupsLeftOut { groups: vec![text("g")] },
        Deviation::TooManySubsets { targets: 7, most: 6, groups: vec![text("sets")] },
        Deviation::RunsDoubted {
            runs: vec![
                DoubtedRuns { rounds: Some(PART), runs: vec![text("W1"), text("W2")] },
                DoubtedRuns { rounds: None, runs: vec![text("W3")] },
            ],
            findings: [1, 2].map(later).to_vec(),
        },
        Deviation::NotEmptied,
        Deviation::FileNotEmptied,
        Deviation::DirectoryNotFilled,
        Deviation::NotFormatted,
        Deviation::OptionSet { option: text("bs"), value: text("8k") },
        Deviation::Unfinished { ended_early: false, missing: 0, of: 9 },
        Deviation::Unfinished { ended_early: true, missing: 2, of: 9 },
        differs(Some("64k"), true),
        differs(None, true),
        differs(None, false),
    ];
    let defects = [
        TkperfDefect::RestsBetweenCells,
        TkperfDefect::SameAddresses,
        TkperfDefect::LosesResults,
        TkperfDefect::MountByName,
        TkperfDefect::UnprovenErase,
        TkperfDefect::FillsOnceEach,
        TkperfDefect::WeightedLatency,
        TkperfDefect::UnfilledBlocks,
        TkperfDefect::JudgesOneBlock,
        TkperfDefect::SameStart,
        TkperfDefect::StartsAtZero,
        TkperfDefect::SizeTooLarge,
        TkperfDefect::ZonesTooShort,
    ];
    all.extend(defects.map(|defect| Deviation::TkperfDefect { defect }));
    all
}

fn faults() -> Vec<ContentFault> {
    vec![
        ContentFault::Empty { sectors: 1 },
        ContentFault::Empty { sectors: 2 },
        ContentFault::Equal { blocks: 2 },
        ContentFault::Compressible,
        ContentFault::Unreadable { windows: 1 },
    ]
}

fn whys() -> Vec<Why> {
    let mut all: Vec<Why> = faults().into_iter().map(|fault| Why::Content { fault }).collect();
    all.extend(deviations().into_iter().map(|deviation| Why::Deviation { deviation }));
    all.extend([
        Why::NothingReadBack,
        Why::PassesUncertain { known: 1, of: 2 },
        Why::RandomTooLittle { seconds: 180, share: 1.1 },
        Why::NotSettled { against: not_settled() },
    ]);
    all
}

fn steps() -> Vec<NextStep> {
    let step = |gain| NextStep { command: text("fathom devices"), gain, needs_consent: false };
    let asks = NextStep { needs_consent: true, ..step(Gain::Variation) };
    gains().into_iter().map(step).chain([asks]).collect()
}

#[test]
fn every_headline() {
    let mut text = String::new();
    let mut part =
        |title: &str, sentences: Vec<String>| text += &format!("## {title}\n{}\n\n", sentences.join("\n"));
    part("measured", measured().iter().map(subject).collect());
    part("measured, for a title", measured().iter().map(subject::short).collect());
    part("jobs", jobs().iter().map(measured_jobs).collect());
    let of = |it: &Headline| {
        [vec![headline(it)], lines(it).iter().map(|line| format!("  {line}")).collect()].concat()
    };
    part("headlines", headlines().iter().flat_map(of).collect());
    part("remarks", remarks().iter().map(remark).collect());
    part("next", steps().iter().map(|step| next(step).why).collect());
    part("not settled", not_settled().iter().map(settled::not_settled).collect());
    part("reasons", whys().into_iter().map(|why| trust::sentence(&Reason::new(why, None))).collect());
    let short = |it: Deviation| deviation::short(&it.into());
    part("deviations, for the head of a page", deviations().into_iter().filter_map(short).collect());
    insta::assert_snapshot!(text);
}

fn is_read_as_saved<T: Serialize + DeserializeOwned + PartialEq + Debug>(all: Vec<T>) {
    for one in all {
        let saved = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<T>(&saved).unwrap(), one, "{saved}");
    }
}

#[test]
fn each_part_is_read_as_it_was_saved() {
    is_read_as_saved(measured());
    is_read_as_saved(jobs());
    is_read_as_saved(headlines());
    is_read_as_saved(remarks());
    is_read_as_saved(steps());
    is_read_as_saved(whys());
    is_read_as_saved(
        deviations().into_iter().map(|what| ReportDeviation { what, of_runs: vec![text("W1")] }).collect(),
    );
}
