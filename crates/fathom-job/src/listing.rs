//! Shortens a list of findings: of ten thousand jobs with one flaw, some are listed and the others
//! are counted.

use crate::diagnostic::{Diagnostic, Severity};
use fathom_text::number::grouped;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Findings of one kind that are shown.
pub const SAME_MAX: usize = 16;

/// The findings to show, in their order: of each kind the first [`SAME_MAX`], and at the end how
/// many more there are.
pub fn bounded(findings: &[Diagnostic]) -> Vec<Cow<'_, Diagnostic>> {
    let mut counts: BTreeMap<(&str, Severity), usize> = BTreeMap::new();
    let mut shown = Vec::new();
    for found in findings {
        let count = counts.entry((&found.code, found.severity)).or_default();
        *count += 1;
        if *count <= SAME_MAX {
            shown.push(Cow::Borrowed(found));
        }
    }
    let rest = counts.into_iter().filter(|(_, count)| *count > SAME_MAX);
    shown.extend(rest.map(|((code, severity), count)| Cow::Owned(more(code, severity, count - SAME_MAX))));
    shown
}

fn more(code: &str, severity: Severity, count: usize) -> Diagnostic {
    Diagnostic::new(severity, code, format!("and {} more like those above", grouped(count as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_a_kind_are_counted_beyond_the_first() {
        let many = (0..10_000).map(|n| Diagnostic::error("a", format!("flaw {n}")));
        let all: Vec<Diagnostic> = many.chain([Diagnostic::error("b", "another")]).collect();
        let shown = bounded(&all);
        assert_eq!(shown.len(), SAME_MAX + 2);
        assert_eq!(shown[SAME_MAX].message, "another");
        assert_eq!(shown[SAME_MAX + 1].message, "and 9,984 more like those above");
        assert_eq!(bounded(&all[..SAME_MAX]).len(), SAME_MAX);
    }
}
