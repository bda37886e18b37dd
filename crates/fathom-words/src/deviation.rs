//! In what a procedure deviated from what it prescribes, in words.

use crate::Claim;
use crate::jobs::in_rounds;
use crate::of_finding;
use fathom_job::units::Bytes;
use fathom_results::answer::{
    CacheState, CannotRun, Deviation, DoubtedRuns, ReportDeviation, TkperfDefect, UnverifiedPoint,
};
use fathom_results::{Finding, Prescribed};
use fathom_text::words::counted;

/// A full sentence.
pub fn sentence(deviation: &Deviation) -> String {
    let clause = clause(deviation).whole();
    // A code stands at the end of what a rule found, and a full stop at that of some claims.
    let has_end = matches!(deviation, Deviation::RunsDoubted { .. }) || clause.ends_with('.');
    if has_end { clause } else { clause + "." }
}

/// The same in its parts, mostly without a full stop.
pub(crate) fn clause(deviation: &Deviation) -> Claim {
    let Words { claim, detail } = words(deviation);
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    crate::claim::claim(claim).explained(detail)
}

/// A full sentence, behind the labels of the runs that it is about.
pub fn in_report(deviation: &ReportDeviation) -> String {
    let sentence = sentence(&deviation.what);
    match deviation.of_runs.as_slice() {
        [] => sentence,
        runs => format!("{}: {sentence}", runs.join(", ")),
    }
}

/// The claim alone, for the head of each page. `None` of what only the first page has: what could not be confirmed, what TKperf does
/// differently, and what is about some of the runs that stand side by side.
pub fn short(deviation: &ReportDeviation) -> Option<String> {
    let is_of_all = deviation.of_runs.is_empty();
    match &deviation.what {
        Deviation::Unverified { .. }
        | Deviation::Tkperf
        | Deviation::TkperfDefect { .. }
        | Deviation::RunsDiffer { .. }
        | Deviation::RunsDoubted { .. } => None,
        Deviation::TestNotRun { test, .. } => Some(format!("{test} not run")),
        what => is_of_all.then(|| words(what).claim),
    }
}

/// Why a target cannot have a test.
pub fn cannot(why: &CannotRun) -> String {
    match why {
        CannotRun::SmallIos { needs_bytes, target, smallest_bytes } => {
            let (needs, has) = (Bytes(*needs_bytes), Bytes(*smallest_bytes));
            format!("its workload has I/Os of {needs}, and the smallest I/O of {target} is {has}")
        }
        CannotRun::SmallRange { needs_bytes, has_bytes } => {
            let (needs, has) = (Bytes(*needs_bytes), Bytes(*has_bytes));
            format!("it needs {needs} at least, and the active range has {has}")
        }
    }
}

/// A claim, and what belongs to it behind a colon.
struct Words {
    claim: String,
    detail: Option<String>,
}

fn alone(claim: impl Into<String>) -> Words {
    Words { claim: claim.into(), detail: None }
}

fn with(claim: impl Into<String>, detail: impl Into<String>) -> Words {
    Words { claim: claim.into(), detail: Some(detail.into()) }
}

fn words(deviation: &Deviation) -> Words {
    match deviation {
        Deviation::Simulated { scale: 1 } => {
            with("The drive is simulated", "no figure is that of a real drive")
        }
        Deviation::Simulated { scale } => with(
            format!("The drive is simulated, and 1/{scale} of a whole drive"),
            format!(
                "its rates are {scale} times lower, and latency under load is up to {scale} times that of the whole"
            ),
        ),
        Deviation::TimesDivided { divisor, of: Prescribed::Standard } => with(
            format!("All times are 1/{divisor} of the standard's"),
            "the figures are not those of the standard",
        ),
        Deviation::TimesDivided { divisor, of: Prescribed::Suite } => {
            with(format!("All times are divided by {divisor}"), "the figures are not those of the full suite")
        }
        Deviation::NotPurged => alone("The device was not purged before the tests"),
        Deviation::PurgedWithZeroes => with(
            "The purge wrote zeroes, because the device offers nothing better",
            "to flash these are data, so it was full and not empty before the tests. The members of an array can be purged one by \
             one before the array is made",
        ),
        Deviation::WriteCache { is, wants_on, is_fixed } => alone(write_cache(*is, *wants_on, *is_fixed)),
        Deviation::ActiveRange { percent, standard_percent } => alone(format!(
            "The active range is {percent} % of the device; the standard asks for {standard_percent} %"
        )),
        Deviation::Demand { tests, demand, standard } => {
            let demand_of = |(workers, depth): (u64, u64)| format!("TC {workers} / QD {depth}");
            alone(format!(
                "The demand of {} is {}; the standard recommends {} for the IOPS test",
                tests.join(", "),
                demand_of(*demand),
                demand_of(*standard)
            ))
        }
        Deviation::TestNotRun { test, because } => {
            with(test, format!("not run, because {}", cannot(because)))
        }
        Deviation::CellsLeftOut { test, block_bytes, target, smallest_bytes } => {
            let blocks: Vec<String> = block_bytes.iter().map(|bytes| Bytes(*bytes).to_string()).collect();
            with(
                format!("{test} without the cells of {}", blocks.join(", ")),
                format!("the smallest I/O of {target} is {}", Bytes(*smallest_bytes)),
            )
        }
        Deviation::Interrupted { times } => alone(format!(
            "The tests were interrupted {}; no measurement window spans an interruption",
            counted(*times, "time")
        )),
        Deviation::Unverified { points } => {
            let points: Vec<&str> = points.iter().map(|point| unverified(*point)).collect();
            with("Not confirmed in the text of the standard", points.join("; "))
        }
        Deviation::Tkperf => {
            alone("The tests are TKperf's variant of the standard's, and not those of the standard")
        }
        Deviation::TkperfDefect { defect } => alone(tkperf(*defect)),
        Deviation::Unsound { drive, says } => with(format!("The drive {drive} is not sound"), says),
        Deviation::OtherConditions { interruption, differences } => with(
            format!("After interruption {interruption} the tests went on under other conditions"),
            differences.join("; "),
        ),
        Deviation::GroupsLeftOut { groups } => {
            with("These groups of the suite were left out (--only)", groups.join(", "))
        }
        Deviation::TooManySubsets { targets, most, groups } => with(
            format!("{targets} targets have too many subsets, so these groups were left out"),
            format!("{}. Give at most {most}", groups.join(", ")),
        ),
        Deviation::NotEmptied => {
            alone("The targets were not emptied before the cells that the suite empties them for")
        }
        Deviation::FileNotEmptied => {
            with("A file cannot be emptied as a drive can", "cells that begin on an empty drive did not")
        }
        Deviation::DirectoryNotFilled => {
            alone("A directory cannot be filled, so cells that begin on a full target did not")
        }
        Deviation::NotFormatted => {
            alone("A simulated drive has blocks of 512 bytes and is not formatted to others")
        }
        Deviation::OptionSet { option, value } => {
            alone(format!("{option}={value} is set in every job (--set)"))
        }
        Deviation::Unfinished { ended_early, missing, of } => {
            let how = if *ended_early { "It ended early" } else { "It is not finished" };
            match missing {
                0 => alone(how),
                missing => with(how, format!("{missing} of {of} steps were not measured")),
            }
        }
        Deviation::RunsDiffer { run, what, now, before, first, is_given } => {
            let none = if *is_given { "not given" } else { "not known" };
            let value = |value: &Option<String>| value.clone().unwrap_or_else(|| none.to_owned());
            with(run, format!("{what} is {}, and it was {} for {first}", value(now), value(before)))
        }
        Deviation::RunsDoubted { runs, findings } => {
            let claims: Vec<String> =
                findings.iter().map(|finding| of_finding(finding).claim.whole()).collect();
            let such_as = if claims.windows(2).any(|two| two[0] != two[1]) { ", such as" } else { "" };
            let first = claims.into_iter().next().unwrap_or_default();
            let code = findings.first().map(Finding::code).unwrap_or_default();
            with(format!("{}{such_as}", doubted(runs)), format!("{first} [{code}]"))
        }
    }
}

/// `RAID0, RAID5: in 3 of 6 rounds; RAID1: in every round`; `Each run in every round`.
fn doubted(runs: &[DoubtedRuns]) -> String {
    let often = |it: &DoubtedRuns| match it.rounds {
        None => "in every round".to_owned(),
        Some(part) => in_rounds(part),
    };
    if let [all] = runs
        && all.runs.is_empty()
    {
        return format!("Each run {}", often(all));
    }
    let each = runs.iter().map(|it| format!("{}: {}", it.runs.join(", "), often(it)));
    each.collect::<Vec<_>>().join("; ")
}

fn write_cache(is: CacheState, wants_on: bool, is_fixed: bool) -> String {
    let asked = if wants_on { "on" } else { "off" };
    let is = match is {
        CacheState::On => "on",
        CacheState::Off => "off, or the device has none",
        CacheState::Unread => "on or off, which could not be read",
    };
    let cannot = if is_fixed { ", and fathom cannot set it in this device" } else { "" };
    format!("The write cache is {is}; the standard asks for it {asked}{cannot}")
}

const fn unverified(point: UnverifiedPoint) -> &'static str {
    match point {
        UnverifiedPoint::ThroughputFill => {
            "that the throughput test fills with the block that it tests, and tracks reads and writes"
        }
        UnverifiedPoint::WindowMaximum => {
            "that the maximum latency of a window is the largest of its five rounds"
        }
        UnverifiedPoint::SaturationEnd => "that write saturation ends after 6 hours",
        UnverifiedPoint::RecoveryRange => "the active range of the recovery tests of a client drive",
        UnverifiedPoint::MostIops => "that the most IOPS are those with a mean latency below 5 ms",
    }
}

const fn tkperf(defect: TkperfDefect) -> &'static str {
    match defect {
        TkperfDefect::RestsBetweenCells => {
            "TKperf starts fio for each cell, so the drive rests between two cells; here each round is one job file"
        }
        TkperfDefect::SameAddresses => {
            "TKperf keeps fio's usual seed, so each round uses the same addresses; here each round has others"
        }
        TkperfDefect::LosesResults => {
            "An error ends TKperf without any result; here what was measured is kept, and fathom resume goes on"
        }
        TkperfDefect::MountByName => {
            "TKperf looks for the name of the device in the list of mounts, where /dev/md1 is also found in /dev/md12; here the \
             guard examines the device and all that uses it"
        }
        TkperfDefect::UnprovenErase => {
            "TKperf erases an ATA drive only if it offers the enhanced erase, and goes on where nothing was erased; here the \
             purge is proven by reading, or its absence is named"
        }
        TkperfDefect::FillsOnceEach => {
            "With several jobs TKperf fills the device once for each of them; here it is filled twice by one stream, as the \
             standard asks"
        }
        TkperfDefect::WeightedLatency => {
            "TKperf's latency of a mix is 0.65 of that of the reads and 0.35 of that of the writes, also of the shortest and the \
             longest; here it is that of all I/Os"
        }
        TkperfDefect::UnfilledBlocks => {
            "TKperf does not fill the device before each block size, so reads may find blocks that hold nothing; here it is \
             filled twice"
        }
        TkperfDefect::JudgesOneBlock => {
            "TKperf judges the writes of 1 MiB, and repeats the other block sizes as often; here each block size has its own \
             steady state"
        }
        TkperfDefect::SameStart => {
            "With several jobs TKperf's streams all begin at the same block; here it is one stream with all I/Os outstanding \
             together"
        }
        TkperfDefect::StartsAtZero => {
            "TKperf's rounds all begin at the start of the device; here each goes on where the last ended"
        }
        TkperfDefect::SizeTooLarge => {
            "TKperf computes the size of a drive with blocks of 4,096 bytes eight times too large in its log; here sizes are in \
             bytes"
        }
        TkperfDefect::ZonesTooShort => {
            "TKperf's zones end before the end of the disk, because their length is rounded down; here the last zone holds the \
             rest"
        }
    }
}
