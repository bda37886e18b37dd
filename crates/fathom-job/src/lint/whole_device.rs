//! A job without a time limit that writes all of a device: say how much
//! (contract V-38).

use super::{LintInput, LintRule, note};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::plan::{PlannedFile, TargetKind};
use crate::units::Bytes;

pub(super) const RULE: LintRule = LintRule { code: "whole-device", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let first = input.first;
    let device = filled(input).filter(|_| first.writes() && first.end.time.is_none())?;
    let bytes: u64 = input
        .clones
        .iter()
        .filter_map(|clone| clone.end.bytes)
        .map(|bytes| bytes.0)
        .fold(0, u64::saturating_add);
    let message = format!(
        "job {} has no time limit and overwrites all of {}: {} in total",
        first.name,
        device.path,
        Bytes(bytes)
    );
    Some(note(input, &RULE, &options::RUNTIME, message).hint("runtime=TIME ends it earlier"))
}

/// The device of which every block lies in the regions of the clones. A remainder at its end that
/// is shorter than a block is ignored.
pub(super) fn filled<'a>(input: &LintInput<'a>) -> Option<&'a PlannedFile> {
    let device = input.first.files.iter().find(|file| file.kind == TargetKind::Block)?;
    let block = input.first.block_min();
    let untouched = device.length?.0.checked_sub(input.footprint().0)?;
    (untouched < block.0 && input.first.files.len() == 1).then_some(device)
}
