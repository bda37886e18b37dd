//! A procedure of one job in five rounds, which drift.

use crate::synthetic::{device, limits, measured};
use fathom_results::answer::{
    AttachedKind, Gain, Headline, JobOfRounds, JobOrder, MeanOfRounds, MeasuredDevice, MeasuredJobs,
    MeasuredKind, Remark, RemarkKind, RoundsHeadline, TimeSpan,
};
use fathom_results::procedure::{
    Conclusion, HistoryExtent, JobSource, ProcedureForecast, ProcedureRecord, ProcedureResult, RoundDone,
    RoundFigures, SharedRecord, StepDone, StepRecord,
};
use fathom_results::{Answer, NextStep, Reason, RoundsPart, RunEnd, Trust, TrustLevel, Verdict, Why};

/// IOPS of the rounds.
const IOPS: [f64; 5] = [60_000.0, 61_000.0, 62_000.0, 63_000.0, 64_000.0];

fn not_purged(level: TrustLevel) -> Reason {
    Reason { level: Some(level), ..Reason::new(Why::NotPurged, None) }
}

fn answer(level: TrustLevel) -> Answer {
    Answer {
        measured: measured(MeasuredKind::Device { device: samsung() }),
        jobs: Some(MeasuredJobs::Rounds {
            each: Box::new(MeasuredJobs::Run {
                jobs: 1,
                of: 1,
                time: TimeSpan { shortest_ns: 30_000_000_000, longest_ns: 30_000_000_000 },
                ramp_ns_max: 0,
                ramps_differ: false,
                order: JobOrder::Single,
            }),
            workload: "4k randread QD32; io_uring, direct=1".to_owned(),
            written_bytes: 0,
            laid_out_bytes: 0,
        }),
        result: Headline::Rounds(headline()),
        trust: Trust { level, reasons: vec![not_purged(level)], shortest_s: None },
        limit: Some(limits()),
        remarks: [RemarkKind::Alone, RemarkKind::Scheduler { name: "none".to_owned() }]
            .map(|kind| Remark { kind, rounds: None })
            .to_vec(),
        next: NextStep { command: "fathom doctor".to_owned(), gain: Gain::SlowMachine, needs_consent: false },
        ..Answer::default()
    }
}

/// The disk of all rounds.
pub fn samsung() -> MeasuredDevice {
    let kind = AttachedKind::Scsi { rotates: Some(false) };
    device("/dev/sda", Some("SAMSUNG MZ7L3480"), 480_000_000_000, kind)
}

/// `randread: 62.0k IOPS ± 3.2 % (means of 5 rounds; ±: their 95 % interval).`
fn headline() -> RoundsHeadline {
    let mean =
        |mean: f64, lowest, highest| Some(MeanOfRounds { mean, half_share: Some(0.032), lowest, highest });
    let job = JobOfRounds {
        job: "randread".to_owned(),
        does: String::new(),
        unrated: None,
        asked: None,
        iops: mean(62_000.0, IOPS[0], IOPS[4]),
        bytes_per_second: mean(62_000.0 * 4096.0, IOPS[0] * 4096.0, IOPS[4] * 4096.0),
        falls: None,
        mean_ns: None,
        p99_ns: None,
        is_response: false,
    };
    RoundsHeadline { rounds: 5, is_quick: false, jobs: vec![job] }
}

fn round(number: usize, iops: f64) -> StepRecord {
    let figures = RoundFigures {
        job: "randread".to_owned(),
        seconds: 30.0,
        ios: (iops * 30.0) as u64,
        iops,
        bytes_per_second: iops * 4096.0,
        latency_ns_mean: Some(32e9 / iops),
        latency_percentiles: [(99.0, (64e9 / iops) as u64)].into_iter().collect(),
        latency_ns_max: Some((640e9 / iops) as u64),
        ..RoundFigures::default()
    };
    let round = RoundDone {
        cell: "repeat".to_owned(),
        directory: format!("{number:04}-repeat"),
        ended: RunEnd::ByItself,
        figures: vec![figures],
        answer: Some(Box::new(answer(if number == 2 { TrustLevel::Low } else { TrustLevel::Medium }))),
        ..RoundDone::default()
    };
    StepRecord {
        number: number as u32 - 1,
        sitting: 0,
        began_unix_ns: 0,
        ended_unix_ns: 0,
        did: StepDone::Round(round),
    }
}

/// The procedure, concluded.
pub fn repeated() -> ProcedureResult {
    let verdict = Verdict {
        headline: Headline::Rounds(headline()),
        distrust: vec![Reason {
            rounds: Some(RoundsPart { times: 5, of: 5 }),
            ..not_purged(TrustLevel::Medium)
        }],
    };
    let answer = Some(Box::new(answer(TrustLevel::Medium)));
    let record = ProcedureRecord {
        format: 1,
        id: "4f2a0c".to_owned(),
        name: "randread".to_owned(),
        fathom: "0.1.0".to_owned(),
        started_unix_ns: 1_795_232_326_000_000_000,
        command: ["fathom", "run", "randread.fio", "--repeat", "5"].map(str::to_owned).to_vec(),
        procedure: "repeat".to_owned(),
        parameters: Vec::new(),
        jobs: JobSource::default(),
        seed: 1,
        forecast: ProcedureForecast { rounds: 5, ..ProcedureForecast::default() },
        working_dir: String::new(),
        targets: Vec::new(),
        shared: SharedRecord::default(),
        resumes: 0,
        resumed: Vec::new(),
        note: None,
        tags: Vec::new(),
        conclusion: Some(Conclusion { at_unix_ns: 0, ended: RunEnd::ByItself, verdict, answer }),
        seal: None,
        record_crc32: String::new(),
    };
    ProcedureResult {
        dir: "fathom-runs/randread".into(),
        record,
        steps: IOPS.iter().enumerate().map(|(at, iops)| round(at + 1, *iops)).collect(),
        extent: HistoryExtent::default(),
        rest_bytes: 0,
        damage: None,
    }
}
