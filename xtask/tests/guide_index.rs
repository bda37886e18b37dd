//! The index of the guides is complete, and no row claims a proof that does not exist.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The guides and how many things each asks: V, M, H, I and T are the letters of the contract.
const GUIDES: &[(char, usize)] = &[('V', 82), ('M', 29), ('H', 34), ('I', 56), ('T', 61)];

struct Row {
    id: String,
    command: String,
    /// `crate::test`, as named in the row.
    tests: Vec<String>,
    status: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rows() -> Vec<Row> {
    let path = root().join("docs/guide-index.md");
    let text = std::fs::read_to_string(&path).expect("docs/guide-index.md is there");
    text.lines().filter_map(row).collect()
}

/// `| V-1 | what is asked | command | tests | status |`; other lines are not rows.
fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
    let [id, asked, command, tests, status] = cells.as_slice() else {
        return None;
    };
    let (guide, number) = id.split_once('-')?;
    let is_id = guide.len() == 1 && number.parse::<u32>().is_ok();
    let row = Row {
        id: (*id).to_owned(),
        command: (*command).to_owned(),
        tests: tests.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        status: (*status).to_owned(),
    };
    assert!(!is_id || !asked.is_empty(), "{id} asks nothing");
    is_id.then_some(row)
}

#[test]
fn every_row_of_the_contract_stands_once_in_order() {
    let expected: Vec<String> =
        GUIDES.iter().flat_map(|(guide, rows)| (1..=*rows).map(move |n| format!("{guide}-{n}"))).collect();
    assert_eq!(expected.len(), 262);
    let found: Vec<String> = rows().into_iter().map(|row| row.id).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_status_is_one_of_three_and_done_means_proven() {
    for row in rows() {
        let proven = !row.tests.is_empty() && row.command.contains('`');
        match row.status.as_str() {
            "done" => assert!(proven, "{} is done by no command or test", row.id),
            status if status.starts_with("partly: ") => {
                assert!(proven, "{} is partly done by no command or test", row.id);
            }
            status => {
                assert!(status.starts_with("not yet: "), "{}: {status}", row.id);
                assert!(row.tests.is_empty(), "{} has a test but is not done", row.id);
            }
        }
    }
}

#[test]
fn every_named_test_exists() {
    let mut sources = HashMap::new();
    for row in rows() {
        for test in &row.tests {
            let (of, name) = test.split_once("::").expect("crate::test");
            let text = sources.entry(of.to_owned()).or_insert_with(|| source_of(of));
            assert!(holds_test(text, name), "{}: no test {name} in {of}", row.id);
        }
    }
}

/// Whether `text` holds a function of this name with `#[test]`, or `proptest!`'s, close above it.
fn holds_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let mut above = text.match_indices(&head).map(|(at, _)| &text[..at]);
    above.any(|above| {
        let near: Vec<&str> = above.lines().rev().take(6).collect();
        near.iter().any(|line| line.trim() == "#[test]")
    })
}

/// All Rust text of one of our crates, and its texts that are data.
fn source_of(name: &str) -> String {
    let directory = match name {
        "xtask" => root().join("xtask"),
        "fathom-lab" => root().join("lab"),
        _ => root().join("crates").join(name),
    };
    let mut text = String::new();
    let mut waiting = vec![directory];
    while let Some(directory) = waiting.pop() {
        let entries = directory.read_dir();
        for entry in entries.unwrap_or_else(|e| panic!("{}: {e}", directory.display())) {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "toml") {
                text += &std::fs::read_to_string(&path).expect("UTF-8 source");
            }
        }
    }
    text
}

/// The rows that are about the host: guide, first and last number.
const HOST_ROWS: &[(char, u32, u32)] = &[
    ('V', 3, 26),
    ('V', 49, 82),
    ('M', 1, 22),
    ('H', 3, 18),
    ('H', 33, 33),
    ('I', 2, 25),
    ('I', 33, 33),
    ('I', 39, 39),
    ('I', 44, 44),
    ('T', 44, 44),
];

/// A reader of the index finds each ID also where it is implemented: among the
/// sources of a check, in old advice, at a calculator, or above a test.
#[test]
fn every_host_row_stands_in_the_sources() {
    let text: String =
        ["fathom-job", "fathom-host", "fathom-judge", "fathom-procedures", "fathom", "fathom-lab"]
            .map(source_of)
            .concat();
    for (guide, first, last) in HOST_ROWS {
        for id in (*first..=*last).map(|number| format!("{guide}-{number}")) {
            assert!(names_id(&text, &id), "{id} is in no source");
        }
    }
}

/// Whether `text` has the ID as a word: V-6 is not in V-60.
fn names_id(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| {
        let goes_on = text[at + id.len()..].starts_with(|c: char| c.is_ascii_digit());
        let went_before = text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        !goes_on && !went_before
    })
}

#[test]
fn an_id_is_a_word() {
    assert!(names_id("as V-60 and V-6 have it", "V-6"));
    assert!(!names_id("IV-6, V-60 and V-62…V-66", "V-6"));
}

#[test]
fn a_test_is_found_by_its_attribute_and_not_by_its_name_alone() {
    assert!(holds_test("#[test]\nfn a() {}", "a"));
    assert!(!holds_test("fn a() {}", "a"));
    assert!(!holds_test("#[test]\nfn ab() {}", "a"));
}
