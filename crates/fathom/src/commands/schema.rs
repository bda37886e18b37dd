//! `fathom schema`: the JSON Schema of a document that fathom prints, or of a file that it saves.
//!
//! Two files have all types, each once: `printed.json` those of documents, where each field that is always there is required, and
//! `saved.json` those of files, which an older fathom may have written. A test makes both from the types
//! (`UPDATE_SCHEMA=1`). The schema that is printed has the types of one document, and needs no other file.

use crate::edge::print_document;
use crate::failure::{Exit, Failure, print};
use clap::Args;
use fathom_job::options::nearest_of;
use serde_json::{Map, Value, json};

const FILES: [&str; 2] = [
    include_str!("../../../../docs/schema/printed.json"),
    include_str!("../../../../docs/schema/saved.json"),
];

/// How a type is named where another uses it.
const REFERENCE: &str = "#/$defs/";

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Name of a document or a file; without it, all are listed
    pub name: Option<String>,
}

pub fn run(args: &SchemaArgs) -> Result<Exit, Failure> {
    let files = FILES.map(|text| serde_json::from_str::<Value>(text).unwrap_or_default());
    let names: Vec<&str> = files.iter().flat_map(names).collect();
    let Some(name) = args.name.as_deref() else {
        return print(&(names.join("\n") + "\n")).map(|()| Exit::Ok);
    };
    let schema = files.iter().find_map(|file| of(file, name));
    let hint = || match nearest_of(name, names.iter().copied()) {
        Some(near) => format!("fathom schema {near}"),
        None => "to list all: fathom schema".to_owned(),
    };
    let schema =
        schema.ok_or_else(|| Failure::new(Exit::Usage, format!("there is no schema {name}")).hint(hint()))?;
    print_document(&schema).map(|()| Exit::Ok)
}

fn names(file: &Value) -> impl Iterator<Item = &str> {
    file["documents"].as_object().into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The schema of this document, with the types that it needs.
fn of(file: &Value, name: &str) -> Option<Value> {
    let root = file["documents"].get(name)?;
    let (mut needed, mut open) = (Map::new(), Vec::new());
    references(root, &mut open);
    while let Some(name) = open.pop() {
        if !needed.contains_key(name) {
            let known = file["$defs"].get(name)?;
            needed.insert(name.to_owned(), known.clone());
            references(known, &mut open);
        }
    }
    needed.sort_keys();
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        "$ref": root["$ref"],
        "$defs": needed,
    }))
}

/// The types that are named in a schema.
fn references<'a>(schema: &'a Value, names: &mut Vec<&'a str>) {
    match schema {
        Value::Object(fields) => {
            names
                .extend(fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(REFERENCE)));
            fields.values().for_each(|value| references(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| references(value, names)),
        _ => {}
    }
}
