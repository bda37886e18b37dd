//! `repeat`: the same jobs several times, and what their figures are together.
//!
//! A single run cannot tell how much a figure varies from run to run. The interval over rounds can.

use super::answer_of_rounds::together;
use super::definition::{Parameters, ProcedureDef};
use super::{History, Procedure, Round, RoundJobs, Step, reasons};
use crate::quick::SIX;
use fathom_results::answer::{
    AskedOfRounds, FallsOfRounds, Headline, JobOfRounds, MeanOfRounds, MedianOfRounds, RoundsHeadline,
    UnratedRounds,
};
use fathom_results::procedure::{FallFigures, RoundDone, RoundFigures};
use fathom_results::quick::FILL;
use fathom_results::{Answer, Reason, RoundFailure, RoundsPart, TrustLevel, Verdict, Why};
use fathom_stats::{Estimate, median};

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// The same jobs, so many times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// Number of rounds; at least 1.
    pub rounds: u32,
    /// The files that a round creates lose their names as soon as they are open.
    pub removes_created: bool,
}

impl Repeat {
    /// Its line in the table.
    pub const DEFINITION: ProcedureDef = ProcedureDef { name: "repeat", open: Repeat::open };

    fn open(parameters: &Parameters<'_>) -> Result<Box<dyn Procedure>, String> {
        match parameters.get("rounds")? {
            0 => Err("the parameter rounds is 0".to_owned()),
            rounds => {
                let removes_created = parameters.get("removes_created")?;
                Ok(Box::new(Repeat { rounds, removes_created }))
            }
        }
    }

    /// Its parameters, as they are saved.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let parameters =
            [("rounds", self.rounds.to_string()), ("removes_created", self.removes_created.to_string())];
        parameters.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    fn round(&self) -> Round {
        let jobs = RoundJobs::AsGiven { set: Vec::new() };
        Round { removes_created: self.removes_created, ..Round::of("repeat", jobs) }
    }
}

impl Procedure for Repeat {
    fn answer(&self, history: &History<'_>) -> Option<Answer> {
        match self.next(history) {
            Step::Done(verdict) if history.failed().is_none() => together(history, &verdict),
            _ => None,
        }
    }

    fn answer_so_far(&self, history: &History<'_>) -> Option<Answer> {
        if history.failed().is_some() {
            return None;
        }
        let answer = together(history, &verdict(history))?;
        let part = RoundsPart { times: history.rounds().count() as u64, of: u64::from(self.rounds) };
        Some(Answer { so_far: Some(part), ..answer })
    }

    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(self.round(), self.rounds)]
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(history, failed));
        }
        match history.rounds().count() < self.rounds as usize {
            true => Step::Run(self.round()),
            false => Step::Done(verdict(history)),
        }
    }

    /// Rounds whose rates differ by more than their mean have none.
    fn is_not_valid(&self, history: &History<'_>) -> bool {
        let rounds: Vec<&RoundDone> = history.rounds().collect();
        let jobs = rounds.first().map_or(0, |round| round.figures.len());
        let half = |job| mean(&rounds, job, RoundFigures::lasting_rate)?.half_share;
        (0..jobs).filter_map(half).any(|share| share >= 1.0)
    }
}

/// The verdict of a procedure that a failed round ends.
pub(super) fn failure(history: &History<'_>, failed: &RoundDone) -> Verdict {
    let why = failed.failed().unwrap_or(RoundFailure::Ended { by: failed.ended });
    let part = RoundsPart { times: 1, of: history.rounds().count() as u64 };
    let distrust = Reason { rounds: Some(part), ..Reason::new(Why::JobFailed, TrustLevel::Low) };
    Verdict {
        headline: Headline::RoundFailed { round: failed.directory.clone(), why },
        distrust: vec![distrust],
    }
}

fn verdict(history: &History<'_>) -> Verdict {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let first = rounds.first().map_or(&[][..], |round| &round.figures);
    let is_of_six = |job: &RoundFigures| job.job == FILL || SIX.iter().any(|one| one.name == job.job);
    let headline = RoundsHeadline {
        rounds: rounds.len() as u64,
        is_quick: first.len() > 1 && first.iter().all(is_of_six),
        jobs: (0..first.len()).map(|job| of_job(&rounds, job)).collect(),
    };
    let trust = reasons::answers(history).and_then(|answers| reasons::trust(history, &answers));
    let distrust = trust.map_or_else(|| history.doubts(), |trust| trust.reasons);
    Verdict { headline: Headline::Rounds(headline), distrust }
}

/// The figures of a job in all rounds.
fn of_job(rounds: &[&RoundDone], job: usize) -> JobOfRounds {
    let each = || rounds.iter().filter_map(|round| round.figures.get(job));
    let first = each().next();
    JobOfRounds {
        job: first.map(|figures| figures.job.clone()).unwrap_or_default(),
        does: first.map(|figures| figures.does.clone()).unwrap_or_default(),
        unrated: unrated(rounds, job),
        asked: asked(rounds, job),
        iops: mean(rounds, job, RoundFigures::lasting_rate),
        bytes_per_second: mean(rounds, job, RoundFigures::lasting_bandwidth),
        falls: falls(rounds, job),
        mean_ns: mean(rounds, job, |it| it.latency_ns_mean),
        p99_ns: middle(&values(rounds, job, |it| it.latency_percentiles.get(99.0).map(|ns| ns as f64))),
        is_response: each().all(|figures| figures.is_response),
    }
}

/// The shortest round without a rate. `None` where each round has one.
fn unrated(rounds: &[&RoundDone], job: usize) -> Option<UnratedRounds> {
    let all = || {
        rounds.iter().filter_map(|round| round.figures.get(job)).filter_map(|it| Some((it, it.unrated()?)))
    };
    let (shortest, why) = all().min_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds))?;
    Some(UnratedRounds { rounds: all().count() as u64, why, ios: shortest.ios, seconds: shortest.seconds })
}

/// The rate that was asked for. `None` of a job without one.
fn asked(rounds: &[&RoundDone], job: usize) -> Option<AskedOfRounds> {
    let all = || rounds.iter().filter_map(|round| round.figures.get(job)?.asked);
    let reached = values(rounds, job, RoundFigures::rate);
    let (iops_lowest, iops_highest) = ends(&reached);
    let kept = all().filter(|asked| asked.is_kept).count() as u64;
    Some(AskedOfRounds { rate: all().next()?.rate, kept, iops_lowest, iops_highest })
}

/// In how many rounds the rate fell, and how in the first of them.
fn falls(rounds: &[&RoundDone], job: usize) -> Option<FallsOfRounds> {
    let falls: Vec<FallFigures> = rounds.iter().filter_map(|round| round.figures.get(job)?.fall).collect();
    let first = *falls.first()?;
    Some(FallsOfRounds { rounds: falls.len() as u64, of: rounds.len() as u64, first })
}

fn values(rounds: &[&RoundDone], job: usize, of: impl Fn(&RoundFigures) -> Option<f64>) -> Vec<f64> {
    rounds.iter().filter_map(|round| round.figures.get(job)).filter_map(of).collect()
}

/// The mean and half of its interval, where each round has the figure.
fn mean(
    rounds: &[&RoundDone],
    job: usize,
    of: impl Fn(&RoundFigures) -> Option<f64>,
) -> Option<MeanOfRounds> {
    let values = values(rounds, job, of);
    if values.is_empty() || values.len() < rounds.len() {
        return None;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let estimate = Estimate::of_independent(&values, CONFIDENCE).filter(|mean| mean.value > 0.0);
    let half_share = estimate.map(|mean| mean.relative_half_width());
    let (lowest, highest) = ends(&values);
    Some(MeanOfRounds { mean, half_share, lowest, highest })
}

fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)))
}

fn middle(values: &[f64]) -> Option<MedianOfRounds> {
    let (lowest, highest) = ends(values);
    let median = median(&mut values.to_vec())?;
    Some(MedianOfRounds { median, lowest, highest, rounds: values.len() as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{doubt, fall, finding, history, round};
    use fathom_job::plan::Rate;
    use fathom_results::procedure::AskedRate;
    use fathom_results::{Finding, JobLimit, Limit, Limits, Trust};
    use fathom_words::{headline, lines, measured_jobs, subject};

    #[test]
    fn it_ends_after_its_rounds_with_an_interval() {
        let repeat = Repeat { rounds: 3, removes_created: false };
        let mut steps = Vec::new();
        for iops in [1000.0, 1010.0, 990.0] {
            assert_eq!(repeat.next(&History::new(&steps)), Step::Run(repeat.round()));
            steps = history(steps, round("repeat", iops));
        }
        let Step::Done(verdict) = repeat.next(&History::new(&steps)) else { panic!("not done") };
        let limits = lines(&verdict.headline);
        assert_eq!(
            headline(&verdict.headline),
            "j: 1.00k IOPS ± 2.5 % (means of 3 rounds; ±: their 95 % interval)."
        );
        assert_eq!(limits.len(), 3, "rate, bandwidth and mean latency: {limits:?}");
        assert_eq!(limits[0], "j: rate from 990 IOPS to 1.01k IOPS");
    }

    #[test]
    fn a_failed_round_ends_it_with_a_reason_for_low_trust() {
        let mut failed = round("repeat", 990.0);
        failed.failure = Some("j: Input/output error".to_owned());
        let steps = history(history(Vec::new(), round("repeat", 1000.0)), failed);
        let Step::Done(verdict) = (Repeat { rounds: 3, removes_created: false }).next(&History::new(&steps))
        else {
            panic!("it goes on")
        };
        let low = Reason::new(Why::JobFailed, TrustLevel::Low);
        assert_eq!(verdict.distrust, [Reason { rounds: Some(RoundsPart { times: 1, of: 2 }), ..low }]);
    }

    #[test]
    fn rounds_that_differ_by_more_than_their_mean_are_not_valid() {
        let repeat = Repeat { rounds: 3, removes_created: false };
        for (rates, is_not_valid) in [([1000.0, 1010.0, 990.0], false), ([10.0, 3_000.0, 200.0], true)] {
            let steps = rates.iter().fold(Vec::new(), |steps, iops| history(steps, round("repeat", *iops)));
            assert_eq!(repeat.is_not_valid(&History::new(&steps)), is_not_valid, "{rates:?}: exit code 5");
        }
    }

    /// The mean of two levels is the rate of no second, and means of it that are alike in all rounds make it no better.
    #[test]
    fn a_rate_that_fell_is_told_by_what_lasted() {
        let told = |falls: [bool; 3]| {
            let steps = falls.into_iter().fold(Vec::new(), |steps, fell| {
                let mut round = round("repeat", 2_000.0);
                round.figures[0].fall = fell.then(fall);
                history(steps, round)
            });
            let verdict = verdict(&History::new(&steps));
            let limits = lines(&verdict.headline);
            let is_lasting = limits.iter().any(|line| line == "j: rate from 500 IOPS to 500 IOPS");
            assert_eq!(is_lasting, falls == [true; 3], "{limits:?}");
            headline(&verdict.headline)
        };
        assert_eq!(
            told([true; 3]),
            "j: 500 IOPS ± 0.0 % after it fell in 3 of 3 rounds (in the first of them at second 12, from 3.00k IOPS and \
             3.00 GB/s, after 36.0 GB) (means of 3 rounds; ±: their 95 % interval)."
        );
        assert!(told([true, false, false]).contains(" after it fell in 1 of 3 rounds"));
        assert!(!told([false; 3]).contains("fell"));
    }

    /// Contract T-50.
    #[test]
    fn a_rate_of_a_few_milliseconds_is_not_told() {
        let told = |seconds: [f64; 3]| {
            let steps = seconds.into_iter().fold(Vec::new(), |steps, seconds| {
                let mut round = round("repeat", 2_560.0 / seconds);
                let job = &mut round.figures[0];
                (job.seconds, job.ios, job.is_too_short) = (seconds, 2_560, seconds < 0.1);
                history(steps, round)
            });
            verdict(&History::new(&steps))
        };
        let short = told([0.003, 0.004, 0.005]);
        let expected = "j: 2,560 I/Os in 3.00 ms, which is too short for a rate (3 rounds).";
        assert_eq!((headline(&short.headline).as_str(), lines(&short.headline).len()), (expected, 1));
        let mut few = round("repeat", 0.5);
        (few.figures[0].seconds, few.figures[0].ios) = (10.0, 5);
        let few = verdict(&History::new(&history(Vec::new(), few)));
        let few = headline(&few.headline);
        assert!(few.starts_with("j: 5 I/Os in 10.0 s, too few for a rate"), "{few}");
        assert_eq!(short.distrust, Vec::<Reason>::new(), "a rate that is none varies by nothing");
        let one = headline(&told([0.003, 1.0, 1.0]).headline);
        assert!(
            one.starts_with("j: 2,560 I/Os in 3.00 ms, which is too short for a rate (in 1 of 3 rounds)"),
            "{one}"
        );
    }

    #[test]
    fn a_rate_was_kept_or_missed() {
        let told = |rate: Rate, rounds: [(f64, bool); 3]| {
            let steps = rounds.into_iter().fold(Vec::new(), |steps, (iops, is_kept)| {
                let mut round = round("repeat", iops);
                let job = &mut round.figures[0];
                (job.asked, job.is_response) = (Some(AskedRate { rate, is_kept }), true);
                job.latency_ns_mean = Some(93_000.0);
                job.latency_percentiles = [(99.0, 571_000)].into_iter().collect();
                history(steps, round)
            });
            headline(&verdict(&History::new(&steps)).headline)
        };
        let latency = "93.0 µs ± 0.0 % from the planned start, p99 571 µs";
        let (ios, bytes) = (Rate::Ios(2_000), Rate::Bytes(8_000_000));
        let means = "(means of 3 rounds; ±: their 95 % interval)";
        for (rate, rounds, said) in [
            (ios, [(2e3, true); 3], format!("j: kept its 2,000 IOPS in 3 of 3 rounds, {latency} {means}.")),
            (
                ios,
                [(2e3, true), (1.5e3, false), (2e3, true)],
                format!(
                    "j: kept its 2,000 IOPS in 2 of 3 rounds (from 1.50k IOPS to 2.00k IOPS), {latency} {means}."
                ),
            ),
            (
                ios,
                [(1e3, false); 3],
                format!("j: 1.00k IOPS ± 0.0 % of the 2.00k IOPS that were asked for, {latency} {means}."),
            ),
            (bytes, [(2e3, true); 3], format!("j: kept its 8.00 MB/s in 3 of 3 rounds, {latency} {means}.")),
            (
                bytes,
                [(1e3, false); 3],
                format!("j: 4.10 MB/s ± 0.0 % of the 8.00 MB/s that were asked for, {latency} {means}."),
            ),
        ] {
            assert_eq!(told(rate, rounds), said);
        }
    }

    #[test]
    fn a_mean_of_rounds_that_differ_too_much_is_not_told() {
        let told = |latencies: &[(f64, u64)]| {
            let steps = latencies.iter().fold(Vec::new(), |steps, (mean, p99)| {
                let mut round = round("repeat", 1_000.0);
                let job = &mut round.figures[0];
                job.latency_ns_mean = Some(*mean);
                job.latency_percentiles = [(99.0, *p99)].into_iter().collect();
                history(steps, round)
            });
            lines(&verdict(&History::new(&steps)).headline).split_off(2)
        };
        let three = told(&[(70_300.0, 723_000), (281_000.0, 2_122_000), (222_000.0, 144_000)]);
        let range = "from 70.3 µs to 281 µs";
        assert_eq!(three[0], format!("j: mean latency {range}, too different for a mean ({range})"));
        assert_eq!(three[1], "j: p99 latency 723 µs (median of the rounds; from 144 µs to 2.12 ms)");
        let two = told(&[(70_300.0, 1), (281_000.0, 1)]);
        assert_eq!(two[0], format!("j: mean latency 176 µs ({range})"), "two have no interval");
    }

    #[test]
    fn its_answer_is_that_of_its_rounds() {
        let answer = |level, limit: Limit| {
            let why = Reason { level: Some(level), ..Reason::new(Why::OneRound, None) };
            let reasons = if level == TrustLevel::High { Vec::new() } else { vec![why] };
            let limit = JobLimit { job: "j".to_owned(), limit, against: Vec::new(), rounds: None };
            Answer {
                trust: Trust { level, reasons, shortest_s: None },
                limit: Some(Limits { jobs: vec![limit], is_part: false }),
                ..crate::fixture::answer()
            }
        };
        let mut steps = Vec::new();
        let [usual, other] = [Limit::AskedRate, Limit::ThinkTime];
        let all = [(TrustLevel::High, usual.clone()), (TrustLevel::Low, other), (TrustLevel::High, usual)];
        for (level, limit) in all {
            let workload = "4k randread QD32; io_uring, direct=1".to_owned();
            let answer = Some(Box::new(answer(level, limit)));
            steps = history(steps, RoundDone { answer, workload, ..round("repeat", 1000.0) });
        }
        let said = Repeat { rounds: 3, removes_created: false }.answer(&History::new(&steps)).unwrap();
        assert_eq!(said.trust.level, TrustLevel::Low);
        assert_eq!(
            fathom_words::trust::trust(&said.trust),
            "in 1 of 3 rounds: one round cannot tell how much the figures vary"
        );
        let limits = said.limit.as_ref().unwrap();
        assert_eq!((limits.jobs.len(), &limits.jobs[0].limit), (2, &Limit::AskedRate));
        let jobs = "1 job of 1 s, in each round: 4k randread QD32; io_uring, direct=1";
        assert_eq!(said.jobs.as_ref().map(measured_jobs).as_deref(), Some(jobs));
        let (measured, result) = (subject(&said.measured), fathom_words::result(&said));
        assert!(measured == "/dev/sda" && result.starts_with("j: 1.00k IOPS"), "{said:?}");
    }

    #[test]
    fn the_answer_so_far_says_after_how_many_rounds() {
        let repeat = Repeat { rounds: 3, removes_created: false };
        assert_eq!(repeat.answer_so_far(&History::new(&[])), None);
        let answer = Some(Box::new(crate::fixture::answer()));
        let steps = history(Vec::new(), RoundDone { answer, ..round("repeat", 1000.0) });
        assert_eq!(repeat.answer(&History::new(&steps)), None);
        let said = repeat.answer_so_far(&History::new(&steps)).unwrap();
        let result = "after 1 of 3 rounds: j: 1.00k IOPS (1 round: too few for an interval).";
        let words = (fathom_words::result(&said), subject(&said.measured));
        assert_eq!((words.0.as_str(), words.1.as_str()), (result, "/dev/sda"));
        let jobs = said.jobs.as_ref().map(measured_jobs);
        assert_eq!(jobs.as_deref(), Some("1 job of 1 s, in each round"));
    }

    #[test]
    fn doubts_of_rounds_are_told_with_their_number() {
        let mut steps = Vec::new();
        for cached in [true, false, true] {
            let mut round = round("repeat", 1000.0);
            if cached {
                doubt(&mut round, &finding("page-cache"));
            }
            steps = history(steps, round);
        }
        let Step::Done(verdict) = (Repeat { rounds: 3, removes_created: false }).next(&History::new(&steps))
        else {
            panic!("not done")
        };
        let [reason] = verdict.distrust.as_slice() else { panic!("{verdict:?}") };
        assert_eq!(reason.rounds, Some(RoundsPart { times: 2, of: 3 }));
        assert_eq!(reason.finding().map(Finding::code), Some("page-cache"));
    }

    #[test]
    fn a_failed_round_ends_it() {
        let mut failed = round("repeat", 0.0);
        failed.failure = Some("no space left on the device".to_owned());
        let steps = history(Vec::new(), failed);
        let Step::Done(verdict) = (Repeat { rounds: 3, removes_created: false }).next(&History::new(&steps))
        else {
            panic!("not done")
        };
        assert_eq!(headline(&verdict.headline), "Round r failed: no space left on the device.");
    }

    #[test]
    fn its_parameters_make_it_again() {
        let parameters = (Repeat { rounds: 7, removes_created: true }).parameters();
        let again = crate::open("repeat", &parameters).unwrap();
        assert_eq!(again.expected(), [(Repeat { rounds: 7, removes_created: true }.round(), 7)]);
        assert!(crate::open("repeat", &[]).is_err());
        assert!(crate::open("other", &parameters).is_err());
    }
}
