//! `fathom`: what fio has no key for.

use fathom_results::{RunResult, Taint};
use serde_json::{Map, Value, json};

/// `said`: notes, hints and warnings of a run that must keep standard error empty; they are nowhere
/// else. `distrust`: why figures need care. `None` where there is neither.
pub(super) fn object(run: &RunResult) -> Option<Value> {
    let mut ours = Map::new();
    if !run.record.said.is_empty() {
        ours.insert("said".into(), run.record.said.clone().into());
    }
    if !run.record.taints.is_empty() {
        ours.insert("distrust".into(), run.record.taints.iter().map(taint).collect());
    }
    (!ours.is_empty()).then(|| Value::Object(ours))
}

fn taint(taint: &Taint) -> Value {
    json!({ "code": taint.code, "message": taint.message, "evidence": taint.evidence })
}
