//! Confident steady state as a rule that ends jobs: `--until confident=2%`.
//!
//! What it promises is that the mean it tells, with its interval, is also that of the next ten minutes, if the rate goes on
//! as it does. The rates of the seconds are looked at when there are twenty of them, and again each time when a fifth more
//! is there; the first looks cannot end the jobs. Every look that could end them spends a part of the 5 % by which
//! all looks together may be wrong about the mean.

use super::confident::{Confident, ConfidentTerms};
use super::seconds::Second;
use super::stop_rule::StopRule;
use fathom_results::{NotSettled, SettledFigures, StopRecord};
use fathom_text::quantity::percent;

/// Values that are kept. Of a longer series, neighbours are put together, so that a look takes milliseconds.
const VALUES_MAX: usize = 600;

/// The first look is at so many seconds.
const FIRST_LOOK_S: u64 = 20;

/// The time that follows, for which the mean that is told holds too. A run of ten minutes is what a mean is used for, and
/// noise and drifts of real devices take minutes to show (docs/measurement.md has how often it holds).
pub const AHEAD_S: u64 = 600;

/// The first look that can end the jobs: a fifth of the time for which it speaks. A constant rate can be continued
/// from a few seconds, and that says nothing of what takes a minute to begin.
const SETTLED_MIN_S: u64 = 120;

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
    /// The second in which enough was written.
    covered_s: u64,
    values: Vec<f64>,
    /// Seconds of one value.
    span_s: u64,
    /// The sum of the rates of the value that is being put together, and how many seconds are in it.
    open: (f64, u64),
    seconds: u64,
    next_look_s: u64,
    looks: u32,
    /// What the last look found, and the seconds of one value then.
    last: Option<Look>,
}

/// A look at the rates.
#[derive(Debug)]
struct Look {
    found: Confident,
    /// Seconds of one value.
    span_s: u64,
    /// Seconds that were measured.
    seconds: u64,
}

impl ConfidentRule {
    /// The rule with these terms, for jobs that write to so many bytes of their targets; 0 for jobs that only read.
    pub fn of(terms: ConfidentTerms, range_bytes: u64) -> ConfidentRule {
        ConfidentRule {
            terms,
            range_bytes,
            written_bytes: 0,
            before_bytes: 0,
            covered_s: 0,
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
    fn uncovered(&self) -> Option<NotSettled> {
        let (written, needed) = self.coverage();
        (written < needed).then(|| NotSettled::Uncovered {
            share: COVERAGE as f64 * written as f64 / needed as f64,
            needed: COVERAGE as f64,
        })
    }

    /// A look is due when the series has grown, and as soon as enough was written.
    fn is_due(&self) -> bool {
        let is_first =
            self.looks == 0 && self.seconds == SETTLED_MIN_S.max(self.covered_s) && self.is_covered();
        is_first || self.seconds >= self.next_look_s
    }

    /// Why a look could not end the jobs although enough was written.
    fn too_early(&self) -> Option<NotSettled> {
        let look = self.last.as_ref().filter(|look| look.seconds < SETTLED_MIN_S && self.is_covered())?;
        Some(NotSettled::TooEarly { seconds: look.seconds, needed_s: SETTLED_MIN_S })
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
        let was_covered = self.is_covered();
        self.written_bytes = self.written_bytes.saturating_add(second.written_bytes);
        self.push(second.iops as f64);
        if !was_covered && self.is_covered() {
            self.covered_s = self.seconds;
        }
        if !self.is_due() {
            return false;
        }
        self.next_look_s = self.seconds + (self.seconds / GROWTH_PARTS).max(1);
        let ahead = AHEAD_S as f64 / self.span_s as f64;
        let found = Confident::of(&self.values, &self.terms, ahead, self.looks + 1);
        // A look that cannot end the jobs cannot be wrong, and spends nothing.
        let can_end = self.is_covered() && self.seconds >= SETTLED_MIN_S;
        self.looks += u32::from(can_end && (found.could_settle || found.is_settled()));
        let is_settled = found.is_settled() && can_end;
        self.last = Some(Look { found, span_s: self.span_s, seconds: self.seconds });
        is_settled
    }

    fn written_before(&mut self, bytes: u64) {
        self.before_bytes = self.before_bytes.saturating_add(bytes).min(self.range_bytes);
    }

    /// What the last look found: of jobs that ended by themselves, it may be some time before their end.
    fn found(&self, record: &mut StopRecord) {
        let Some(Look { found, span_s, seconds }) = &self.last else {
            let against = vec![NotSettled::NoLook { seconds: FIRST_LOOK_S }];
            record.settled = Some(SettledFigures { against, ..SettledFigures::default() });
            return;
        };
        let mean = found.mean.as_ref();
        let against = found.against.iter().map(|why| why.of_seconds(*span_s, AHEAD_S));
        record.settled = Some(SettledFigures {
            kept_from_s: found.kept_from as u64 * span_s,
            seen_s: *seconds,
            ahead_s: AHEAD_S,
            iops: mean.map(|mean| mean.value),
            iops_low: mean.map(|mean| mean.low),
            iops_high: mean.map(|mean| mean.high),
            effective_values: found.effective_values,
            looks: self.looks.max(1),
            against: against.chain(self.too_early()).chain(self.uncovered()).collect(),
        });
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
        let (met, record) = seconds((0..3_600).map(|_| 10_000.0 * (1.0 + 0.01 * random.normal())));
        let settled = record.settled.unwrap();
        assert!(met.is_some_and(|seconds| (300..1_000).contains(&seconds)), "{met:?}");
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
        assert_eq!(record.settled.unwrap().against, [NotSettled::Uncovered { share: 1.0, needed: 2.0 }]);
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
        for (before, met_s) in [(0, 200), (RANGE / 2, 150), (RANGE, 120), (5 * RANGE, 120)] {
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

    /// A minute of a rate that hardly varies says what its mean is, and not that it lasts.
    #[test]
    fn a_short_run_has_a_mean_and_has_not_settled() {
        let mut random = SplitMix64::new(10);
        let (met, record) = seconds((0..60).map(|_| 998.0 * (1.0 + 0.002 * random.normal())));
        let settled = record.settled.unwrap();
        let half_width = (settled.iops_high.unwrap() - settled.iops_low.unwrap()) / 2.0;
        assert!(met.is_none() && half_width < 5.0 && (50..=60).contains(&settled.seen_s), "{settled:?}");
        assert!(
            settled.against.iter().any(|why| matches!(why, NotSettled::TooEarly { needed_s: 120, .. })),
            "{settled:?}"
        );
    }

    #[test]
    fn what_does_not_settle_says_why() {
        let (met, record) = seconds((0..600).map(|t| 20_000.0 - 20.0 * t as f64));
        let settled = record.settled.unwrap();
        assert!(met.is_none() && !settled.against.is_empty(), "{settled:?}");
        let (met, record) = seconds((0..19).map(|_| 5.0));
        assert_eq!((met, record.settled.unwrap().against), (None, vec![NotSettled::NoLook { seconds: 20 }]));
    }
}
