//! Rates, pauses, floors, latency goals, flow.

use super::*;

const BASE: &str = "ioengine=null size=1m bs=4k rw=randrw iodepth=8";

/// Does nothing hold the job back, and nothing judge it?
pub(super) fn is_free(pace: &Pace) -> bool {
    let judged = pace.floor.iter().any(|(_, floor)| floor.is_some())
        || pace.latency_max.iter().any(|(_, most)| most.is_some());
    !pace.is_paced() && !judged && pace.think.is_none() && pace.goal.is_none() && pace.flow.is_none()
}

fn pace(options: &str) -> Pace {
    one(&format!("{BASE} {options}")).jobs[0].pace.clone()
}

fn found(options: &str) -> Vec<String> {
    codes(&one(&format!("{BASE} randrepeat=0 {options}"))).into_iter().map(str::to_owned).collect()
}

fn error(options: &str) -> String {
    error_of(&format!("{BASE} {options}")).code
}

/// Reads and writes; the job of these tests never trims.
fn both<T>(read: Option<T>, write: Option<T>) -> PerDirection<Option<T>> {
    PerDirection { read, write, trim: None }
}

const THINK: Think = Think {
    pause: Nanos::micros(100),
    spin: Nanos(0),
    every: 1,
    counts: ThinkCounts::Completion,
    io_time: None,
};
const GOAL: LatencyGoal = LatencyGoal {
    target: Nanos::millis(5),
    window: Nanos::secs(2),
    percentile: 100.0,
    keeps_adapting: false,
};
const FLOW: Flow = Flow { id: 0, weight: 3, sleep: Nanos(0) };

#[test]
fn each_option_stands_in_the_pace() {
    let (think, goal, flow) = (Some(THINK), Some(GOAL), Some(FLOW));
    let free = Pace::default();
    let mib = Some(Rate::Bytes(1 << 20));
    let cycle = |floor_cycle: Nanos| Pace { floor: both(mib, mib), floor_cycle, ..Pace::default() };
    let goal_text = "latency_target=5ms latency_window=2s";
    let cases = [
        ("bs=4k", free.clone()),
        ("rate=0 rate_iops=0 rate_min=0 thinktime=0 max_latency=0 latency_target=0 flow=0", free.clone()),
        ("rate=1m", Pace { rate: both(mib, mib), ..free.clone() }),
        ("rate=1m,2m", Pace { rate: both(mib, Some(Rate::Bytes(2 << 20))), ..free.clone() }),
        ("rate=,1m", Pace { rate: both(None, mib), ..free.clone() }),
        ("rate=1m,", Pace { rate: both(mib, None), ..free.clone() }),
        ("rate=1m,0", Pace { rate: both(mib, None), ..free.clone() }),
        ("rate_iops=5k", Pace { rate: both(Some(Rate::Ios(5120)), Some(Rate::Ios(5120))), ..free.clone() }),
        ("rate_iops=,7", Pace { rate: both(None, Some(Rate::Ios(7))), ..free.clone() }),
        ("rate_process=poisson", Pace { arrivals: Arrivals::Poisson, ..free.clone() }),
        ("rate_process=linear", free.clone()),
        ("rate_ignore_thinktime=1", Pace { ignores_think: true, ..free.clone() }),
        ("rate_min=1m", cycle(Nanos::secs(1))),
        ("ratemin=1m ratecycle=250", cycle(Nanos::millis(250))),
        ("rate_min=1m rate_cycle=0", cycle(Nanos::millis(1))),
        (
            "rate_iops_min=,9",
            Pace { floor: both(None, Some(Rate::Ios(9))), floor_cycle: Nanos::secs(1), ..free.clone() },
        ),
        ("thinktime=100", Pace { think, ..free.clone() }),
        ("thinktime=100us thinktime_blocks=0", Pace { think, ..free.clone() }),
        (
            "thinktime=100 thinktime_spin=40",
            Pace { think: Some(Think { spin: Nanos::micros(40), ..THINK }), ..free.clone() },
        ),
        (
            "thinktime=100 thinktime_spin=1s", // fio: no longer than the pause
            Pace { think: Some(Think { spin: Nanos::micros(100), ..THINK }), ..free.clone() },
        ),
        (
            "thinktime=100 thinktime_blocks=8 thinktime_blocks_type=issue",
            Pace { think: Some(Think { every: 8, counts: ThinkCounts::Issue, ..THINK }), ..free.clone() },
        ),
        (
            "thinktime=100 thinktime_iotime=3",
            Pace {
                think: Some(Think { every: u64::MAX, io_time: Some(Nanos::secs(3)), ..THINK }),
                ..free.clone()
            },
        ),
        (
            "thinktime=100 thinktime_iotime=3ms thinktime_blocks=1",
            Pace { think: Some(Think { io_time: Some(Nanos::millis(3)), ..THINK }), ..free.clone() },
        ),
        ("max_latency=10ms,", Pace { latency_max: both(Some(Nanos::millis(10)), None), ..free.clone() }),
        (goal_text, Pace { goal, ..free.clone() }),
        (
            "latency_target=5000 latency_window=2s latency_percentile=99.9 latency_run=1",
            Pace {
                goal: Some(LatencyGoal { percentile: 99.9, keeps_adapting: true, ..GOAL }),
                ..free.clone()
            },
        ),
        ("flow=3", Pace { flow, ..free.clone() }),
        (
            "flow=3 flow_id=7 flow_sleep=20",
            Pace { flow: Some(Flow { id: 7, sleep: Nanos::micros(20), ..FLOW }), ..free.clone() },
        ),
    ];
    for (options, expected) in cases {
        assert_eq!(pace(options), expected, "{options}");
    }
}

#[test]
fn only_what_holds_back_or_judges_counts() {
    for (options, paced, free) in [
        ("bs=4k", false, true),
        ("rate_process=poisson rate_ignore_thinktime=1 rate_cycle=5", false, true),
        ("rate_iops=,5", true, false),
        ("rate_min=5", false, false),
        ("thinktime=5", false, false),
        ("max_latency=5", false, false),
        ("latency_target=5", false, false),
        ("flow=5", false, false),
    ] {
        let pace = pace(options);
        assert_eq!((pace.is_paced(), is_free(&pace)), (paced, free), "{options}");
    }
}

#[test]
fn directions_that_are_not_issued_have_no_pace() {
    let pace = |options: &str| one(&format!("ioengine=null size=1m bs=4k {options}")).jobs[0].pace.clone();
    let read = pace("rw=read rate=1m max_latency=5s rate_iops_min=3");
    assert_eq!(read.rate, both(Some(Rate::Bytes(1 << 20)), None));
    assert_eq!(read.latency_max, both(Some(Nanos::secs(5)), None));
    assert_eq!(read.floor, both(Some(Rate::Ios(3)), None));
    let trim = pace("rw=trimwrite rate_iops=1,2,3");
    assert_eq!(trim.rate, PerDirection { read: None, write: Some(Rate::Ios(2)), trim: Some(Rate::Ios(3)) });
    let other = one("ioengine=null size=1m bs=4k rw=read rate=,1m");
    assert!(is_free(&other.jobs[0].pace) && codes(&other) == ["pace-unused"], "{:?}", other.findings);
}

#[test]
fn contradictions_are_fios_errors() {
    for (options, code) in [
        ("rate=1m rate_iops=5", "two-units"),
        ("rate=1m, rate_iops=,500", "two-units"),
        ("rate=,,5m rate_iops=10", "two-units"),
        ("rate_min=1m rate_iops_min=5", "two-units"),
        ("rate=1m rate_min=2m", "floor-above-rate"),
        ("rate=1m,500k rate_min=700k", "floor-above-rate"),
        ("rate_iops=500 rate_iops_min=501", "floor-above-rate"),
    ] {
        assert_eq!(error(options), code, "{options}");
    }
    // fio takes these.
    for options in ["rate=1m rate_min=1m", "rate_iops=500 rate_min=1g", "rate_min=1m rate=,2m", "rate_min=1"]
    {
        assert!(!is_free(&pace(options)), "{options}");
    }
    let error = error_of(&format!("{BASE} rate=1m,500k rate_min=700k"));
    assert!(
        error.message.contains("least write rate is 716800") && error.message.contains("512000"),
        "{error}"
    );
    assert_eq!(error.span.unwrap().text, "rate_min=700k");
}

#[test]
fn options_that_decide_nothing_are_told() {
    for option in [
        "rate_process=poisson",
        "rate_ignore_thinktime=1",
        "rate_cycle=5",
        "thinktime_spin=5",
        "thinktime_blocks=5",
        "thinktime_blocks_type=issue",
        "thinktime_iotime=5",
        "latency_window=5",
        "latency_percentile=5",
        "latency_run=1",
        "flow_id=5",
        "flow_sleep=5",
    ] {
        assert_eq!(found(option), ["pace-unused"], "{option}");
        let all = "rate=1g rate_min=1 thinktime=10 flow=1 latency_target=1s latency_window=1s";
        assert!(!found(&format!("{all} {option}")).contains(&"pace-unused".to_owned()), "{option}");
    }
    assert!(found("rate_process=linear thinktime_blocks=1 rate_cycle=1000").is_empty());
}

#[test]
fn a_rate_in_ios_of_blocks_that_vary_names_the_rate_of_fio() {
    let told = |options: &str| {
        let plan = one(&format!("ioengine=null size=1m {options}"));
        let found = plan.findings.iter().find(|found| found.code == "rate-iops-sizes");
        found.map(|found| (found.message.clone(), found.hints.join("")))
    };
    let (message, hint) = told("rw=randread bssplit=4k/50:64k/50 rate_iops=500").unwrap();
    assert!(message.contains("fio would keep 1.95 MiB a second (4 KiB for each I/O"), "{message}");
    assert_eq!(hint, "for the rate of fio: rate=2048000 in place of rate_iops");
    let (_, hint) = told("rw=randrw bsrange=8k-64k rate_iops=100,50").unwrap();
    assert_eq!(hint, "for the rate of fio: rate=819200,409600 in place of rate_iops");
    for same in [
        "rw=randread bs=4k rate_iops=500",
        "rw=randread bssplit=4k/50:64k/50 rate=2m",
        "rw=randread bssplit=4k/50:64k/50 rate_iops=500 rate_process=poisson",
        "rw=randread bssplit=4k/100,4k/50:64k/50 rate_iops=500",
    ] {
        assert_eq!(told(same), None, "{same}");
    }
}

#[test]
fn searches_that_find_nothing_and_pauses_that_are_cut_are_told() {
    assert_eq!(found("latency_target=5ms latency_window=1s"), Vec::<String>::new());
    assert_eq!(found("latency_target=5ms"), ["goal-without-window"]);
    assert_eq!(found("latency_target=5ms latency_window=1s iodepth=1"), ["goal-without-depth"]);
    assert_eq!(found("thinktime=5 thinktime_spin=6"), ["spin-clipped"]);
}
