//! The sizes of packets in a printout of `lspci -vv`, by the rules of the checks
//! `pcie.mps` and `pcie.mrrs`.

use super::function::PrintedFunction;
use super::tree::FunctionTree;
use crate::audit::Observation;
use crate::audit::checks::pcie::{mps, mrrs};
use crate::printout::figure::line_with;
use crate::printout::kind::{Found, Part};

/// What is found about the packets of a drive.
pub(super) fn judge(part: &Part, tree: &FunctionTree<'_>, drive: &PrintedFunction) -> Vec<Found> {
    let seen = |word| {
        let seen = Observation::on(drive.listed.address.to_string());
        seen.with(&part.path, line_with(&drive.lines, word))
    };
    let requests = drive.read_request_bytes.filter(|_| drive.is_lower_end());
    let requests = requests.map(|bytes| mrrs::judged(seen("MaxReadReq"), bytes, None));
    let found = [
        payload(tree, drive, seen("MaxReadReq")).map(|seen| Found::of("pcie.mps", seen)),
        requests.map(|seen| Found::of("pcie.mrrs", seen)),
    ];
    found.into_iter().flatten().collect()
}

fn payload(tree: &FunctionTree<'_>, drive: &PrintedFunction, seen: Observation) -> Option<Observation> {
    let now = drive.payload_bytes.filter(|_| drive.is_lower_end())?;
    let above = tree.port_above(drive.listed.address).and_then(|port| port.payload_bytes);
    if let Some(above) = above.filter(|above| *above < now) {
        return Some(seen.warn(format!(
            "it may send packets of {now} bytes, and the port above is set to {above}: it refuses longer ones"
        )));
    }
    let could: Option<Vec<u32>> =
        tree.way(drive.listed.address)?.into_iter().map(|one| one.payload_capable_bytes).collect();
    let could = could?.into_iter().min()?;
    if now >= could {
        return Some(mps::fits(seen, now));
    }
    Some(mps::gap(seen, drive.link_now?.generation?, now, could))
}
