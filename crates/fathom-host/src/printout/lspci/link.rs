//! The links of a printout of `lspci -vv`, by the rules of the checks
//! `pcie.width`, `pcie.speed` and `pcie.path_bw`.

use super::function::PrintedFunction;
use super::tree::FunctionTree;
use crate::audit::Observation;
use crate::audit::checks::pcie::{path_bw, speed, width};
use crate::calc::pcie::LinkRate;
use crate::printout::figure::line_with;
use crate::printout::kind::{Found, Part};
use fathom_device::Goal::Bandwidth;

/// What is found about the link above a function.
pub(super) fn judge(part: &Part, tree: &FunctionTree<'_>, function: &PrintedFunction) -> Vec<Found> {
    let ends = || Some((function.link_now?, function.link_max?));
    let Some((now, own)) = ends().filter(|_| function.is_lower_end()) else {
        return Vec::new();
    };
    let address = function.listed.address;
    let port = tree.port_above(address).and_then(|port| port.link_max);
    let seen = || {
        let lines = &function.lines;
        let seen = Observation::on(address.to_string()).with(&part.path, &lines[0]);
        let words = ["LnkCap:", "LnkSta:"].map(|word| line_with(lines, word));
        words.into_iter().fold(seen, |seen, line| seen.with(&part.path, line))
    };
    let mut found = Vec::new();
    if let (Some(now), Some(own)) = (now.lanes, own.lanes) {
        found.push(Found::of(
            "pcie.width",
            match port.and_then(|port| port.lanes) {
                Some(port) => width::judged(seen(), now, own, port),
                None => alone(seen(), now < own, &format!("with {now} of the function's {own} lanes")),
            },
        ));
    }
    if let (Some(now), Some(own)) = (now.generation, own.generation) {
        found.push(Found::of(
            "pcie.speed",
            match port.and_then(|port| port.generation) {
                Some(port) => speed::judged(seen(), now, own, port, || None),
                None => alone(seen(), now < own, &format!("at {now}; the function could do {own}")),
            },
        ));
    }
    if function.listed.is_storage() {
        found.extend(way(tree, function, seen()).map(|seen| Found::of("pcie.path_bw", seen)));
    }
    found
}

/// The port above is not in the printout. If the link is less than the function
/// could do, that port may be the reason.
fn alone(seen: Observation, is_less: bool, how: &str) -> Observation {
    if !is_less {
        return seen.ok(format!("the link runs {how}"));
    }
    let says = format!("the link runs {how}, and the printout lacks the port above, which may be the limit");
    seen.warn_for(&[Bandwidth], says)
}

/// Judges the narrowest link between a drive and the root port.
fn way(tree: &FunctionTree<'_>, end: &PrintedFunction, seen: Observation) -> Option<Observation> {
    let best = end.link_max?.rate()?;
    let mut least: Option<(LinkRate, &PrintedFunction)> = None;
    for function in tree.way(end.listed.address)?.into_iter().filter(|one| one.is_lower_end()) {
        let now = function.link_now?.rate()?;
        if least.is_none_or(|(other, _)| now.raw_mbps() < other.raw_mbps()) {
            least = Some((now, function));
        }
    }
    let (now, at) = least?;
    let place = match at.listed.address == end.listed.address {
        true => path_bw::OWN_LINK.to_owned(),
        false => format!("the link above {}", at.listed.address),
    };
    Some(path_bw::judged(seen, &place, now, best, end.payload_bytes))
}
