//! What the check of a power cut can find, side by side.

use fathom_results::{LogEnd, POWER_CUT_FORMAT, PowerCutLog, PowerCutResult};
use fathom_verify::power_cut::{
    Acknowledged, CutFault, CutTally, CutVerdict, Durability, FlushMode, LogTarget, LossOrder, Promise,
    UnitFault,
};
use fathom_words::power_cut::{evidence, fault, headline};

fn result(verdict: CutVerdict, tally: CutTally) -> PowerCutResult {
    let target = LogTarget { path: "/dev/sdx".to_owned(), size: 1 << 30, identity: Some("S1".to_owned()) };
    PowerCutResult {
        format: POWER_CUT_FORMAT,
        fathom: "0.1.0".to_owned(),
        id: "0123456789abc".to_owned(),
        checked_unix_s: 0,
        target: "/dev/sdx".to_owned(),
        verdict,
        tally,
        log: PowerCutLog {
            target,
            unit: 4096,
            start: 0,
            len: 256 << 20,
            durability: Durability::AtFlush,
            flush: FlushMode::Every { writes: 32 },
            started_unix_s: 0,
            records: 12_345,
            writes: 12_000,
            flushes: 1,
            end: LogEnd::Cut,
        },
    }
}

fn shown(result: &PowerCutResult) -> String {
    let lines = evidence(result).into_iter().map(|(name, line)| format!("\n  {name}: {line}"));
    format!("{}{}", headline(result), lines.collect::<String>())
}

/// Every verdict, every end of a log, and every way in which durability is asked for.
fn results() -> Vec<PowerCutResult> {
    let some =
        CutTally { units: 65_536, bound: 65_536, kept: 65_536, not_durable: 400, ..CutTally::default() };
    let wrong = |order| CutVerdict::Wrong { order };
    let lost = CutTally { kept: 65_530, lost: 6, ..some.clone() };
    let torn = CutTally { kept: 65_535, torn: 1, ..some.clone() };
    let both = CutTally { torn: 2, misplaced: 1, damaged: 1, unreadable: 1, ..lost.clone() };
    let other = CutTally { kept: 65_535, misplaced: 1, ..some.clone() };
    let across = LossOrder::AcrossFlush { flush: 12, later_write: 4000 };
    let earlier = |last_write| LossOrder::EarlierState { flush: 12, last_write };
    let mut all = vec![
        result(CutVerdict::Kept, some.clone()),
        result(CutVerdict::NothingDurable, CutTally { units: 1, ..CutTally::default() }),
        result(wrong(Some(across)), lost.clone()),
        result(wrong(Some(earlier(Some(3000)))), lost.clone()),
        result(wrong(Some(earlier(None))), lost),
        result(wrong(None), torn),
        result(wrong(None), both),
        result(wrong(None), other),
    ];
    let ends = [LogEnd::Torn { bytes: 17 }, LogEnd::Damaged { bytes: 6400 }, LogEnd::Ended];
    let flushes = [FlushMode::Fua, FlushMode::Never, FlushMode::Never];
    for (end, flush) in ends.into_iter().zip(flushes) {
        let mut kept = result(CutVerdict::Kept, some.clone());
        (kept.log.end, kept.log.flush) = (end, flush);
        if end == LogEnd::Ended {
            kept.log.durability = Durability::AtCompletion;
        }
        all.push(kept);
    }
    all
}

fn faults() -> Vec<UnitFault> {
    let kinds = [
        CutFault::Older { write: 1000 },
        CutFault::Zeroed,
        CutFault::OtherRun,
        CutFault::Foreign,
        CutFault::Misplaced { belongs_at: 8192 },
        CutFault::Torn { at: 512, first: Some(2000), second: None },
        CutFault::Damaged { write: 2000 },
        CutFault::Unreadable,
    ];
    let promises = [Some(Promise::Flush { flush: 12 }), Some(Promise::Fua), Some(Promise::Completion), None];
    let acknowledged = promises.map(|promise| promise.map(|promise| Acknowledged { write: 2000, promise }));
    let faults = kinds.into_iter().zip(acknowledged.into_iter().cycle());
    faults.map(|(fault, acknowledged)| UnitFault { offset: 1 << 20, acknowledged, fault }).collect()
}

#[test]
fn every_result_of_a_power_cut() {
    let all: Vec<String> = results().iter().map(shown).chain(faults().iter().map(fault)).collect();
    insta::assert_snapshot!("power_cut", all.join("\n"));
}
