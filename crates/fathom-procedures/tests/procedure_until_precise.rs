//! A procedure in one file, as CONTRIBUTING shows it: the jobs are repeated until the mean rate is
//! known well enough.

use fathom_procedures::{History, Procedure, Round, RoundJobs, Step};
use fathom_results::answer::{Headline, NoFigures};
use fathom_results::procedure::{RoundDone, RoundFigures, StepDone, StepRecord};
use fathom_results::{RunEnd, Verdict};
use fathom_stats::Estimate;

/// Rounds until half of the 95 % interval is at most this share of the mean.
struct UntilPrecise {
    share: f64,
    rounds_max: u32,
}

fn round() -> Round {
    let jobs = RoundJobs::AsGiven { set: Vec::new() };
    Round::of("all", jobs)
}

fn done(because: String) -> Step {
    let headline = Headline::Nothing { because: Some(NoFigures::Failed { message: because }) };
    Step::Done(Verdict { headline, ..Verdict::default() })
}

impl Procedure for UntilPrecise {
    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(round(), self.rounds_max)]
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return done(format!("A round failed: {:?}.", failed.failed()));
        }
        let rates: Vec<f64> =
            history.rounds().map(|round| round.figures.iter().map(|job| job.iops).sum()).collect();
        match Estimate::of_independent(&rates, 0.95) {
            Some(mean) if mean.high - mean.low <= 2.0 * self.share * mean.value => {
                done(format!("{:.0} IOPS after {} rounds.", mean.value, mean.n))
            }
            _ if rates.len() >= self.rounds_max as usize => done("The rate varies too much.".to_owned()),
            _ => Step::Run(round()),
        }
    }
}

/// The history with one more round of this rate.
fn with(mut steps: Vec<StepRecord>, iops: f64) -> Vec<StepRecord> {
    let figures = vec![RoundFigures { iops, ..RoundFigures::default() }];
    let round =
        RoundDone { cell: "all".to_owned(), figures, ended: RunEnd::ByItself, ..RoundDone::default() };
    let number = steps.len() as u32;
    let did = StepDone::Round(round);
    steps.push(StepRecord { number, sitting: 0, began_unix_ns: 0, ended_unix_ns: 0, did });
    steps
}

/// Drives it with rounds of these rates, and returns its answer and how many rounds it took.
fn driven(procedure: &UntilPrecise, rates: impl Iterator<Item = f64>) -> (String, usize) {
    let mut steps = Vec::new();
    for rate in rates {
        match procedure.next(&History::new(&steps)) {
            Step::Run(_) => steps = with(steps, rate),
            Step::Done(Verdict {
                headline: Headline::Nothing { because: Some(NoFigures::Failed { message }) },
                ..
            }) => return (message, steps.len()),
            other => panic!("{other:?}"),
        }
    }
    panic!("it does not end")
}

#[test]
fn it_ends_as_soon_as_the_rate_is_known() {
    let procedure = UntilPrecise { share: 0.02, rounds_max: 20 };
    let (said, rounds) =
        driven(&procedure, [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1000.0].into_iter().cycle());
    assert_eq!((said.as_str(), rounds), ("1001 IOPS after 4 rounds.", 4));
}

#[test]
fn it_gives_up_where_the_rate_varies() {
    let procedure = UntilPrecise { share: 0.02, rounds_max: 6 };
    let (said, rounds) = driven(&procedure, [500.0, 1500.0].into_iter().cycle());
    assert_eq!((said.as_str(), rounds), ("The rate varies too much.", 6));
}
