//! `tune-try`: jobs with and without a tuning, in turn, and what the tuning did.
//!
//! The order swaps from pair to pair (without, with, with, without), so that a machine that drifts
//! one way favours neither.

use super::definition::{Parameters, ProcedureDef};
use super::repeat::failure;
use super::{History, Procedure, Round, RoundJobs, Step};
use fathom_results::Verdict;
use fathom_results::answer::{Headline, JudgedFigure, TuningEffect, TuningHeadline};
use fathom_results::procedure::{Preparation, RoundDone, RoundFigures};
use fathom_stats::{Estimate, median_ratio};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// Names of the two cells.
const WITHOUT: &str = "without";
const WITH: &str = "with";

/// Pairs of rounds without and with a tuning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuneTry {
    /// Number of pairs.
    pub pairs: u32,
    /// What is compared.
    pub compared: JudgedFigure,
    /// What is changed, for the verdict.
    pub knob: String,
}

/// The names of the figures that can be compared, as they are saved.
const NAMES: [(JudgedFigure, &str); 3] = [
    (JudgedFigure::Iops, "iops"),
    (JudgedFigure::Bandwidth, "bandwidth"),
    (JudgedFigure::Latency, "latency"),
];

/// The figure of a round; `None` if it did no I/O, or if its latency was not kept. Where a rate fell it is the one that lasted,
/// and `None` where that is not known of all jobs together: a mean over the fall is the figure of no part of the round.
fn figure_of(compared: JudgedFigure, round: &RoundDone) -> Option<f64> {
    let figure = match compared {
        _ if has_fallen(round) => lasting(compared, round)?,
        JudgedFigure::Iops => round.whole.iops,
        JudgedFigure::Bandwidth => round.whole.bytes_per_second,
        JudgedFigure::Latency => round.whole.latency_ns_mean?,
    };
    (figure > 0.0).then_some(figure)
}

/// The sum of the rates that lasted, of jobs that measured at the same time.
fn lasting(compared: JudgedFigure, round: &RoundDone) -> Option<f64> {
    let is_whole = |job: &RoundFigures| job.seconds >= TOGETHER * round.whole.seconds;
    let mut jobs = round.figures.iter().map(|job| match compared {
        JudgedFigure::Iops => job.lasting_rate(),
        JudgedFigure::Bandwidth => job.lasting_bandwidth(),
        JudgedFigure::Latency => None,
    });
    let sum = || jobs.try_fold(0.0, |sum, rate| Some(sum + rate?));
    round.figures.iter().all(is_whole).then(sum).flatten()
}

/// Jobs whose times are at least this share of the whole measured at the same time.
const TOGETHER: f64 = 0.95;

/// Did the rate of a job fall in this round?
fn has_fallen(round: &RoundDone) -> bool {
    round.figures.iter().any(|job| job.fall.is_some())
}

impl TuneTry {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "tune-try", open: TuneTry::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        let (pairs, name): (u32, String) = (parameters.get("pairs")?, parameters.get("compared")?);
        let compared = NAMES.iter().find(|(_, known)| *known == name).map(|(figure, _)| *figure);
        let compared = compared.ok_or_else(|| format!("{name} is no figure that can be compared"))?;
        Ok(Box::new(TuneTry { pairs, compared, knob: parameters.get("knob")? }))
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let compared = NAMES.iter().find(|(figure, _)| *figure == self.compared);
        let compared = compared.map_or("iops", |(_, name)| name);
        [("pairs", self.pairs.to_string()), ("compared", compared.to_owned()), ("knob", self.knob.clone())]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
    }

    fn round(cell: &str) -> Round {
        let jobs = RoundJobs::AsGiven { set: Vec::new() };
        Round::of(cell, jobs)
    }

    /// Is the tuning in force in round `n`?
    fn is_tuned(round: usize) -> bool {
        let (pair, is_second) = (round / 2, round % 2 == 1);
        (pair % 2 == 1) != is_second
    }

    fn figures(&self, history: &History<'_>, cell: &str) -> Vec<f64> {
        history.of_cell(cell).map(|round| figure_of(self.compared, round).unwrap_or(0.0)).collect()
    }

    /// The effect.
    fn effect(&self, history: &History<'_>) -> TuningEffect {
        let (without, with) = (self.figures(history, WITHOUT), self.figures(history, WITH));
        let is_of_two = |round: &RoundDone| has_fallen(round) && figure_of(self.compared, round).is_none();
        match median_ratio(&without, &with, CONFIDENCE) {
            None if history.rounds().any(is_of_two) => TuningEffect::RateFell,
            None => TuningEffect::TooFew,
            Some(Estimate { value, low, high, n, .. }) => {
                TuningEffect::Ratio { median: value, low, high, pairs: n }
            }
        }
    }

    fn verdict(&self, history: &History<'_>) -> Verdict {
        let effect = self.effect(history);
        let has_fallen = history.rounds().any(has_fallen);
        let headline = TuningHeadline { knob: self.knob.clone(), figure: self.compared, has_fallen, effect };
        Verdict { headline: Headline::Tuning(headline), distrust: history.doubts() }
    }
}

impl Procedure for TuneTry {
    fn expected(&self) -> Vec<(Round, u32)> {
        [WITHOUT, WITH].map(|cell| (TuneTry::round(cell), self.pairs)).to_vec()
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        let rounds = history.rounds().count();
        let is_in_force = history.is_tuned();
        let is_over = rounds >= 2 * self.pairs as usize;
        match !is_over && TuneTry::is_tuned(rounds) {
            // After each round with the tuning it is taken back, so that a person who looks at the
            // machine between two rounds finds it as it was.
            _ if is_in_force && history.just_prepared().is_none() => {
                Step::Prepare(Preparation::Tuning { in_force: false })
            }
            true if !is_in_force => Step::Prepare(Preparation::Tuning { in_force: true }),
            true => Step::Run(TuneTry::round(WITH)),
            false if is_over => Step::Done(self.verdict(history)),
            false => Step::Run(TuneTry::round(WITHOUT)),
        }
    }

    fn is_not_valid(&self, history: &History<'_>) -> bool {
        !matches!(self.effect(history), TuningEffect::Ratio { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{done, fall, round};
    use crate::whole_figures;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::procedure::{FallFigures, StepDone};
    use fathom_words::headline;

    fn tried(with: impl Fn(f64) -> f64) -> (Vec<String>, Verdict) {
        let values = [100.0, 104.0, 98.0, 101.0, 99.0, 103.0, 97.0, 100.0];
        let procedure = TuneTry { pairs: 8, compared: JudgedFigure::Iops, knob: "queue.x".to_owned() };
        let (mut steps, mut told) = (Vec::new(), Vec::new());
        loop {
            let count = |cell: &str| History::new(&steps).of_cell(cell).count();
            let did = match procedure.next(&History::new(&steps)) {
                Step::Run(run) if run.cell == WITHOUT => {
                    StepDone::Round(round(WITHOUT, values[count(WITHOUT)]))
                }
                Step::Run(run) => StepDone::Round(round(&run.cell, with(values[count(WITH)]))),
                Step::Prepare(preparation) => {
                    StepDone::Prepared { preparation, evidence: String::new(), method: None }
                }
                Step::Done(verdict) => return (told, verdict),
                other => panic!("{other:?}"),
            };
            told.push(match &did {
                StepDone::Round(round) => round.cell.clone(),
                StepDone::Prepared { preparation: Preparation::Tuning { in_force: true }, .. } => {
                    "on".to_owned()
                }
                _ => "off".to_owned(),
            });
            steps = done(steps, did);
        }
    }

    #[test]
    fn the_order_swaps_and_nothing_stays_tuned() {
        let (steps, _) = tried(|value| value);
        assert_eq!(steps[..10].join(" "), "without on with off on with off without without on");
        assert_eq!(steps.iter().filter(|step| *step == "on").count(), 8);
        assert_eq!(steps.iter().filter(|step| *step == "off").count(), 8);
        assert_eq!(steps.len(), 32);
    }

    #[test]
    fn a_steady_gain_is_told_with_its_interval() {
        let (_, verdict) = tried(|value| value * 1.1);
        let said = headline(&verdict.headline);
        assert!(said.starts_with("queue.x: IOPS: +10.0 %") && said.contains("8 pairs"), "{said}");
    }

    #[test]
    fn noise_is_no_effect() {
        let (_, verdict) = tried(|value| 200.0 - value);
        let said = headline(&verdict.headline);
        assert!(said.contains("no measurable effect"), "{said}");
    }

    #[test]
    fn of_a_rate_that_fell_the_part_that_lasted_is_compared() {
        let fallen = |lasting: f64, jobs: usize| {
            let mut round = round(WITH, 2_000.0);
            round.figures[0].fall = Some(FallFigures {
                iops_lasting: lasting,
                bytes_per_second_lasting: lasting * 4096.0,
                ..fall()
            });
            round.figures = vec![round.figures[0].clone(); jobs];
            round
        };
        let one = fallen(500.0, 1);
        assert_eq!(figure_of(JudgedFigure::Iops, &one), Some(500.0), "and not 2,000");
        assert_eq!(figure_of(JudgedFigure::Bandwidth, &one), Some(500.0 * 4096.0));
        assert_eq!(figure_of(JudgedFigure::Latency, &one), None, "it is of two rates");
        assert_eq!(figure_of(JudgedFigure::Iops, &fallen(500.0, 2)), Some(1_000.0));
        let mut apart = fallen(500.0, 2);
        apart.figures[1].seconds /= 2.0;
        assert_eq!(figure_of(JudgedFigure::Iops, &apart), None, "one after the other");
        let said = |compared: JudgedFigure| {
            let of = |cell: &str, lasting: f64| RoundDone { cell: cell.to_owned(), ..fallen(lasting, 1) };
            let rounds = (0..8_u32).flat_map(|n| {
                let noise = 1.0 + f64::from(n % 4) / 100.0;
                [of(WITHOUT, 500.0 * noise), of(WITH, 550.0 * noise)]
            });
            let steps = rounds.fold(Vec::new(), |steps, round| done(steps, StepDone::Round(round)));
            let procedure = TuneTry { pairs: 8, compared, knob: "k".to_owned() };
            headline(&procedure.verdict(&History::new(&steps)).headline)
        };
        let rate = said(JudgedFigure::Iops);
        assert!(rate.starts_with("k: IOPS after the fall of the rate: +10.0 %"), "{rate}");
        let latency = said(JudgedFigure::Latency);
        assert!(latency.ends_with("its figure is of two rates: no verdict"), "{latency}");
    }

    #[test]
    fn jobs_one_after_the_other_do_not_add_their_rates() {
        let text = "[global]\nrw=randread\nbs=4k\nioengine=psync\nfilename=/data/f\n[a]\n[b]\nstonewall\n";
        let reads = |ios| [DirectionLoad::reads(ios, 4096, 100_000)];
        let scene = RunBuilder::text(text).seconds(0, 10, &reads(1_000)).after(1, 10_000_000_000);
        let run = scene.seconds(1, 30, &reads(200)).run();
        let round = RoundDone { whole: Box::new(whole_figures(&run)), ..RoundDone::default() };
        let of = |compared: JudgedFigure| figure_of(compared, &round);
        // 16,000 reads in 40 s; 1,200 is the sum of the rates.
        assert_eq!((of(JudgedFigure::Iops), of(JudgedFigure::Bandwidth)), (Some(400.0), Some(1_638_400.0)));
        assert_eq!(of(JudgedFigure::Latency), Some(100_000.0));
    }

    #[test]
    fn too_little_is_no_verdict() {
        let procedure = TuneTry { pairs: 0, compared: JudgedFigure::Latency, knob: "k".to_owned() };
        let Step::Done(verdict) = procedure.next(&History::new(&[])) else { panic!("not done") };
        let said = headline(&verdict.headline);
        assert!(said.contains("no verdict"), "{said}");
        assert!(procedure.is_not_valid(&History::new(&[])), "exit code 5");
    }
}
