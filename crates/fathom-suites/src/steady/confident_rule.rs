//! Confident steady state as a rule that ends jobs: `--until confident=2%`.
//!
//! The rates of the seconds are looked at when there are twenty of them, and again each time when a fifth more is
//! there. Every look spends a part of the 5 % by which all looks together may be wrong.

use super::confident::{Confident, ConfidentTerms, NotSettled};
use super::seconds::Second;
use super::stop_rule::StopRule;
use crate::quantity::percent;
use fathom_results::{SettledFigures, StopRecord};

/// Values that are kept. Of a longer series, neighbours are put together, so that a look takes milliseconds.
const VALUES_MAX: usize = 600;

/// The first look is at so many seconds.
const FIRST_LOOK_S: u64 = 20;

/// So many times the range of the jobs must be written: after once, a flash drive begins to collect garbage
/// (research on methodology, §5.2 a). What jobs before them wrote counts once. So the jobs themselves write the range
/// at least once, because a drive that was written in order takes random writes at full speed until its spare space is
/// used up.
const COVERAGE: u64 = 2;

/// A look follows when the series has grown by one part in so many.
const GROWTH_PARTS: u64 = 5;

/// The rule with the rates that it has seen.
#[derive(Debug)]
pub struct ConfidentRule {
    terms: ConfidentTerms,
    /// Bytes of the range that the jobs write to; 0 for jobs that only read.
    range_bytes: u64,
    /// Bytes that they wrote.
    written_bytes: u64,
    /// Bytes of the range that jobs before them wrote, at most the range.
    before_bytes: u64,
    values: Vec<f64>,
    /// Seconds of one value.
    span_s: u64,
    /// The sum of the rates of the value that is being put together, and how many seconds are in it.
    open: (f64, u64),
    seconds: u64,
    next_look_s: u64,
    looks: u32,
    /// What the last look found, and the seconds of one value then.
    last: Option<(Confident, u64)>,
}

impl ConfidentRule {
    /// The rule with these terms, for jobs that write to so many bytes of their targets; 0 for jobs that only read.
    pub fn of(terms: ConfidentTerms, range_bytes: u64) -> ConfidentRule {
        ConfidentRule {
            terms,
            range_bytes,
            written_bytes: 0,
            before_bytes: 0,
            values: Vec::new(),
            span_s: 1,
            open: (0.0, 0),
            seconds: 0,
            next_look_s: FIRST_LOOK_S,
            looks: 0,
            last: None,
        }
    }

    /// What was written of the range, and what must be.
    fn coverage(&self) -> (u64, u64) {
        (self.written_bytes.saturating_add(self.before_bytes), self.range_bytes.saturating_mul(COVERAGE))
    }

    fn is_covered(&self) -> bool {
        let (written, needed) = self.coverage();
        written >= needed
    }

    /// Why what was written is not enough. A new drive is steady too, until its spare space is used up.
    fn uncovered(&self) -> Option<String> {
        let (written, needed) = self.coverage();
        (written < needed).then(|| {
            let share = percent(COVERAGE as f64 * written as f64 / needed as f64);
            format!("only {share} of the range was written; {} are needed", percent(COVERAGE as f64))
        })
    }

    /// A look is due when the series has grown, and as soon as enough was written.
    fn is_due(&self) -> bool {
        let is_first = self.looks == 0 && self.seconds >= FIRST_LOOK_S && self.is_covered();
        is_first || self.seconds >= self.next_look_s
    }

    fn push(&mut self, iops: f64) {
        self.open = (self.open.0 + iops, self.open.1 + 1);
        if self.open.1 < self.span_s {
            return;
        }
        self.values.push(self.open.0 / self.span_s as f64);
        self.open = (0.0, 0);
        if self.values.len() == VALUES_MAX {
            self.values =
                self.values.chunks(2).map(|pair| pair.iter().sum::<f64>() / pair.len() as f64).collect();
            self.span_s *= 2;
        }
    }
}

impl StopRule for ConfidentRule {
    fn text(&self) -> String {
        format!("confident={}", percent(self.terms.half_width))
    }

    fn take(&mut self, second: &Second) -> bool {
        self.seconds += 1;
        self.written_bytes = self.written_bytes.saturating_add(second.written_bytes);
        self.push(second.iops as f64);
        if !self.is_due() {
            return false;
        }
        self.next_look_s = self.seconds + (self.seconds / GROWTH_PARTS).max(1);
        // A look that cannot end the jobs cannot be wrong, and spends nothing.
        self.looks += u32::from(self.is_covered());
        let found = Confident::of(&self.values, &self.terms, self.looks.max(1));
        let is_settled = found.is_settled() && self.is_covered();
        self.last = Some((found, self.span_s));
        is_settled
    }

    fn written_before(&mut self, bytes: u64) {
        self.before_bytes = self.before_bytes.saturating_add(bytes).min(self.range_bytes);
    }

    /// What the last look found: of jobs that ended by themselves, it may be some time before their end.
    fn found(&self, record: &mut StopRecord) {
        let Some((last, span_s)) = &self.last else {
            let why = format!("it was measured for less than {FIRST_LOOK_S} s");
            record.settled = Some(SettledFigures { against: vec![why], ..SettledFigures::default() });
            return;
        };
        let mean = last.mean.as_ref();
        record.settled = Some(SettledFigures {
            kept_from_s: last.kept_from as u64 * span_s,
            iops: mean.map(|mean| mean.value),
            iops_low: mean.map(|mean| mean.low),
            iops_high: mean.map(|mean| mean.high),
            effective_values: last.effective_values,
            looks: self.looks.max(1),
            against: last.against.iter().map(|why| why_not(why, *span_s)).chain(self.uncovered()).collect(),
        });
    }
}

/// Why a series whose values are of so many seconds has not settled, without a full stop.
pub fn why_not(why: &NotSettled, span_s: u64) -> String {
    match why {
        NotSettled::TooShort => "there are fewer than twenty values".to_owned(),
        NotSettled::WarmUp => "less than half of the time is left after the warm-up".to_owned(),
        NotSettled::LevelChanged { at } => {
            format!("its level changed at second {}, in the second half of the time", *at as u64 * span_s)
        }
        NotSettled::Drifts { change, most } => {
            format!("it drifts by {}, and up to {} cannot be excluded", percent(change.abs()), percent(*most))
        }
        NotSettled::Alike { .. } => "it changes so slowly that it was not seen for long enough".to_owned(),
        NotSettled::Unsure { half_width, times_longer } => {
            format!(
                "its mean is known to ± {}; {times_longer:.1} times the time would be needed",
                percent(*half_width)
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_stats::SplitMix64;

    fn seconds(rates: impl Iterator<Item = f64>) -> (Option<u64>, StopRecord) {
        let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, 0);
        let met = rates.zip(0..).find(|(iops, number)| {
            rule.take(&Second { number: *number, iops: *iops as u64, ..Second::default() })
        });
        let mut record = StopRecord { rule: rule.text(), ..StopRecord::default() };
        rule.found(&mut record);
        (met.map(|(_, number)| number + 1), record)
    }

    #[test]
    fn a_steady_rate_ends_early_and_its_mean_is_in_the_interval() {
        let mut random = SplitMix64::new(7);
        let (met, record) = seconds((0..3_600).map(|_| 10_000.0 * (1.0 + 0.03 * random.normal())));
        let settled = record.settled.unwrap();
        assert!(met.is_some_and(|seconds| (20..200).contains(&seconds)), "{met:?}");
        assert!(settled.against.is_empty() && settled.iops_low.unwrap() < 10_000.0, "{settled:?}");
        assert!(
            settled.iops_high.unwrap() > 10_000.0 && record.rule == "confident=2.0 %",
            "{settled:?} {}",
            record.rule
        );
    }

    #[test]
    fn a_drive_that_falls_for_an_hour_is_measured_until_it_has_fallen() {
        let mut random = SplitMix64::new(8);
        let falling = |t: f64| 3_000.0 + 30_000.0 * (-t / 600.0).exp();
        let (met, record) = seconds((0..14_400).map(|t| falling(t as f64) * (1.0 + 0.02 * random.normal())));
        let settled = record.settled.unwrap();
        assert!(met.is_some_and(|seconds| seconds > 2_400), "{met:?} {settled:?}");
        assert!((settled.iops.unwrap() / 3_000.0 - 1.0).abs() < 0.05, "{settled:?}");
    }

    #[test]
    fn a_new_drive_is_not_settled_before_it_was_written_twice() {
        let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, 4096 * 1_000_000);
        let second = |number| Second {
            number,
            iops: 10_000 + number % 3,
            written_bytes: 4096 * 10_000,
            ..Second::default()
        };
        let met = (0..3_600).find(|number| rule.take(&second(*number)));
        assert!(met.is_some_and(|number| (199..260).contains(&number)), "{met:?}");
        let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, 4096 * 1_000_000);
        (0..100).for_each(|number| assert!(!rule.take(&second(number))));
        let mut record = StopRecord::default();
        rule.found(&mut record);
        assert_eq!(
            record.settled.unwrap().against,
            ["only 100 % of the range was written; 200 % are needed"]
        );
    }

    #[test]
    fn what_jobs_before_wrote_counts_once() {
        const RANGE: u64 = 4096 * 1_000_000;
        let second = |number| Second {
            number,
            iops: 10_000 + number % 3,
            written_bytes: 4096 * 10_000,
            ..Second::default()
        };
        // The first look that counts is where the range is covered, and not at the next one of those in turn.
        for (before, met_s) in [(0, 200), (RANGE / 2, 150), (RANGE, 100), (5 * RANGE, 100)] {
            let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, RANGE);
            rule.written_before(before);
            let met = (0..3_600).find(|number| rule.take(&second(*number))).unwrap();
            let mut record = StopRecord::default();
            rule.found(&mut record);
            assert_eq!((met + 1, record.settled.unwrap().looks), (met_s, 1), "{before}");
        }
    }

    /// The last look before 600 s is at 579 s. Then neighbours are put together, and a value is two seconds.
    #[test]
    fn seconds_are_those_of_the_last_look() {
        let rate = |t: i32| if t < 250 { 1_000.0 } else { 2_000.0 } + f64::from(t % 7);
        let kept_from_s = |length: i32| {
            let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, 1);
            let mut take =
                |t| rule.take(&Second { number: t as u64, iops: rate(t) as u64, ..Second::default() });
            assert!((0..length).all(|t| !take(t)), "nothing was written");
            let mut record = StopRecord::default();
            rule.found(&mut record);
            record.settled.unwrap().kept_from_s
        };
        assert!((245..=255).contains(&kept_from_s(599)), "{}", kept_from_s(599));
        assert_eq!(kept_from_s(599), kept_from_s(620));
    }

    #[test]
    fn what_does_not_settle_says_why() {
        let (met, record) = seconds((0..600).map(|t| 20_000.0 - 20.0 * t as f64));
        let settled = record.settled.unwrap();
        assert!(met.is_none() && !settled.against.is_empty(), "{settled:?}");
        let (met, record) = seconds((0..19).map(|_| 5.0));
        assert_eq!(
            (met, record.settled.unwrap().against),
            (None, vec!["it was measured for less than 20 s".to_owned()])
        );
    }
}
