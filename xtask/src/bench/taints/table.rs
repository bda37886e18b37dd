//! The table of docs/measurement.md, how often each taint was a false alarm and how often it was missed, and the share of
//! clean runs that had a taint without a reason, and of disturbed ones that lacked theirs.

use super::verdict::{Judged, NOT_JUDGED};
use crate::bench::intervals::Table;
use fathom_judge::taint::RULES;

/// A row for each taint that some run must have, and for those that none must have.
pub fn of(all: &[Judged]) -> Table {
    let headings =
        ["taint", "runs that must not have it", "false alarms", "runs that must have it", "missed"];
    let rules = RULES.iter().filter(|rule| !NOT_JUDGED.contains(&rule.code));
    Table {
        headings: headings.map(str::to_owned).to_vec(),
        rows: rules.map(|rule| (rule.code.to_owned(), cells(all, rule.code))).collect(),
    }
}

fn cells(all: &[Judged], code: &str) -> Vec<String> {
    let is_in = |codes: &[String]| codes.iter().any(|one| one == code);
    let must = || all.iter().filter(|run| is_in(&run.must));
    let must_not = || all.iter().filter(|run| !is_in(&run.must) && !is_in(&run.may));
    let counts = [
        must_not().count(),
        must_not().filter(|run| is_in(&run.wrong)).count(),
        must().count(),
        must().filter(|run| is_in(&run.missed)).count(),
    ];
    counts.map(|count| count.to_string()).to_vec()
}

/// Largest share of either.
const SHARE_MAX: f64 = 0.05;

/// A line with the share of false alarms and of misses; an error where one is too large.
pub fn shares(all: &[Judged]) -> Result<String, String> {
    let (disturbed, clean): (Vec<&Judged>, Vec<&Judged>) = all.iter().partition(|run| run.is_disturbed);
    let count = |runs: &[&Judged], is_it: fn(&Judged) -> bool| runs.iter().filter(|run| is_it(run)).count();
    let wrong = count(&clean, |run| !run.wrong.is_empty());
    let missed = count(&disturbed, |run| !run.missed.is_empty());
    let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
    let (wrong_share, missed_share) = (share(wrong, clean.len()), share(missed, disturbed.len()));
    let line = format!(
        "{wrong} of {} clean runs with a false alarm ({:.1} %), {missed} of {} disturbed runs missed ({:.1} %)",
        clean.len(),
        100.0 * wrong_share,
        disturbed.len(),
        100.0 * missed_share
    );
    if wrong_share.max(missed_share) > SHARE_MAX { Err(line) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_above_five_per_cent_fail() {
        let run = |is_disturbed: bool, is_bad: bool| {
            let code = |is: bool| if is { vec!["x".to_owned()] } else { Vec::new() };
            let mut run = Judged::default();
            run.is_disturbed = is_disturbed;
            run.missed = code(is_disturbed && is_bad);
            run.wrong = code(!is_disturbed && is_bad);
            run
        };
        let all = |clean_bad: usize, disturbed_bad: usize| -> Vec<Judged> {
            let clean = (0..30).map(|n| run(false, n < clean_bad));
            clean.chain((0..40).map(|n| run(true, n < disturbed_bad))).collect()
        };
        let line = shares(&all(1, 2)).unwrap();
        let said = "1 of 30 clean runs with a false alarm (3.3 %), 2 of 40 disturbed runs missed (5.0 %)";
        assert_eq!(line, said);
        assert!(shares(&all(2, 0)).is_err() && shares(&all(0, 3)).is_err());
    }
}
