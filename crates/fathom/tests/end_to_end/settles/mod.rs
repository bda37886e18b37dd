//! Confident steady state on simulated drives: when it stops, and whether it is right.
//!
//! Uniform random writes, until the rule ends them. The mean of 50 further fills must lie in the interval that was given,
//! and after a sequential fill a quarter of the writes of 25 rounds must be enough.
//!
//! A round is what a laboratory runs to bring random writes to steady state by SNIA's PTS: 30 minutes of them and a
//! sample of one minute (SNIA PTS 2.0.2: the cycle of 31 minutes of WSAT; HIR, CBW and DIRTH likewise, with
//! 25 rounds at most). A round of the IOPS test lasts 56 minutes and writes more.
//!
//! `FATHOM_SEEDS=200 cargo test --release -p fathom --test end_to_end settles -- --nocapture` is the long form; `FATHOM_CASE=consumer`
//! chooses the cases with that in their name.

mod load;

use fathom_judge::steady::{ConfidentRule, ConfidentTerms, Second, StopRule};
use fathom_results::{SettledFigures, StopRecord};
use fathom_sim::{FlashModel, consumer, datacentre, qlc};
use load::Load;
use std::io::Write;

const ROUND_S: u64 = 31 * 60;
const ROUNDS: u64 = 25;

struct Case {
    name: &'static str,
    preset: fn() -> FlashModel,
    scale: u32,
    is_filled: bool,
    /// The share of the writes of 25 rounds that must be enough, if any is possible.
    most: Option<f64>,
}

/// A new drive needs about half of 25 rounds before its rate is near the steady one, so no rule can be done after a
/// quarter. The QLC drive is written less than once in 25 rounds.
const CASES: [Case; 6] = [
    Case {
        name: "datacentre/8192, filled",
        preset: datacentre,
        scale: 8192,
        is_filled: true,
        most: Some(0.25),
    },
    Case {
        name: "datacentre/2048, filled",
        preset: datacentre,
        scale: 2048,
        is_filled: true,
        most: Some(0.25),
    },
    Case { name: "consumer/512, filled", preset: consumer, scale: 512, is_filled: true, most: Some(0.25) },
    Case { name: "qlc/512, filled", preset: qlc, scale: 512, is_filled: true, most: None },
    Case { name: "datacentre/2048, new", preset: datacentre, scale: 2048, is_filled: false, most: Some(1.0) },
    Case { name: "consumer/512, new", preset: consumer, scale: 512, is_filled: false, most: Some(1.0) },
];

impl Case {
    fn load(&self, seed: u64) -> Load {
        Load::new(&FlashModel { scale: self.scale, ..(self.preset)() }, self.is_filled, seed)
    }

    /// Fills of 25 rounds.
    fn rounds(&self) -> f64 {
        let mut load = self.load(1);
        (0..ROUNDS * ROUND_S).for_each(|_| {
            load.second();
        });
        load.fills()
    }

    /// How many fills the rule takes, and whether the mean of so many further ones is in its interval.
    fn stop(&self, seed: u64, further: f64) -> (f64, bool) {
        let mut load = self.load(seed);
        let mut rule = ConfidentRule::of(ConfidentTerms::OF_RATE, load.range_bytes());
        rule.written_before(if self.is_filled { load.range_bytes() } else { 0 });
        let mut seconds = 0..;
        let mut next = || {
            let iops = load.second();
            let number = seconds.next().unwrap();
            Second { number, iops, written_bytes: 4096 * iops, ..Second::default() }
        };
        while !rule.take(&next()) {}
        let mut record = StopRecord::default();
        rule.found(&mut record);
        let SettledFigures { iops_low, iops_high, .. } = record.settled.unwrap();
        let fills = load.fills();
        let mean = load.mean_of(further);
        (fills, iops_low.unwrap() <= mean && mean <= iops_high.unwrap())
    }

    fn check(&self, seeds: u64, further: f64) {
        let rounds = self.rounds();
        let stops: Vec<(f64, bool)> = (0..seeds).map(|seed| self.stop(seed, further)).collect();
        let held = stops.iter().filter(|(_, is_held)| *is_held).count();
        let mut fills: Vec<f64> = stops.iter().map(|(fills, _)| *fills).collect();
        fills.sort_by(f64::total_cmp);
        let at = |share: f64| fills[((fills.len() - 1) as f64 * share) as usize];
        let within = self.most.map(|most| fills.iter().filter(|fills| **fills <= most * rounds).count());
        let (median, most, last) = (at(0.5), at(0.95), at(1.0));
        let said = format!(
            "{}: 25 rounds are {rounds:.2} fills; stops after {median:.2} (median), {most:.2} (95 %), {last:.2} \
             (most); {within:?} of {seeds} soon enough; the mean of {further} further fills is held by {held}",
            self.name,
        );
        let mut output = std::io::stderr();
        writeln!(output, "{said}").unwrap();
        let needed = (0.9 * seeds as f64).floor() as usize;
        assert!(held >= needed && within.is_none_or(|within| within >= needed), "{said}");
    }
}

#[test]
fn random_writes_settle_early_and_stay_in_the_interval() {
    match std::env::var("FATHOM_SEEDS") {
        Ok(seeds) => {
            let part = std::env::var("FATHOM_CASE").unwrap_or_default();
            let chosen: Vec<&Case> = CASES.iter().filter(|case| case.name.contains(&part)).collect();
            assert!(!chosen.is_empty(), "no case has {part} in its name");
            chosen.into_iter().for_each(|case| case.check(seeds.parse().unwrap(), 50.0));
        }
        Err(_) => CASES[0].check(3, 5.0),
    }
}
