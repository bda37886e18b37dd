//! A drive answers reads of blocks that were never written without touching its flash (contracts
//! V-23, V-49), so the figure then measures the interface. What earlier runs wrote is known only
//! for devices that fathom has purged.

use super::{LintInput, LintRule, note, warning};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::TargetKind;

pub(super) const RULE: LintRule = LintRule { code: "V-23", check };

const FILL: &str = "write the device once before all reads: fathom precondition DEVICE";

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.first.uses(Direction::Read))?;
    if device.is_written || input.filled.holds(device) {
        return None;
    }
    if let Some(unwritten) = device.never_written.filter(|bytes| bytes.0 > 0) {
        let message = format!(
            "job {} reads {} of {}, of which {unwritten} were never written since the purge: reads of \
                those are answered without touching the medium",
            input.first.name, device.size, device.path
        );
        return Some(warning(input, &RULE, &options::RW, message).hint(FILL));
    }
    let message = format!(
        "job {} reads {}, which no job before it fills: reads of blocks that were never written are \
            answered without touching the medium",
        input.first.name, device.path
    );
    Some(note(input, &RULE, &options::RW, message).hint(FILL))
}
