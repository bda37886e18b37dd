//! Composite block size workload and demand intensity: a mix of I/Os under every combination of threads and depth.

use super::composite;
use super::figures::{Matrix, convergence, determination, over_time, response_times};
use super::phase::{Fixed, Loop, TestPhase};
use super::reported::Reported;
use super::segment::{Segment, Stimulus};
use super::taken::{MeasurementWindow, Taken};
use super::terms::{Demand, PtsTerms};
use super::test::{ACTIVE_MIN, PtsTest};
use super::until::{Tracked, Until};
use fathom_job::units::Bytes;
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::RoundFigures;
use fathom_results::{ReportAxis, ReportPart, ReportRemark, ReportSeries, TestReport};

/// Threads, and depth of each, in the order of a round: from the highest demand to the lowest.
const STEPS: [u32; 7] = [32, 16, 8, 6, 4, 2, 1];

/// The demand of preconditioning, and of the cell that is tracked.
const HIGHEST: Demand = Demand { threads: 32, depth: 32 };

/// The time of one cell, seconds.
const CELL_S: u64 = 60;

/// Writes before the cells of each round, seconds.
const BEFORE_ROUND_S: u64 = 5 * 60;

/// Writes before each histogram, and the histogram, seconds.
const BEFORE_POINT_S: u64 = 60 * 60;
const POINT_S: u64 = 10 * 60;

/// The point of the most IOPS has a mean latency below this (PTS 2.0.x).
const AVERAGE_NS_MAX: f64 = 5e6;

/// The three points.
const POINTS: [&str; 3] = ["max", "mid", "min"];

/// What tells the two tests apart.
struct Kind {
    name: &'static str,
    stimulus: Stimulus,
    read_percent: u32,
    says: &'static str,
}

const COMPOSITE: Kind =
    Kind { name: "cbw", stimulus: Stimulus::Composite, read_percent: 40, says: "composite mix, 40 % reads" };

const RANDOM: Kind = Kind {
    name: "dirth",
    stimulus: Stimulus::Random(Bytes::kib(8)),
    read_percent: 65,
    says: "random 8 KiB, 65 % reads",
};

pub static CBW: PtsTest = PtsTest {
    name: "cbw",
    title: "Composite block size workload test",
    takes_demand: false,
    needs_block: Bytes(512),
    needs_active: ACTIVE_MIN,
    phases: |terms| phases(terms, &COMPOSITE),
    report: |of, test| report(of, test, &COMPOSITE),
};

pub static DIRTH: PtsTest = PtsTest {
    name: "dirth",
    title: "Demand intensity and response time histogram test",
    takes_demand: false,
    needs_block: Bytes::kib(8),
    needs_active: ACTIVE_MIN,
    phases: |terms| phases(terms, &RANDOM),
    report: |of, test| report(of, test, &RANDOM),
};

impl Kind {
    fn cell(&self, what: &str) -> String {
        format!("{}-{what}", self.name)
    }

    fn writes(&self, name: &str, demand: Demand, ms: u64) -> Segment {
        Segment { name: name.to_owned(), read_percent: 0, stimulus: self.stimulus, demand, ms, idle_ms: 0 }
    }

    fn mixed(&self, name: String, demand: Demand, ms: u64) -> Segment {
        Segment { name, read_percent: self.read_percent, stimulus: self.stimulus, demand, ms, idle_ms: 0 }
    }
}

fn phases(terms: &PtsTerms, kind: &'static Kind) -> Vec<TestPhase> {
    vec![
        TestPhase::Purge,
        TestPhase::Loop(Loop {
            until: precondition(terms, kind),
            segments: Box::new(|terms, _| {
                let write = |name: &str, seconds| kind.writes(name, HIGHEST, terms.ms(seconds));
                vec![write("write", 30 * 60), write("sample", 60)]
            }),
        }),
        TestPhase::Loop(Loop {
            until: rounds(terms, kind),
            segments: Box::new(|terms, _| {
                let before = kind.writes("before", HIGHEST, terms.ms(BEFORE_ROUND_S));
                let cell = |demand| kind.mixed(cell_name(demand), demand, terms.ms(CELL_S));
                [before].into_iter().chain(demands().map(cell)).collect()
            }),
        }),
        TestPhase::Fixed(Fixed {
            cell: kind.cell("points"),
            segments: Box::new(|terms, taken| points(terms, taken, kind)),
            rounds: 1,
        }),
    ]
}

/// Half an hour of writes, then a minute that is tracked.
fn precondition(terms: &PtsTerms, kind: &Kind) -> Until {
    let tracked = Tracked {
        name: format!("0/100, {}", HIGHEST.text()),
        segment: "sample".to_owned(),
        quantity: JudgedFigure::Iops,
    };
    Until {
        cell: kind.cell("precondition"),
        tracked: vec![tracked],
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

fn demands() -> impl Iterator<Item = Demand> {
    STEPS.into_iter().flat_map(|threads| STEPS.into_iter().map(move |depth| Demand { threads, depth }))
}

fn cell_name(demand: Demand) -> String {
    format!("t{}q{}", demand.threads, demand.depth)
}

fn rounds(terms: &PtsTerms, kind: &Kind) -> Until {
    let tracked = Tracked {
        name: format!("{}, {}", kind.says, HIGHEST.text()),
        segment: cell_name(HIGHEST),
        quantity: JudgedFigure::Iops,
    };
    Until {
        cell: kind.cell("round"),
        tracked: vec![tracked],
        rounds_max: terms.rounds_max,
        written_max: None,
    }
}

/// Writes at the demand of each point, and then the mix.
fn points(terms: &PtsTerms, taken: &Taken<'_>, kind: &Kind) -> Vec<Segment> {
    let found = point_demands(taken, &rounds(terms, kind), kind);
    let demands = found.map_or([HIGHEST, HIGHEST, Demand::ONE], |points| points.demands);
    let point = |(name, demand): (&str, Demand)| {
        let before = kind.writes(&format!("before-{name}"), demand, terms.ms(BEFORE_POINT_S));
        [before, kind.mixed(name.to_owned(), demand, terms.ms(POINT_S))]
    };
    POINTS.into_iter().zip(demands).flat_map(point).collect()
}

/// The three points, and whether the first has a mean latency below 5 ms.
struct Points {
    demands: [Demand; 3],
    is_below: bool,
}

/// The demand of the most IOPS with a mean latency below 5 ms, or of the most where none is below; that whose IOPS are
/// nearest to the middle; and one I/O at a time.
fn point_demands(taken: &Taken<'_>, rounds: &Until, kind: &Kind) -> Option<Points> {
    let (window, cell) = (taken.reported_window(rounds)?, kind.cell("round"));
    let mean = |demand: Demand, of: fn(&RoundFigures) -> Option<f64>| {
        taken.mean(&cell, &window, &cell_name(demand), of)
    };
    let cells: Vec<(Demand, f64, f64)> = demands()
        .filter_map(|demand| {
            Some((demand, mean(demand, |it| Some(it.iops))?, mean(demand, |it| it.latency_ns_mean)?))
        })
        .collect();
    let most_below =
        |limit: f64| cells.iter().filter(|(.., latency)| *latency < limit).max_by(|a, b| a.1.total_cmp(&b.1));
    let below = most_below(AVERAGE_NS_MAX);
    let (max, least) = (
        below.or_else(|| most_below(f64::INFINITY))?,
        cells.iter().find(|(demand, ..)| *demand == Demand::ONE)?,
    );
    let middle = (max.1 + least.1) / 2.0;
    let mid = cells.iter().min_by(|a, b| (a.1 - middle).abs().total_cmp(&(b.1 - middle).abs()))?;
    Some(Points { demands: [max.0, mid.0, least.0], is_below: below.is_some() })
}

fn report(of: &Reported<'_>, report: &mut TestReport, kind: &'static Kind) {
    let (before, rounds) = (precondition(of.terms, kind), rounds(of.terms, kind));
    let cell = kind.cell("round");
    report.parameters.push((
        "Stimulus".to_owned(),
        format!("{}, TC 1 to 32 by QD 1 to 32: {} demands", kind.says, demands().count()),
    ));
    if kind.stimulus == Stimulus::Composite {
        report.parameters.push(("Composite mix".to_owned(), composite::mix()));
    }
    let one = |name: &str, segment: &str| [(name.to_owned(), segment.to_owned())];
    let iops = JudgedFigure::Iops;
    report.parts.push(convergence(
        of,
        &before.cell,
        "Preconditioning: writes",
        one("0/100, TC 32 / QD 32", "sample"),
        iops,
    ));
    determination(of, &before, report);
    let written = one("0/100, TC 32 / QD 32", "before");
    report.parts.push(convergence(of, &cell, "Writes between the rounds", written, iops));
    let of_32 = STEPS.map(|depth| (format!("QD {depth}"), cell_name(Demand { threads: 32, depth })));
    report.parts.push(convergence(of, &cell, "TC 32 over the rounds", of_32, iops));
    determination(of, &rounds, report);
    if let Some(window) = of.taken.reported_window(&rounds) {
        demand(of, &cell, &window, report, kind);
    }
    let Some(Points { demands, is_below }) = point_demands(of.taken, &rounds, kind) else { return };
    if !is_below {
        report.remarks.push(ReportRemark::NoDemandIsBelow);
    }
    if !of.taken.rounds(&kind.cell("points")).is_empty() {
        report.remarks.push(ReportRemark::HistogramsApart);
    }
    let points = kind.cell("points");
    for (name, demand) in POINTS.into_iter().zip(demands) {
        let written = format!("Writes before {name} IOPS: 0/100, {}", demand.text());
        report.parts.extend(over_time(of, &points, &format!("before-{name}"), written));
        let title = format!("{} IOPS, {}, {}", name, kind.says, demand.text());
        report.parts.extend(response_times(of, &points, name, &title));
    }
}

/// Demand variation and demand intensity: IOPS by demand, and what latency they cost.
fn demand(of: &Reported<'_>, cell: &str, window: &MeasurementWindow, report: &mut TestReport, kind: &Kind) {
    let mean = |demand: Demand, of_round: fn(&RoundFigures) -> Option<f64>| {
        of.taken.mean(cell, window, &cell_name(demand), of_round)
    };
    let milliseconds = |demand| mean(demand, |it| it.latency_ns_mean.map(|ns| ns / 1e6));
    let ascending = || STEPS.into_iter().rev();
    let lines = |point: &dyn Fn(Demand) -> Option<(f64, f64)>| -> Vec<ReportSeries> {
        let line = |threads: u32| {
            let points = ascending().filter_map(|depth| point(Demand { threads, depth })).collect();
            ReportSeries::measured(format!("TC {threads}"), points)
        };
        ascending().map(line).collect()
    };
    let variation = lines(&|demand| Some((f64::from(demand.depth), mean(demand, |it| Some(it.iops))?)));
    report.parts.push(ReportPart::plot(
        "Demand variation: IOPS by depth",
        ReportAxis::log("QD"),
        "IOPS",
        variation,
    ));
    let intensity = lines(&|demand| Some((mean(demand, |it| Some(it.iops))?, milliseconds(demand)?)));
    report.parts.push(ReportPart::plot(
        "Demand intensity: average latency by IOPS",
        "IOPS",
        ReportAxis::log("average latency (ms, logarithmic)"),
        intensity,
    ));
    let matrix = |title: &str, unit, value: &dyn Fn(Demand) -> Option<f64>| Matrix {
        title: title.to_owned(),
        rows_are: "TC",
        columns_are: "QD",
        unit,
        rows: ascending().map(|threads| threads.to_string()).collect(),
        columns: ascending().map(|depth| depth.to_string()).collect(),
        values: ascending()
            .map(|threads| ascending().map(|depth| value(Demand { threads, depth })).collect())
            .collect(),
    };
    report
        .parts
        .push(matrix("IOPS: mean of the window", "IOPS", &|demand| mean(demand, |it| Some(it.iops))).table());
    report.parts.push(matrix("Average latency (ms): mean of the window", "ms", &milliseconds).table());
    let cpu =
        matrix("CPU of the generator (% of one core)", "%", &|demand| mean(demand, |it| it.cpu_percent));
    if cpu.values.iter().flatten().any(Option::is_some) {
        report.parts.push(cpu.three_dimensional());
    } else {
        report.remarks.push(ReportRemark::NoCpuUse);
    }
    if kind.name == COMPOSITE.name {
        report.parts.extend(by_total(|demand| mean(demand, |it| Some(it.iops))));
    }
}

/// IOPS by the I/Os outstanding in all (CBW only).
fn by_total(rate: impl Fn(Demand) -> Option<f64>) -> [ReportPart; 2] {
    let mut totals: Vec<(u32, f64)> =
        demands().filter_map(|demand| Some((demand.threads * demand.depth, rate(demand)?))).collect();
    totals.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    // Of several demands with as many outstanding I/Os, the one with the most IOPS.
    totals.dedup_by_key(|(outstanding, _)| *outstanding);
    let rows = totals.iter().map(|(outstanding, iops)| vec![f64::from(*outstanding).into(), (*iops).into()]);
    let rows = rows.collect();
    let points = totals.iter().map(|(outstanding, iops)| (f64::from(*outstanding), *iops)).collect();
    let title = "Most IOPS by outstanding I/Os in all".to_owned();
    [
        ReportPart::plot(
            title.clone(),
            ReportAxis::log("TC × QD"),
            "IOPS",
            vec![ReportSeries::measured("most IOPS", points)],
        ),
        ReportPart::table(title, &["TC × QD", "Most IOPS"], rows),
    ]
}
