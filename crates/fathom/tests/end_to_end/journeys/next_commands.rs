//! The command that an answer advises works as it is printed: the parser takes each, and what only reads is carried out, also where
//! another run was saved meanwhile, and in another directory.

use crate::support::{fathom, finished, json, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a command as a person would paste it, from this directory.
fn pasted(dir: &Path, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_fathom")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(dir).env("PATH", path).env("NO_COLOR", "1");
    shell.env("FATHOM_INDEX", dir.join("runs.jsonl")).output().unwrap()
}

/// Does the parser take it? `--help` ends a command before it does anything, and behind what was wrong nobody comes to it.
fn is_understood(dir: &Path, command: &str) -> bool {
    let with_help = match command.split_once(" -- ") {
        Some((before, behind)) => format!("{before} --help -- {behind}"),
        None => format!("{command} --help"),
    };
    let output = pasted(dir, &with_help);
    assert!(output.status.success(), "{command}: {}", text(&output));
    true
}

/// Every command of a document in a place for one: `next` and `then`.
fn advised(document: &Value) -> Vec<String> {
    let of = |value: &Value| match value {
        Value::Array(steps) => steps.iter().map(|step| step["command"].clone()).collect(),
        step => vec![step["command"].clone()],
    };
    let mut all = Vec::new();
    if let Value::Object(map) = document {
        for (key, value) in map {
            match ["next", "then"].contains(&key.as_str()) {
                true => all.extend(of(value).iter().filter_map(|it| it.as_str().map(str::to_owned))),
                false => all.extend(advised(value)),
            }
        }
    }
    if let Value::Array(values) = document {
        all.extend(values.iter().flat_map(advised));
    }
    all
}

/// The commands that the document of a command advises; each is understood.
fn of(dir: &Path, words: &[&str]) -> Vec<String> {
    let document = json(&finished(fathom(dir).args(words).env("FATHOM_INDEX", dir.join("runs.jsonl"))));
    let all = advised(&document);
    assert!(!all.is_empty(), "{words:?} advises nothing");
    let ours = all.iter().filter(|command| command.trim_start_matches("sudo ").starts_with("fathom "));
    assert!(
        ours.map(|command| command.trim_start_matches("sudo ")).all(|command| is_understood(dir, command))
    );
    all
}

#[test]
fn the_next_command_of_each_kind_of_result_is_understood() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("a b.fio"),
        "[j]\nioengine=sim\nfilename=sim:consumer/1024\nrw=randread\nbs=4k\nsize=64m\n",
    )
    .unwrap();
    for words in [
        &["run", "a b.fio", "--json", "--name", "one"][..],
        &["run", "a b.fio", "--set", "iodepth=4", "--set", "runtime=2s", "--json", "--name", "two"],
        &["run", "a b.fio", "--repeat", "2", "--json"],
        &["quick", "sim:consumer/1024", "--seconds", "1", "--json"],
        &["quick", "sim:consumer/1024", "--seconds", "1", "--repeat", "2", "--json"],
        &["compare", "one", "two", "--json"],
        &["precondition", "sim:consumer/1024", "--json"],
    ] {
        of(dir, words);
    }
}

/// `latest` was another run as soon as one was saved, and nothing in another directory.
#[test]
fn the_next_command_of_a_procedure_names_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(
        dir.join("j.fio"),
        "[j]\nioengine=sim\nfilename=sim:consumer/1024\nrw=randread\nbs=4k\nsize=16m\n",
    )
    .unwrap();
    let elsewhere = ["--runs-dir", "elsewhere"];
    for (words, page) in [
        (&["suite", "run", "flash", "--target", "sim:datacentre/4096", "--scale", "100"][..], "flash"),
        (&["sweep", "j.fio", "--vary", "iodepth=1,2,4", "--find", "knee"], "iodepth"),
        (&["pts", "tp", "--target", "sim:datacentre/4096", "--scale", "600"], "NO steady state"),
    ] {
        let words = [words, &elsewhere, &["--json", "-q"]].concat();
        let all = of(dir, &words);
        let [command] = all.iter().filter(|it| it.contains(" report ")).collect::<Vec<_>>()[..] else {
            panic!("{words:?}: {all:?}")
        };
        finished(fathom(dir).args(["run", "j.fio", "-q"]).env("FATHOM_INDEX", dir.join("runs.jsonl")));
        let output = pasted(dir, command);
        assert!(matches!(output.status.code(), Some(0 | 5)), "{command}: {}", text(&output));
        let made = fs::read_to_string(dir.join("report.html")).unwrap_or_default();
        let shown = made + &String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains(page), "{command}: {shown}");
        let _ = fs::remove_file(dir.join("report.html"));
    }
}
