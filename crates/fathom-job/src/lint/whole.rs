//! Rules about jobs that use all of a target: what they overwrite or trim, and how often.

use super::{LintInput, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::{PlannedFile, TargetKind};
use crate::units::Bytes;
use crate::value::{Mix, Size};

/// One sequential pass does not precondition a flash drive (contract V-43):
/// the spare blocks behind the visible capacity are still unwritten, so the
/// first random writes after it are faster than they will stay.
pub(super) fn single_pass(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let pattern = first.writes() && !first.rw.random && matches!(first.rw.mix, Mix::Write | Mix::ReadWrite);
    let one_pass = first.end.loops == 1 && first.end.time.is_none() && first.end.ios.is_none();
    let whole = filled_device(input)?;
    (pattern && one_pass).then(|| {
        let message = format!(
            "job {} fills {} once: flash keeps spare blocks, which only a second pass reaches",
            first.name, whole.path
        );
        note(input, code, &options::LOOPS, message)
            .hint("loops=2 to precondition a drive (SNIA PTS writes twice the capacity)")
    })
}

/// A job without a time limit that writes all of a device: say how much
/// (contract V-38).
pub(super) fn whole_device(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let first = input.first;
    let device = filled_device(input).filter(|_| first.writes() && first.end.time.is_none())?;
    let bytes: u64 = input
        .clones
        .iter()
        .filter_map(|clone| clone.end.bytes)
        .map(|bytes| bytes.0)
        .fold(0, u64::saturating_add);
    let act = if first.uses(Direction::Write) { "overwrites" } else { "trims" };
    let message = format!(
        "job {} has no time limit and {act} all of {}: {} in total",
        first.name,
        device.path,
        Bytes(bytes)
    );
    Some(note(input, code, &options::RUNTIME, message).hint("runtime=TIME ends it earlier"))
}

/// `size=0` looks like no bytes at all, but means all of the target, as in fio: a trim with it
/// trims the whole drive.
pub(super) fn size_zero(input: &LintInput<'_>, code: &'static str) -> Option<Diagnostic> {
    let is_zero = input.job().is_given(&options::SIZE)
        && matches!(input.job().get(&options::SIZE), Some(Size::Bytes(Bytes(0))));
    let file = input.first.files.iter().next().filter(|_| is_zero)?;
    let message = format!("job {}: size=0 means all of {}: {}", input.first.name, file.path, file.size);
    Some(
        note(input, code, &options::SIZE, message)
            .hint("size=1g is the first GiB; a job that is to do nothing is left out"),
    )
}

/// The device of which every block lies in the regions of the clones. A remainder at its end that
/// is shorter than a block is ignored.
fn filled_device<'a>(input: &LintInput<'a>) -> Option<&'a PlannedFile> {
    let device = input.first.files.iter().find(|file| file.kind == TargetKind::Block)?;
    let block = input.first.block_min();
    let untouched = device.length?.0.checked_sub(input.footprint().0)?;
    (untouched < block.0 && input.first.files.len() == 1).then_some(device)
}
