//! A block device through the page cache measures memory as much as the
//! device (contract V-11).

use super::{LintInput, LintRule, warning};
use crate::diagnostic::Diagnostic;
use crate::options;
use crate::plan::TargetKind;

pub(super) const RULE: LintRule = LintRule { code: "V-11", check };

fn check(input: &LintInput<'_>) -> Option<Diagnostic> {
    let device = input.file(TargetKind::Block).filter(|_| input.buffered())?;
    let message = format!(
        "job {} goes to {} through the page cache: it measures memory copies and write-back too",
        input.first.name, device.path
    );
    Some(
        warning(input, &RULE, &options::DIRECT, message)
            .hint("direct=1 measures the device; run both to see what the cache does"),
    )
}
