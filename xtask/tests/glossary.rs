//! The glossary's table of types is true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A type that a crate exports at its top level is one of the main types when this many other crates use it.
const MAIN_FROM: usize = 3;

/// The heading of the table.
const HEADING: &str = "## The main types";

/// The Rust sources of a crate, tests left out.
struct Source {
    of: String,
    path: PathBuf,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for directory in entries(&root().join("crates")) {
        let of = directory.file_name().expect("a crate's name").to_string_lossy().into_owned();
        let mut waiting = vec![directory.join("src")];
        while let Some(path) = waiting.pop() {
            if path.is_dir() {
                waiting.extend(entries(&path).into_iter().filter(|path| !path.ends_with("tests")));
            } else if path.extension().is_some_and(|is| is == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("UTF-8 source");
                sources.push(Source { of: of.clone(), path, text });
            }
        }
    }
    sources
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let read = directory.read_dir().unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    read.map(|entry| entry.expect("readable").path()).collect()
}

/// Every public type by name, with each crate and file that defines one of that name.
fn definitions(sources: &[Source]) -> BTreeMap<&str, Vec<(&str, String)>> {
    let mut found: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for source in sources {
        for name in source.text.lines().filter_map(defined) {
            found.entry(name).or_default().push((&source.of, source.path.display().to_string()));
        }
    }
    found
}

/// The name of the public type that a line defines.
fn defined(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub ")?;
    let rest = rest.strip_prefix("unsafe ").unwrap_or(rest);
    let (keyword, rest) = rest.split_once(' ')?;
    ["struct", "enum", "union", "trait", "type"].contains(&keyword).then(|| words(rest).next())?
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The rows of the glossary's table: type, crate and meaning.
fn rows() -> Vec<[String; 3]> {
    let path = root().join("docs/concepts/glossary.md");
    let text = std::fs::read_to_string(path).expect("docs/concepts/glossary.md is there");
    let table = text.split_once(HEADING).expect("the glossary has the table of types").1;
    let table = table.split("\n## ").next().unwrap_or(table);
    table.lines().filter_map(row).collect()
}

/// ``| `Type` | `crate` | meaning |``; other lines are not rows.
fn row(line: &str) -> Option<[String; 3]> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [name, of, meaning] = cells.as_slice() else {
        return None;
    };
    let is_row = name.starts_with('`') && of.starts_with('`');
    let plain = |cell: &str| cell.trim_matches('`').to_owned();
    is_row.then(|| [plain(name), plain(of), (*meaning).to_owned()])
}

/// The types that `of` exports at its top level and that several other crates import from it.
fn main_types<'s>(sources: &'s [Source], of: &str) -> Vec<&'s str> {
    let top = sources.iter().find(|source| source.of == of && source.path.ends_with("src/lib.rs"));
    let Some(top) = top else {
        return Vec::new();
    };
    let is_type = |word: &&str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let exported: BTreeSet<&str> = uses(&top.text, "\npub use ").flat_map(words).filter(is_type).collect();
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let import = format!("use {}::", of.replace('-', "_"));
    for source in sources.iter().filter(|source| source.of != of) {
        for word in uses(&source.text, &import).flat_map(words) {
            if let Some(word) = exported.get(word) {
                users.entry(word).or_default().insert(&source.of);
            }
        }
    }
    users.into_iter().filter(|(_, users)| users.len() >= MAIN_FROM).map(|(word, _)| word).collect()
}

/// The text between each `head` and the next semicolon.
fn uses<'s>(text: &'s str, head: &str) -> impl Iterator<Item = &'s str> {
    text.split(head).skip(1).filter_map(|rest| rest.split(';').next())
}

#[test]
fn every_type_of_the_glossary_is_defined_there() {
    let sources = sources();
    let definitions = definitions(&sources);
    let rows = rows();
    assert!(rows.len() >= 40, "the table has only {} rows", rows.len());
    let mut seen = BTreeSet::new();
    for [name, of, meaning] in &rows {
        assert!(!meaning.is_empty(), "{name} has no meaning");
        assert!(seen.insert((name, of)), "{name} of {of} has two rows");
        let crates: Vec<&str> =
            definitions.get(name.as_str()).into_iter().flatten().map(|(of, _)| *of).collect();
        assert!(crates.contains(&of.as_str()), "{name} of {of}: the crates that define it are {crates:?}");
    }
}

#[test]
fn every_main_type_has_a_row() {
    let sources = sources();
    let rows = rows();
    let crates: BTreeSet<&str> = sources.iter().map(|source| source.of.as_str()).collect();
    let main: Vec<(&str, &str)> = crates
        .into_iter()
        .flat_map(|of| main_types(&sources, of).into_iter().map(move |name| (of, name)))
        .collect();
    assert!(main.contains(&("fathom-results", "RunResult")), "no imports were found: {main:?}");
    let missing: Vec<_> =
        main.iter().filter(|(of, name)| !rows.iter().any(|row| row[0] == *name && row[1] == *of)).collect();
    assert!(missing.is_empty(), "give each a row in docs/concepts/glossary.md: {missing:?}");
}

#[test]
fn a_definition_is_read_from_its_line() {
    assert_eq!(defined("pub struct Plan {"), Some("Plan"));
    assert_eq!(defined("    pub enum Kind<'a> {"), Some("Kind"));
    assert_eq!(defined("pub unsafe trait Memory: Send {"), Some("Memory"));
    assert_eq!(defined("pub type Blocks = Vec<u8>;"), Some("Blocks"));
    assert_eq!(defined("pub(super) struct Plan {"), None);
    assert_eq!(defined("/// pub struct Plan"), None);
    assert_eq!(defined("pub fn plan() {}"), None);
}
