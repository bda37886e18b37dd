//! The view of jobs on the null engine, fed with frames.

use super::feed::{Doing, Feed};
use super::figures::{Figures, LastSecond};
use super::left::left;
use super::line::log_line;
use super::look::Look;
use super::moment::{LiveMoment, Running, phase};
use super::panel::panel;
use super::rounds::Rounds;
use super::taints::taints;
use crate::terminal::here;
use fathom_job::direction::Direction;
use fathom_job::parse::{self, Adjust};
use fathom_job::plan::Plan;
use fathom_job::units::Nanos;
use fathom_results::procedure::ProcedureForecast;
use fathom_results::{DirectionWindow, Frame, Phase, Window};
use fathom_stats::Histogram;
use fathom_text::style::Style;

const SECOND: u64 = 1_000_000_000;

pub(super) fn plan(text: &str) -> Plan {
    let global = "[global]\nioengine=null\nsize=1m\nrw=read\n";
    let here = here();
    let jobs = parse::load_text("test", &format!("{global}{text}"), &Adjust::default(), &here).unwrap();
    fathom_session::planned(&jobs, &here).unwrap_or_else(|e| panic!("{e:?}"))
}

pub(super) fn enters(job: u32, phase: Phase, second: u64) -> Frame {
    Frame::Phase { job, phase, at_ns: second * SECOND }
}

/// A second of a worker in which it read this many blocks of 4 KiB, each in 100 µs.
fn window(job: u32, second: u64, ios: u64) -> Frame {
    let mut window = Window::quiet(job, Phase::Measure, second * SECOND, (second + 1) * SECOND);
    if ios > 0 {
        let mut done = DirectionWindow { ios, bytes: ios * 4096, ..DirectionWindow::default() };
        let mut histogram = Histogram::new();
        histogram.record_n(100_000, ios);
        done.completion.moments = *histogram.totals();
        done.completion.histogram = Some(histogram.sparse());
        window.directions.push((Direction::Read, done));
    }
    Frame::Window(Box::new(window))
}

pub(super) fn feed(plan: &Plan, frames: &[Frame]) -> (Feed, LastSecond) {
    let (feed, queue) = Feed::of(plan, true);
    frames.iter().for_each(|frame| feed.frame(frame));
    let mut last = LastSecond::of(plan.jobs.len());
    last.take(&queue);
    (feed, last)
}

/// Nobody reads the queue, as when the terminal takes nothing: what counts is still exact.
#[test]
fn a_feed_that_nobody_reads_waits_for_nobody() {
    let plan = plan("[a]\nnumjobs=2\n");
    let (feed, queue) = Feed::of(&plan, true);
    for job in [0, 1] {
        feed.frame(&enters(job, Phase::Measure, 0));
    }
    for second in 0..10_000 {
        feed.frame(&window(second as u32 % 2, second, 3));
    }
    assert_eq!((feed.bytes(0), feed.bytes(1)), (15_000 * 4096, 15_000 * 4096));
    assert_eq!(feed.latest_ns(), 10_000 * SECOND);
    assert!(queue.try_iter().count() < 100);
    let (quiet, queue) = Feed::of(&plan, false);
    quiet.frame(&window(0, 0, 3));
    assert_eq!((quiet.bytes(0), queue.try_iter().count()), (3 * 4096, 0));
}

#[test]
fn the_last_second_is_the_sum_over_the_workers_that_run() {
    let plan = plan("[a]\nnumjobs=3\ntime_based\nruntime=10\n");
    let frames: Vec<Frame> = (0..3)
        .flat_map(|job| [enters(job, Phase::Measure, 0), window(job, 0, 7), window(job, 1, 1000)])
        .collect();
    let (feed, mut last) = feed(&plan, &frames);
    let figures = last.figures(&feed).unwrap();
    assert_eq!((figures.iops(), figures.bytes_per_second()), (3000.0, 3000.0 * 4096.0));
    assert_eq!(figures.latency_ns, Some((100_000, 100_000)));
    feed.frame(&enters(1, Phase::Drain, 2));
    assert_eq!(last.figures(&feed).unwrap().iops(), 2000.0);
}

/// The rest at the end of a job is microseconds long, and nothing completes in it: the job has still reached its rate.
#[test]
fn the_rest_at_the_end_of_a_job_is_not_its_last_second() {
    let plan = plan("[a]\nrate_iops=1000\ntime_based\nruntime=10\n");
    let mut rest = window(0, 10, 0);
    if let Frame::Window(window) = &mut rest {
        window.end_ns = window.start_ns + 5_000;
    }
    let frames = [enters(0, Phase::Measure, 0), window(0, 9, 1000), rest.clone()];
    let (feed, mut last) = feed(&plan, &frames);
    let figures = last.figures(&feed);
    assert_eq!(figures.as_ref().map(Figures::iops), Some(1000.0));
    assert_eq!(taints(&plan, &feed, figures.as_ref()), Vec::<String>::new());
    let (feed, mut last) = self::feed(&plan, &[enters(0, Phase::Measure, 0), rest]);
    assert_eq!(last.figures(&feed).as_ref().map(Figures::iops), Some(0.0), "there is no other");
}

#[test]
fn what_is_left_is_known_by_time_by_size_or_not() {
    let left_of = |plan: &Plan, frames: &[Frame], now: u64| {
        let left = left(plan, &feed(plan, frames).0, now * SECOND, None);
        left.map(|left| left.0 / SECOND)
    };
    let timed = plan("[a]\nramp_time=2\ntime_based\nruntime=10\n[b]\nstonewall\ntime_based\nruntime=30\n");
    assert_eq!(left_of(&timed, &[], 0), Some(42));
    assert_eq!(left_of(&timed, &[enters(0, Phase::Ramp, 5)], 6), Some(41));
    let measures = enters(0, Phase::Measure, 7);
    assert_eq!(left_of(&timed, std::slice::from_ref(&measures), 10), Some(37));
    let both = [measures, enters(0, Phase::Drain, 17), enters(1, Phase::Measure, 17)];
    assert_eq!(left_of(&timed, &both, 20), Some(27));
    // The delay counts from the start of the run: it is over before the first job is.
    let late = plan("[a]\ntime_based\nruntime=10\n[b]\nstonewall\nstartdelay=4\ntime_based\nruntime=30\n");
    assert_eq!(left_of(&late, &[], 0), Some(40));
    let delayed = plan("[a]\nstartdelay=4\ntime_based\nruntime=10\n");
    assert_eq!(left_of(&delayed, &[], 3), Some(11));
    // 256 blocks of 4 KiB, 16 in the first second.
    let sized = plan("[a]\n");
    assert_eq!(left_of(&sized, &[], 0), None);
    let (begins, first) = (enters(0, Phase::Measure, 0), window(0, 0, 16));
    assert_eq!(left_of(&sized, &[begins.clone(), first.clone()], 1), Some(15));
    let limited = plan("[a]\nruntime=5\n");
    assert_eq!(left_of(&limited, &[], 0), Some(5));
    assert_eq!(left_of(&limited, &[begins, first], 1), Some(4));
}

#[test]
fn what_spoils_the_result_is_seen_at_once() {
    let plan = plan("[a]\nrate_iops=1000\ntime_based\nruntime=10\n");
    let warnings = |frames: &[Frame]| {
        let (feed, mut last) = feed(&plan, frames);
        let figures = last.figures(&feed);
        taints(&plan, &feed, figures.as_ref())
    };
    let begins = enters(0, Phase::Measure, 0);
    assert!(warnings(&[begins.clone(), window(0, 0, 1000)]).is_empty());
    assert_eq!(
        warnings(&[begins.clone(), window(0, 0, 500)]),
        ["read: 500 of the 1.00k IOPS that are asked"]
    );
    let still = warnings(&[begins.clone(), window(0, 0, 0), window(0, 1, 0), window(0, 2, 1000)]);
    assert_eq!(still, ["nothing completed for 2 s in a"]);
    let mut failed = window(0, 0, 1000);
    if let Frame::Window(window) = &mut failed {
        window.directions[0].1.errors = 2;
    }
    assert_eq!(warnings(&[begins, failed]), ["2 I/O errors so far"]);
}

#[test]
fn the_phase_is_that_of_the_jobs_that_run() {
    let plan = plan("[a]\n[fill]\nstonewall\n");
    let told = |frames: &[Frame]| phase(&plan, &feed(&plan, frames).0, true);
    assert_eq!(told(&[]), "preparing");
    assert_eq!(told(&[enters(0, Phase::Prepare, 0)]), "layout");
    assert_eq!(told(&[enters(0, Phase::Ramp, 0)]), "ramp");
    assert_eq!(told(&[enters(0, Phase::Measure, 0)]), "measuring");
    assert_eq!(told(&[enters(0, Phase::Drain, 0)]), "ending");
    assert_eq!(told(&[enters(0, Phase::Drain, 0), enters(1, Phase::Measure, 1)]), "filling");
    assert_eq!(feed(&plan, &[]).0.state(0), Doing::Waits);
}

/// A moment of the second of three jobs, in the second of five rounds.
fn moment() -> LiveMoment {
    let plan = plan(
        "[a]\n[rand-read]\nstonewall\nnumjobs=4\ntime_based\nruntime=10\n[c]\nstonewall\ntime_based\nruntime=9\n",
    );
    let mut frames = vec![enters(0, Phase::Drain, 1)];
    frames.extend((1..5).flat_map(|job| [enters(job, Phase::Measure, 1), window(job, 1, 12_500)]));
    let (feed, mut last) = feed(&plan, &frames);
    let figures = last.figures(&feed);
    let forecast = ProcedureForecast {
        rounds: 5,
        time_ns: Some(100 * SECOND),
        written_bytes: None,
        ..ProcedureForecast::default()
    };
    let rounds = Rounds::new(&forecast, 1);
    let moment = LiveMoment {
        phase: phase(&plan, &feed, false),
        running: Running::now(&plan, &feed),
        left: left(&plan, &feed, 2 * SECOND, Some(&rounds)),
        taints: vec!["2 I/O errors so far".to_owned()],
        history: vec![25_000.0, 50_000.0],
        figures,
        ..LiveMoment::default()
    };
    moment.of_rounds(Nanos(2 * SECOND), Some(&rounds))
}

#[test]
fn a_panel_has_all() {
    let look = Look { style: Style::PLAIN, columns: 60, rows: 24 };
    let rows = [
        "round 2 of 5  measuring  rand-read (2 of 3), 4 workers",
        "██████▌░░░░░░░░░░░░░░░░░░░░░░░   22 %  about 1 min 18 s left",
        "IOPS         50.0k",
        "bandwidth    205 MB/s",
        "latency      p50 100 µs   p99 100 µs",
        "each second  ▅█",
        "! 2 I/O errors so far",
    ];
    assert_eq!(panel(&moment(), look), rows);
    for (height, shown) in [(8, 7), (5, 4), (1, 1)] {
        assert_eq!(panel(&moment(), Look { rows: height, ..look }), rows[..shown], "{height} rows");
    }
    let empty = panel(&LiveMoment { phase: "preparing", ..LiveMoment::default() }, look);
    assert_eq!(empty.len(), 6);
    assert!(empty[2].ends_with(" -"));
}

#[test]
fn a_line_of_a_log_is_whole() {
    assert_eq!(
        log_line(&moment()),
        "[round 2/5] [0/3 jobs done] rand-read measuring (4 workers)  r: 50.0k IOPS 205 MB/s  p99 100 µs  \
         about 1 min 18 s left  ! 2 I/O errors so far"
    );
}
