//! Words and turns that a reader of English as a third language reads twice are not in comments, docs,
//! help, errors and reports.

use std::path::{Path, PathBuf};

/// What is not written, and what is written instead. Words stand alone; turns are found anywhere.
const BANNED: &[(&str, &str)] = &[
    ("vigil", "watch"),
    ("farewell", "end"),
    ("mend", "correct, repair"),
    ("mends", "corrects, repairs"),
    ("mended", "corrected, repaired"),
    ("manieth", "one of so many"),
    ("worth the name", "that means anything"),
    ("cannot be told from here", "is not known here"),
    ("'s ear", "watches, is told"),
    ("whoever makes it", "the program that"),
    ("begets", "makes"),
    ("hence", "so"),
    ("thereof", "of it"),
    ("whilst", "while"),
    ("heretofore", "before"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file of the crates and every page.
fn files() -> Vec<PathBuf> {
    let mut waiting = vec![root().join("crates"), root().join("docs")];
    let mut found: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)).into();
    while let Some(directory) = waiting.pop() {
        for entry in directory.read_dir().expect("readable") {
            let path = entry.expect("readable").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => waiting.push(path),
                Some("rs" | "md") => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// Is the phrase in the line, with no letter beside it?
fn holds(line: &str, phrase: &str) -> bool {
    let line = line.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(at, _)| {
        let after = line[at + phrase.len()..].chars().next();
        let before = line[..at].chars().next_back();
        (phrase.starts_with('\'') || !is_letter(before)) && !is_letter(after)
    })
}

#[test]
fn what_is_read_twice_is_not_written() {
    let mut found = Vec::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        for (number, line) in text.lines().enumerate() {
            for (phrase, instead) in BANNED.iter().filter(|(phrase, _)| holds(line, phrase)) {
                let name = file.strip_prefix(root()).unwrap_or(&file).display();
                found.push(format!("{name}:{}: {phrase} (write: {instead}): {}", number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn words_stand_alone() {
    assert!(holds("It mends itself.", "mends"));
    assert!(!holds("We recommend it.", "mend"));
    assert!(holds("the collector's ear on", "'s ear"));
    assert!(!holds("the year's early part", "'s ear"));
}
