//! How a rate went: falls, spreads, stalls, rates that were missed, measurements that were too short.

use super::FindingWords;
use crate::claim::claim;
use crate::jobs::in_unit;
use fathom_results::finding::{
    FewIos, MissedRate, RateFallEvidence, RateSpreadEvidence, StallCause, StallEvidence,
};
use fathom_results::{Evidence, Finding, Weight};
use fathom_text::number::grouped;
use fathom_text::quantity::{bandwidth, bytes, iops, percent, seconds};

pub(super) fn words(finding: &Finding) -> Option<FindingWords> {
    Some(match &finding.evidence {
        Evidence::RateFell { jobs, is_only } => rate_fell(jobs, *is_only),
        Evidence::Unstable { jobs, is_only } => unstable(jobs, *is_only),
        Evidence::Stalls { workers } => stalls(workers, finding.weight),
        Evidence::RateMissed { jobs } => rate_missed(jobs),
        Evidence::FewSamples { jobs } => FindingWords::of(
            "too few I/Os for a reliable p99.9",
            &jobs.iter().map(few_ios).collect::<Vec<_>>(),
            "a longer runtime, or read p99 instead of p99.9",
        ),
        Evidence::ShortRun { job, windows, window_s, varied_most } => {
            let most = varied_most.as_ref();
            let most = most.map(|(job, share)| format!("; {job} varied most, by {}", percent(*share)));
            FindingWords::new(
                claim("the measurement was short").explained(
                    ": the drive may still write into its fast cache, and a volume may still use its burst credits",
                ),
                format!("{windows} windows of {window_s} s for {job}{}", most.unwrap_or_default()),
                "--seconds 60 or more; steady state of flash takes hours, after preconditioning",
            )
        }
        _ => return None,
    })
}

/// `w: fell from 107 MB/s to 28.9 MB/s at second 11, after 1.18 GB`.
pub fn rate_fall(fall: &RateFallEvidence) -> String {
    let [before, lasting] = [fall.before, fall.lasting].map(|level| in_unit(level, fall.in_bytes));
    let when = match fall.at_s == fall.lasts_from_s {
        true => format!("at second {}", fall.at_s),
        false => format!("between second {} and {}", fall.at_s, fall.lasts_from_s),
    };
    format!("{}: fell from {before} to {lasting} {when}, after {}", fall.job, bytes(fall.bytes_before))
}

fn rate_fell(jobs: &[RateFallEvidence], is_only: bool) -> FindingWords {
    const ITS_MEAN: &str = ", so its mean is that of two rates";
    let claimed = match jobs.len() {
        1 if is_only => claim("the rate fell during the run").so(ITS_MEAN),
        1 => claim("one rate fell during the run").so(ITS_MEAN),
        _ => claim("rates fell during the run").so(", so their means are those of two rates"),
    };
    FindingWords::of(
        claimed,
        &jobs.iter().map(rate_fall).collect::<Vec<_>>(),
        "measure longer, or precondition the drive, so that all of the time has the lower rate",
    )
}

fn unstable(jobs: &[RateSpreadEvidence], is_only: bool) -> FindingWords {
    let was =
        |name: &str| claim(format!("{name} was not steady")).so(", so another run can have another mean");
    let were =
        |names: String| claim(format!("{names} were not steady")).so(", so another run can have other means");
    let claimed = match jobs {
        [_] if is_only => was("the rate"),
        [one, other] => were(format!("{} and {}", one.job, other.job)),
        [one, others @ ..] if !others.is_empty() => were(format!("{} and {} more", one.job, others.len())),
        all => was(all.first().map_or("the rate", |one| one.job.as_str())),
    };
    FindingWords::of(
        claimed,
        &jobs.iter().map(spread).collect::<Vec<_>>(),
        "a longer run, after preconditioning; look at the time line for what changes",
    )
}

fn spread(of: &RateSpreadEvidence) -> String {
    let range = match of.in_bytes {
        true => format!("{} to {}", bandwidth(of.min.bytes_per_second), bandwidth(of.max.bytes_per_second)),
        false => format!("{} to {} IOPS", iops(of.min.iops), iops(of.max.iops)),
    };
    format!("{}: {range} between windows of {} s; varies by {}", of.job, of.window_s, percent(of.variation))
}

/// A long stall decides what the mean is, so its rule gives it a lower weight, and its length is named. Workers that waited while
/// the target served others are no stall of the target, and are named only as evidence where another one is.
fn stalls(workers: &[StallEvidence], weight: Weight) -> FindingWords {
    let of = |cause: StallCause| workers.iter().filter(move |it| it.cause() == cause);
    let item = |it: &StallEvidence| {
        let others = if it.cause() == StallCause::UnequalService { ", while others went on" } else { "" };
        format!("{}: up to {} at a time, seen {} ×{others}", it.worker, seconds(it.longest_s, 1), it.times)
    };
    let items = workers.iter().map(item).collect::<Vec<_>>();
    let share = |it: &StallEvidence| it.seconds / it.of_seconds.max(f64::MIN_POSITIVE);
    let still = of(StallCause::Target).chain(of(StallCause::Generator));
    let Some(longest) = still.max_by(|a, b| share(a).total_cmp(&share(b))) else {
        return FindingWords::of(
            claim("the target served some workers and let others wait")
                .explained(": the rate of one worker says little"),
            &items,
            "fewer I/Os in flight, or one worker in the place of several",
        );
    };
    let long = match weight == Weight::Low {
        true => format!("{:.1} of {}", longest.seconds, seconds(longest.of_seconds, 1)),
        false => "a while".to_owned(),
    };
    let claimed = match of(StallCause::Target).next().is_some() {
        true => claim(format!("the target stood still for {long}"))
            .explained(": a mean over that time says little"),
        false => claim(format!("nothing completed for {long}"))
            .explained(", and no I/O was in flight for that long: fathom itself stood still"),
    };
    FindingWords::of(
        claimed,
        &items,
        "look at the time line and dmesg: resets, throttling, garbage collection",
    )
}

/// `paced: 44,777 of 900,000 reads/s (5.0 %)`; the directions of a job are one item.
fn rate_missed(jobs: &[MissedRate]) -> FindingWords {
    let one = |it: &MissedRate| {
        let share = percent(it.reached / it.asked as f64);
        // A rate of a few I/Os a second has its decimals, as it has in the table.
        let reached = if it.reached < 100.0 { iops(it.reached) } else { grouped(it.reached.round() as u64) };
        match it.in_bytes {
            true => format!("{} of {} ({share})", bandwidth(it.reached), bandwidth(it.asked as f64)),
            false => format!("{} of {} {}s/s ({share})", reached, grouped(it.asked), it.direction.name()),
        }
    };
    let of_job = |all: &[MissedRate]| {
        format!("{}: {}", all[0].job, all.iter().map(one).collect::<Vec<_>>().join(", "))
    };
    let items: Vec<String> = jobs.chunk_by(|a, b| a.job == b.job).map(of_job).collect();
    FindingWords::of(
        "the job did not reach its rate, so its I/Os wait in a queue that grows",
        &items,
        "ask for a lower rate, or measure without a rate what the target can do",
    )
}

/// One I/O in this many lies beyond p99.9.
const ONE_IN: u64 = 1_000;

fn few_ios(it: &FewIos) -> String {
    let slower = match it.ios / ONE_IN {
        0 => "no I/O was slower".to_owned(),
        slower => format!("{slower} took longer"),
    };
    format!("{}: {} {}s, {slower}", it.job, grouped(it.ios), it.direction.name())
}
