//! The one table of schemas: their names, and the types that they are made from.

use crate::support::{fathom, must, text, workspace};
use fathom_host::audit::Document as DoctorDocument;
use fathom_host::calc::document::CalcDocument;
use fathom_host::devices::DeviceList;
use fathom_host::topology::Topology;
use fathom_job::reference::OptionsDocument;
use fathom_results::procedure::{ProcedureDocument, ProcedureRecord, StepRecord};
use fathom_results::{Comparison, PlanDocument, PowerCutResult, RunDocument, RunRecord};
use fathom_session::baseline::BaselineList;
use fathom_session::runs::RunsDocument;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Adds a type and those that it uses, and returns the reference to it.
type Add = fn(&mut SchemaGenerator) -> Schema;

/// Files of a saved run: what fathom reads.
const SAVED: &[(&str, Add)] =
    &[("run", add::<RunRecord>), ("procedure", add::<ProcedureRecord>), ("step", add::<StepRecord>)];

/// Documents: what fathom prints.
const PRINTED: &[(&str, Add)] = &[
    ("baselines", add::<BaselineList>),
    ("calc", add::<CalcDocument>),
    ("comparison", add::<Comparison>),
    ("devices", add::<DeviceList>),
    ("doctor", add::<DoctorDocument<'_>>),
    ("document", add::<RunDocument>),
    ("import", add::<fathom_report::import::ImportDocument>),
    ("options", add::<OptionsDocument>),
    ("plan", add::<PlanDocument>),
    ("power-cut", add::<PowerCutResult>),
    ("procedure-document", add::<ProcedureDocument<'_>>),
    ("purge", add::<fathom_guard::purge::PurgeDocument<'_>>),
    ("runs", add::<RunsDocument>),
    ("suite-plan", add::<fathom_procedures::suite::SuitePlanDocument>),
    ("suite-tables", add::<fathom_procedures::suite::SuiteTablesDocument>),
    ("suites", add::<fathom_procedures::suite::SuitesDocument>),
    ("topology", add::<Topology>),
    ("tune-changes", add::<fathom_tune::TuneChanges>),
    ("tune-knobs", add::<fathom_tune::TuneKnobs>),
    ("tune-plan", add::<fathom_tune::TunePlan>),
];

fn add<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// All types of these documents, each once.
fn file(documents: &[(&str, Add)], mut generator: SchemaGenerator) -> String {
    let documents: BTreeMap<&str, Schema> =
        documents.iter().map(|(name, add)| (*name, add(&mut generator))).collect();
    let mut types = generator.take_definitions(true);
    types.sort_keys();
    compact(&json!({"documents": documents, "$defs": types}), 0) + "\n"
}

/// As many characters of a line as a value may have without being broken.
const LINE: usize = 150;

/// JSON in as few lines as a reader of a difference can use.
fn compact(value: &Value, indent: usize) -> String {
    let flat = value.to_string();
    let (open, parts, close) = match value {
        _ if indent > 1 && indent + flat.len() <= LINE => return flat,
        Value::Object(fields) => {
            let part =
                |(name, value): (&String, &Value)| format!("{}: {}", json!(name), compact(value, indent + 1));
            ('{', fields.iter().map(part).collect::<Vec<_>>(), '}')
        }
        Value::Array(values) => ('[', values.iter().map(|value| compact(value, indent + 1)).collect(), ']'),
        _ => return flat,
    };
    let (inside, end) = (" ".repeat(indent + 1), " ".repeat(indent));
    format!("{open}\n{inside}{}\n{end}{close}", parts.join(&format!(",\n{inside}")))
}

/// The schema of this name, as fathom prints it.
pub fn of(name: &str) -> Value {
    serde_json::from_str(&must(fathom(&workspace()).args(["schema", name]))).expect("a schema is JSON")
}

/// With `UPDATE_SCHEMA=1` they are written again; the program has them from its next build on.
#[test]
fn the_schemas_in_the_documentation_are_those_of_the_types() {
    let printed = SchemaSettings::default().for_serialize().into_generator();
    let made = [("printed", file(PRINTED, printed)), ("saved", file(SAVED, SchemaGenerator::default()))];
    for (name, text) in made {
        let path = workspace().join("docs/schema").join(name).with_extension("json");
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let hint = "the types have changed: UPDATE_SCHEMA=1 cargo test -p fathom --test end_to_end json::";
        assert!(kept == text, "{name}: {hint}");
    }
    let page = std::fs::read_to_string(workspace().join("docs/documents.md")).unwrap();
    let listed = must(fathom(&workspace()).arg("schema"));
    let names: Vec<&str> = PRINTED.iter().chain(SAVED).map(|(name, _)| *name).collect();
    for name in &names {
        assert!(page.contains(&format!("`{name}`")), "docs/documents.md does not name {name}");
        assert!(listed.lines().any(|line| line == *name), "fathom schema does not list {name}");
        jsonschema::validator_for(&of(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    assert_eq!(listed.lines().count(), names.len());
}

#[test]
fn a_schema_that_does_not_exist_is_an_error_with_the_nearest_name() {
    let output = fathom(&workspace()).args(["schema", "documents"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("hint: fathom schema document"), "{}", text(&output));
}
