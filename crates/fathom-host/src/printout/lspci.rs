//! `lspci`: functions with their class and name, and with `-vv` their links,
//! errors and packets.
//!
//! A link is judged at its lower end, together with the port above if the printout
//! contains that.

pub mod card;
pub mod errors;
pub mod function;
mod link;
pub mod tree;

use super::check::FACTS;
use super::figure::name;
use super::kind::{Found, Part, PrintoutKind};
use crate::audit::{Evidence, Observation};
use errors::{Errors, Gravity};
use function::PrintedFunction;
use tree::FunctionTree;

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: PROGRAM, called: "lspci -D -vv (as root)", marks: function::begins, judge };

/// The program.
pub(super) const PROGRAM: &str = "lspci";

/// The checks for which `-vv` is needed.
const DETAILS: [&str; 4] = ["pcie.width", "pcie.speed", "pcie.aer", "pcie.mps"];

fn judge(part: &Part, _: &[Part]) -> Vec<Found> {
    let functions = function::parse(&part.text);
    let tree = FunctionTree::of(&functions);
    let has_details = functions.values().any(|function| function.port.is_some());
    let mut found: Vec<Found> = lacking(part, &tree, has_details);
    for function in functions.values() {
        let seen = || part.seen(function.address.to_string(), &function.lines[0]);
        found.extend(link::judge(part, &tree, function));
        found.extend(marked(part, seen(), function));
        if function.is_storage() {
            found.extend(link::packets(part, &tree, function));
            found.push((FACTS, seen().info(function.told())));
        }
    }
    if !has_details {
        found.extend(cards(part, &tree));
    }
    found
}

/// The details that the printout does not contain, and the command that shows them.
fn lacking(part: &Part, tree: &FunctionTree<'_>, has_details: bool) -> Vec<Found> {
    let seen = Observation::on(PROGRAM);
    let seen = if let Some(denied) = tree.functions.values().find(|function| function.is_denied) {
        let mut seen = seen.not_applicable("not everything was shown to lspci: call it as root");
        let unknown = Some("<access denied>".to_owned());
        seen.evidence.push(Evidence { path: part.path.clone(), raw: None, unknown, needs_root: true });
        seen.with(&part.path, &denied.lines[0])
    } else if !has_details {
        seen.not_applicable("links, errors and packets are only in the output of lspci -vv")
    } else {
        return Vec::new();
    };
    DETAILS.iter().map(|check| (*check, seen.clone())).collect()
}

/// The errors that a function has marked.
fn marked(part: &Part, seen: Observation, function: &PrintedFunction) -> Option<Found> {
    if function.is_silent {
        let says = "it does not answer on the bus: every bit that was read of it is one";
        return Some(("pcie.aer", seen.bad(says)));
    }
    let Errors { marks, lines } = Errors::of(function);
    if lines.is_empty() {
        return None;
    }
    let seen = lines.iter().fold(seen, |seen, line| seen.with(&part.path, line));
    let told: Vec<&str> = marks.iter().map(|(_, mark)| mark.as_str()).collect();
    let says = format!("it has marked {}; a printout does not say when", told.join(", "));
    let seen = match marks.first() {
        None => seen.ok("it has marked no errors"),
        Some((Gravity::Lost, _)) => seen.warn(says),
        Some(_) => seen.info(says),
    };
    Some(("pcie.aer", seen))
}

/// Cards that carry a switch with drives behind it, recognised by the order of the
/// buses alone.
fn cards(part: &Part, tree: &FunctionTree<'_>) -> Vec<Found> {
    let one = |card: card::Card| {
        let drives: Vec<String> = card.drives.iter().map(ToString::to_string).collect();
        let says = format!("a card with a switch, and behind it {}", drives.join(", "));
        let seen = part.seen(card.upper.to_string(), &tree.functions.get(&card.upper)?.lines[0]);
        Some((FACTS, seen.info(name(&says))))
    };
    card::cards(tree.functions).into_iter().filter_map(one).collect()
}
