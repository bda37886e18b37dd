//! What changed since an earlier record.

use super::figure::Ratio;
use super::record::Record;
use crate::instructions::GROWTH_MAX;

/// One figure, then and now.
#[derive(Debug, PartialEq)]
pub struct Change {
    /// The name of the figure.
    pub what: String,
    /// The recorded value.
    pub then: f64,
    /// The new value.
    pub now: f64,
    /// Whether the change is better or worse.
    pub sense: Sense,
}

/// What a change means.
#[derive(Debug, PartialEq, Eq)]
pub enum Sense {
    /// The intervals overlap, so no change is shown.
    Same,
    /// Better, and the intervals do not overlap.
    Better,
    /// Worse, and the intervals do not overlap.
    Regression,
    /// One of them has no interval.
    Unknown,
}

/// The newest record, other than `now`, of a machine like that of `now`.
pub fn predecessor<'a>(records: &'a [Record], now: &Record) -> Option<&'a Record> {
    records.iter().rev().find(|then| then.date < now.date && then.machine.is_like(&now.machine))
}

/// Compares the figures that both records hold.
pub fn changes(then: &Record, now: &Record) -> Vec<Change> {
    let mut changes = Vec::new();
    for figure in &now.cases {
        let Some(earlier) = then.cases.iter().find(|earlier| earlier.name == figure.name) else {
            continue;
        };
        let pairs = [
            ("IOPS", &earlier.iops.ratio, &figure.iops.ratio, true),
            ("CPU", &earlier.cpu_ns.ratio, &figure.cpu_ns.ratio, false),
        ];
        for (quantity, then, now, more_is_better) in pairs {
            if let (Some(then), Some(now)) = (then, now) {
                let what = format!("{} {quantity} ÷ fio's", figure.name);
                changes.push(of_ratio(what, then, now, more_is_better));
            }
        }
    }
    for (name, (now, _)) in &now.instructions {
        if let Some((then, _)) = then.instructions.get(name) {
            changes.push(of_count(format!("{name} instructions per I/O"), *then, *now));
        }
    }
    changes
}

fn of_ratio(what: String, then: &Ratio, now: &Ratio, more_is_better: bool) -> Change {
    let sense = match (then.interval, now.interval) {
        (Some((low, _)), Some((_, high))) if high < low => less(more_is_better),
        (Some((_, high)), Some((low, _))) if low > high => less(!more_is_better),
        (Some(_), Some(_)) => Sense::Same,
        _ => Sense::Unknown,
    };
    Change { what, then: then.value, now: now.value, sense }
}

/// What it means that a figure fell.
fn less(more_is_better: bool) -> Sense {
    if more_is_better { Sense::Regression } else { Sense::Better }
}

/// Counts have no interval, because they are the same in every run.
fn of_count(what: String, then: f64, now: f64) -> Change {
    let sense = if now > then * (1.0 + GROWTH_MAX) {
        Sense::Regression
    } else if now < then * (1.0 - GROWTH_MAX) {
        Sense::Better
    } else {
        Sense::Same
    };
    Change { what, then, now, sense }
}

/// Prints them; fails when one is a regression.
pub fn print(then: &Record, now: &Record) -> Result<(), String> {
    println!("\nsince {} at {}, {}, Linux {}", then.date, then.commit, then.fio, then.machine.kernel);
    let mut regressions = Vec::new();
    for change in changes(then, now) {
        let sense = match change.sense {
            Sense::Same => "",
            Sense::Better => "better",
            Sense::Regression => "REGRESSION",
            Sense::Unknown => "too few pairs to tell",
        };
        println!("  {:<42}{:>9.3} → {:>9.3}  {sense}", change.what, change.then, change.now);
        if change.sense == Sense::Regression {
            regressions.push(change.what);
        }
    }
    if regressions.is_empty() { Ok(()) } else { Err(format!("regressions: {}", regressions.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::tests::record;

    fn sense(then: (f64, f64), now: (f64, f64)) -> Sense {
        let then = record("2026-01-01T00:00:00Z", (then.0 + then.1) / 2.0, then);
        let now = record("2026-01-02T00:00:00Z", (now.0 + now.1) / 2.0, now);
        changes(&then, &now).swap_remove(0).sense
    }

    #[test]
    fn only_intervals_that_lie_apart_show_a_change() {
        assert_eq!(sense((2.0, 2.2), (2.1, 2.4)), Sense::Same);
        assert_eq!(sense((2.0, 2.2), (1.8, 1.9)), Sense::Regression);
        assert_eq!(sense((2.0, 2.2), (2.3, 2.4)), Sense::Better);
    }

    #[test]
    fn a_saving_that_shrinks_is_a_regression() {
        let then = Ratio { value: 0.5, interval: Some((0.4, 0.6)), pairs: 12 };
        let now = Ratio { value: 0.8, interval: Some((0.7, 0.9)), pairs: 12 };
        assert_eq!(of_ratio(String::new(), &then, &now, false).sense, Sense::Regression);
        assert_eq!(of_ratio(String::new(), &now, &then, false).sense, Sense::Better);
        let few = Ratio { interval: None, ..now };
        assert_eq!(of_ratio(String::new(), &then, &few, false).sense, Sense::Unknown);
    }

    #[test]
    fn counts_may_grow_by_three_per_cent() {
        let then = record("2026-01-01T00:00:00Z", 2.0, (1.9, 2.1));
        let mut now = then.clone();
        now.instructions.insert("null".to_owned(), (52.0, None));
        assert!(changes(&then, &now).iter().any(|change| change.sense == Sense::Regression));
        assert!(print(&then, &now).is_err());
        assert_eq!(print(&then, &then), Ok(()));
    }

    #[test]
    fn only_an_earlier_record_of_a_like_machine_counts() {
        let now = record("2026-01-03T00:00:00Z", 2.0, (1.9, 2.1));
        let mut elsewhere = record("2026-01-02T00:00:00Z", 2.0, (1.9, 2.1));
        elsewhere.machine.cpus = 64;
        let before = record("2026-01-01T00:00:00Z", 2.0, (1.9, 2.1));
        let records = [before.clone(), elsewhere, now.clone()];
        assert_eq!(predecessor(&records, &now), Some(&before));
        assert_eq!(predecessor(&records[1..], &now), None);
    }
}
