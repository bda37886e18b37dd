//! The figures that matter of a procedure: one sentence, and a line for each further figure.

use crate::jobs::{counted_ios, in_rounds, of_the_asked};
use crate::round_failure;
use crate::suite::{depth_not_reached, more_than_knee};
use fathom_job::plan::Rate;
use fathom_job::units::Bytes;
use fathom_results::RoundsPart;
use fathom_results::answer::{
    AskedOfRounds, FallsOfRounds, FastAsNew, InTurnHeadline, JobOfRounds, JudgedFigure, LoopState,
    LowerBeyond, MeanOfRounds, MedianOfRounds, PassRate, PossibleKnees, PreconditionHeadline, ProofHeadline,
    RandomHeadline, RoundsHeadline, SearchHeadline, SearchResult, SearchedValue, StandardHeadline,
    StandardLoop, StandardTest, StoppedTest, TrackedMean, TuningEffect, TuningHeadline, TurnVariants,
    UnratedRounds,
};
use fathom_results::quick::{
    RAND_READ_IOPS, RAND_READ_LATENCY, RAND_WRITE_IOPS, SEQ_READ_BANDWIDTH, SEQ_WRITE_BANDWIDTH,
};
use fathom_text::number::{change, change_interval, grouped};
use fathom_text::quantity::{bandwidth, bytes, iops, latency, percent, rate, rounded_time};
use fathom_text::words::{counted, counted_as};

/// Fewer rounds have no interval.
const INTERVAL_FROM: u64 = 3;

type Shown = fn(f64) -> String;

/// `randread: 51.2k IOPS ± 0.4 % (means of 5 rounds; ±: their 95 % interval).`
pub fn rounds(headline: &RoundsHeadline) -> String {
    let n = headline.rounds;
    let of_quick = if headline.is_quick { six(&headline.jobs) } else { None };
    let has_interval = match &of_quick {
        Some((_, has_interval)) => *has_interval,
        None => headline.jobs.iter().any(shows_interval),
    };
    let each = || headline.jobs.iter().map(|job| of_job(job, n)).collect::<Vec<_>>().join("; ");
    let figures = of_quick.map_or_else(each, |(six, _)| six);
    match headline.jobs.is_empty() {
        true => format!("{n} rounds without I/O."),
        _ if n < INTERVAL_FROM => format!("{figures} ({}: too few for an interval).", counted(n, "round")),
        // Where no figure has an interval, none is explained.
        _ if !has_interval => format!("{figures} ({}).", counted(n, "round")),
        _ => format!("{figures} (means of {n} rounds; ±: their 95 % interval)."),
    }
}

/// Rate, bandwidth and latencies of each job, a line each.
pub fn lines_of_rounds(headline: &RoundsHeadline) -> Vec<String> {
    headline.jobs.iter().flat_map(|job| others(job, headline.rounds)).collect()
}

/// `randread: 51.2k IOPS ± 0.4 %`; of a job with a rate, whether it kept it, and its response latency.
fn of_job(job: &JobOfRounds, rounds: u64) -> String {
    let kept = job.asked.filter(|asked| asked.kept > 0).map(|asked| kept(asked, rounds));
    let unrated = job.unrated.map(|unrated| self::unrated(unrated, rounds));
    let rate = unrated.or(kept).unwrap_or_else(|| job_rate(job));
    format!("{}: {rate}{}", job.job, response(job))
}

/// Does the sentence of this job have an interval?
fn shows_interval(job: &JobOfRounds) -> bool {
    let has_rate = job.unrated.is_none() && job.asked.is_none_or(|asked| asked.kept == 0);
    let rate = match job.asked.map(|asked| asked.rate) {
        Some(Rate::Bytes(_)) => job.bytes_per_second,
        _ => job.iops,
    };
    has_half(rate.filter(|_| has_rate)) || has_half(job.mean_ns.filter(|_| job.is_response))
}

fn has_half(mean: Option<MeanOfRounds>) -> bool {
    mean.and_then(|mean| mean.half_share).is_some_and(|half| half < HALF_MAX)
}

/// `2,560 I/Os in 17.1 ms, which is too short for a rate (in 2 of 3 rounds)`: of the shortest round without a rate.
fn unrated(it: UnratedRounds, rounds: u64) -> String {
    let part = if it.rounds == rounds {
        String::new()
    } else {
        format!(" ({})", in_rounds(RoundsPart { times: it.rounds, of: rounds }))
    };
    let why = it.why.words();
    format!("{} in {}, {why}{part}", counted_ios(it.ios), latency(it.seconds * 1e9))
}

/// `kept its 2,000 IOPS in 3 of 3 rounds`.
fn kept(asked: AskedOfRounds, rounds: u64) -> String {
    let promised = match asked.rate {
        Rate::Ios(ios) => format!("{} IOPS", grouped(ios)),
        Rate::Bytes(bytes) => bandwidth(bytes as f64),
    };
    let reached = match asked.kept == rounds {
        true => String::new(),
        false => format!(" (from {} to {})", rate(asked.iops_lowest), rate(asked.iops_highest)),
    };
    format!("kept its {promised} in {} of {rounds} rounds{reached}", asked.kept)
}

/// The mean rate; of a rate that was missed, with the one that was asked for.
fn job_rate(job: &JobOfRounds) -> String {
    let missed = job.asked.map(|asked| of_the_asked(asked.rate)).unwrap_or_default();
    let rate = match job.asked.map(|asked| asked.rate) {
        Some(Rate::Bytes(_)) => job.bytes_per_second.map(|it| mean(it, bandwidth, "")),
        _ => job.iops.map(|it| mean(it, rate, "")),
    };
    rate.unwrap_or_default() + &missed + &fallen(job.falls)
}

/// Behind the rate that lasts, that it fell: ` after it fell in 2 of 3 rounds (in the first of them at second 12, from 3.00k
/// IOPS and 12.3 MB/s, after 1.18 GB)`.
fn fallen(falls: Option<FallsOfRounds>) -> String {
    let Some(FallsOfRounds { rounds, of, first }) = falls else { return String::new() };
    format!(
        " after it fell in {rounds} of {of} rounds (in the first of them at second {}, from {} IOPS and {}, after {})",
        first.at_s,
        iops(first.iops_before),
        bandwidth(first.bytes_per_second_before),
        bytes(first.bytes_before),
    )
}

/// The response latency of a job with a rate: `, 93.0 µs ± 2.0 % from the planned start, p99 571 µs`.
fn response(job: &JobOfRounds) -> String {
    let Some(it) = job.mean_ns.filter(|_| job.is_response) else { return String::new() };
    let p99 = job.p99_ns.map(|p99| format!(", p99 {}", latency(p99.median))).unwrap_or_default();
    format!(", {} from the planned start{p99}", mean(it, latency, ""))
}

/// Bandwidth and latencies of a job, one line each.
fn others(job: &JobOfRounds, rounds: u64) -> Vec<String> {
    let response = if job.is_response { "response " } else { "" };
    let whole = |it: MeanOfRounds, shown: Shown| format!("{} ({})", mean(it, shown, ""), range(it, shown));
    let rate = job.iops.map(|it| format!("rate {}", range(it, rate)));
    let flow = job.bytes_per_second.map(|it| format!("bandwidth {}", whole(it, bandwidth)));
    let mean = job.mean_ns.map(|it| format!("mean {response}latency {}", whole(it, latency)));
    let p99 = job.p99_ns.filter(|p99| p99.rounds == rounds);
    let p99 = p99.map(|it| format!("p99 {response}latency {}", middle(it)));
    [rate, flow, mean, p99].into_iter().flatten().map(|line| format!("{}: {line}", job.job)).collect()
}

/// Half of an interval from this share of the mean on says that no mean describes the rounds.
const HALF_MAX: f64 = 1.0;

/// The mean, words behind it, and half of its interval; of rounds that differ too much, the lowest and the highest.
fn mean(it: MeanOfRounds, shown: Shown, words: &str) -> String {
    match it.half_share {
        None => format!("{}{words}", shown(it.mean)),
        Some(half) if half < HALF_MAX => format!("{}{words} ± {}", shown(it.mean), percent(half)),
        Some(_) => format!("{}{words}, too different for a mean", range(it, shown)),
    }
}

/// `from 990 IOPS to 1.01k IOPS`.
fn range(it: MeanOfRounds, shown: Shown) -> String {
    format!("from {} to {}", shown(it.lowest), shown(it.highest))
}

/// Percentiles have long tails, so there is a median.
fn middle(it: MedianOfRounds) -> String {
    let [median, low, high] = [it.median, it.lowest, it.highest].map(latency);
    format!("{median} (median of the rounds; from {low} to {high})")
}

/// The six of `quick`: `84.7k random reads/s ± 1.1 %, 37.8k random writes/s ± 8.6 % (4k QD32); 4.53 GB/s read ± 8.6 %, …; one read
/// takes 45.7 µs ± 19 %`. With whether it has an interval. `None` where none of them has a figure.
fn six(jobs: &[JobOfRounds]) -> Option<(String, bool)> {
    const RANDOM: [(&str, &str); 2] =
        [(RAND_READ_IOPS, " random reads/s"), (RAND_WRITE_IOPS, " random writes/s")];
    const FLOWS: [(&str, &str); 2] = [(SEQ_READ_BANDWIDTH, " read"), (SEQ_WRITE_BANDWIDTH, " written")];
    let named = |name: &str| jobs.iter().find(|job| job.job == name);
    let rated = |name: &str| named(name).filter(|job| job.unrated.is_none());
    let mut has_interval = false;
    let mut listed = |parts: &[(&str, &str)], of: fn(&JobOfRounds) -> Option<MeanOfRounds>, shown: Shown| {
        let part = |(name, words): &(&str, &str)| {
            let job = rated(name)?;
            let it = of(job)?;
            has_interval |= has_half(Some(it));
            Some(mean(it, shown, words) + &fallen(job.falls))
        };
        let parts: Vec<String> = parts.iter().filter_map(part).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    };
    let does = RANDOM.iter().find_map(|(name, _)| Some(named(name)?.does.as_str()));
    let does = does.filter(|does| !does.is_empty()).map(|does| format!(" ({does})")).unwrap_or_default();
    let random = listed(&RANDOM, |job| job.iops, iops).map(|random| random + &does);
    let flows = listed(&FLOWS, |job| job.bytes_per_second, bandwidth);
    let alone = named(RAND_READ_LATENCY).and_then(|job| job.mean_ns);
    has_interval |= has_half(alone);
    let alone = alone.map(|it| format!("one read takes {}", mean(it, latency, "")));
    let parts: Vec<String> = [random, flows, alone].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| (parts.join("; "), has_interval))
}

/// What was measured in turn.
pub fn in_turn(headline: &InTurnHeadline) -> String {
    let rounds = headline.rounds;
    match &headline.variants {
        TurnVariants::Settings(settings) => format!(
            "The jobs were measured {rounds} times each, in turn, as given and with {}. fathom compare says how they differ.",
            settings.join(", ")
        ),
        TurnVariants::Files(files) => format!(
            "{} job files were measured {rounds} times each, in turn: {}. fathom compare says how they differ.",
            files.len(),
            files.join(", ")
        ),
    }
}

/// The effect of a tuning. If the interval contains 1, no effect was measured, whatever the median is.
pub fn tuning(headline: &TuningHeadline) -> String {
    let quantity = match headline.figure {
        JudgedFigure::Iops => "IOPS",
        JudgedFigure::Bandwidth => "bytes/s",
        JudgedFigure::Latency => "mean latency (ns)",
    };
    let after = if headline.has_fallen { " after the fall of the rate" } else { "" };
    let effect = match headline.effect {
        TuningEffect::RateFell => {
            "the rate fell during a round, so its figure is of two rates: no verdict".to_owned()
        }
        TuningEffect::TooFew => "too few pairs, or a run without I/O: no verdict".to_owned(),
        TuningEffect::Ratio { median, low, high, pairs } => {
            let (median, interval) = (change(median), change_interval((low, high)));
            let interval = format!("95 % interval {interval}, {pairs} pairs");
            match low <= 1.0 && 1.0 <= high {
                true => format!("no measurable effect (median {median}, {interval})"),
                false => format!("{median} ({interval})"),
            }
        }
    };
    format!("{}: {quantity}{after}: {effect}", headline.knob)
}

/// What a search came to.
pub fn search(headline: &SearchHeadline) -> String {
    let name = &headline.option;
    let measured = |value: &String| headline.values.iter().find(|one| one.value == *value);
    let at = |value: &String| {
        let figures = measured(value).map(|one| of_value(headline, one)).unwrap_or_default();
        format!("{name}={value}: {figures}")
    };
    let end = |one: Option<&SearchedValue>| one.map(|one| at(&one.value)).unwrap_or_default();
    let limit = limit(headline);
    match &headline.found {
        None => "The search is not finished.".to_owned(),
        Some(SearchResult::DepthNotReached { value, reachable }) => {
            format!("There is no conclusion: {}", depth_not_reached(value, *reachable))
        }
        Some(SearchResult::Knee { value, lower_beyond, adds_latency, possible }) => {
            let most = headline.values.iter().max_by(|a, b| a.iops.total_cmp(&b.iops));
            let most_at =
                most.map(|one| format!("{} at {name}={}", rate(one.iops), one.value)).unwrap_or_default();
            let beyond = beyond(headline, lower_beyond.as_ref(), *adds_latency);
            let sure = certainty(headline.repeat, possible.as_ref(), value);
            format!("The knee is at {}; the most rate is {most_at}, and {beyond}. {sure}", at(value))
        }
        Some(SearchResult::Within { value, next }) => {
            let above = next.as_ref().and_then(measured).and_then(|one| one.limited_ns);
            let above = above.map(|ns| format!("; the next value has {}", latency(ns))).unwrap_or_default();
            format!("Within {limit}: {}{above}.", at(value))
        }
        Some(SearchResult::NoneIsWithin) => {
            format!("No value is within {limit}: {}.", end(headline.values.first()))
        }
        Some(SearchResult::AllAreWithin) => format!(
            "All values are within {limit}, so a higher one may be, too; the highest, {}.",
            end(headline.values.last())
        ),
        Some(SearchResult::StillRises) => format!(
            "There is no knee up to the highest value: the rate still rises there, {}. Give larger values.",
            end(headline.values.last())
        ),
    }
}

/// Each value that was measured, a line each, in order of demand.
pub fn lines_of_search(headline: &SearchHeadline) -> Vec<String> {
    let line = |one: &SearchedValue| {
        let rounds = counted(one.rounds, "round");
        format!("{}={}: {} ({rounds})", headline.option, one.value, of_value(headline, one))
    };
    headline.values.iter().map(line).collect()
}

/// What more demand did, by the values that were measured.
fn beyond(headline: &SearchHeadline, lower: Option<&LowerBeyond>, adds_latency: bool) -> String {
    let Some(LowerBeyond { value, after_gap }) = lower else {
        return more_than_knee(adds_latency).to_owned();
    };
    let rate = headline.values.iter().find(|one| one.value == *value).map_or(0.0, |one| one.iops);
    let most = headline.values.iter().map(|one| one.iops).fold(0.0, f64::max);
    let less = format!("{}={value} has {} less", headline.option, percent(1.0 - rate / most));
    match after_gap {
        None => less,
        Some(before) => format!("{less} (between {}={before} and it nothing was measured)", headline.option),
    }
}

/// Which other values may be the knee, by how much the rounds of a value vary.
fn certainty(repeat: u64, possible: Option<&PossibleKnees>, knee: &String) -> String {
    let Some(PossibleKnees { from, to }) = possible else {
        return format!(
            "Each value was measured {}, so how far noise may have moved the knee is not known: --repeat 3 tells.",
            if repeat == 1 { "once".to_owned() } else { counted(repeat, "time") }
        );
    };
    match from == knee && to.as_ref() == Some(knee) {
        true => "The rounds of each value vary by less than would move it.".to_owned(),
        false => format!(
            "By the spread of the rounds it may be anywhere from {from} to {}.",
            to.as_deref().unwrap_or("above the highest value")
        ),
    }
}

fn limit(headline: &SearchHeadline) -> String {
    headline.limit.as_ref().map_or("the knee".to_owned(), |limit| {
        format!("{} ≤ {}", limit.figure, latency(limit.limit_ns as f64))
    })
}

fn of_value(headline: &SearchHeadline, one: &SearchedValue) -> String {
    let limited = headline.limit.as_ref().zip(one.limited_ns);
    let limited =
        limited.map(|(limit, ns)| format!(", {} {}", limit.figure, latency(ns))).unwrap_or_default();
    let (kind, since) =
        if one.is_response { ("response", " from the planned start") } else { ("latency", "") };
    let fell = match one.fallen {
        0 => String::new(),
        1 => ", means of two rates, because it fell meanwhile".to_owned(),
        jobs => format!(", means of two rates, because {jobs} of them fell meanwhile"),
    };
    let [rate, flow, mean] = [rate(one.iops), bandwidth(one.bytes_per_second), latency(one.mean_ns)];
    format!("{rate}, {flow}, mean {kind} {mean}{limited}{since}{fell}")
}

/// Why a medium needs no preconditioning.
pub const fn fast_as_new(medium: FastAsNew) -> &'static str {
    match medium {
        FastAsNew::Optane => "an Optane drive is as fast new as in use",
        FastAsNew::HardDisk => "a hard disk is as fast new as in use",
    }
}

/// What a preconditioning came to.
pub fn precondition(headline: &PreconditionHeadline) -> String {
    let PreconditionHeadline { target, passes, passes_before, needless, .. } = headline;
    if headline.is_disproved {
        return format!("{target} is NOT preconditioned: what was read back is not what was written.");
    }
    if let Some(needless) = needless {
        return format!("Nothing was written to {target}: {}.", fast_as_new(*needless));
    }
    let range = format!("{} bytes of {target}", grouped(headline.bytes));
    let earlier = match passes_before {
        0 => String::new(),
        before => format!(" after {} of earlier runs", counted_as(*before, "pass", "passes")),
    };
    let block = Bytes(headline.block_bytes);
    let mut text = match (*passes, *passes_before) {
        (0, 0) => format!("{range} were not written in order"),
        (0, before) => format!(
            "{range} have been written in order {} by earlier runs, and nothing but fathom has written there since",
            counted(before, "time")
        ),
        (passes, _) => format!(
            "{range} were written in order {}, in blocks of {block}{earlier}",
            counted(passes, "time")
        ),
    };
    if let Some(random) = &headline.random {
        text += &format!(", and then at random in blocks of {}", Bytes(random.block_bytes));
    }
    text + "."
}

/// The rates of a preconditioning and its proof, a line each.
pub fn lines_of_precondition(headline: &PreconditionHeadline) -> Vec<String> {
    let flow = |it: &PassRate| bandwidth(if it.seconds > 0.0 { it.bytes / it.seconds } else { 0.0 });
    let pass = |it: &PassRate| {
        let (all, took) = (bytes(it.bytes), rounded_time((it.seconds * 1e9) as u64));
        format!("pass {}: {all} in {took}, {}{}", it.pass, flow(it), heat(it.too_hot))
    };
    let passes = match headline.rates.as_slice() {
        [first, last] if headline.passes > 2 => {
            let [first, last] = [first, last].map(|it| flow(it) + &heat(it.too_hot));
            vec![format!("passes: {first} in the first, {last} in the last")]
        }
        each => each.iter().map(pass).collect(),
    };
    let random = headline.random.as_ref().map(random);
    let proof = headline.proof.map(|proof| format!("proof: {}", proven(proof)));
    passes.into_iter().chain(random).chain(proof).collect()
}

/// Behind a rate of a drive that was too hot, and so slows itself down: in how many rounds it was.
fn heat(hot: Option<RoundsPart>) -> String {
    hot.map(|hot| format!("; too hot {}", in_rounds(hot))).unwrap_or_default()
}

/// How the rate of the random writes went.
fn random(it: &RandomHeadline) -> String {
    let went = it.iops_first.zip(it.iops_last).map(|(first, last)| {
        format!("; {} IOPS in the first round, {} in the last", iops(first), iops(last))
    });
    let settled = it
        .settled
        .map(|rate| format!("; settled at {} IOPS ± {}", iops(rate.iops), percent(rate.half_share)));
    format!(
        "random {}: {} in {}{}{}{}",
        Bytes(it.block_bytes),
        bytes(it.bytes),
        rounded_time((it.seconds * 1e9) as u64),
        went.unwrap_or_default(),
        settled.unwrap_or_default(),
        heat(it.too_hot)
    )
}

fn proven(proof: ProofHeadline) -> String {
    let read = bytes(proof.read_bytes as f64);
    if proof.is_whole {
        return format!("every byte ({read}) was read: no sector is empty, and all data looks random.");
    }
    format!(
        "{read} at both ends and at random places were read: no sector is empty, and all data looks random. So it is \
         95 % sure that at least {} of the range is like this.",
        percent(proof.sure_share)
    )
}

/// What the tests of a standard came to: of one test all of it, of several how many are steady.
pub fn standard(headline: &StandardHeadline) -> String {
    let tests = &headline.tests;
    if let [only] = tests.as_slice() {
        return line_of_test(only);
    }
    let count = |is_steady| tests.iter().filter(|it| it.is_steady() == Some(is_steady)).count() as u64;
    let (steady, not, all) = (count(true), count(false), tests.len() as u64);
    if steady + not == 0 {
        return format!("{} without a verdict on steady state.", counted(all, "test"));
    }
    let parts = [(not, "without it"), (all - steady - not, "without a verdict on it")];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: String = parts.map(|(count, what)| format!(", {count} {what}")).collect();
    format!("{}: {steady} with steady state{parts}.", counted(all, "test"))
}

/// What each of several tests came to.
pub fn lines_of_standard(headline: &StandardHeadline) -> Vec<String> {
    match headline.tests.len() {
        0 | 1 => Vec::new(),
        _ => headline.tests.iter().map(line_of_test).collect(),
    }
}

fn line_of_test(test: &StandardTest) -> String {
    format!("{}: {}", test.test, of_test(test))
}

/// What one test came to.
pub fn of_test(test: &StandardTest) -> String {
    if let Some(why) = &test.not_run {
        return format!("not run: {}.", crate::deviation::cannot(why));
    }
    let result = match test.loops.as_slice() {
        [] => format!("{} measured; the standard asks for no steady state.", counted(test.rounds, "round")),
        loops => loops.iter().map(of_loop).collect::<Vec<_>>().join("; ") + ".",
    };
    match &test.stopped {
        Some(stopped) => format!("{} Until then: {result}", self::stopped(stopped)),
        None => result,
    }
}

/// The round in which a test stopped before its end.
pub fn stopped(stopped: &StoppedTest) -> String {
    let StoppedTest { cell, round, why } = stopped;
    format!(
        "STOPPED in round {round} of {cell}, after {}: {}.",
        counted(round.saturating_sub(1), "whole round"),
        round_failure(why)
    )
}

fn of_loop(one: &StandardLoop) -> String {
    let rounds = counted(one.rounds, "round");
    match one.state {
        LoopState::NotBegun => format!("{} not begun", one.cell),
        LoopState::Untracked { written_bytes } => {
            format!("{} written in {rounds}, and no steady state is asked for", bytes(written_bytes))
        }
        LoopState::Steady { after_round } => format!("steady state after round {after_round}{}", means(one)),
        LoopState::NotSteady { written_bytes } => {
            let why = match written_bytes {
                Some((written, most)) => {
                    let [written, most] = [written, most].map(bytes);
                    format!(", which wrote {written}: the test ends after {most}")
                }
                None => ", the most that the test has".to_owned(),
            };
            format!("NO steady state in {rounds}{why}{}", means(one))
        }
        LoopState::NotYet => format!("no steady state yet after {rounds}"),
    }
}

/// ` (145k IOPS at RND 4 KiB, 0/100)`, for each tracking variable.
fn means(one: &StandardLoop) -> String {
    let of = |it: &TrackedMean| {
        let value = match it.quantity {
            JudgedFigure::Iops => rate(it.mean),
            JudgedFigure::Bandwidth => bandwidth(it.mean),
            JudgedFigure::Latency => latency(it.mean),
        };
        format!("{value} at {}", it.variable)
    };
    let each: Vec<String> = one.means.iter().map(of).collect();
    if each.is_empty() { String::new() } else { format!(" ({})", each.join("; ")) }
}
