//! The list of ordinary words, `src/redact/ordinary.txt`, has every word that a report prints.
//!
//! The list is made of the texts in the sources of all crates, of the saved forms and of reports that are rendered here.
//! `UPDATE_ORDINARY=1 cargo test -p fathom-report ordinary` writes it again.

use crate::synthetic::{Recipe, disk, fixture};
use fathom_report::html::page;
use fathom_report::terminal::{Style, details, summary};
use fathom_report::{document, fio_json, normal};
use fathom_results::procedure::{ProcedureRecord, StepRecord};
use fathom_results::{RunDocument, RunRecord};
use std::collections::BTreeSet;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// A compound word has at most this many parts: `rand-read-latency`.
const PARTS_MAX: usize = 5;

/// Longer words are codes.
const CHARS_MAX: usize = 40;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn list() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/redact/ordinary.txt")
}

/// Words, and words of several parts, of a text.
fn words(text: &str, into: &mut BTreeSet<String>) {
    let is_inside = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    for whole in text.split(|c| !is_inside(c)).map(|it| it.trim_matches(['-', '_', '.']).to_lowercase()) {
        let parts: Vec<&str> = whole.split(['-', '_', '.']).collect();
        let has_letter = |part: &str| part.contains(char::is_alphabetic);
        let is_word = |part: &&str| part.len() > 1 && part.len() <= CHARS_MAX && has_letter(part);
        into.extend(parts.iter().copied().filter(is_word).map(str::to_owned));
        if (2..=PARTS_MAX).contains(&parts.len()) && has_letter(parts[0]) && !parts.contains(&"") {
            into.insert(whole.clone());
        }
    }
}

/// The files below a directory with one of these endings, without those of tests.
fn files(dir: &Path, ends: &[&str], into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap().map(|it| it.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap();
        match entry.is_dir() {
            true if name != "tests" => files(&entry, ends, into),
            false if ends.iter().any(|end| name.ends_with(end)) && name != "tests.rs" => into.push(entry),
            _ => {}
        }
    }
}

/// The texts in the source of a program, without its tests, its comments and what is filled in.
fn literals(source: &str) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n").replace("\\\"", " ").replace("'\"'", " ");
    let texts: Vec<&str> = code.split('"').skip(1).step_by(2).collect();
    let filled = |text: &str| {
        let mut parts = text.split('{');
        let first = parts.next().unwrap_or_default().to_owned();
        let rest = parts.map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
        rest.fold(first, |text, rest| text + " " + rest)
    };
    texts.iter().map(|text| filled(text).replace("\\n", " ")).collect::<Vec<_>>().join(" ")
}

/// What this test can print: every form of reports, and the words of the saved forms.
fn printed() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut snapshots = Vec::new();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports/snapshots");
    files(&dir, &[".snap"], &mut snapshots);
    assert!(snapshots.len() > 10);
    snapshots.iter().for_each(|path| words(&read_to_string(path).unwrap(), &mut found));
    let schemas = [
        serde_json::to_string(&schemars::schema_for!(RunRecord)),
        serde_json::to_string(&schemars::schema_for!(ProcedureRecord)),
        serde_json::to_string(&schemars::schema_for!(StepRecord)),
        serde_json::to_string(&schemars::schema_for!(RunDocument)),
    ];
    schemas.into_iter().for_each(|schema| words(&schema.unwrap(), &mut found));
    for job in ["loop-mix.fio", "fsync-write.fio", "group-null.fio"] {
        let mut recipe = Recipe::new(&fixture(job));
        recipe.edit = |record| record.disks.push(disk("loop7", 24_012, 12_000));
        let run = recipe.run();
        let page = page(&run);
        let parts = page.split_once("<style>").zip(page.split_once("</style>"));
        let ((head, _), (_, body)) = parts.unwrap();
        let document = serde_json::to_string(&document::document(&run)).unwrap();
        for text in [
            head.split("Content-Security-Policy").next().unwrap(),
            body.split("<script>").next().unwrap(),
            &document,
            &document::csv(&run),
            summary(&run, Style::PLAIN).as_str(),
            details(&run, Style::PLAIN).as_str(),
            &fio_json::to_text(&fio_json::fio_json(&run, true)),
            &normal::normal(&run),
        ] {
            words(text, &mut found);
        }
    }
    // The parts of identifiers of runs and of configurations.
    found.retain(|word| !word.contains(|c: char| c.is_ascii_digit()) || word.len() < 8);
    // The paths of drawings.
    found.retain(|word| !word.starts_with(|c: char| c.is_ascii_digit()) || word.len() < 4);
    found
}

fn write() {
    let mut found = printed();
    let mut sources = Vec::new();
    files(&crates(), &[".rs", ".txt"], &mut sources);
    for path in sources.iter().filter(|path| path.to_str().unwrap().contains("/src/")) {
        let source = read_to_string(path).unwrap();
        match path.extension().is_some_and(|end| end == "rs") {
            true => words(&literals(&source), &mut found),
            false if **path == list() => {}
            false => words(&source, &mut found),
        }
    }
    std::fs::write(list(), found.into_iter().collect::<Vec<_>>().join("\n") + "\n").unwrap();
}

#[test]
fn every_word_of_reports_is_ordinary() {
    if std::env::var_os("UPDATE_ORDINARY").is_some() {
        write();
    }
    let list = read_to_string(list()).unwrap();
    let known: BTreeSet<&str> = list.lines().collect();
    let printed = printed();
    let missing: Vec<&String> = printed.iter().filter(|word| !known.contains(word.as_str())).collect();
    assert!(printed.len() > 500 && missing.is_empty(), "UPDATE_ORDINARY=1 adds {missing:?}");
}
