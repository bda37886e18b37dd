//! `repeat`: the same jobs several times, and what their figures are together.
//!
//! A single run cannot tell how much a figure varies from run to run. The interval over rounds can.

mod six;

use super::definition::{Parameters, ProcedureDef};
use super::together::together;
use super::{History, Procedure, Round, RoundJobs, Step, reasons};
use fathom_job::plan::Rate;
use fathom_judge::of_the_asked;
use fathom_results::procedure::{FallFigures, RoundDone, RoundFigures};
use fathom_results::{Answer, Instead, RoundsPart, Verdict};
use fathom_stats::{Estimate, median};
use fathom_text::quantity;
use fathom_text::words::counted;

/// The confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// Fewer rounds have no interval.
const INTERVAL_FROM: usize = 3;

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
    pub const DEFINITION: ProcedureDef =
        ProcedureDef { name: "repeat", what: "the same jobs several times", open: Repeat::open };

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
        let so_far = format!("after {} of {} rounds: ", history.rounds().count(), self.rounds);
        let part = RoundsPart { times: history.rounds().count() as u64, of: u64::from(self.rounds) };
        let instead = answer.instead.map(|instead| Instead { so_far: Some(part), ..instead });
        Some(Answer { result: so_far + &answer.result, instead, ..answer })
    }

    fn expected(&self) -> Vec<(Round, u32)> {
        vec![(self.round(), self.rounds)]
    }

    fn next(&self, history: &History<'_>) -> Step {
        if let Some(failed) = history.failed() {
            return Step::Done(failure(failed));
        }
        match history.rounds().count() < self.rounds as usize {
            true => Step::Run(self.round()),
            false => Step::Done(verdict(history)),
        }
    }
}

/// The verdict of a procedure that a failed round ends.
pub(super) fn failure(failed: &RoundDone) -> Verdict {
    let why = failed.failed().unwrap_or_default();
    let headline = format!("Round {} failed: {why}.", failed.directory);
    Verdict { headline, ..Verdict::default() }
}

fn verdict(history: &History<'_>) -> Verdict {
    let rounds: Vec<&RoundDone> = history.rounds().collect();
    let jobs = rounds.first().map_or(0, |round| round.figures.len());
    let rates: Vec<String> = match six::six(&rounds) {
        Some(six) => vec![six],
        None => (0..jobs).map(|job| result(&rounds, job)).collect(),
    };
    let n = rounds.len();
    let headline = match rates.as_slice() {
        [] => format!("{n} rounds without I/O."),
        _ if n < INTERVAL_FROM => {
            format!("{} ({}: too few for an interval).", rates.join("; "), counted(n as u64, "round"))
        }
        // Where no figure has an interval, none is explained.
        rates if rates.iter().all(|rate| !rate.contains('±')) => {
            format!("{} ({}).", rates.join("; "), counted(n as u64, "round"))
        }
        _ => format!("{} (means of {n} rounds; ±: their 95 % interval).", rates.join("; ")),
    };
    let limits = (0..jobs).flat_map(|job| others(&rounds, job)).collect();
    let trust = reasons::answers(history).and_then(|answers| reasons::trust(history, &answers));
    let distrust = trust.map_or_else(|| history.doubts(), |trust| trust.reasons);
    Verdict { headline, limits, distrust }
}

/// `randread: 51.2k IOPS ± 0.4 %`; of a job with a rate, whether it kept it, and its response latency.
fn result(rounds: &[&RoundDone], job: usize) -> String {
    let told = unrated(rounds, job).or_else(|| kept(rounds, job));
    let rate = told.unwrap_or_else(|| rate(rounds, job));
    format!("{}: {rate}{}", name(rounds, job), response(rounds, job))
}

/// `2,560 I/Os in 17.1 ms, which is too short for a rate (in 2 of 3 rounds)`: of the shortest round without a rate. `None` where
/// each round has one.
fn unrated(rounds: &[&RoundDone], job: usize) -> Option<String> {
    let all = || {
        rounds.iter().filter_map(|round| round.figures.get(job)).filter_map(|it| Some((it, it.unrated()?)))
    };
    let (shortest, unrated) = all().min_by(|a, b| a.0.seconds.total_cmp(&b.0.seconds))?;
    let times = match all().count() {
        n if n == rounds.len() => String::new(),
        n => format!(" (in {n} of {} rounds)", rounds.len()),
    };
    let ios = if shortest.ios == 1 {
        "1 I/O".to_owned()
    } else {
        format!("{} I/Os", quantity::grouped(shortest.ios))
    };
    let time = quantity::latency(shortest.seconds * 1e9);
    Some(format!("{ios} in {time}, {}{times}", unrated.words()))
}

/// The mean rate; of a rate that was missed, with the one that was asked for.
fn rate(rounds: &[&RoundDone], job: usize) -> String {
    let asked = rounds.iter().find_map(|round| round.figures.get(job)?.asked);
    let missed = asked.map(|asked| of_the_asked(asked.rate)).unwrap_or_default();
    let (iops, bytes) = (
        values(rounds, job, RoundFigures::lasting_rate),
        values(rounds, job, RoundFigures::lasting_bandwidth),
    );
    let told = match asked.map(|asked| asked.rate) {
        Some(Rate::Bytes(_)) => mean(&bytes, quantity::bandwidth) + &missed,
        _ => mean(&iops, |iops| quantity::iops(iops) + " IOPS") + &missed,
    };
    told + &fallen(rounds, job)
}

/// Behind the rate that lasts, that it fell: ` after it fell in 2 of 3 rounds (in the first of them at second 12, from 3.00k
/// IOPS, after 1.18 GB)`; empty where it fell in none.
pub(super) fn fallen(rounds: &[&RoundDone], job: usize) -> String {
    let falls: Vec<FallFigures> = rounds.iter().filter_map(|round| round.figures.get(job)?.fall).collect();
    let Some(first) = falls.first() else { return String::new() };
    format!(
        " after it fell in {} of {} rounds (in the first of them at second {}, from {} IOPS and {}, after {})",
        falls.len(),
        rounds.len(),
        first.at_s,
        quantity::iops(first.iops_before),
        quantity::bandwidth(first.bytes_per_second_before),
        quantity::bytes(first.bytes_before),
    )
}

/// `kept its 2,000 IOPS in 3 of 3 rounds`. `None` of a job without a rate, and where no round kept it.
fn kept(rounds: &[&RoundDone], job: usize) -> Option<String> {
    let asked = || rounds.iter().filter_map(|round| round.figures.get(job)?.asked);
    let rate = match asked().next()?.rate {
        Rate::Ios(ios) => format!("{} IOPS", quantity::grouped(ios)),
        Rate::Bytes(bytes) => quantity::bandwidth(bytes as f64),
    };
    let times = asked().filter(|asked| asked.is_kept).count();
    let seen = match times == rounds.len() {
        true => String::new(),
        false => format!(
            " ({})",
            range(&values(rounds, job, RoundFigures::rate), |iops| quantity::iops(iops) + " IOPS")
        ),
    };
    (times > 0).then(|| format!("kept its {rate} in {times} of {} rounds{seen}", rounds.len()))
}

/// The response latency of a job with a rate: `, 93.0 µs ± 2.0 % from the planned start, p99 571 µs`.
fn response(rounds: &[&RoundDone], job: usize) -> String {
    let of = |figures: &RoundFigures| figures.latency_ns_mean.filter(|_| figures.is_response);
    let means = values(rounds, job, of);
    if means.is_empty() || means.len() < rounds.len() {
        return String::new();
    }
    let mut p99 = values(rounds, job, |it| it.latency_percentiles.get(99.0).map(|ns| ns as f64));
    let p99 = median(&mut p99).map(|ns| format!(", p99 {}", quantity::latency(ns))).unwrap_or_default();
    format!(", {} from the planned start{p99}", mean(&means, quantity::latency))
}

/// Bandwidth and latencies of a job, one line each.
fn others(rounds: &[&RoundDone], job: usize) -> Vec<String> {
    type Of = fn(&RoundFigures) -> Option<f64>;
    type Shown = fn(f64) -> String;
    type Told = fn(&[f64], Shown) -> String;
    type Figure = (String, Of, Told, Shown);
    let is_response = rounds.iter().any(|round| round.figures.get(job).is_some_and(|it| it.is_response));
    let response = if is_response { "response " } else { "" };
    let whole: Told = |values, shown| format!("{} ({})", mean(values, shown), range(values, shown));
    let iops: Shown = |iops| quantity::iops(iops) + " IOPS";
    let figures: [Figure; 4] = [
        ("rate".to_owned(), RoundFigures::lasting_rate, range, iops),
        ("bandwidth".to_owned(), RoundFigures::lasting_bandwidth, whole, quantity::bandwidth),
        (format!("mean {response}latency"), |it| it.latency_ns_mean, whole, quantity::latency),
        (
            format!("p99 {response}latency"),
            |it| it.latency_percentiles.get(99.0).map(|ns| ns as f64),
            middle,
            quantity::latency,
        ),
    ];
    let line = |(what, of, told, shown): Figure| {
        let values = values(rounds, job, of);
        (values.len() == rounds.len())
            .then(|| format!("{}: {what} {}", name(rounds, job), told(&values, shown)))
    };
    figures.into_iter().filter_map(line).collect()
}

fn name<'a>(rounds: &[&'a RoundDone], job: usize) -> &'a str {
    rounds.first().and_then(|round| round.figures.get(job)).map_or("", |figures| &figures.job)
}

fn values(rounds: &[&RoundDone], job: usize, of: impl Fn(&RoundFigures) -> Option<f64>) -> Vec<f64> {
    rounds.iter().filter_map(|round| round.figures.get(job)).filter_map(of).collect()
}

/// Half of an interval from this share of the mean on says that no mean describes the rounds.
const HALF_MAX: f64 = 1.0;

/// The mean and half of its interval; of rounds that differ too much, the lowest and the highest.
fn mean(values: &[f64], shown: fn(f64) -> String) -> String {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    match Estimate::of_independent(values, CONFIDENCE).filter(|mean| mean.value > 0.0) {
        None => shown(mean),
        Some(e) if e.relative_half_width() < HALF_MAX => {
            format!("{} ± {}", shown(mean), quantity::percent(e.relative_half_width()))
        }
        Some(_) => format!("{}, too different for a mean", range(values, shown)),
    }
}

/// `from 990 IOPS to 1.01k IOPS`.
fn range(values: &[f64], shown: fn(f64) -> String) -> String {
    let (low, high) = values.iter().fold((f64::MAX, 0.0_f64), |(low, high), v| (low.min(*v), high.max(*v)));
    format!("from {} to {}", shown(low), shown(high))
}

/// Percentiles have long tails, so their median is told, and not their mean.
fn middle(values: &[f64], shown: fn(f64) -> String) -> String {
    let middle = median(&mut values.to_vec()).unwrap_or_default();
    format!("{} (median of the rounds; {})", shown(middle), range(values, shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{doubt, fall, finding, history, round};
    use fathom_results::procedure::AskedRate;
    use fathom_results::{Finding, JobLimit, Limit, Limits, Reason};
    use fathom_results::{Trust, TrustLevel};

    #[test]
    fn it_ends_after_its_rounds_with_an_interval() {
        let repeat = Repeat { rounds: 3, removes_created: false };
        let mut steps = Vec::new();
        for iops in [1000.0, 1010.0, 990.0] {
            assert_eq!(repeat.next(&History::new(&steps)), Step::Run(repeat.round()));
            steps = history(steps, round("repeat", iops));
        }
        let Step::Done(verdict) = repeat.next(&History::new(&steps)) else { panic!("not done") };
        assert_eq!(verdict.headline, "j: 1.00k IOPS ± 2.5 % (means of 3 rounds; ±: their 95 % interval).");
        assert_eq!(verdict.limits.len(), 3, "rate, bandwidth and mean latency: {:?}", verdict.limits);
        assert_eq!(verdict.limits[0], "j: rate from 990 IOPS to 1.01k IOPS");
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
            let Verdict { headline, limits, .. } = verdict(&History::new(&steps));
            let is_lasting = limits.iter().any(|line| line == "j: rate from 500 IOPS to 500 IOPS");
            assert_eq!(is_lasting, falls == [true; 3], "{limits:?}");
            headline
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
        assert_eq!(short.headline, "j: 2,560 I/Os in 3.00 ms, which is too short for a rate (3 rounds).");
        assert_eq!(short.limits.len(), 1, "no rate and no bandwidth: {:?}", short.limits);
        let mut few = round("repeat", 0.5);
        (few.figures[0].seconds, few.figures[0].ios) = (10.0, 5);
        let few = verdict(&History::new(&history(Vec::new(), few)));
        assert!(few.headline.starts_with("j: 5 I/Os in 10.0 s, too few for a rate"), "{}", few.headline);
        assert_eq!(short.distrust, Vec::<Reason>::new(), "a rate that is none varies by nothing");
        let one = told([0.003, 1.0, 1.0]).headline;
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
            verdict(&History::new(&steps)).headline
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
        let told = |values: &[f64]| mean(values, quantity::latency);
        assert_eq!(
            told(&[70_300.0, 281_000.0, 222_000.0]),
            "from 70.3 µs to 281 µs, too different for a mean"
        );
        assert_eq!(told(&[70_300.0, 281_000.0]), "176 µs", "two have no interval");
        let p99 = middle(&[723_000.0, 2_122_000.0, 144_000.0], quantity::latency);
        assert_eq!(p99, "723 µs (median of the rounds; from 144 µs to 2.12 ms)");
    }

    #[test]
    fn its_answer_is_that_of_its_rounds() {
        let answer = |level, limit: Limit| {
            let why = Reason { level: Some(level), ..Reason::stated("It is so") };
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
        assert_eq!(fathom_words::trust::trust(&said.trust), "in 1 of 3 rounds: It is so");
        let limits = said.limit.as_ref().unwrap();
        assert_eq!((limits.jobs.len(), &limits.jobs[0].limit), (2, &Limit::AskedRate));
        let jobs = "1 job of 1 s, in each round: 4k randread QD32; io_uring, direct=1";
        assert_eq!(said.jobs.as_deref(), Some(jobs));
        assert!(said.measured == "a disk" && said.result.starts_with("j: 1.00k IOPS"), "{said:?}");
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
        assert_eq!((said.result.as_str(), said.measured.as_str()), (result, "a disk"));
        assert_eq!(said.jobs.as_deref(), Some("1 job of 1 s, in each round"));
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
        assert_eq!(verdict.headline, "Round r failed: no space left on the device.");
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
