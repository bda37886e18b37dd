//! Links and packets in a printout of `lspci -vv`, by the rules of the checks
//! `pcie.width`, `pcie.speed`, `pcie.path_bw`, `pcie.mps` and `pcie.mrrs`.

use super::function::PrintedFunction;
use super::tree::FunctionTree;
use crate::audit::Observation;
use crate::audit::checks::pcie::link;
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
    let address = function.address;
    let port = tree.port_above(address).and_then(|port| port.link_max);
    let seen = || {
        let lines = &function.lines;
        let seen = part.seen(address.to_string(), &lines[0]);
        let seen = seen.with(&part.path, line_with(lines, "LnkCap:"));
        seen.with(&part.path, line_with(lines, "LnkSta:"))
    };
    let mut found = Vec::new();
    if let (Some(now), Some(own)) = (now.lanes, own.lanes) {
        let seen = match port.and_then(|port| port.lanes) {
            Some(port) => link::judged_width(seen(), now, own, port),
            None => alone(seen(), now < own, &format!("with {now} of the function's {own} lanes")),
        };
        found.push(("pcie.width", seen));
    }
    if let (Some(now), Some(own)) = (now.generation, own.generation) {
        let seen = match port.and_then(|port| port.generation) {
            Some(port) => link::judged_speed(seen(), now, own, port, || None),
            None => alone(seen(), now < own, &format!("at {now}; the function could do {own}")),
        };
        found.push(("pcie.speed", seen));
    }
    if function.is_storage() {
        found.extend(way(tree, function, seen()).map(|seen| ("pcie.path_bw", seen)));
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
    Some(link::judged_path(seen, &place, now, best, end.payload_bytes))
}

/// What is found about the packets of a drive.
pub(super) fn packets(part: &Part, tree: &FunctionTree<'_>, drive: &PrintedFunction) -> Vec<Found> {
    if !drive.is_lower_end() {
        return Vec::new();
    }
    let seen = part.seen(drive.address.to_string(), line_with(&drive.lines, "MaxReadReq"));
    let payload = payload(tree, drive, seen.clone()).map(|seen| ("pcie.mps", seen));
    let requests = drive.read_request_bytes.map(|bytes| ("pcie.mrrs", link::judged_mrrs(seen, bytes, None)));
    payload.into_iter().chain(requests).collect()
}

fn payload(tree: &FunctionTree<'_>, drive: &PrintedFunction, seen: Observation) -> Option<Observation> {
    let now = drive.payload_bytes?;
    let above = tree.port_above(drive.address).and_then(|port| port.payload_bytes);
    if let Some(above) = above.filter(|above| *above < now) {
        return Some(seen.warn(format!(
            "it may send packets of {now} bytes, and the port above is set to {above}: it refuses longer ones"
        )));
    }
    let way = tree.way(drive.address)?;
    let could: Option<Vec<u32>> = way.into_iter().map(|one| one.payload_capable_bytes).collect();
    let could = could?.into_iter().min()?;
    if now >= could {
        return Some(link::mps_fits(seen, now));
    }
    Some(link::mps_gap(seen, drive.link_now?.generation?, now, could))
}
