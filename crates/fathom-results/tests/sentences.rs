//! Which fields of saved documents hold a sentence, and whose sentence it is.
//!
//! What a run, a procedure or a comparison found is data, and `fathom-words` makes its sentences. So no field may hold a sentence of
//! fathom: a text that is added has to have the name of a field that never holds one, or to be in the list, with the one who wrote it. That is the
//! kernel, a program or a damaged file, of which an error quotes; a person; the host, whose checks and preparations say what they
//! found in texts that are data of `fathom-host` and `fathom-guard`. What is kept as a record of what was printed has a type of its own,
//! `PrintedText`, which can be printed again and not read.

use fathom_results::procedure::{ProcedureRecord, StepRecord};
use fathom_results::{Comparison, RunRecord};
use schemars::schema_for;
use serde_json::Value;
use std::collections::BTreeSet;

/// Names of fields that hold a name, a path, an id, a value or a command, and no sentence. What a person typed is one of these.
const NO_SENTENCE: [&str; 112] = [
    "after_gap",
    "at",
    "backing_file",
    "before",
    "block",
    "blocks",
    "busiest",
    "by",
    "calculated",
    "cell",
    "cells",
    "check",
    "clock",
    "code",
    "command",
    "consent",
    "cpu",
    "crc32",
    "device",
    "direction",
    "directions",
    "directory",
    "disk",
    "disks",
    "does",
    "drive",
    "engine",
    "expected",
    "fathom",
    "favours",
    "figure",
    "file",
    "file_system",
    "files",
    "follows",
    "found",
    "free",
    "from",
    "fs_type",
    "globals",
    "group",
    "groups",
    "history_crc32",
    "hypervisor",
    "id",
    "job",
    "jobs",
    "kind",
    "knob",
    "latencies",
    "letter",
    "made",
    "made_of",
    "memory",
    "merged_with",
    "method",
    "metric",
    "metrics",
    "missing",
    "model",
    "name",
    "names",
    "next",
    "not_alike",
    "now",
    "option",
    "parameters",
    "part",
    "path",
    "paths",
    "pattern",
    "patterns",
    "procedure",
    "raw",
    "received",
    "record_crc32",
    "round",
    "rule",
    "run",
    "runs",
    "section",
    "sections",
    "serial",
    "set",
    "setting",
    "source",
    "standard",
    "stored",
    "subject",
    "subjects",
    "suite",
    "tags",
    "target",
    "targets",
    "test",
    "tests",
    "title",
    "to",
    "trace",
    "unit",
    "value",
    "values",
    "variable",
    "variables",
    "variants",
    "varied_most",
    "volume",
    "wait_for",
    "whole",
    "worker",
    "working_dir",
    "workload",
];

/// Who wrote a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Author {
    /// The kernel, a program or a damaged file; of a run also the guard, which says who began to use a target.
    System,
    /// A person.
    Person,
    /// A check or a preparation of the host.
    Host,
    /// What was printed before a run and during it, in a type that no code can read.
    Printed,
    /// It is no sentence: codes.
    Nobody,
}

use Author::{Host, Nobody, Person, Printed, System};

/// Fields with a sentence, and who wrote it. A sentence about what fathom found is in no line: it has to be data.
const KNOWN: &[(&str, Author)] = &[
    ("CutEnd.failed", System),
    ("Difference.what", Nobody),
    ("Disturbance.says", Host),
    ("FailedJobs.first", System),
    ("Finish.message", System),
    ("Gap.message", System),
    ("HostFinding.says", Host),
    ("Incomplete.damage", System),
    ("Incomplete.error", System),
    ("Incomplete.message", System),
    ("Incomplete.what", System),
    ("JobText.text", Person),
    ("LeftOut.message", System),
    ("NoFigures.message", System),
    ("OptionRecord.text", Person),
    ("PrintedText.", Printed),
    ("ProcedureRecord.note", Person),
    ("Reason.differences", Host),
    ("Reason.first", Nobody),
    ("Reason.says", Host),
    ("Reason.what", Nobody),
    ("ResumedOtherwise.differences", Host),
    ("RoundDone.failure", System),
    ("RoundFailure.message", System),
    ("RunRecord.note", Person),
    ("RunRecord.rules", Nobody),
    ("SheetLine.what", Nobody),
    ("Span.text", Person),
    ("StepRecord.evidence", Host),
    // No procedure that fathom has asks a person; one that does writes its own request.
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
    if is_text && !is_fixed && !NO_SENTENCE.contains(&field) {
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
