//! The tests of the standard by invented rounds: order, constants, windows, and the traps that other implementations fell
//! into (docs/adr/0019).

use super::*;
use crate::RoundJobs;
use crate::fixture::done;
use fathom_job::parse::{self, Keywords, Surroundings};
use fathom_job::units::Bytes;
use fathom_results::RunEnd;
use fathom_results::procedure::{Preparation, RoundDone, RoundFigures, StepDone, StepRecord};
use fathom_words::trust::sentences;

/// A world without files.
struct Nothing;

impl Surroundings for Nothing {
    fn read(&self, _: &str, _: Option<&str>) -> Result<String, String> {
        Err("there are no files".to_owned())
    }
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
    fn keywords(&self) -> Keywords {
        Keywords { page_size: 4096, memory_mb: 16 << 10, cpus: 8 }
    }
}

pub(super) fn terms(edition: Edition) -> PtsTerms {
    PtsTerms {
        edition,
        target: "sim:datacentre/1024".to_owned(),
        capacity: Bytes(3_750_000_000),
        sector: Bytes(512),
        engine: "io_uring".to_owned(),
        direct: true,
        purges: true,
        is_simulated: true,
        active_percent: edition.active_percent(),
        demand: edition.demand(),
        time_divisor: 1,
        rounds_max: 25,
        cache_setting: CacheSetting::Left,
        write_cache: WriteCache::OfModel,
        operator: String::new(),
    }
}

pub(super) fn pts(names: &[&str]) -> Pts {
    let of = |name: &&str| *TESTS.iter().find(|test| test.name == *name).unwrap();
    Pts { terms: terms(Edition::Enterprise), tests: names.iter().map(of).collect() }
}

/// The sections of the job file of a round: name, and options.
pub(super) fn sections(round: &Round) -> Vec<(String, Vec<(String, String)>)> {
    let RoundJobs::Text { text, .. } = &round.jobs else {
        panic!("a round of the standard has its own text")
    };
    let mut all: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix('['), line.split_once('=')) {
            (Some(name), _) => all.push((name.trim_end_matches(']').to_owned(), Vec::new())),
            (None, pair) => {
                let (name, value) = pair.unwrap_or((line, ""));
                all.last_mut().unwrap().1.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    all.retain(|(name, _)| name != "global");
    all
}

pub(super) fn option<'a>(section: &'a (String, Vec<(String, String)>), name: &str) -> &'a str {
    let found = section.1.iter().find(|(known, _)| known == name);
    found.map_or("", |(_, value)| value.as_str())
}

/// Does the steps of a procedure until `until` or its end. Each segment has the rate that `rate` gives for the cell, the
/// number of the round of that cell, and the name of the segment.
pub(super) fn driven_until(
    pts: &Pts,
    rate: impl Fn(&str, usize, &str) -> f64,
    sitting: impl Fn(usize) -> u32,
    until: impl Fn(&Step) -> bool,
) -> (Vec<StepRecord>, Step) {
    let mut steps: Vec<StepRecord> = Vec::new();
    loop {
        assert!(steps.len() < 3_000, "it does not end");
        let step = pts.next(&History::new(&steps));
        let did = match &step {
            _ if until(&step) => return (steps, step),
            Step::Prepare(preparation) => StepDone::Prepared {
                preparation: preparation.clone(),
                evidence: "empty".to_owned(),
                method: None,
            },
            Step::Run(round) => {
                let number = History::new(&steps).of_cell(&round.cell).count() + 1;
                StepDone::Round(measured(round, |segment| rate(&round.cell, number, segment)))
            }
            _ => return (steps, step),
        };
        let number = steps.len();
        steps = done(steps, did);
        steps[number].sitting = sitting(number);
    }
}

pub(super) fn driven(pts: &Pts, rate: impl Fn(&str, usize, &str) -> f64) -> (Vec<StepRecord>, Step) {
    driven_until(pts, rate, |_| 0, |_| false)
}

fn measured(round: &Round, rate: impl Fn(&str) -> f64) -> RoundDone {
    let figures = sections(round).into_iter().map(|section| {
        let ms: f64 = option(&section, "runtime").trim_end_matches("ms").parse().unwrap_or(60_000.0);
        let iops = rate(&section.0);
        RoundFigures {
            job: section.0.clone(),
            seconds: ms / 1e3,
            iops,
            ios: (iops * ms / 1e3) as u64,
            bytes_per_second: iops * 4096.0,
            latency_ns_mean: Some(1e9 / iops),
            latency_ns_min: Some((5e8 / iops) as u64),
            latency_ns_max: Some((5e9 / iops) as u64),
            ..RoundFigures::default()
        }
    });
    let figures: Vec<RoundFigures> = figures.collect();
    let cell = round.cell.clone();
    let seconds = figures.iter().map(|it| it.seconds).sum();
    let whole = Box::new(RoundFigures { seconds, ..RoundFigures::default() });
    RoundDone {
        directory: cell.clone(),
        cell,
        ended: RunEnd::ByItself,
        figures,
        whole,
        ..RoundDone::default()
    }
}

fn rounds_of(steps: &[StepRecord], cell: &str) -> usize {
    History::new(steps).of_cell(cell).count()
}

fn headline(step: &Step) -> String {
    let Step::Done(verdict) = step else { panic!("not done: {step:?}") };
    fathom_words::headline(&verdict.headline)
}

#[test]
fn every_job_file_is_one_that_the_parser_takes() {
    for edition in [Edition::Enterprise, Edition::Client] {
        let pts = Pts { terms: terms(edition), ..pts(&["iops"]) };
        for test in TESTS {
            for (round, _) in sequence::expected(test, &pts.terms) {
                let RoundJobs::Text { text, adjust } = &round.jobs else { panic!() };
                let jobs = parse::load_text(&round.cell, text, adjust, &Nothing).unwrap();
                assert_eq!(jobs.jobs.len(), sections(&round).len(), "{}", round.cell);
            }
        }
    }
}

#[test]
fn the_iops_test_purges_fills_twice_and_keeps_the_standards_order() {
    let (steps, last) = driven(&pts(&["iops"]), |_, _, _| 1000.0);
    assert!(matches!(
        &steps[0].did,
        StepDone::Prepared { preparation: Preparation::Purge { target }, .. } if target == "sim:datacentre/1024"
    ));
    assert_eq!((rounds_of(&steps, "iops-fill"), rounds_of(&steps, "iops-round")), (34, 5));
    assert!(headline(&last).starts_with("IOPS test: steady state after round 5"), "{}", headline(&last));
    let fills = sequence::expected(pts(&["iops"]).tests[0], &terms(Edition::Enterprise));
    let size = |round: &Round| option(&sections(round)[0], "size").parse::<u64>().unwrap_or(0);
    let filled: u64 = fills
        .iter()
        .filter(|(round, _)| round.cell == "iops-fill")
        .map(|(round, times)| size(round) * u64::from(*times))
        .sum();
    assert_eq!(filled, 2 * terms(Edition::Enterprise).active().0, "its odd end too");
    let names: Vec<&str> = steps[35].round().unwrap().figures.iter().map(|it| it.job.as_str()).collect();
    assert_eq!(names.len(), 56);
    assert_eq!(
        names[..9],
        [
            "r100-1024k",
            "r100-128k",
            "r100-64k",
            "r100-32k",
            "r100-16k",
            "r100-8k",
            "r100-4k",
            "r100-512",
            "r95-1024k"
        ]
    );
    assert_eq!(
        names[48..],
        ["r0-1024k", "r0-128k", "r0-64k", "r0-32k", "r0-16k", "r0-8k", "r0-4k", "r0-512"]
    );
}

/// What help, header and answer say about threads and depth is what the jobs have.
#[test]
fn threads_and_depth_are_those_of_the_tests_that_take_them() {
    for edition in [Edition::Enterprise, Edition::Client, Edition::Tkperf] {
        let jobs = |test: &PtsTest, threads: u32, depth: u32| {
            let terms = PtsTerms { demand: Demand { threads, depth }, ..terms(edition) };
            let rounds = sequence::expected(test, &terms).into_iter();
            rounds.map(|(round, _)| format!("{:?}", round.jobs)).collect::<String>()
        };
        for test in tests_of(edition) {
            let is_changed =
                [(3, 5), (7, 2)].map(|(threads, depth)| jobs(test, threads, depth) != jobs(test, 3, 2));
            assert_eq!(is_changed, [test.takes_demand; 2], "{} of {edition:?}", test.name);
        }
    }
}

#[test]
fn the_editions_have_their_demand_and_active_range() {
    let section = |edition: Edition| {
        let pts = Pts { terms: terms(edition), ..pts(&["iops"]) };
        let all = sequence::expected(pts.tests[0], &pts.terms);
        let (round, most) = all.last().unwrap();
        assert_eq!(*most, 25);
        sections(round)[0].clone()
    };
    let (enterprise, client) = (section(Edition::Enterprise), section(Edition::Client));
    let of = |section: &(String, Vec<(String, String)>)| {
        ["numjobs", "iodepth", "size"].map(|name| option(section, name).to_owned())
    };
    assert_eq!(of(&enterprise), ["4", "32", "3749999616"]);
    assert_eq!(of(&client), ["2", "16", "2812499968"]);
}

/// The round's 56 cells follow each other in one job file: no process and no run begins between them.
#[test]
fn a_round_is_one_file_of_cells_of_a_minute() {
    let (round, _) = sequence::expected(pts(&["iops"]).tests[0], &terms(Edition::Enterprise)).pop().unwrap();
    for section in sections(&round) {
        assert_eq!(option(&section, "runtime"), "60000ms");
        assert!(section.1.iter().any(|(name, _)| name == "stonewall"));
        assert!(option(&section, "rw").starts_with("rand"));
        // The driver gives each round another seed; one of the test would repeat the same addresses.
        assert_eq!((option(&section, "randseed"), option(&section, "randrepeat")), ("", ""));
    }
}

#[test]
fn three_variables_must_be_steady_in_the_same_window() {
    // The 64 KiB mix settles at round 9, the reads at once, the writes at round 6.
    let rate = |cell: &str, round: usize, segment: &str| match (cell, segment) {
        ("iops-round", "r65-64k") if round < 9 => 1000.0 / round as f64,
        ("iops-round", "r0-4k") if round < 6 => 5000.0 / round as f64,
        _ => 100.0,
    };
    let (steps, _) = driven(&pts(&["iops"]), rate);
    assert_eq!(rounds_of(&steps, "iops-round"), 13);
}

#[test]
fn without_steady_state_a_test_ends_after_25_rounds_and_says_so() {
    let falls = |cell: &str, round: usize, _: &str| {
        if cell == "iops-round" { 1000.0 / (1.0 + round as f64) } else { 1000.0 }
    };
    let (steps, last) = driven(&pts(&["iops"]), falls);
    assert_eq!(rounds_of(&steps, "iops-round"), 25);
    assert!(
        headline(&last).contains("NO steady state in 25 rounds, the most that the test has"),
        "{}",
        headline(&last)
    );
    assert!(pts(&["iops"]).is_not_valid(&History::new(&steps)), "exit code 5");
    let (steady, _) = driven(&pts(&["iops"]), |_, _, _| 1000.0);
    assert!(!pts(&["iops"]).is_not_valid(&History::new(&steady)));
}

#[test]
fn no_window_spans_an_interruption() {
    // Steady from the beginning, but fathom was started again before the third round.
    let third = |number: usize| u32::from(number >= 37);
    let (steps, _) = driven_until(&pts(&["iops"]), |_, _, _| 1000.0, third, |_| false);
    assert_eq!(rounds_of(&steps, "iops-round"), 7, "five rounds after the interruption");
}

#[test]
fn a_resume_goes_on_with_the_round_that_is_missing() {
    let all = pts(&["iops", "lat"]);
    let (steps, last) = driven(&all, |_, _, _| 1000.0);
    assert!(matches!(last, Step::Done(_)));
    for kept in 0..steps.len() {
        let next = all.next(&History::new(&steps[..kept]));
        let same = match (&next, &steps[kept].did) {
            (Step::Run(round), StepDone::Round(done)) => round.cell == done.cell,
            (Step::Prepare(asked), StepDone::Prepared { preparation, .. }) => asked == preparation,
            _ => false,
        };
        assert!(same, "after {kept} steps: {next:?}");
    }
}

#[test]
fn sequential_cells_go_on_where_the_round_before_ended() {
    let (steps, _) = driven_until(
        &pts(&["tp"]),
        |_, _, _| 1000.0,
        |_| 0,
        |step| matches!(step, Step::Run(round) if round.cell == "tp-1024k-round"),
    );
    let third = {
        let mut steps = steps;
        for _ in 0..2 {
            let Step::Run(round) = pts(&["tp"]).next(&History::new(&steps)) else { panic!() };
            steps = done(steps, StepDone::Round(measured(&round, |_| 1000.0)));
        }
        let Step::Run(round) = pts(&["tp"]).next(&History::new(&steps)) else { panic!() };
        sections(&round)
    };
    // 1,000 I/Os of 4 KiB a second for a minute, twice, in whole blocks of 1 MiB.
    let moved = 2 * 1000 * 4096 * 60u64;
    assert_eq!(option(&third[0], "offset"), (moved - moved % (1 << 20)).to_string());
    assert_eq!((option(&third[0], "rw"), option(&third[1], "rw")), ("read", "write"));
    // One stream: several would each write the whole range.
    assert!(third.iter().all(|section| option(section, "numjobs") == "1"));
}

#[test]
fn a_drive_of_4096_byte_blocks_skips_small_cells_and_the_composite_test() {
    let all = Pts {
        terms: PtsTerms { sector: Bytes(4096), ..terms(Edition::Enterprise) },
        ..pts(&["iops", "cbw"])
    };
    let (steps, last) = driven(&all, |_, _, _| 1000.0);
    assert_eq!(steps.last().unwrap().round().unwrap().figures.len(), 49);
    let Step::Done(verdict) = last else { panic!() };
    let lines = fathom_words::lines(&verdict.headline);
    assert!(lines[1].contains("not run: its workload has I/Os of 512"), "{lines:?}");
    assert!(
        sentences(&verdict.distrust)
            .iter()
            .any(|said| said.starts_with("Composite block size workload test: not run"))
    );
}

#[test]
fn write_saturation_ends_at_four_fills_at_six_hours_or_when_steady() {
    let fast = |_: &str, round: usize, _: &str| 40_000.0 + 20_000.0 * (round % 2) as f64;
    let (steps, _) = driven(&pts(&["wsat"]), fast);
    // 31 minutes of 40,000 to 60,000 × 4 KiB are more than 4 × 3.75 GB at once.
    assert_eq!(rounds_of(&steps, "wsat-round"), 1);
    let uneven = |_: &str, round: usize, _: &str| 100.0 + 50.0 * (round % 2) as f64;
    let (steps, _) = driven(&pts(&["wsat"]), uneven);
    assert_eq!(rounds_of(&steps, "wsat-round"), 12, "6 hours are 12 cycles of 31 minutes");
    let (steps, _) = driven(&pts(&["wsat"]), |_, _, _| 100.0);
    assert_eq!(rounds_of(&steps, "wsat-round"), 5);
    assert_eq!(steps.last().unwrap().round().unwrap().figures[0].seconds, 1200.0);
}

/// The base line has no idle time between its bursts: otherwise the drive would never return to it.
#[test]
fn only_the_wait_states_of_idle_recovery_are_idle() {
    let all = sequence::expected(pts(&["hir"]).tests[0], &terms(Edition::Enterprise));
    let of = |cell: &str| all.iter().find(|(round, _)| round.cell == cell).unwrap();
    for (wait, delay) in [("5", "5000ms"), ("50", "50000ms")] {
        let (idle, rounds) = of(&format!("hir-wait-{wait}"));
        assert_eq!(*rounds, 12);
        assert!(sections(idle).iter().all(|section| option(section, "idle_before") == delay));
        let (base, _) = of(&format!("hir-base-{wait}"));
        assert!(sections(base).iter().all(|section| option(section, "idle_before").is_empty()));
        assert_eq!((sections(base).len(), option(&sections(base)[0], "runtime")), (30, "5000ms"));
    }
}

#[test]
fn the_demand_sweep_goes_from_the_highest_demand_to_the_lowest() {
    let all = sequence::expected(pts(&["dirth"]).tests[0], &terms(Edition::Enterprise));
    let (round, _) = all.iter().find(|(round, _)| round.cell == "dirth-round").unwrap();
    let cells = sections(round);
    assert_eq!((cells.len(), cells[0].0.as_str(), option(&cells[0], "runtime")), (50, "before", "300000ms"));
    let demand = |at: usize| {
        (option(&cells[at], "numjobs"), option(&cells[at], "iodepth"), option(&cells[at], "rwmixread"))
    };
    assert_eq!(demand(1), ("32", "32", "65"));
    assert_eq!(demand(2), ("32", "16", "65"), "TC is numjobs, QD is iodepth");
    assert_eq!(demand(49), ("1", "1", "65"));
}

#[test]
fn the_points_are_the_most_iops_below_5_ms_the_middle_and_one_at_a_time() {
    let rate = |_: &str, _: usize, segment: &str| match segment
        .strip_prefix('t')
        .and_then(|it| it.split_once('q'))
    {
        // 32 × 32 is fastest and its latency is above 5 ms by the inverse that the rounds have: 150 IOPS are 6.7 ms.
        Some(("32", "32")) => 150.0,
        Some((threads, depth)) => 200.0 + threads.parse::<f64>().unwrap() * depth.parse::<f64>().unwrap(),
        None => 1000.0,
    };
    let points = |step: &Step| matches!(step, Step::Run(round) if round.cell == "dirth-points");
    let (_, step) = driven_until(&pts(&["dirth"]), rate, |_| 0, points);
    let Step::Run(round) = step else { panic!() };
    let demand = |name: &str| {
        let all = sections(&round);
        let section = all.iter().find(|(known, _)| known == name).unwrap().clone();
        (option(&section, "numjobs").to_owned(), option(&section, "iodepth").to_owned())
    };
    let told = |threads: &str, depth: &str| (threads.to_owned(), depth.to_owned());
    // As many IOPS as 32 × 16, with fewer threads.
    assert_eq!(demand("max"), told("16", "32"));
    assert_eq!(demand("before-max"), told("16", "32"));
    assert_eq!(demand("min"), told("1", "1"));
    // The middle of 712 and 201 is 456.5: 32 × 8 and 16 × 16 have 456.
    assert_eq!(demand("mid"), told("32", "8"));
}

#[test]
fn times_can_be_cut_and_the_report_says_so() {
    let all = Pts { terms: PtsTerms { time_divisor: 60, ..terms(Edition::Enterprise) }, ..pts(&["iops"]) };
    let (steps, last) = driven(&all, |_, _, _| 1000.0);
    assert_eq!(steps.last().unwrap().round().unwrap().figures[0].seconds, 1.0);
    let Step::Done(verdict) = last else { panic!() };
    assert!(
        sentences(&verdict.distrust).iter().any(|said| said.contains("1/60 of the standard's")),
        "{:?}",
        verdict.distrust
    );
}

#[test]
fn the_plan_has_the_times_of_the_standard() {
    // From the tests' own descriptions in SNIA PTS 2.0.2: one round and the least, in minutes.
    let least_and_most = |name: &str| {
        let planned = plan(&pts(&[name])).remove(0);
        (planned.ms.0 / 60_000, planned.ms.1 / 60_000)
    };
    assert_eq!(least_and_most("iops"), (4 * 60 + 40, 1_400));
    assert_eq!(least_and_most("tp"), (2 * 10, 2 * 50));
    assert_eq!(least_and_most("lat"), (45 + 20, 225 + 20));
    assert_eq!(least_and_most("xsr"), (22 * 60, 22 * 60));
    // 13 h of bursts with rests, 2.5 h of base lines, 5 half hours before.
    let (hir, _) = least_and_most("hir");
    assert_eq!(hir, 13 * 60 + 150 + 150);
    // A fast drive writes its four fills in the first 31 minutes; otherwise it is 12 cycles of them. 20 minutes come after.
    assert_eq!(least_and_most("wsat"), (31 + 20, 12 * 31 + 20));
    let wsat = plan(&pts(&["wsat"])).remove(0);
    assert_eq!((wsat.rounds, wsat.written_max), ((2, 13), Some(4 * 3_749_999_616)));
    let iops = plan(&pts(&["iops"])).remove(0);
    assert_eq!(iops.fill_bytes, 2 * terms(Edition::Enterprise).active().0);
    // Half of the cells' time writes.
    assert_eq!(iops.writing_ms.0 * 2, iops.ms.0);
}

#[test]
fn parameters_open_the_same_tests_again() {
    let before = pts(&["lat", "iops"]);
    let parameters = before.parameters();
    let after = Pts::open(&Parameters(&parameters)).unwrap();
    assert_eq!(after.terms, before.terms);
    assert_eq!(after.parameters(), parameters);
}

#[test]
fn the_write_cache_is_set_once_before_everything_else() {
    let all = Pts {
        terms: PtsTerms { cache_setting: CacheSetting::Set, ..terms(Edition::Client) },
        ..pts(&["lat", "wsat"])
    };
    let (steps, last) = driven(&all, |_, _, _| 1000.0);
    let is_tuning = |step: &StepRecord| {
        matches!(&step.did, StepDone::Prepared { preparation: Preparation::Tuning { in_force: true }, .. })
    };
    assert!(is_tuning(&steps[0]) && !steps[1..].iter().any(is_tuning));
    assert!(headline(&last).starts_with("2 tests"), "{}", headline(&last));
}
