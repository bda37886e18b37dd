//! `--json` of every command: one document, which validates against its schema.

mod commands;
mod ground;
mod schemas;

use crate::support::{fathom, must, own_devices, text, workspace};
use commands::{LINES, Line, QUICK, RECORDED, WITHOUT};
use ground::Ground;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The keys that hold name or version of a document.
const FORMAT_KEYS: [&str; 4] = ["format", "schema", "fathom_import", "fathom_tune_plan"];

/// Runs a line, and validates what it prints.
fn validate(ground: &Ground, line: &Line) {
    let document = printed(ground, line);
    let schema = schemas::of(line.schema);
    let validator = jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{}: {e}", line.schema));
    let said = format!("fathom {} {}", line.command, line.words);
    let wrong: Vec<String> =
        validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{said} against {}: {wrong:#?}", line.schema);
    let key = FORMAT_KEYS.iter().find(|key| document.get(**key).is_some());
    let key = key.unwrap_or_else(|| panic!("{said}: the document does not say its version"));
    let mut other = document.clone();
    other.as_object_mut().unwrap().remove(*key);
    assert!(!validator.is_valid(&other), "{said}: the schema would take any document");
}

fn printed(ground: &Ground, line: &Line) -> Value {
    let mut command = fathom(ground.dir());
    command.args(line.command.split(' ')).arg("--json").args(ground.words(line));
    command.env("FATHOM_INDEX", ground.dir().join("runs.jsonl"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(line.exit), "{command:?}: {}", text(&output));
    let document = serde_json::from_slice(&output.stdout);
    document.unwrap_or_else(|e| panic!("{command:?} prints no JSON document: {e}: {}", text(&output)))
}

#[test]
fn every_document_validates_against_its_schema() {
    let _own = own_devices();
    let ground = Ground::new();
    for line in LINES {
        if line.words == "half" && line.exit == 7 {
            ground.interrupt_a_procedure();
        }
        validate(&ground, line);
    }
}

#[test]
fn documents_of_quick_validate() {
    let ground = Ground::without_device();
    QUICK.iter().for_each(|line| validate(&ground, line));
}

#[test]
fn documents_of_recorded_machines_validate() {
    let trees = workspace().join("crates/fathom-host/tests/trees");
    let trees: Vec<_> = std::fs::read_dir(trees).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(trees.len() > 5, "{trees:?}");
    for tree in trees {
        // A list of devices needs the mounts, which some of them do not have.
        let has_mounts = std::fs::read_to_string(&tree).unwrap().contains("/proc/self/mountinfo");
        let ground = Ground::recorded(tree);
        let lines = RECORDED.iter().filter(|line| has_mounts || line.command != "devices");
        lines.for_each(|line| validate(&ground, line));
    }
}

/// The commands with their options, from the script for bash, which is made of the tree of commands. Hyphens are
/// blanks, as the script cannot tell them apart.
pub fn commands() -> BTreeMap<String, Vec<String>> {
    let script = must(fathom(&workspace()).args(["completions", "bash"]));
    let mut commands = BTreeMap::new();
    let mut name = None;
    for line in script.lines().map(str::trim) {
        if let Some(path) = line.strip_prefix("fathom__subcmd__").and_then(|line| line.strip_suffix(')')) {
            name = (!path.contains(',')).then(|| path.replace("__subcmd__", " "));
        }
        if let Some(opts) = line.strip_prefix("opts=\"")
            && let Some(name) = name.take()
        {
            commands.insert(name, opts.trim_end_matches('"').split(' ').map(str::to_owned).collect());
        }
    }
    let parents: BTreeSet<String> =
        commands.keys().filter_map(|name: &String| Some(name.rsplit_once(' ')?.0.to_owned())).collect();
    commands.retain(|name, _| !parents.contains(name) || name == "doctor");
    commands
}

#[test]
fn every_command_is_in_the_table() {
    let commands = commands();
    assert!(commands.len() > 30, "{commands:?}");
    let lines = [QUICK, LINES, RECORDED].into_iter().flatten();
    let tested: BTreeSet<String> = lines.map(|line| line.command.replace('-', " ")).collect();
    let without: BTreeSet<String> = WITHOUT.iter().map(|(name, _)| name.replace('-', " ")).collect();
    for (name, options) in &commands {
        let has_json = options.iter().any(|option| option == "--json");
        assert_eq!(has_json, !without.contains(name), "fathom {name}: --json, or a reason why it has none");
        assert_eq!(has_json, tested.contains(name), "fathom {name} is not in the table of lines");
    }
    let known = tested.iter().chain(&without).filter(|name| !commands.contains_key(*name));
    assert_eq!(known.collect::<Vec<_>>(), Vec::<&String>::new(), "no such command");
}
