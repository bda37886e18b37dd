//! `fathom`: what fio has no key for.

use fathom_figures::{Row, rows_as_fio};
use fathom_results::{Finding, RunResult, Unrated};
use serde_json::{Map, Value, json};

/// `messages`: notes, hints and warnings of a run that must keep standard error empty; they are nowhere
/// else. `distrust`: why figures need care. `too_short`: the jobs whose rates are of so short a time that no other report
/// shows them (contract T-50). `too_few`: the jobs with fewer than ten I/Os, of which no other report shows a rate, a mean or a
/// percentile. `None` where there is none of these.
pub(super) fn object(run: &RunResult) -> Option<Value> {
    let mut ours = Map::new();
    if !run.record.messages.is_empty() {
        let messages = run.record.messages.iter().map(ToString::to_string);
        ours.insert("messages".into(), messages.collect());
    }
    if !run.record.findings.is_empty() {
        ours.insert("distrust".into(), run.record.findings.iter().map(finding).collect());
    }
    let rows = rows_as_fio(run);
    for (key, why) in [("too_short", Unrated::TooShort), ("too_few", Unrated::TooFew)] {
        let unrated = rows.iter().filter(|row| row.ios() > 0 && row.unrated() == Some(why)).map(Row::name);
        let names: Vec<&str> = unrated.collect();
        if !names.is_empty() {
            ours.insert(key.into(), names.into());
        }
    }
    (!ours.is_empty()).then(|| Value::Object(ours))
}

fn finding(finding: &Finding) -> Value {
    let words = fathom_words::of_finding(finding);
    json!({ "code": finding.code(), "message": words.claim.whole(), "evidence": words.evidence_of(finding) })
}
