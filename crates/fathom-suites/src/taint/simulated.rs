//! A simulated drive: its times are computed.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::cell::Cell;
use crate::figure::Figure;
use crate::quantity::bytes;
use fathom_job::plan::{TargetKind, simulated_model};

/// How the evidence says that blocks were read that hold nothing, behind the number of bytes.
pub(crate) const READ_UNWRITTEN: &str = "were read that nobody had written";

pub(super) const RULE: TaintRule = TaintRule {
    code: "simulated",
    weight: TaintWeight::Instead(
        "A simulated drive was measured, not a disk",
        "the times are computed, not measured",
    ),
    hint: "run the same jobs on a device: fathom devices lists them",
    stands_on: &[Figure::Plan],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let of = case.cells.iter().find(|cell| cell.is_simulated())?;
    let file = of.planned().files.iter().find(|file| file.kind == TargetKind::Simulated)?;
    let scaled = scale(&file.path).map(|scale| {
        format!("; it is 1/{scale} of a whole drive, so latency can be up to {scale} times that of the whole")
    });
    let unwritten = unwritten(of).filter(|bytes| *bytes > 0.0);
    let unwritten = unwritten.map(|read| format!("; {} {READ_UNWRITTEN}", bytes(read)));
    let evidence = [Some(file.path.clone()), scaled, unwritten].into_iter().flatten().collect::<String>();
    let found = Found::new("the drive is simulated", evidence)?;
    Some(found.about(case.part(Cell::is_simulated)))
}

/// Bytes that the run read and that were never written: no flash was read for them (V-49).
fn unwritten(cell: &Cell<'_>) -> Option<f64> {
    let outcome = cell.members.iter().find_map(|member| member.outcome.as_ref())?;
    let note = outcome.notes.iter().find(|(name, _)| name == "sim.unwritten_read_bytes");
    note.and_then(|(_, value)| value.parse().ok())
}

/// Of `sim:datacentre/64,op=28` it is 64; `None` where it is 1.
fn scale(name: &str) -> Option<u32> {
    let model = simulated_model(name)?.ok()?;
    Some(model.scale()).filter(|scale| *scale > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_told() {
        assert_eq!(scale("sim:4xdatacentre/64,raid=5"), Some(64));
        assert_eq!((scale("sim:disk"), scale("sim:qlc/1")), (None, None));
    }
}
