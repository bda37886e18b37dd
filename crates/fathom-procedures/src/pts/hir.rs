//! The host idle recovery test: what a drive gains when it may rest between bursts of writes.

use super::figures::{convergence, determination};
use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::segment::Segment;
use super::terms::PtsTerms;
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportPart, ReportSeries, TestReport};

/// Block of the writes.
const BLOCK: Bytes = Bytes::kib(4);

/// Idle times between bursts, seconds.
const WAITS_S: [u64; 5] = [5, 10, 15, 25, 50];

/// The length of a burst, seconds.
const BURST_S: u64 = 5;

/// Bursts of a wait state, and of the base line after it.
const BURSTS: u32 = 360;

/// Bursts of a round; a crash costs one round.
const BURSTS_OF_ROUND: u32 = 30;

const PRECONDITION: &str = "hir-precondition";

pub static TEST: PtsTest = PtsTest {
    name: "hir",
    title: "Host idle recovery test",
    takes_demand: true,
    needs_block: BLOCK,
    needs_active: ACTIVE_MIN,
    phases,
    report,
};

fn phases(terms: &PtsTerms) -> Vec<TestPhase> {
    let states = WAITS_S.into_iter().flat_map(|wait| {
        let of = |cell: String, idle: u64| {
            TestPhase::Fixed(Fixed {
                cell,
                segments: Box::new(move |terms, _| bursts(terms, idle)),
                rounds: BURSTS / BURSTS_OF_ROUND,
            })
        };
        [of(state(wait), wait), of(base_line(wait), 0)]
    });
    [
        TestPhase::Purge,
        TestPhase::Loop(Loop {
            until: precondition(terms),
            segments: Box::new(|terms, _| {
                vec![
                    Segment::writes("write", BLOCK, terms.demand, terms.ms(29 * 60)),
                    Segment::writes("sample", BLOCK, terms.demand, terms.ms(60)),
                ]
            }),
        }),
    ]
    .into_iter()
    .chain(states)
    .collect()
}

fn state(wait: u64) -> String {
    format!("hir-wait-{wait}")
}

fn base_line(wait: u64) -> String {
    format!("hir-base-{wait}")
}

fn bursts(terms: &PtsTerms, idle_s: u64) -> Vec<Segment> {
    let idle_ms = if idle_s == 0 { 0 } else { terms.ms(idle_s) };
    let burst = |number| Segment {
        idle_ms,
        ..Segment::writes(format!("b{number:02}"), BLOCK, terms.demand, terms.ms(BURST_S))
    };
    (1..=BURSTS_OF_ROUND).map(burst).collect()
}

/// Half an hour of writes, whose last minute is tracked.
fn precondition(terms: &PtsTerms) -> Until {
    let tracked = Tracked {
        name: "RND 4 KiB, 0/100, by half hour".to_owned(),
        segment: "sample".to_owned(),
        quantity: JudgedFigure::Iops,
    };
    Until {
        cell: PRECONDITION.to_owned(),
        tracked: vec![tracked],
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

/// The bursts of a state: the time in minutes at the end of each, and its figures.
fn in_time<'a>(
    of: &Reported<'a>,
    cell: &str,
    idle_s: u64,
    minutes: &mut f64,
) -> Vec<(f64, &'a RoundFigures)> {
    let idle_minutes = if idle_s == 0 { 0.0 } else { of.terms.ms(idle_s) as f64 / 60e3 };
    let rounds = of.taken.rounds(cell);
    let figures = rounds.iter().flat_map(|(round, _)| &round.figures);
    let add = |figures: &'a RoundFigures| {
        *minutes += idle_minutes + figures.seconds / 60.0;
        (*minutes, figures)
    };
    figures.map(add).collect()
}

fn mean(bursts: &[(f64, &RoundFigures)]) -> Option<f64> {
    (!bursts.is_empty())
        .then(|| bursts.iter().map(|(_, figures)| figures.iops).sum::<f64>() / bursts.len() as f64)
}

fn report(of: &Reported<'_>, report: &mut TestReport) {
    let sample = [("0/100, 4 KiB".to_owned(), "sample".to_owned())];
    report.parameters.push(("Stimulus".to_owned(), of.terms.demand.text() + ", random 4 KiB writes"));
    report.parts.push(convergence(
        of,
        PRECONDITION,
        "Preconditioning: random writes",
        sample,
        JudgedFigure::Iops,
    ));
    determination(of, &precondition(of.terms), report);
    let (mut minutes, mut series, mut rows) = (0.0, Vec::new(), Vec::new());
    let line = |bursts: &[(f64, &RoundFigures)]| bursts.iter().map(|(at, it)| (*at, it.iops)).collect();
    for wait in WAITS_S {
        let idle = in_time(of, &state(wait), wait, &mut minutes);
        let base = in_time(of, &base_line(wait), 0, &mut minutes);
        rows.push(vec![(wait as f64).into(), mean(&idle).into(), mean(&base).into()]);
        series.push(ReportSeries::measured(format!("wait {wait} s"), line(&idle)));
        series.push(ReportSeries::measured(format!("base line after {wait} s"), line(&base)));
    }
    report.parts.push(ReportPart::plot("IOPS over time, all wait states", "time (minutes)", "IOPS", series));
    let columns = ["Idle between bursts (s)", "IOPS in bursts, mean", "IOPS of the base line after it, mean"];
    report.parts.push(ReportPart::table("Wait states (IOPS)", &columns, rows));
}
