//! What to distrust: the gravest reasons, few enough to be read.

use super::{short_run, unknown_content};
use crate::case::Case;
use crate::taint::{RULES, Rule};

/// Reasons that only matter where a verdict is given after a minute; any other
/// run is as long, and its target as full, as its owner chose.
const QUICK_RULES: [Rule; 3] = [unknown_content::RULE, unknown_content::PART, short_run::RULE];

/// More lines are not read. The others stay with the run, as its taints.
const LINES_MAX: usize = 4;

/// What makes the figure another thing's, or void, before what colours it.
const GRAVITY: &[&str] = &[
    "foreign-io",
    "page-cache",
    "memory-backed",
    "unwritten-range",
    "unknown-content",
    "generator-limited",
    "log-limited",
    "kernel-workers",
    "registration-differs",
    "unstable",
    "errors-continued",
    "interrupted",
    "counts-disagree",
    "too-fast",
    "host-disturbed",
    "stalls",
    "steal",
    "cpus-missing",
    "littles-law",
    "completes-inline",
    "clock-resolution",
    "loop-device",
    "virtual-disk",
    "part-measured",
    "same-filesystem",
    "few-samples",
    "short-run",
];

/// One line for each reason, the gravest first.
pub(super) fn lines(case: &Case<'_>) -> Vec<String> {
    let mut rules: Vec<&Rule> = RULES.iter().chain(&QUICK_RULES).collect();
    rules.sort_by_key(|rule| GRAVITY.iter().position(|code| *code == rule.code));
    rules.into_iter().filter_map(|rule| line(rule, case)).take(LINES_MAX).collect()
}

/// `Claim: numbers. Next: what to do.`
fn line(rule: &Rule, case: &Case<'_>) -> Option<String> {
    let taint = rule.taint(case)?;
    Some(format!("{} [{}]: {}. Next: {}.", sentence(&taint.message), taint.code, taint.evidence, rule.hint))
}

/// Begins with a capital letter.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Flow, Scene, disk};
    use crate::surrounds::Surrounds;

    #[test]
    fn every_rule_has_its_gravity() {
        for rule in RULES.iter().chain(&QUICK_RULES) {
            assert_eq!(GRAVITY.iter().filter(|code| **code == rule.code).count(), 1, "{}", rule.code);
        }
        assert_eq!(GRAVITY.len(), RULES.len() + QUICK_RULES.len());
    }

    #[test]
    fn the_gravest_four() {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
        let mut scene = Scene::of(job).disk(disk("sda", 1 << 40, 0)).cpu(0, 0.5, 0.5);
        for ios in [900, 300, 900, 300] {
            scene = scene.seconds(0, 1, &[Flow { errors: 1, ..Flow::reads(ios, 4096, 1_000_000) }]);
        }
        let (run, seen) = (scene.run(), Surrounds { steal_percent: Some(9.0), ..Scene::surrounds() });
        let lines = lines(&Case::new(&run, &seen));
        let codes: Vec<&str> = lines.iter().filter_map(|line| line.split(['[', ']']).nth(1)).collect();
        assert_eq!(codes, ["foreign-io", "unknown-content", "generator-limited", "unstable"]);
    }
}
