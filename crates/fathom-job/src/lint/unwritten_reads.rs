//! Flash answers reads of blocks that were never written without touching the
//! flash (contracts V-23, V-49): the figure is then the interface's.

use super::{LintInput, Rule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::{PlannedFile, PlannedJob, TargetKind};

pub(super) const RULE: Rule = Rule {
    code: "V-23",
    contracts: &["V-23", "V-49"],
    about: "device reads that no earlier job wrote",
    check,
};

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.first.uses(Direction::Read))?;
    let written =
        input.plan.jobs.iter().any(|earlier| earlier.stage < input.first.stage && fills(earlier, device));
    (!written).then(|| {
        let message = format!(
            "job {} reads {}, which no job before it fills: blocks never written are answered \
             without touching the medium",
            input.first.name, device.path
        );
        note(input, &RULE, &options::RW, message)
            .hint("fill the device once before all reads (rw=write, bs=1m, size=100%)")
    })
}

/// Does the earlier job write every block of this region?
fn fills(earlier: &PlannedJob, device: &PlannedFile) -> bool {
    let end = |file: &PlannedFile| file.offset.0.saturating_add(file.size.0);
    let covers = |file: &PlannedFile| {
        file.path == device.path && file.offset <= device.offset && end(file) >= end(device)
    };
    earlier.uses(Direction::Write) && earlier.files.iter().any(covers)
}
