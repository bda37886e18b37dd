//! Every sentence about trust and limits, side by side: one sample of each kind.

use fathom_job::direction::Direction;
use fathom_results::answer::limit::{
    Against, DeviceKind, Guest, LimitRounds, MeanInFlight, MeanLatency, MemoryLimit, OneIoLimit, Queueing,
    RateLaw, RateUnit, RoundRate,
};
use fathom_results::finding::{CpuWait, GeneratorSign, KernelWork, Law, MemoryKind, MemoryTarget};
use fathom_results::{
    CheckEvidence, CpuQuota, Evidence, FailedJobs, Finding, Incomplete, Instead, JobLimit, KernelWorkerKind,
    Limit, Limits, LostIos, Prescribed, Reason, RoundsPart, RunEnd, Trend, Trust, TrustLevel, Weight, Why,
};
use fathom_words::{limit, of_instead, trust};

fn whys() -> Vec<Why> {
    let varies = |trend| Why::RoundsVary { job: "j".to_owned(), share: 0.11, trend };
    let counts = |direction, share, has_metadata| Why::KernelCounts { direction, share, has_metadata };
    let incomplete = incomplete().into_iter().map(|how| Why::Incomplete { how });
    let others = vec![
        Why::Finding { finding: memory() },
        Why::NothingMeasured,
        Why::LoadMissed { job: "burn".to_owned(), asked: 0.5, used: 0.066 },
        Why::JobFailed,
        Why::TooShort,
        Why::TooFew,
        Why::ShortWrites { seconds: 10.0 },
        Why::Short { seconds: 0.25 },
        counts(Direction::Read, 0.7, false),
        counts(Direction::Write, 1.36, true),
        Why::CheckBroken {
            check: CheckEvidence::LittlesLaw { job: "j".to_owned(), law: Some(broken_law()) },
        },
        Why::OneRound,
        varies(Some(Trend::Falls)),
        varies(Some(Trend::Rises)),
        varies(Some(Trend::First(1))),
        varies(Some(Trend::First(2))),
        varies(None),
        Why::SimulatedDrive { unwritten_rounds: 0, of_rounds: 3 },
        Why::SimulatedDrive { unwritten_rounds: 2, of_rounds: 3 },
        Why::TimesCut { of: Prescribed::Suite },
        Why::TimesCut { of: Prescribed::Standard },
        Why::NotPurged,
    ];
    incomplete.chain(others).collect()
}

/// Why a run can be incomplete, with everything that can end one.
fn incomplete() -> Vec<Incomplete> {
    const ENDS: [RunEnd; 10] = [
        RunEnd::ByItself,
        RunEnd::JobFailed,
        RunEnd::HungUp,
        RunEnd::Interrupted,
        RunEnd::Terminated,
        RunEnd::Triggered,
        RunEnd::Unsafe,
        RunEnd::Unsaved,
        RunEnd::GivenUp,
        RunEnd::Unknown,
    ];
    let ended = |by, message: Option<&str>| Incomplete::Ended { by, message: message.map(str::to_owned) };
    let others = [
        ended(RunEnd::Unsafe, Some("swap on /dev/sda began")),
        Incomplete::Damaged { what: "the spool is damaged: it is cut".to_owned() },
        Incomplete::NothingSaved,
        Incomplete::NotEnded { damage: None },
        Incomplete::NotEnded { damage: Some("it is cut".to_owned()) },
        Incomplete::Running,
        Incomplete::NoEndOfJob { job: "j".to_owned() },
        Incomplete::RecordNotSaved { error: "No space left on device".to_owned() },
    ];
    ENDS.map(|by| ended(by, None)).into_iter().chain(others).collect()
}

fn broken_law() -> Law {
    let (job, in_flight) = ("j".to_owned(), 30.0);
    Law { job, product: None, in_flight_by_law: in_flight, in_flight, syncs: None, depth: 32 }
}

fn memory() -> Finding {
    let is = MemoryKind::Disk("zram0".to_owned());
    let target = MemoryTarget { is, only_trims: false, memory_bytes: 1 << 30 };
    Finding { evidence: Evidence::MemoryBacked(target), weight: Weight::Instead, jobs: None }
}

const MEAN: MeanLatency = MeanLatency { ns: 399_000.0, is_service: false };

fn law(is_rounded: bool, syncs: Option<f64>) -> RateLaw {
    let in_flight = MeanInFlight { mean: 31.9, depth: 32, is_rounded, syncs };
    RateLaw { iops: 80_000.0, mean: Some(MEAN), in_flight: Some(in_flight) }
}

fn threads() -> KernelWork {
    KernelWork {
        job: "j".to_owned(),
        kind: KernelWorkerKind::IoWq,
        threads: 8,
        cpu_ns_per_io: 3_000.0,
        worker_ns_per_io: 5_000.0,
        is_punted: true,
    }
}

fn limits() -> Vec<Limit> {
    let memory = |by| Limit::Memory {
        by,
        finding: Box::new(memory()),
        mean: Some(MEAN),
        threads: (by == MemoryLimit::HandOff).then(threads),
        worker_busy: (by == MemoryLimit::Copies).then_some(0.9),
    };
    let one = |by| Limit::OneIo {
        by,
        mean: MeanLatency { is_service: true, ..MEAN },
        sync_ns: Some(100_000.0),
        cpu_share: Some(0.57),
        in_disk: Some(0.69),
    };
    let rate = |round, guest| Limit::RateLimit {
        iops: 3_000.0,
        bytes_per_second: 12_288_000.0,
        round,
        variation: 0.004,
        windows: 7,
        window_s: 1,
        guest,
        queueing: Some(Queueing::Alone { times: 19.9 }),
    };
    let device = |target| Limit::Device {
        target,
        rate: law(true, None),
        worker_waited: Some(0.8),
        queueing: Some(Queueing::Fastest { times: 2.5, is_service: true }),
    };
    let wait = CpuWait { share: 0.5, switches: 100, involuntary: 90, each_ns: 3e6 };
    let ceiling = GeneratorSign::Ceiling { iops: 9e5, iops_max: 1e6, engine: "null".to_owned() };
    let full = GeneratorSign::Full {
        worker: 0.97,
        worker_system: 0.5,
        machine: 0.5,
        cpus: 2,
        cpu_ns_per_io: Some(1_000.0),
    };
    let quota = CpuQuota { quota_ns: 50_000_000, period_ns: 100_000_000, periods: 300, stopped: 240 };
    let group = |in_bytes| Limit::ControlGroup {
        direction: Direction::Read,
        in_bytes,
        reached: 2_970.0,
        most: 3_000,
    };
    let by = [
        MemoryLimit::HandOff,
        MemoryLimit::Release,
        MemoryLimit::Copies,
        MemoryLimit::Memory,
        MemoryLimit::CacheCopies,
        MemoryLimit::Cache,
        MemoryLimit::NoDisk,
        MemoryLimit::BehindLoop,
        MemoryLimit::AboveDisk,
    ];
    let of_one = [
        OneIoLimit::NotSaved,
        OneIoLimit::Device { target: DeviceKind::VirtualDisk },
        OneIoLimit::InlineCopies,
        OneIoLimit::Software,
    ];
    let round = Some(RoundRate { number: 3_000, unit: RateUnit::Iops });
    let mut all = vec![
        Limit::TooShort,
        Limit::TooFew,
        Limit::NoLatency { rate: RateLaw { iops: 80_000.0, mean: None, in_flight: None } },
        Limit::AskedRate,
        Limit::ThinkTime,
        Limit::TraceTimes,
        Limit::NoDevice,
        Limit::SimulatedDrive,
        group(false),
        group(true),
        Limit::Quota { quota },
        Limit::Generator { sign: GeneratorSign::Starved(wait) },
        Limit::Generator { sign: ceiling },
        Limit::Generator { sign: full },
        Limit::OtherPrograms { target: DeviceKind::LoopDevice, rate: law(false, None) },
        Limit::Syncs { rate: law(false, Some(1.0)) },
        Limit::Submission { in_flight: 12.3, depth: 32, worker_busy: Some(0.4) },
        rate(round, Guest::VirtualDisk),
        rate(None, Guest::Of { hypervisor: "kvm".to_owned() }),
        Limit::Depth { depth: 4, rate: law(false, None), queueing: Some(Queueing::Alone { times: 1.2 }) },
        device(DeviceKind::Device),
    ];
    all.extend(by.map(memory));
    all.extend(of_one.map(one));
    all
}

fn against() -> Vec<Against> {
    vec![
        Against::NotMeasuredAlone,
        Against::NotRound,
        Against::BeforeSubmission { share: 0.3 },
        Against::LittleGrowth,
        Against::CacheNotCounted,
        Against::HandOff { threads: threads() },
        Against::Hypervisor { name: "xen".to_owned() },
    ]
}

fn job(name: &str, limit: Limit) -> JobLimit {
    JobLimit { job: name.to_owned(), limit, against: Vec::new(), rounds: None }
}

#[test]
fn every_sentence_about_trust_and_limits() {
    let mut text = String::new();
    for why in whys() {
        let reason = Reason::new(why, TrustLevel::Low);
        let of = Trust { level: TrustLevel::Low, reasons: vec![reason.clone()], shortest_s: None };
        text += &format!("{}\n    line: {}\n", trust::sentence(&reason), trust::trust(&of));
    }
    text += "\n";
    for limit in limits() {
        let claim = limit::claim(&limit);
        let numbers = limit::numbers(&job("j", limit)).map(|it| format!(" ({it})"));
        text += &format!("{claim}{}\n", numbers.unwrap_or_default());
    }
    text += "\n";
    for against in against() {
        let job = JobLimit { against: vec![against], ..job("j", Limit::AskedRate) };
        text += &format!("Not certain: {}\n", limit::against(&job));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn each_part_is_read_as_it_was_saved() {
    let part = RoundsPart { times: 2, of: 3 };
    for why in whys() {
        let reason = Reason { rounds: Some(part), ..Reason::new(why, TrustLevel::Low) };
        let saved = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&saved).unwrap(), reason, "{saved}");
    }
    for limit in limits() {
        let rounds = Some(LimitRounds { rounds: vec![1], of: 3 });
        let job = JobLimit { rounds, against: against(), ..job("j", limit) };
        let saved = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<JobLimit>(&saved).unwrap(), job, "{saved}");
    }
}

#[test]
fn a_limit_without_room_is_without_its_explanation_and_then_without_names() {
    let device = || limits().into_iter().find(|it| matches!(it, Limit::Device { .. })).unwrap();
    let rate = || limits().into_iter().find(|it| matches!(it, Limit::RateLimit { .. })).unwrap();
    let jobs = (1..5).map(|n| job(&n.to_string(), device()));
    let jobs = jobs.chain(["seq-read", "seq-write"].map(|name| job(name, rate()))).collect();
    let forms = limit::forms(&Limits { jobs, is_part: false });
    assert_eq!(
        forms,
        [
            "4 of 6 jobs: the device; seq-read, seq-write: a rate limit, probably of the hypervisor or the volume",
            "4 of 6 jobs: the device; seq-read, seq-write: a rate limit",
            "4 of 6 jobs: the device; 2 others: a rate limit",
            "4 of 6 jobs: the device (others: --details)",
        ]
    );
    let disk = Limit::OneIo {
        by: OneIoLimit::Device { target: DeviceKind::VirtualDisk },
        mean: MEAN,
        sync_ns: None,
        cpu_share: None,
        in_disk: None,
    };
    let rounds = Some(LimitRounds { rounds: vec![1, 3], of: 3 });
    let alone = Limits { jobs: vec![JobLimit { rounds, ..job("j", disk) }], is_part: false };
    let forms = limit::forms(&alone);
    assert!(forms[0].starts_with("the virtual disk (in rounds 1 and 3); the host of"), "{forms:?}");
    assert_eq!(forms[1], "the virtual disk (in rounds 1 and 3)");
}

/// A job with two limits is one job, and each of its limits has its own rounds.
#[test]
fn jobs_are_counted_once_and_each_limit_has_its_rounds() {
    let of = |name: &str, limit, rounds: &[u64]| {
        let rounds = Some(LimitRounds { rounds: rounds.to_vec(), of: 5 });
        JobLimit { rounds, ..job(name, limit) }
    };
    let all = [1, 2, 3, 4, 5];
    let mut jobs: Vec<JobLimit> = ["a", "b", "c"].map(|name| of(name, Limit::AskedRate, &all)).to_vec();
    jobs.extend([of("d", Limit::AskedRate, &all[..4]), of("d", Limit::ThinkTime, &[5])]);
    assert_eq!(
        limit::line(&Limits { jobs, is_part: false }),
        "3 of 4 jobs: the rate that the job asks for; d: the rate that the job asks for (in 4 of 5 rounds); d: the think \
         time that the job asks for, at least in part (in round 5)"
    );
}

#[test]
fn as_many_reasons_are_named_as_have_room() {
    let finding = |code: &str| {
        let finding = serde_json::json!({"code": code, "evidence": {}, "weight": "medium"});
        Reason::of(&serde_json::from_value(finding).unwrap())
    };
    let reasons = vec![
        Reason::new(Why::Short { seconds: 10.0 }, TrustLevel::Medium),
        Reason::new(Why::ShortWrites { seconds: 10.0 }, TrustLevel::Medium),
        finding("x-of-later"),
        finding("y-of-later"),
    ];
    let of =
        |reasons: &[Reason]| Trust { level: TrustLevel::Medium, reasons: reasons.to_vec(), shortest_s: None };
    let first = "10 s is short: the mean may differ at another moment";
    let forms = trust::forms(&of(&reasons));
    assert_eq!(forms[0], format!("{first}; also writes of only 10 s (2 more reasons: --details)"));
    assert!(forms.contains(&format!("{first}; also writes of only 10 s (2 more reasons)")), "{forms:#?}");
    assert!(forms.contains(&format!("{first} (3 more reasons)")));
    assert!(forms.contains(&"10 s is … (3 more reasons)".to_owned()));
    assert_eq!(
        trust::on_page(&of(&reasons)),
        format!("{first}; also writes of only 10 s (2 more reasons below)")
    );
    assert_eq!(trust::forms(&of(&reasons[..1])), [first, first, first]);
}

#[test]
fn what_is_in_the_place_of_the_result() {
    let lost = LostIos { failed: 85_790, issued: Some(114_537), jobs: vec!["r".to_owned()] };
    let failed = FailedJobs { are_workers: false, failed: 2, of: 3, first: "no space".to_owned() };
    let failed = Instead { failed: Some(failed), ..Instead::default() };
    let text = of_instead(&failed, Some(&lost), None);
    assert_eq!(text, "85,790 of 114,537 I/Os of r failed. 2 of 3 jobs failed, the first: no space");
    let memory = Instead { findings: vec![memory()], ..Instead::default() };
    let plain = of_instead(&memory, None, None);
    let some = Instead { rounds: Some(RoundsPart { times: 2, of: 3 }), ..memory.clone() };
    assert_eq!(of_instead(&some, None, None), format!("{plain} (in 2 of 3 rounds)"));
    let differs = Instead { amounts_of_round: Some(2), ..some };
    assert_eq!(
        of_instead(&differs, None, None),
        format!("In 2 of 3 rounds, with these amounts in round 2: {plain}")
    );
    let so_far = Some(RoundsPart { times: 1, of: 3 });
    assert_eq!(of_instead(&memory, None, so_far), format!("after 1 of 3 rounds: {plain}"));
}
