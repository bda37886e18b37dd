//! `lspci`: functions with their class and name, and with `-vv` their links,
//! errors and packets.
//!
//! A link is judged at its lower end, together with the port above if the printout
//! contains that. `function` parses the output of `-vv`, `list` the first line of each function.

pub mod errors;
pub mod function;
mod link;
pub mod list;
mod packets;
pub mod tree;

use super::check::FACTS;
use super::figure::name;
use super::kind::{Found, Part, PrintoutKind};
use crate::audit::{Evidence, Observation};
use errors::Errors;
use function::PrintedFunction;
use list::Listed;
use tree::FunctionTree;

pub(super) const KIND: PrintoutKind = PrintoutKind {
    program: PROGRAM,
    called: "lspci -D -vv (as root)",
    marks: |line| function::begins(line).is_some(),
    judge,
};

/// The program.
pub(super) const PROGRAM: &str = "lspci";

/// The checks for which `-vv` is needed.
const DETAILS: [&str; 4] = ["pcie.width", "pcie.speed", "pcie.aer", "pcie.mps"];

fn judge(part: &Part, _: &[Part]) -> Vec<Found> {
    let functions = function::parse(&part.text);
    let tree = FunctionTree::of(&functions);
    let mut found: Vec<Found> = lacking(part, &tree);
    for function in functions.values() {
        found.extend(link::judge(part, &tree, function));
        found.extend(marked(part, function));
        if function.listed.is_storage() {
            found.extend(packets::judge(part, &tree, function));
            found.push(storage(part, function));
        }
    }
    if !functions.values().any(|function| function.port.is_some()) {
        found.extend(cards(part, &tree));
    }
    found
}

/// The details that the printout does not contain, and the command that shows them.
fn lacking(part: &Part, tree: &FunctionTree<'_>) -> Vec<Found> {
    let mut all = tree.functions.values();
    let seen = Observation::on(PROGRAM);
    let seen = if let Some(denied) = all.clone().find(|function| function.is_denied) {
        let mut seen = seen.not_applicable("not everything was shown to lspci: call it as root");
        let unknown = Some("<access denied>".to_owned());
        seen.evidence.push(Evidence { path: part.path.clone(), raw: None, unknown, needs_root: true });
        seen.with(&part.path, &denied.lines[0])
    } else if !all.any(|function| function.port.is_some()) {
        seen.not_applicable("links, errors and packets are only in the output of lspci -vv")
    } else {
        return Vec::new();
    };
    DETAILS.iter().map(|check| Found::of(check, seen.clone())).collect()
}

/// The errors that a function has marked.
fn marked(part: &Part, function: &PrintedFunction) -> Option<Found> {
    let errors = Errors::of(function);
    let seen = Observation::on(function.listed.address.to_string()).with(&part.path, &function.lines[0]);
    if function.is_silent {
        let says = "it does not answer on the bus: every bit that was read of it is one";
        return Some(Found::of("pcie.aer", seen.bad(says)));
    }
    if errors.lines.is_empty() {
        return None;
    }
    let seen = errors.lines.iter().fold(seen, |seen, line| seen.with(&part.path, line));
    let told = [&errors.lost[..], &errors.repaired, &errors.unsupported].concat().join(", ");
    let says = format!("it has marked {told}; a printout does not say when");
    Some(Found::of(
        "pcie.aer",
        match (errors.lost.is_empty(), told.is_empty()) {
            (false, _) => seen.warn(says),
            (true, false) => seen.info(says),
            (true, true) => seen.ok("it has marked no errors"),
        },
    ))
}

/// A drive or its controller, as it is listed.
fn storage(part: &Part, function: &PrintedFunction) -> Found {
    let listed = &function.listed;
    let seen = Observation::on(listed.address.to_string()).with(&part.path, &function.lines[0]);
    Found::of(FACTS, seen.info(name(&format!("{}: {}", listed.class, listed.name))))
}

/// Cards that carry a switch with drives behind it, recognised by the order of the
/// buses alone.
fn cards(part: &Part, tree: &FunctionTree<'_>) -> Vec<Found> {
    let listed: Vec<Listed> = tree.functions.values().map(|function| function.listed.clone()).collect();
    let one = |card: list::Card| {
        let drives: Vec<String> = card.drives.iter().map(ToString::to_string).collect();
        let says = format!("a card with a switch, and behind it {}", drives.join(", "));
        let seen = Observation::on(card.upper.to_string());
        let seen = seen.with(&part.path, &tree.functions.get(&card.upper)?.lines[0]);
        Some(Found::of(FACTS, seen.info(name(&says))))
    };
    list::cards(&listed).into_iter().filter_map(one).collect()
}
