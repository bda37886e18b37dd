//! The one table of schemas: `docs/schema/NAME.json` and the type that it is made from.

use crate::support::workspace;
use fathom_host::audit::Document as DoctorDocument;
use fathom_host::calc::document::CalcDocument;
use fathom_host::devices::DeviceList;
use fathom_host::topology::Topology;
use fathom_job::reference::OptionsDocument;
use fathom_results::procedure::{ProcedureDocument, ProcedureRecord, StepRecord};
use fathom_results::{Comparison, PlanDocument, RunDocument, RunRecord};
use fathom_session::baseline::BaselineList;
use fathom_session::runs::RunsDocument;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, schema_for};

/// Makes the schema of a type.
type Make = fn() -> Schema;

/// The schemas by name.
const SCHEMAS: &[(&str, Make)] = &[
    // Files of a saved run: what fathom reads.
    ("run", || schema_for!(RunRecord)),
    ("procedure", || schema_for!(ProcedureRecord)),
    ("step", || schema_for!(StepRecord)),
    // Documents: what fathom prints.
    ("baselines", printed::<BaselineList>),
    ("calc", printed::<CalcDocument>),
    ("comparison", printed::<Comparison>),
    ("devices", printed::<DeviceList>),
    ("doctor", printed::<DoctorDocument<'_>>),
    ("document", printed::<RunDocument>),
    ("import", printed::<fathom_report::import::ImportDocument>),
    ("options", printed::<OptionsDocument>),
    ("plan", printed::<PlanDocument>),
    ("procedure-document", printed::<ProcedureDocument<'_>>),
    ("purge", printed::<fathom_guard::purge::PurgeDocument<'_>>),
    ("runs", printed::<RunsDocument>),
    ("suite-plan", printed::<fathom_procedures::suite::SuitePlanDocument>),
    ("suite-tables", printed::<fathom_procedures::suite::SuiteTablesDocument>),
    ("suites", printed::<fathom_procedures::suite::SuitesDocument>),
    ("topology", printed::<Topology>),
    ("tune-changes", printed::<fathom_tune::TuneChanges>),
    ("tune-knobs", printed::<fathom_tune::TuneKnobs>),
    ("tune-plan", printed::<fathom_tune::TunePlan>),
];

/// The schema of what is written, where each field that is always there is required.
fn printed<T: JsonSchema>() -> Schema {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>()
}

/// The kept schema of this name.
pub fn kept(name: &str) -> serde_json::Value {
    let path = workspace().join("docs/schema").join(name).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

/// With `UPDATE_SCHEMA=1` they are written again.
#[test]
fn the_schemas_in_the_documentation_are_those_of_the_types() {
    let dir = workspace().join("docs/schema");
    for (name, schema) in SCHEMAS {
        let path = dir.join(name).with_extension("json");
        let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        let hint = "the types have changed: UPDATE_SCHEMA=1 cargo test -p fathom --test end_to_end json::";
        assert!(kept == text, "{name}: {hint}");
    }
    let page = std::fs::read_to_string(workspace().join("docs/documents.md")).unwrap();
    for (name, _) in SCHEMAS {
        assert!(
            page.contains(&format!("(schema/{name}.json)")),
            "docs/documents.md does not name {name}.json"
        );
    }
    let kept = std::fs::read_dir(dir).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().path();
        name.extension().is_some_and(|end| end == "json")
    });
    assert_eq!(kept.count(), SCHEMAS.len(), "a schema is kept whose type is not in the table");
}
