//! A comparison with every kind of verdict.

use crate::repeated::samsung;
use crate::synthetic::measured;
use fathom_results::answer::{JobOrder, MeasuredJobs, MeasuredKind, TimeSpan};
use fathom_results::{
    Against, Basis, COMPARISON_FORMAT, CauseEffect, CauseFound, ComparedFigure, ComparedSubject, Comparison,
    ComparisonDoubt, ComparisonStep, Difference, DifferenceOf, FigureValues, FigureVerdict, Finding, LeftOut,
    LeftOutPart, LeftOutReason, NotShown, OtherCause, Reason, RunsWithFinding, StepPurpose, SubjectDoubt,
    Trust, TrustLevel, Why,
};

fn figure(
    job: &str,
    metric: &str,
    unit: &str,
    value: f64,
    against: (f64, f64, f64, FigureVerdict),
) -> ComparedFigure {
    let (ratio, low, high, verdict) = against;
    let runs = |value: f64| FigureValues {
        order_p_value: None,
        values: [0.98, 1.0, 1.02].map(|share| share * value).to_vec(),
        value,
        interval: Some((0.95 * value, 1.05 * value)),
    };
    let is_more_better = unit != "ns";
    ComparedFigure {
        job: job.to_owned(),
        cell: String::new(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        is_more_better,
        values: vec![runs(value), runs(ratio * value)],
        against: vec![Against {
            ratio: Some(ratio),
            interval: Some((low, high)),
            basis: Basis::Runs,
            p_value: Some(0.01),
            p_value_adjusted: Some(0.04),
            tolerance: if metric.starts_with('p') { 0.05 } else { 0.03 },
            verdict,
        }],
    }
}

fn one_round() -> SubjectDoubt {
    let (level, reasons) = (TrustLevel::Medium, vec![Reason::new(Why::OneRound, TrustLevel::Medium)]);
    SubjectDoubt { trust: Trust { level, reasons, shortest_s: None }, instead: None, lost: None }
}

fn subject(letter: &str, name: &str, trust: TrustLevel) -> ComparedSubject {
    ComparedSubject {
        letter: letter.to_owned(),
        name: name.to_owned(),
        source: format!("fathom-runs/{name}"),
        id: Some(format!("4f2a0{letter}")),
        started_unix_ns: Some(1_795_232_326_000_000_000),
        targets: vec![measured(MeasuredKind::Device { device: samsung() })],
        jobs: Some(MeasuredJobs::Run {
            jobs: 1,
            of: 1,
            time: TimeSpan { shortest_ns: 10_000_000_000, longest_ns: 10_000_000_000 },
            ramp_ns_max: 0,
            ramps_differ: false,
            order: JobOrder::Single,
        }),
        runs: 3,
        trust: Some(trust),
        workload: Some("4k randread QD32; io_uring, direct=1".to_owned()),
        doubts: vec![one_round()],
        ..ComparedSubject::default()
    }
}

/// Two subjects; the scheduler differs.
pub fn compared() -> Comparison {
    let unknown = FigureVerdict::Unknown { runs_needed: Some(14) };
    let figures = vec![
        figure("randread", "IOPS", "IOPS", 63_736.0, (1.12, 1.09, 1.15, FigureVerdict::Better)),
        figure("randread", "mean latency", "ns", 502_000.0, (0.94, 0.905, 0.979, FigureVerdict::Better)),
        figure("randread", "p99 latency", "ns", 682_000.0, (1.08, 0.97, 1.2, unknown)),
        figure("seqwrite", "bandwidth", "bytes/s", 3.23e9, (1.001, 0.99, 1.012, FigureVerdict::Same)),
        figure("seqwrite", "p99 latency", "ns", 3.7e6, (2.5, 2.2, 2.9, FigureVerdict::Worse)),
    ];
    let text = |text: &str| Some(text.to_owned());
    Comparison {
        format: COMPARISON_FORMAT,
        subjects: vec![subject("A", "before", TrustLevel::High), subject("B", "after", TrustLevel::Medium)],
        differences: vec![
            Difference {
                of: DifferenceOf::Target,
                what: "scheduler".to_owned(),
                jobs: Vec::new(),
                target: None,
                values: vec![text("mq-deadline"), text("none")],
                follows: None,
            },
            Difference {
                of: DifferenceOf::Target,
                what: "nr requests".to_owned(),
                jobs: Vec::new(),
                target: None,
                values: vec![text("256"), text("128")],
                follows: text("scheduler"),
            },
            Difference {
                of: DifferenceOf::Machine,
                what: "governor".to_owned(),
                jobs: Vec::new(),
                target: None,
                values: vec![text("powersave"), None],
                follows: None,
            },
        ],
        left_out: vec![LeftOut {
            subject: None,
            what: LeftOutPart::Job("trim".to_owned()),
            reason: LeftOutReason::Absent { subjects: vec!["B".to_owned()] },
        }],
        figures,
        causes: Vec::new(),
        not_shown: None,
        doubts: vec![ComparisonDoubt::LessTrust {
            subjects: vec!["B".to_owned()],
            cells: Vec::new(),
            of_cells: 0,
            is_even: false,
            doubt: Box::new(one_round()),
        }],
        next: Some(step("fathom run j --repeat 14", measure_again("A"), false)),
        then: Vec::new(),
        series: None,
    }
}

/// The same with a cause that favours one side, the steps that exclude it, and more figures than are drawn at once.
pub fn doubted() -> Comparison {
    let mut doubted = compared();
    let figures = doubted.figures.clone();
    for job in ["mix read", "mix write"] {
        let more = figures.iter().chain(&figures).cloned();
        doubted.figures.extend(more.map(|figure| ComparedFigure { job: job.to_owned(), ..figure }));
    }
    let runs = |subject: &str, runs| RunsWithFinding { subject: subject.to_owned(), runs, of: 3 };
    doubted.causes = vec![OtherCause {
        found: CauseFound::OneSided {
            finding: unwritten(),
            of_various_jobs: false,
            runs: vec![runs("A", 0), runs("B", 3)],
        },
        effect: CauseEffect::Explains,
        favours: vec!["B".to_owned()],
        cells: Vec::new(),
    }];
    doubted.not_shown = Some(NotShown::OtherCause { cause: 0 });
    doubted.next = Some(step(
        "fathom precondition /dev/sda --passes 1",
        StepPurpose::FillTarget { has_more: false },
        false,
    ));
    let set = |subject: &str| StepPurpose::SetAsBefore {
        subject: subject.to_owned(),
        setting: "scheduler".to_owned(),
        is_one_of_several: false,
    };
    doubted.then = vec![
        step("echo mq-deadline | sudo tee /sys/block/sda/queue/scheduler", set("A"), false),
        step("fathom run --repeat 5 job.fio --name before", measure_again("A"), true),
        step("echo none | sudo tee /sys/block/sda/queue/scheduler", set("B"), false),
        step("fathom run --repeat 5 job.fio --name after", measure_again("B"), true),
        step("fathom compare before after", StepPurpose::CompareNewRuns { decides: None }, false),
    ];
    doubted
}

/// Blocks were read that were perhaps never written.
fn unwritten() -> Finding {
    let seen = serde_json::json!({ "code": "unknown-content", "weight": "medium", "evidence": { "job": "randread",
        "path": "/dev/sda", "region_bytes": 1_u64 << 30, "content": { "never_written": 4_096 } } });
    serde_json::from_value(seen).unwrap()
}

fn measure_again(subject: &str) -> StepPurpose {
    StepPurpose::MeasureAgain { subject: subject.to_owned(), is_elsewhere: false }
}

fn step(command: &str, purpose: StepPurpose, asks_for_consent: bool) -> ComparisonStep {
    ComparisonStep { command: command.to_owned(), purpose, asks_for_consent }
}
