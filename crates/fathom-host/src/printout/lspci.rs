//! `lspci`: functions with their class and name, and with `-vv` their links,
//! errors and packets.
//!
//! A link is judged at its lower end, together with the port above if the printout
//! contains that.

pub mod function;

use std::collections::BTreeMap;

use super::{FACTS, Part, PrintoutFinding, PrintoutKind, line_with, name};
use crate::audit::checks::pcie::link;
use crate::audit::{Evidence, Observation};
use crate::calc::pcie::LinkRate;
use crate::topology::address::Address;
use fathom_device::Goal::Bandwidth;
use function::{FunctionTree, PrintedFunction};

pub(super) const KIND: PrintoutKind =
    PrintoutKind { program: PROGRAM, called: "lspci -D -vv (as root)", marks: function::begins, judge };

/// The program.
pub(super) const PROGRAM: &str = "lspci";

/// The checks for which `-vv` is needed.
const DETAILS: [&str; 4] = ["pcie.width", "pcie.speed", "pcie.aer", "pcie.mps"];

fn judge(part: &Part, _: &[Part]) -> Vec<PrintoutFinding> {
    let functions = function::parse(&part.text);
    let tree = FunctionTree::of(&functions);
    let has_details = functions.values().any(|function| function.port.is_some());
    let mut findings: Vec<PrintoutFinding> = lacking(part, &tree, has_details);
    for function in functions.values() {
        let observe = || part.observation(function.address.to_string(), &function.lines[0]);
        findings.extend(judge_link(part, &tree, function));
        findings.extend(marked(part, observe(), function));
        if function.is_storage() {
            findings.extend(packets(part, &tree, function));
            findings.push((FACTS, observe().info(function.title())));
        }
    }
    if !has_details {
        findings.extend(cards(part, &tree));
    }
    findings
}

/// The details that the printout does not contain, and the command that shows them.
fn lacking(part: &Part, tree: &FunctionTree<'_>, has_details: bool) -> Vec<PrintoutFinding> {
    let observation = Observation::on(PROGRAM);
    let observation = if let Some(denied) = tree.functions.values().find(|function| function.is_denied) {
        let mut observation =
            observation.not_applicable("not everything was shown to lspci: call it as root");
        let unknown = Some("<access denied>".to_owned());
        observation.evidence.push(Evidence { path: part.path.clone(), raw: None, unknown, needs_root: true });
        observation.with(&part.path, &denied.lines[0])
    } else if !has_details {
        observation.not_applicable("links, errors and packets are only in the output of lspci -vv")
    } else {
        return Vec::new();
    };
    DETAILS.iter().map(|check| (*check, observation.clone())).collect()
}

/// The errors that a function has marked.
fn marked(part: &Part, observation: Observation, function: &PrintedFunction) -> Option<PrintoutFinding> {
    if function.is_silent {
        let says = "it does not answer on the bus: every bit that was read of it is one";
        return Some(("pcie.aer", observation.bad(says)));
    }
    let Errors { marks, lines } = Errors::of(function);
    if lines.is_empty() {
        return None;
    }
    let observation = lines.iter().fold(observation, |observation, line| observation.with(&part.path, line));
    let shown: Vec<&str> = marks.iter().map(|(_, mark)| mark.as_str()).collect();
    let says = format!("it has marked {}; a printout does not say when", shown.join(", "));
    let observation = match marks.first() {
        None => observation.ok("it has marked no errors"),
        Some((Gravity::Lost, _)) => observation.warn(says),
        Some(_) => observation.info(says),
    };
    Some(("pcie.aer", observation))
}

/// Cards that carry a switch with drives behind it, recognised by the order of the
/// buses alone.
fn cards(part: &Part, tree: &FunctionTree<'_>) -> Vec<PrintoutFinding> {
    let one = |card: Card| {
        let drives: Vec<String> = card.drives.iter().map(ToString::to_string).collect();
        let says = format!("a card with a switch, and behind it {}", drives.join(", "));
        let observation =
            part.observation(card.upper.to_string(), &tree.functions.get(&card.upper)?.lines[0]);
        Some((FACTS, observation.info(name(&says))))
    };
    cards_of(tree.functions).into_iter().filter_map(one).collect()
}

// Cards with a switch and drives behind it. They are recognised by the order of
// the bus numbers alone, because the list without details has nothing else.

/// An upper switch port, its lower ports, and the drives behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Upper port: the function in the slot.
    pub upper: Address,
    /// Lower ports.
    pub lower: Vec<Address>,
    /// Drives.
    pub drives: Vec<Address>,
}

impl Card {
    fn leads_to(&self, address: Address) -> bool {
        let first = usize::from(self.upper.bus) + 2;
        let buses = first..first + self.lower.len();
        address.domain == self.upper.domain && buses.contains(&usize::from(address.bus))
    }
}

/// The cards that carry a switch and drives. Bridges on the bus after that of
/// a bridge are its lower ports. Each of the buses that follow belongs to one lower
/// port, so a drive there is part of the card.
pub fn cards_of(functions: &BTreeMap<Address, PrintedFunction>) -> Vec<Card> {
    let mut cards: Vec<Card> = Vec::new();
    for (&address, function) in functions {
        match cards.last_mut() {
            Some(card) if function.is_bridge() && card.upper.bus.checked_add(1) == Some(address.bus) => {
                card.lower.push(address);
            }
            _ if function.is_bridge() => {
                cards.push(Card { upper: address, lower: Vec::new(), drives: Vec::new() });
            }
            Some(card) if function.is_storage() && card.leads_to(address) => card.drives.push(address),
            _ => {}
        }
    }
    cards.retain(|card| !card.drives.is_empty());
    cards
}

// The errors that a function has marked, in `lspci -vv`: Device Status, and
// Advanced Error Reporting (PCI Express Base 5.0, §7.5.3.5 and §7.8.4).
//
// A mark stays until somebody clears it. It says that there was such an
// error, but not how many, and not when.

/// Registers, and the severity of a mark in each, unless its name says otherwise.
const REGISTERS: [(&str, Gravity); 4] = [
    ("DevSta:", Gravity::Lost),
    ("UESta:", Gravity::Lost),
    ("CESta:", Gravity::Repaired),
    ("RootSta:", Gravity::Lost),
];

/// Marks of these registers that are not errors.
const NO_ERRORS: [&str; 6] = ["AuxPwr", "TransPend", "UERcvd", "MultUERcvd", "MultCERcvd", "FirstFatal"];

/// Most marks of one register, which has 32 bits.
const MARKS_MAX: usize = 32;

/// The severity of an error, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gravity {
    /// A request or the link was lost.
    Lost,
    /// The link repaired it by sending again.
    Repaired,
    /// A request that no device supports: firmware and drivers make them while
    /// they search for devices.
    Unsupported,
}

/// The errors that a function has marked.
#[derive(Debug, Clone, Default)]
pub struct Errors {
    /// Each as lspci calls it, the worst first.
    pub marks: Vec<(Gravity, String)>,
    /// The lines of their registers.
    pub lines: Vec<String>,
}

impl Errors {
    /// The marks of a function.
    pub fn of(function: &PrintedFunction) -> Self {
        let mut errors = Self::default();
        for line in &function.lines {
            let Some((register, usual)) = REGISTERS.iter().find(|(word, _)| line.starts_with(word)) else {
                continue;
            };
            errors.lines.push(line.clone());
            let marked = line[register.len()..].split_whitespace().filter_map(|word| word.strip_suffix('+'));
            for mark in marked.filter(|mark| !NO_ERRORS.contains(mark)).take(MARKS_MAX) {
                let mark = (gravity(mark).unwrap_or(*usual), mark.to_owned());
                if !errors.marks.contains(&mark) {
                    errors.marks.push(mark);
                }
            }
        }
        errors.marks.sort_by_key(|(gravity, _)| *gravity);
        errors
    }
}

/// The severity, if the name of the mark alone decides it. Older versions of lspci
/// write some names differently.
fn gravity(mark: &str) -> Option<Gravity> {
    match mark {
        "CorrErr" | "CERcvd" => Some(Gravity::Repaired),
        "UnsupReq" | "UnsuppReq" => Some(Gravity::Unsupported),
        _ => None,
    }
}

// Links and packets in a printout of `lspci -vv`, by the rules of the checks
// `pcie.width`, `pcie.speed`, `pcie.path_bw`, `pcie.mps` and `pcie.mrrs`.

/// What is found about the link above a function.
fn judge_link(part: &Part, tree: &FunctionTree<'_>, function: &PrintedFunction) -> Vec<PrintoutFinding> {
    let ends = || Some((function.link_now?, function.link_max?));
    let Some((now, own)) = ends().filter(|_| function.is_lower_end()) else {
        return Vec::new();
    };
    let address = function.address;
    let port = tree.port_above(address).and_then(|port| port.link_max);
    let observe = || {
        let lines = &function.lines;
        let observation = part.observation(address.to_string(), &lines[0]);
        let observation = observation.with(&part.path, line_with(lines, "LnkCap:"));
        observation.with(&part.path, line_with(lines, "LnkSta:"))
    };
    let mut findings = Vec::new();
    if let (Some(now), Some(own)) = (now.lanes, own.lanes) {
        let observation = match port.and_then(|port| port.lanes) {
            Some(port) => link::judged_width(observe(), now, own, port),
            None => alone(observe(), now < own, &format!("with {now} of the function's {own} lanes")),
        };
        findings.push(("pcie.width", observation));
    }
    if let (Some(now), Some(own)) = (now.generation, own.generation) {
        let observation = match port.and_then(|port| port.generation) {
            Some(port) => link::judged_speed(observe(), now, own, port, || None),
            None => alone(observe(), now < own, &format!("at {now}; the function could do {own}")),
        };
        findings.push(("pcie.speed", observation));
    }
    if function.is_storage() {
        findings.extend(way(tree, function, observe()).map(|observation| ("pcie.path_bw", observation)));
    }
    findings
}

/// The port above is not in the printout. If the link is less than the function
/// could do, that port may be the reason.
fn alone(observation: Observation, is_less: bool, how: &str) -> Observation {
    if !is_less {
        return observation.ok(format!("the link runs {how}"));
    }
    let says = format!("the link runs {how}, and the printout lacks the port above, which may be the limit");
    observation.warn_for(&[Bandwidth], says)
}

/// Judges the narrowest link between a drive and the root port.
fn way(tree: &FunctionTree<'_>, end: &PrintedFunction, observation: Observation) -> Option<Observation> {
    let best = end.link_max?.rate()?;
    let mut least: Option<(LinkRate, &PrintedFunction)> = None;
    for function in tree.way(end.address)?.into_iter().filter(|one| one.is_lower_end()) {
        let now = function.link_now?.rate()?;
        if least.is_none_or(|(other, _)| now.raw_mbps() < other.raw_mbps()) {
            least = Some((now, function));
        }
    }
    let (now, at) = least?;
    let place = match at.address == end.address {
        true => link::OWN_LINK.to_owned(),
        false => format!("the link above {}", at.address),
    };
    Some(link::judged_path(observation, &place, now, best, end.payload_bytes))
}

/// What is found about the packets of a drive.
fn packets(part: &Part, tree: &FunctionTree<'_>, drive: &PrintedFunction) -> Vec<PrintoutFinding> {
    if !drive.is_lower_end() {
        return Vec::new();
    }
    let observation = part.observation(drive.address.to_string(), line_with(&drive.lines, "MaxReadReq"));
    let payload = payload(tree, drive, observation.clone()).map(|observation| ("pcie.mps", observation));
    let requests =
        drive.read_request_bytes.map(|bytes| ("pcie.mrrs", link::judged_mrrs(observation, bytes, None)));
    payload.into_iter().chain(requests).collect()
}

fn payload(
    tree: &FunctionTree<'_>,
    drive: &PrintedFunction,
    observation: Observation,
) -> Option<Observation> {
    let now = drive.payload_bytes?;
    let above = tree.port_above(drive.address).and_then(|port| port.payload_bytes);
    if let Some(above) = above.filter(|above| *above < now) {
        return Some(observation.warn(format!(
            "it may send packets of {now} bytes, and the port above is set to {above}: it refuses longer ones"
        )));
    }
    let way = tree.way(drive.address)?;
    let could: Option<Vec<u32>> = way.into_iter().map(|one| one.payload_capable_bytes).collect();
    let could = could?.into_iter().min()?;
    if now >= could {
        return Some(link::mps_fits(observation, now));
    }
    Some(link::mps_gap(observation, drive.link_now?.generation?, now, could))
}
