//! What to distrust: the most serious reasons, few enough to be read.

use super::told::{Datum, Figure, Told, of, of_run};
use super::{short_run, unknown_content};
use crate::case::Case;
use crate::cell::Cell;
use crate::taint::{RULES, Rule};

/// Reasons that matter only for a verdict after one minute; for any other run, the user chose its
/// length and what the target contains.
const QUICK_RULES: [Rule; 3] = [unknown_content::RULE, unknown_content::PART, short_run::RULE];

/// Readers do not read more lines. The others are kept with the run, as its taints.
const LINES_MAX: usize = 4;

/// The reasons that make a figure void, or not the device's, come before those that only distort
/// it. Each has the data that it is based on: figures of a measurement are those of the
/// measurements that the evidence names; where it names none, only the other figures of the row
/// count.
const GRAVITY: &[(&str, &[Figure])] = &[
    ("foreign-io", &[Figure::Counters, Figure::Target]),
    ("page-cache", &[Figure::Ios, Figure::Counters, Figure::Target]),
    ("memory-backed", &[Figure::Target]),
    ("unwritten-range", &[Figure::Counters, Figure::Target]),
    ("unknown-content", &[Figure::Ios]),
    ("generator-limited", &[Figure::Ios]),
    ("log-limited", &[Figure::Usage]),
    ("kernel-workers", &[Figure::KernelThreads, Figure::Usage]),
    ("registration-differs", &[Figure::Usage]),
    ("unstable", &[Figure::Seconds]),
    ("errors-continued", &[Figure::Errors]),
    ("interrupted", &[Figure::Plan]),
    ("counts-disagree", &[Figure::Ios, Figure::Counters, Figure::Target]),
    ("too-fast", &[Figure::Latency]),
    ("host-disturbed", &[Figure::Disturbances]),
    ("stalls", &[Figure::Seconds]),
    ("steal", &[Figure::Steal]),
    ("cpus-missing", &[Figure::Plan]),
    ("littles-law", &[Figure::Latency]),
    ("completes-inline", &[Figure::Usage]),
    ("clock-resolution", &[Figure::Latency]),
    ("loop-device", &[Figure::Target]),
    ("virtual-disk", &[Figure::Target]),
    ("part-measured", &[Figure::Plan]),
    ("same-filesystem", &[Figure::Plan]),
    ("few-samples", &[Figure::Percentiles]),
    ("short-run", &[Figure::Seconds]),
];

/// One line for each reason, the most serious first.
pub(super) fn lines(case: &Case<'_>) -> Vec<Told> {
    let mut rules: Vec<&Rule> = RULES.iter().chain(&QUICK_RULES).collect();
    rules.sort_by_key(|rule| GRAVITY.iter().position(|(code, _)| *code == rule.code));
    rules.into_iter().filter_map(|rule| line(rule, case)).take(LINES_MAX).collect()
}

/// `Claim: numbers. Next: what to do.`
fn line(rule: &Rule, case: &Case<'_>) -> Option<Told> {
    let taint = rule.taint(case)?;
    let text =
        format!("{} [{}]: {}. Next: {}.", sentence(&taint.message), taint.code, taint.evidence, rule.hint);
    Some(Told::new(text, data(rule.code, case, &taint.evidence)))
}

/// The data that the reason of that code is based on, from the table and from the names in its
/// evidence.
fn data(code: &str, case: &Case<'_>, evidence: &str) -> Vec<Datum> {
    let figures = GRAVITY.iter().find(|(known, _)| *known == code).map_or(&[][..], |(_, figures)| *figures);
    let (of_one, of_all): (Vec<Figure>, Vec<Figure>) = figures.iter().partition(|f| f.is_of_one());
    let all = Cell::all(case.run);
    let named: Vec<Datum> =
        all.iter().filter(|cell| evidence.contains(cell.name())).flat_map(|cell| of(cell, &of_one)).collect();
    if named.is_empty() { of_run(&of_all) } else { named }
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
            assert_eq!(GRAVITY.iter().filter(|(code, _)| *code == rule.code).count(), 1, "{}", rule.code);
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
