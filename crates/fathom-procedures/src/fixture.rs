//! Steps for the tests of procedures.

use fathom_results::answer::{
    Deviation, JobOrder, Measured, MeasuredDevice, MeasuredJobs, MeasuredKind, MeasuredTarget,
    ReportDeviation, TimeSpan,
};
use fathom_results::finding::LaterFinding;
use fathom_results::procedure::{
    FallFigures, JobSource, ProcedureForecast, ProcedureRecord, RoundDone, RoundFigures, SharedRecord,
    StepDone, StepRecord,
};
use fathom_results::{Answer, Evidence, Finding, Reason, RunEnd, TestReport, Trust, TrustLevel, Weight};
use fathom_words::report_part;

/// A round of one job with this rate, whose latency is its inverse.
pub fn round(cell: &str, iops: f64) -> RoundDone {
    let figures = RoundFigures {
        job: "j".to_owned(),
        seconds: 1.0,
        ios: iops as u64,
        iops,
        bytes_per_second: iops * 4096.0,
        latency_ns_mean: Some(1e9 / iops),
        ..RoundFigures::default()
    };
    RoundDone {
        cell: cell.to_owned(),
        directory: "r".to_owned(),
        ended: RunEnd::ByItself,
        figures: vec![figures.clone()],
        whole: Box::new(figures),
        ..RoundDone::default()
    }
}

/// A fall from 3,000 IOPS to 500 at second 12.
pub fn fall() -> FallFigures {
    FallFigures {
        at_s: 12,
        lasts_from_s: 12,
        bytes_before: 36e9,
        iops_before: 3_000.0,
        bytes_per_second_before: 3e9,
        iops_lasting: 500.0,
        bytes_per_second_lasting: 0.5e9,
    }
}

/// The answer of a round of one job of a second on a disk.
pub fn answer() -> Answer {
    let device = MeasuredDevice { path: "/dev/sda".to_owned(), model: None, bytes: None, kind: None };
    let target = MeasuredTarget { kind: MeasuredKind::Device { device }, jobs: None };
    let second = TimeSpan { shortest_ns: 1_000_000_000, longest_ns: 1_000_000_000 };
    Answer {
        measured: Measured::Targets { targets: vec![target], more: 0 },
        jobs: Some(MeasuredJobs::Run {
            jobs: 1,
            of: 1,
            time: second,
            ramp_ns_max: 0,
            ramps_differ: false,
            order: JobOrder::Single,
        }),
        trust: Trust { level: TrustLevel::High, reasons: Vec::new(), shortest_s: Some(30.0) },
        ..Answer::default()
    }
}

/// A finding of a rule with this code.
pub fn finding(code: &str) -> Finding {
    let evidence = Evidence::Later(LaterFinding { code: code.to_owned(), evidence: serde_json::json!(1) });
    Finding { evidence, weight: Weight::Medium, jobs: None }
}

/// Adds to the round that a rule found something.
pub fn doubt(round: &mut RoundDone, finding: &Finding) {
    let answer = round.answer.get_or_insert_with(|| Box::new(answer()));
    answer.trust.reasons.push(Reason::of(finding));
}

/// The record of a procedure of this kind.
pub fn record(kind: &str) -> ProcedureRecord {
    let record = serde_json::json!({
        "format": 1, "id": "x", "name": kind, "fathom": "0", "started_unix_ns": 0, "command": ["fathom", kind],
        "procedure": kind, "parameters": [], "jobs": JobSource::default(), "seed": 1,
        "forecast": ProcedureForecast::default(), "working_dir": "", "targets": [],
        "shared": SharedRecord::default(), "resumes": 0, "record_crc32": "",
    });
    serde_json::from_value(record).unwrap()
}

/// The steps with one more round.
pub fn history(steps: Vec<StepRecord>, round: RoundDone) -> Vec<StepRecord> {
    done(steps, StepDone::Round(round))
}

/// The steps with one more.
pub fn done(mut steps: Vec<StepRecord>, did: StepDone) -> Vec<StepRecord> {
    let number = steps.len() as u32;
    steps.push(StepRecord { number, sitting: 0, began_unix_ns: 0, ended_unix_ns: 0, did });
    steps
}

/// What a part of a report came to, in words.
pub fn headline_of(test: &TestReport) -> String {
    report_part::headline(&test.headline)
}

/// What to know before the figures of a part are used, in words.
pub fn remarks_of(test: &TestReport) -> Vec<String> {
    test.remarks.iter().map(report_part::remark).collect()
}

/// The sentences of deviations.
pub fn sentences(deviations: &[Deviation]) -> Vec<String> {
    deviations.iter().map(fathom_words::deviation::sentence).collect()
}

/// The sentences of the deviations in a report.
pub fn in_report(deviations: &[ReportDeviation]) -> Vec<String> {
    deviations.iter().map(fathom_words::deviation::in_report).collect()
}
