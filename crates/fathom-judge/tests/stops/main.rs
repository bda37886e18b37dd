//! `--until confident=2%` on invented rates: how often what it tells is true of the next ten minutes.
//!
//! A stop is right if the interval that is told holds the mean of the next ten minutes. Series that do not stop within an
//! hour are not settled, which is never wrong. Six series of each form are tried;
//! `FATHOM_SERIES=60 cargo test --release -p fathom-judge --test stops -- --nocapture` tries sixty, and prints the table of
//! docs/measurement.md.

use fathom_judge::steady::{ConfidentRule, ConfidentTerms, Second, StopRule};
use fathom_results::StopRecord;
use fathom_stats::SplitMix64;
use std::f64::consts::TAU;
use std::io::Write;

/// A run that has not settled by then is not asked any more.
const MOST_S: usize = 3_600;
const NEXT_S: usize = 600;
const RATE: f64 = 100_000.0;

/// The share of the stops that must be right.
const HELD_MIN: f64 = 0.93;

/// The standard deviations of a second, as shares of the rate.
const NOISES: [f64; 4] = [0.002, 0.005, 0.01, 0.02];

/// A level over time, as a share of the rate at the beginning; the second argument is the phase of a wave.
struct Form {
    name: &'static str,
    level: fn(f64, f64) -> f64,
    correlation: f64,
}

fn sine(t: f64, period: f64, phase: f64) -> f64 {
    1.0 + 0.05 * (TAU * (t / period + phase)).sin()
}

const FORMS: [Form; 10] = [
    Form { name: "flat", level: |_, _| 1.0, correlation: 0.0 },
    Form { name: "falls by 1 % a minute", level: |t, _| 1.0 - 0.01 * t / 60.0, correlation: 0.0 },
    Form { name: "falls by 0.1 % a minute", level: |t, _| 1.0 - 0.001 * t / 60.0, correlation: 0.0 },
    Form {
        name: "20 % more that decays with τ = 300 s",
        level: |t, _| 1.0 + 0.2 * (-t / 300.0).exp(),
        correlation: 0.0,
    },
    Form {
        name: "100 % more that decays with τ = 60 s",
        level: |t, _| 1.0 + (-t / 60.0).exp(),
        correlation: 0.0,
    },
    Form { name: "sine of ± 5 % and 60 s", level: |t, phase| sine(t, 60.0, phase), correlation: 0.0 },
    Form {
        name: "sine of ± 5 % and 20 minutes",
        level: |t, phase| sine(t, 1_200.0, phase),
        correlation: 0.0,
    },
    Form {
        name: "sine of ± 5 % and 80 minutes",
        level: |t, phase| sine(t, 4_800.0, phase),
        correlation: 0.0,
    },
    Form { name: "neighbours correlate by 0.9", level: |_, _| 1.0, correlation: 0.9 },
    Form { name: "neighbours correlate by 0.99", level: |_, _| 1.0, correlation: 0.99 },
];

impl Form {
    fn rates(&self, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::new(seed);
        let phase = random.uniform();
        let noise = random.autoregressive(self.correlation, MOST_S + NEXT_S);
        let share = NOISES[seed as usize % NOISES.len()];
        let of = |(t, noise): (usize, &f64)| RATE * (self.level)(t as f64, phase) * (1.0 + share * noise);
        noise.iter().enumerate().map(of).collect()
    }

    /// The second of the stop, and whether what was told is true of the next ten minutes.
    fn stop(&self, seed: u64) -> Option<(usize, bool)> {
        let rates = self.rates(seed);
        let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, 0);
        let met = (0..MOST_S).find(|number| {
            let iops = rates[*number].max(0.0) as u64;
            rule.take(&Second { number: *number as u64, iops, ..Second::default() })
        })?;
        let mut record = StopRecord::default();
        rule.found(&mut record);
        let told = record.settled.unwrap();
        let next = rates[met + 1..=met + NEXT_S].iter().sum::<f64>() / NEXT_S as f64;
        Some((met + 1, told.iops_low.unwrap() <= next && next <= told.iops_high.unwrap()))
    }
}

#[test]
fn what_is_told_holds_for_the_next_ten_minutes() {
    let series: u64 = std::env::var("FATHOM_SERIES").map_or(6, |series| series.parse().unwrap());
    let (mut all, mut right) = (0, 0);
    let mut output = std::io::stderr();
    for (at, form) in FORMS.iter().enumerate() {
        let stops = (0..series).filter_map(|seed| form.stop(seed + 1_000 * at as u64));
        let mut stops: Vec<(usize, bool)> = stops.collect();
        stops.sort_unstable();
        let held = stops.iter().filter(|(_, is_held)| *is_held).count();
        let median = stops.get(stops.len() / 2).map_or("-".to_owned(), |(seconds, _)| format!("{seconds} s"));
        writeln!(output, "| {} | {series} | {} | {median} | {held} |", form.name, stops.len()).unwrap();
        (all, right) = (all + stops.len(), right + held);
        // A rule that never stops is of no use.
        assert!(at > 0 || stops.len() as u64 == series, "{}: {} of {series} stopped", form.name, stops.len());
    }
    assert!(right as f64 >= HELD_MIN * all as f64, "{right} of {all} stops were right");
}
