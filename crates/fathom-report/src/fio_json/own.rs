//! `fathom`: what fio has no key for.

use fathom_figures::{Row, rows};
use fathom_results::{RunResult, Taint};
use serde_json::{Map, Value, json};

/// `said`: notes, hints and warnings of a run that must keep standard error empty; they are nowhere
/// else. `distrust`: why figures need care. `too_short`: the jobs whose rates are of so short a time that no other report
/// shows them (contract T-50). `None` where there is none of these.
pub(super) fn object(run: &RunResult) -> Option<Value> {
    let mut ours = Map::new();
    if !run.record.said.is_empty() {
        ours.insert("said".into(), run.record.said.clone().into());
    }
    if !run.record.taints.is_empty() {
        ours.insert("distrust".into(), run.record.taints.iter().map(taint).collect());
    }
    let rows = rows(run);
    let short = rows.iter().filter(|row| row.ios() > 0 && row.is_too_short()).map(Row::name);
    let short: Vec<&str> = short.collect();
    if !short.is_empty() {
        ours.insert("too_short".into(), short.into());
    }
    (!ours.is_empty()).then(|| Value::Object(ours))
}

fn taint(taint: &Taint) -> Value {
    json!({ "code": taint.code, "message": taint.message, "evidence": taint.evidence })
}
