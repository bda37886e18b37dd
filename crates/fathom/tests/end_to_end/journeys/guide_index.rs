//! Each row of the index of the guides (`docs/guide-index.md`) names the command
//! that does it. The checks, knobs, old advice and slips that it names are compared
//! with the catalogues here, in both directions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;

use fathom_host::audit::{Needs, checks, retired};
use fathom_host::calc::slips;
use fathom_tune as tune;

/// The rows that are about the host: guide, first and last number.
const HOST_ROWS: [(&str, RangeInclusive<u32>); 10] = [
    ("V", 3..=26),
    ("V", 49..=82),
    ("M", 1..=22),
    ("H", 3..=18),
    ("H", 33..=33),
    ("I", 2..=25),
    ("I", 33..=33),
    ("I", 39..=39),
    ("I", 44..=44),
    ("T", 44..=44),
];

fn host_ids() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for (guide, numbers) in HOST_ROWS {
        ids.extend(numbers.map(|number| format!("{guide}-{number}")));
    }
    ids
}

/// The command column by ID: a row is `| ID | asked | command | tests | status |`.
fn commands() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide-index.md");
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [id, _, command, _, _] = cells.as_slice() else { return None };
        Some(((*id).to_owned(), (*command).to_owned()))
    });
    rows.collect()
}

/// What a command column names after `` `fathom doctor`: `` or another command.
fn named<'a>(command: &'a str, by: &str) -> BTreeSet<&'a str> {
    let head = format!("`{by}`: `");
    let parts = command.split("; ").filter_map(|part| part.strip_prefix(&head));
    parts.flat_map(|list| list.trim_end_matches('`').split("`, `")).collect()
}

/// The words after a command, as in `` `fathom calc slips V-63` ``.
fn asked_of<'a>(command: &'a str, by: &'a str) -> impl Iterator<Item = &'a str> {
    let quoted = command.split('`').skip(1).step_by(2);
    quoted.filter_map(move |text| text.strip_prefix(by)).map(str::trim)
}

/// A row names a check exactly where the check names the row as its source,
/// and every check that is named has fixtures.
#[test]
fn rows_and_checks_name_each_other() {
    let commands = commands();
    for id in host_ids() {
        let rows = named(&commands[&id], "fathom doctor");
        let sourced = checks::catalogue().filter(|check| check.sources.contains(&id.as_str()));
        assert_eq!(rows, sourced.map(|check| check.id).collect(), "{id}");
    }
    for (id, command) in &commands {
        for check in named(command, "fathom doctor") {
            assert!(checks::find(check).is_some(), "{id}: no check {check}");
            let fixture =
                format!("{}/../fathom-host/tests/audit/fixtures/{check}.fixture", env!("CARGO_MANIFEST_DIR"));
            assert!(Path::new(&fixture).is_file(), "{id}: no {fixture}");
        }
    }
}

#[test]
fn knobs_advice_and_slips_that_are_named_exist() {
    for (id, command) in commands() {
        for knob in named(&command, "fathom tune") {
            assert!(tune::knob(knob).is_some(), "{id}: no knob {knob}");
        }
        for tried in asked_of(&command, "fathom tune try ") {
            let knob = tried.split([' ', '=']).next().unwrap_or(tried);
            assert!(knob == "KNOB" || tune::knob(knob).is_some(), "{id}: no knob {knob}");
        }
        for advice in asked_of(&command, "fathom doctor --explain ") {
            let found = retired::find(advice).unwrap_or_else(|| panic!("{id}: no advice {advice}"));
            assert!(found.id == advice && found.sources.contains(&id.as_str()), "{id}: {advice}");
        }
        for slip in asked_of(&command, "fathom calc slips ") {
            assert!(slip == id && slips::slip(slip).is_some(), "{id}: no slip {slip}");
        }
    }
}

/// The catalogue of checks and that of knobs are in crates that do not depend on each other.
#[test]
fn checks_and_knobs_agree_on_which_knobs_must_be_named() {
    for check in checks::catalogue() {
        let must_be = match check.needs {
            Needs::Knob(knob) => tune::knob(knob).map(|knob| (knob.risk.must_be_named(), false)),
            Needs::NamedKnob(knob) => tune::knob(knob).map(|knob| (knob.risk.must_be_named(), true)),
            _ => continue,
        };
        let (is_so, is_said) = must_be.unwrap_or_else(|| panic!("{}: no such knob", check.id));
        assert_eq!(is_so, is_said, "{}", check.id);
    }
}

/// Advice and slips about a row of the host are named in that row.
#[test]
fn no_advice_and_no_slip_is_left_out() {
    let (ids, commands) = (host_ids(), commands());
    let advice = retired::all().flat_map(|advice| {
        advice.sources.iter().map(move |id| (*id, format!("`fathom doctor --explain {}`", advice.id)))
    });
    let slips = slips::all().map(|slip| (slip.id, format!("`fathom calc slips {}`", slip.id)));
    for (id, words) in advice.chain(slips).filter(|(id, _)| ids.contains(*id)) {
        assert!(commands[id].contains(&words), "{id} does not say {words}");
    }
}
