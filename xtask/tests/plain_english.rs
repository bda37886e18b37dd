//! Words and phrases that a reader of English as a third language reads twice are not in comments, docs,
//! help, topics, errors and reports. Manual pages are made from the definitions of the commands and from the topics
//! of `fathom help`, so they are searched too.

use std::path::{Path, PathBuf};

/// Words and phrases that are not written, and what to write instead. An underscore ends a word too, so names
/// of functions and tests are searched as well. A phrase in capitals is searched in capitals only: a word that alarms
/// has its cause beside it.
const BANNED: &[(&str, &str)] = &[
    ("vigil", "watch"),
    ("farewell", "end"),
    ("mend", "correct, repair"),
    ("mends", "corrects, repairs"),
    ("mended", "corrected, repaired"),
    ("manieth", "one of so many"),
    ("worth the name", "that means anything"),
    ("cannot be told from here", "is not known here"),
    ("'s ear", "watches, receives"),
    ("whoever makes it", "the program that"),
    ("begets", "makes"),
    ("hence", "so"),
    ("thereof", "of it"),
    ("whilst", "while"),
    ("heretofore", "before"),
    ("wherein", "in which"),
    ("lest", "so that … not"),
    ("albeit", "although"),
    ("anew", "again"),
    ("whoever", "the person who, the program that, the caller"),
    ("for ever", "without end"),
    ("for want of", "because there is no"),
    ("nobody's", "of no …"),
    ("at hand", "known, there"),
    ("on the spot", "immediately"),
    ("comes to stand", "begins to use, is put on"),
    ("stands in", "is in"),
    ("stands on", "is on, is based on"),
    ("stands under", "is shown under"),
    ("stands behind", "is after"),
    ("stands beside", "is shown with"),
    ("stands before", "is before"),
    ("stands for", "means"),
    ("answers for", "gives … for"),
    ("tells of", "shows, reports"),
    ("told of", "shown about"),
    ("last words", "last messages"),
    ("gravest", "most severe, worst"),
    ("boot line", "kernel command line"),
    ("is no multiple", "is not a multiple"),
    ("is no part", "is not part"),
    ("is no error", "is not an error"),
    ("is no fault", "is not a fault"),
    ("is no file", "is not a file"),
    ("is no directory", "is not a directory"),
    ("is no regular", "is not a regular"),
    ("is no text", "is not text"),
    ("is no number", "is not a number"),
    ("is no limit to", "does not limit"),
    ("is no evidence", "is not evidence"),
    ("BROKEN", "what is wrong, with its cause"),
    ("INVALID", "what is wrong, with its cause"),
    ("in vain", "without success"),
    ("the begin of", "the beginning of"),
    ("its begin", "its beginning, when it began"),
    ("at the begin", "at the beginning, when it began"),
    ("lets go of", "releases"),
    ("lets go again", "releases again"),
    ("let go of", "released"),
    ("in spite of that", "all the same"),
    ("stands against", "prevents"),
    ("stands there", "is there"),
    ("stands where", "is where"),
    ("stands between", "is between"),
    ("come to an end of its own", "end by itself"),
    ("came of it", "its result"),
    ("deep asleep", "in a deep idle state"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Every source file of the crates and of our tools, and every page. Not the tests of `xtask`, because this list is
/// one of them.
fn files() -> Vec<PathBuf> {
    let mut waiting: Vec<PathBuf> =
        ["bench/src", "crates", "docs", "examples", "lab", "xtask/src"].map(|name| root().join(name)).into();
    let pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "fuzz/README.md"];
    let mut found: Vec<PathBuf> = pages.map(|name| root().join(name)).into();
    while let Some(directory) = waiting.pop() {
        for entry in directory.read_dir().expect("readable") {
            let path = entry.expect("readable").path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => waiting.push(path),
                Some("rs" | "md" | "txt" | "toml") => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// The part of a file that can still be changed: a released version in the change log stays as it was.
fn open_part<'t>(file: &Path, text: &'t str) -> &'t str {
    let mut versions = text.match_indices("\n## [").map(|(at, _)| at);
    let released = versions.find(|at| !text[*at..].starts_with("\n## [Unreleased]"));
    let released = released.filter(|_| file.ends_with("CHANGELOG.md"));
    released.map_or(text, |at| &text[..at])
}

/// Whether the line contains the phrase as whole words. "There is no file" is plain English; "it is no file" is not.
fn holds(line: &str, phrase: &str) -> bool {
    let is_capital = phrase.chars().all(char::is_uppercase);
    let line = if is_capital { line.to_owned() } else { line.to_lowercase() };
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(phrase).any(|(at, _)| {
        let after = line[at + phrase.len()..].chars().next();
        let before = line[..at].chars().next_back();
        let is_plain = phrase.starts_with("is no ") && line[..at].ends_with("there ");
        (phrase.starts_with('\'') || !is_letter(before)) && !is_letter(after) && !is_plain
    })
}

#[test]
fn what_is_read_twice_is_not_written() {
    let mut found = Vec::new();
    for file in files() {
        let text = std::fs::read_to_string(&file).expect("UTF-8");
        for (number, line) in open_part(&file, &text).lines().enumerate() {
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
    assert!(holds("fn the_gravest_four() {", "gravest"));
    assert!(holds("checks  BROKEN: loop7", "BROKEN") && !holds("a broken pipe", "BROKEN"));
    assert!(holds("It is no file.", "is no file") && !holds("There is no file.", "is no file"));
}

#[test]
fn a_released_version_is_not_searched() {
    let text = "# Changelog\n\n## [Unreleased]\nnew\n\n## [0.1.0]\nold\n";
    assert!(open_part(Path::new("/x/CHANGELOG.md"), text).ends_with("new\n"));
    assert_eq!(open_part(Path::new("/x/README.md"), text), text);
}

/// Examples in comments would each be a program of their own, so there are none: a block of code names its language, and tests are
/// functions.
#[test]
fn no_comment_has_an_example_that_nothing_runs() {
    let mut found = Vec::new();
    for file in files().iter().filter(|file| file.extension().is_some_and(|it| it == "rs")) {
        let text = std::fs::read_to_string(file).expect("UTF-8");
        let comments = text.lines().map(|line| line.trim_start());
        let fences = comments
            .enumerate()
            .filter(|(_, line)| line.starts_with("//! ```") || line.starts_with("/// ```"));
        for (number, line) in
            fences.step_by(2).filter(|(_, line)| line.ends_with("```") || line.ends_with("rust"))
        {
            found.push(format!("{}:{}: {line}", file.display(), number + 1));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
