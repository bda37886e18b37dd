//! The pages that follow the guides (`docs/guides`) name every row of their guide once, in its order, and link to files
//! that exist. What their commands print is checked in `crates/fathom/tests/end_to_end/journeys/guides.rs`.

use std::path::{Path, PathBuf};

/// Each guide: the letter of its rows, their number, and its page.
const PAGES: [(char, u32, &str); 5] = [
    ('V', 82, "vsl.md"),
    ('M', 29, "orion.md"),
    ('H', 34, "flash.md"),
    ('I', 56, "vroc.md"),
    ('T', 61, "blog.md"),
];

/// Six screens of fifty lines: a page that is longer is not read to its end.
const LINES_MAX: usize = 300;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn page(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The text without its blocks of commands and output.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

/// The IDs in brackets, in their order: `[V-12]`.
fn ids(text: &str) -> Vec<&str> {
    let brackets = text.split('[').skip(1).filter_map(|after| after.split_once(']'));
    brackets.map(|(inside, _)| inside).filter(|inside| is_id(inside)).collect()
}

fn is_id(text: &str) -> bool {
    let Some((guide, number)) = text.split_once('-') else { return false };
    matches!(guide, "V" | "M" | "H" | "I" | "T") && number.parse::<u32>().is_ok()
}

/// The targets of links: `[text](target)`.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|after| after.split_once(')')).map(|(target, _)| target).collect()
}

#[test]
fn every_row_of_a_guide_is_on_its_page_once_and_in_order() {
    for (guide, rows, name) in PAGES {
        let text = prose(&page(&format!("docs/guides/{name}")));
        let expected: Vec<String> = (1..=rows).map(|number| format!("{guide}-{number}")).collect();
        assert_eq!(ids(&text), expected, "{name}");
    }
}

#[test]
fn a_page_is_not_longer_than_six_screens() {
    for (_, _, name) in PAGES {
        let lines = page(&format!("docs/guides/{name}")).lines().count();
        assert!(lines <= LINES_MAX, "{name} has {lines} lines");
    }
}

/// Readers come from the README and from the index, and go on to the files that a page names.
#[test]
fn links_lead_to_the_pages_and_from_them_to_files() {
    assert!(links(&page("README.md")).contains(&"docs/guides/README.md"));
    assert!(links(&page("docs/guide-index.md")).contains(&"guides/README.md"));
    let entries = page("docs/guides/README.md");
    for (_, _, name) in PAGES {
        assert!(links(&entries).contains(&name), "docs/guides/README.md has no link to {name}");
        let text = page(&format!("docs/guides/{name}"));
        for target in links(&prose(&text)) {
            let file = target.split('#').next().expect("the part before a #");
            assert!(root().join("docs/guides").join(file).exists(), "{name} links to {target}");
        }
    }
}

#[test]
fn an_id_is_in_brackets_and_not_in_a_block() {
    let text = "| one [V-1] | see [V-x] and [the index](V-9)\n```console\n$ fathom # [V-7]\n```\nthen [V-2]";
    assert_eq!(ids(&prose(text)), ["V-1", "V-2"]);
    assert_eq!(links(text), ["V-9"]);
}
