//! Which fields of saved documents hold a sentence, and whose sentence it is.
//!
//! What a run, a procedure or a comparison found is data, and `fathom-words` makes its sentences. A field that is added here with a
//! name of a sentence has to be in the list, with the one who wrote the sentence: the kernel or the system, a person, a check of the
//! host (whose texts are data of `fathom-host`), or fathom, of which the list may only become shorter.

use fathom_results::procedure::{ProcedureRecord, StepRecord};
use fathom_results::{Comparison, RunRecord};
use schemars::schema_for;
use serde_json::Value;
use std::collections::BTreeSet;

/// Names that fields with sentences have.
const NAMES: [&str; 31] = [
    "answer",
    "because",
    "detail",
    "details",
    "differences",
    "doubts",
    "evidence",
    "explain",
    "failure",
    "headline",
    "hints",
    "how",
    "limits",
    "message",
    "note",
    "notes",
    "reason",
    "reasons",
    "remark",
    "remarks",
    "request",
    "rules",
    "said",
    "says",
    "sentence",
    "sentences",
    "statement",
    "text",
    "until",
    "verdict",
    "why",
];

/// Fields with a sentence, and who wrote it.
const KNOWN: &[(&str, &str)] = &[
    ("CutShort.why", "fathom: how the run ended"),
    ("Diagnostic.hints", "fathom: what a rule of the job language advises, as it was printed before the run"),
    ("Diagnostic.message", "fathom: what a rule of the job language says, as it was printed before the run"),
    ("Disturbance.says", "host: a check of the machine"),
    ("Finish.how", "fathom: how the run ended"),
    ("Gap.message", "system: the failure of a round"),
    ("Gap.why", "system: the failure of a cell"),
    ("Headline.because", "system: the failure of a job, or how the run ended"),
    ("Headline.why", "system: the failure of a round"),
    ("HostFinding.says", "host: a check of the machine"),
    ("JobText.text", "person: a job file"),
    ("LeftOut.message", "system: the failure of a job or a round"),
    ("LeftOut.why", "system: what could not be read"),
    ("MeasuredJobs.why", "fathom: how the run ended"),
    ("OptionRecord.text", "person: an option of a job"),
    ("ProcedureRecord.note", "person: a note"),
    ("Reason.differences", "host: what differs after an interruption"),
    ("Reason.how", "fathom: how the run ended"),
    ("Reason.says", "host: a check of the machine"),
    ("ResumedOtherwise.differences", "host: what differs after an interruption"),
    ("RoundDone.failure", "system: the failure of a job"),
    ("RunRecord.note", "person: a note"),
    ("RunRecord.rules", "no sentence: codes of rules"),
    ("RunRecord.said", "fathom: what was printed before the run"),
    ("Span.text", "person: a line of a job file"),
    ("StepRecord.answer", "person: the answer to a request"),
    ("StepRecord.evidence", "host: what a preparation came to"),
    ("StepRecord.request", "fathom: what a person was asked to do"),
    ("StepRecord.until", "fathom: what a procedure waited for"),
    ("StoppedTest.why", "system: the failure of a round"),
];

fn types() -> Vec<Value> {
    let all = [
        schema_for!(RunRecord),
        schema_for!(ProcedureRecord),
        schema_for!(StepRecord),
        schema_for!(Comparison),
    ];
    all.map(|schema| serde_json::to_value(schema).expect("a schema is JSON")).to_vec()
}

/// Adds the text fields with these names that are below a type.
fn texts(schema: &Value, owner: &str, field: &str, all: &mut BTreeSet<String>) {
    if !schema.is_object() {
        return;
    }
    let is_text = schema["type"] == "string"
        || schema["type"].as_array().is_some_and(|types| types.contains(&Value::from("string")));
    let is_fixed = !schema["enum"].is_null() || !schema["const"].is_null();
    if is_text && !is_fixed && NAMES.contains(&field) {
        all.insert(format!("{owner}.{field}"));
    }
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        texts(below, owner, name, all);
    }
    for key in ["items", "additionalProperties"] {
        texts(&schema[key], owner, field, all);
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        schema[key].as_array().into_iter().flatten().for_each(|below| texts(below, owner, field, all));
    }
}

#[test]
fn every_sentence_that_is_saved_has_its_author() {
    let mut all = BTreeSet::new();
    for schema in types() {
        let title = schema["title"].as_str().unwrap_or_default().to_owned();
        texts(&schema, &title, "", &mut all);
        for (name, of_type) in schema["$defs"].as_object().into_iter().flatten() {
            texts(of_type, name, "", &mut all);
        }
    }
    let known: BTreeSet<String> = KNOWN.iter().map(|(field, _)| (*field).to_owned()).collect();
    let new: Vec<&String> = all.difference(&known).collect();
    let gone: Vec<&String> = known.difference(&all).collect();
    assert!(new.is_empty() && gone.is_empty(), "not in the list: {new:#?}; not saved any more: {gone:#?}");
}
