//! Flash answers reads of blocks that were never written without touching the
//! flash (contracts V-23, V-49): the figure is then the interface's.

use super::{LintInput, Rule, note};
use crate::diagnostic::Diagnostic;
use crate::direction::Direction;
use crate::options;
use crate::plan::TargetKind;

pub(super) const RULE: Rule = Rule {
    code: "V-23",
    contracts: &["V-23", "V-49"],
    about: "device reads that no earlier job wrote",
    check,
};

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.first.uses(Direction::Read))?;
    (!input.filled.holds(device)).then(|| {
        let message = format!(
            "job {} reads {}, which no job before it fills: blocks never written are answered \
             without touching the medium",
            input.first.name, device.path
        );
        note(input, &RULE, &options::RW, message)
            .hint("fill the device once before all reads (rw=write, bs=1m, size=100%)")
    })
}
