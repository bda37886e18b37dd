//! What a part of a report came to, and what to know before its figures are used.

use crate::suite::{depth_not_reached, figure_of, judged, more_than_knee, of_group, title_of};
use crate::{of_finding, procedure_headline};
use fathom_results::{
    BestFigure, BestOfRun, DoubtedRounds, FallenRow, PartsCause, ReportHeadline, ReportRemark,
};
use fathom_text::number::three;
use fathom_text::quantity::{bandwidth, bytes, iops, percent, percent_with};
use fathom_text::words::{counted, first_of};

/// So many rounds are named.
const ROUNDS_NAMED_MAX: usize = 6;

/// So many rows are named.
const ROWS_NAMED_MAX: usize = 4;

/// What a part came to.
pub fn headline(headline: &ReportHeadline) -> String {
    match headline {
        ReportHeadline::Nothing => "Nothing was measured.".to_owned(),
        // Times were divided by much: contract T-50.
        ReportHeadline::TooShort => {
            "The rounds were shorter than 0.1 s, which is too short for a rate.".to_owned()
        }
        ReportHeadline::Test(test) => procedure_headline::of_test(test),
        ReportHeadline::Recovery { bytes_per_second_mean, minutes, bytes_per_second_least_later } => {
            recovery(*bytes_per_second_mean, *minutes, *bytes_per_second_least_later)
        }
        ReportHeadline::Group(group) => of_group(group) + ".",
        ReportHeadline::Best { metric, best, row: None } => {
            format!("{} ({}).", with_interval(metric, best), counted(best.rounds, "round"))
        }
        ReportHeadline::Best { metric, best, row: Some(row) } => format!(
            "{}: {} with {row} ({}).",
            extreme(metric),
            with_interval(metric, best),
            counted(best.rounds, "round")
        ),
        ReportHeadline::OfRuns { metric, runs } => {
            let runs: Vec<String> = runs.iter().map(|run| best_of_run(metric, run)).collect();
            format!("{}: {}.", extreme(metric), runs.join("; "))
        }
    }
}

fn recovery(mean: f64, minutes: Option<f64>, least: Option<f64>) -> String {
    let mean = bandwidth(mean);
    let least =
        least.map(|least| format!("; later samples were as low as {}", bandwidth(least))).unwrap_or_default();
    match minutes {
        Some(minutes) => format!(
            "recovery: after {minutes:.1} minutes the sequential writes reached the mean of the first group, {mean}{least}."
        ),
        None => {
            format!(
                "recovery: the sequential writes did not reach the mean of the first group, {mean}, again."
            )
        }
    }
}

/// `Most IOPS`.
fn extreme(metric: &str) -> String {
    let word = if crate::suite::is_less_better(metric) { "Least" } else { "Most" };
    format!("{word} {}", title_of(metric))
}

/// `512k IOPS ± 1.0 %`.
fn with_interval(metric: &str, best: &BestFigure) -> String {
    let half = best.half_share.map(|half| format!(" ± {}", percent(half))).unwrap_or_default();
    figure_of(metric, best.value) + &half
}

/// `RAID0 2.81M IOPS ± 1.0 % (3 rounds)`.
fn best_of_run(metric: &str, of: &BestOfRun) -> String {
    let figure =
        |best: &BestFigure| format!("{} ({})", with_interval(metric, best), counted(best.rounds, "round"));
    let figure = of.best.as_ref().map_or_else(|| "without a figure".to_owned(), figure);
    format!("{} {figure}", of.run)
}

/// What to know before the figures are used.
pub fn remark(remark: &ReportRemark) -> String {
    match remark {
        ReportRemark::Doubted { doubted, of } => in_rounds(doubted, *of as usize),
        ReportRemark::WindowIncomplete { cell, rounds } => {
            format!("{cell}: {rounds} of the 5 rounds of a measurement window are there.")
        }
        ReportRemark::FewForFiveNines => {
            "Where a cell of a round has fewer than 100,000 I/Os, its 99.999 % latency is its maximum.".to_owned()
        }
        ReportRemark::NoDemandIsBelow => {
            "No demand had a mean latency below 5 ms: the point of the most IOPS is that of all demands.".to_owned()
        }
        ReportRemark::HistogramsApart => {
            "The three histograms are of 10 minutes each, after an hour of writes. A cell of a round is of one minute, \
             after other cells, so the IOPS of the two can differ."
                .to_owned()
        }
        ReportRemark::NoCpuUse => {
            "The CPU use of the system by demand is not reported: in virtual time the CPU does nothing for an I/O."
                .to_owned()
        }
        ReportRemark::Rule(rule) => judged(rule) + ".",
        ReportRemark::LimitsKept { kept, of } => format!("{kept} of {of} published limits are kept."),
        ReportRemark::Failed { cells } => format!("Failed, and in no figure: {}.", first_of(cells, ROWS_NAMED_MAX)),
        ReportRemark::OverRounds => {
            "Of several rounds a rate and a mean are means, a percentile is the median, and max is the largest."
                .to_owned()
        }
        ReportRemark::RoundsDiffer { least, most } => {
            format!("The figures are of {least} to {most} rounds.")
        }
        ReportRemark::OfRuns { runs, of } => format!("{}: {}", runs.join(", "), self::remark(of)),
        of_rows => of_rows_or_targets(of_rows),
    }
}

fn of_rows_or_targets(remark: &ReportRemark) -> String {
    match remark {
        ReportRemark::LinkHolds { target, share, link_bytes_per_second } => format!(
            "Target {target} reaches {:.0} % of the {:.0} MB/s that its PCIe link carries: the link holds it back, and a slot with more lanes or a newer generation would not.",
            100.0 * share,
            link_bytes_per_second / 1e6
        ),
        ReportRemark::Times { row, metric, times, group } => {
            let base = group.as_deref().unwrap_or("the first cell");
            format!("{row}: {} is {} times that of {base}.", title_of(metric), three(*times))
        }
        ReportRemark::OfMembers { values, share, members } => {
            let lost = 1.0 - share;
            let overhead = match lost > 0.0 {
                true => format!("an overhead of {}", percent_with(lost, 1)),
                false => "no overhead is visible".to_owned(),
            };
            let members = counted(*members, "member");
            format!(
                "{}the array reaches {} of the sum of its {members}: {overhead}.",
                before(values),
                percent_with(*share, 1)
            )
        }
        ReportRemark::OfParts { values, share, targets, are_members, because } => {
            let whose = match are_members {
                true => "the members, striped by the application,".to_owned(),
                false => format!("{targets} targets"),
            };
            let why = parts_cause(because, *targets);
            format!(
                "{}{whose} reach {} of the sum of the parts; {why}.",
                before(values),
                percent_with(*share, 1)
            )
        }
        ReportRemark::DepthNotReached { line, asked, reachable } => {
            format!("{line}: {}", depth_not_reached(&asked.to_string(), *reachable))
        }
        ReportRemark::Knee { line, option, metric, at, most, most_at, falls, adds_latency } => {
            let most = figure_of(metric, *most);
            let Some(at) = at else {
                return format!(
                    "{line}: the rate still rises at {option}={most_at} ({most}); measure larger values."
                );
            };
            let after = if *falls { "more lowers the rate" } else { more_than_knee(*adds_latency) };
            format!(
                "{line}: {option}={at} reaches 95 % of the most rate, {most} at {option}={most_at}; {after}."
            )
        }
        ReportRemark::Fell { rows } => format!(
            "The rate fell meanwhile in {}, and IOPS and MB/s are those that lasted; latency is of the whole round: {}.",
            counted(rows.len() as u64, "cell"),
            first_of(&rows.iter().map(fallen).collect::<Vec<_>>(), ROWS_NAMED_MAX)
        ),
        ReportRemark::Spread { rows } => {
            let row =
                |it: &fathom_results::SpreadRow| format!("{} ({})", it.row, percent(it.deviation_share));
            format!(
                "The standard deviation of the rounds is above 5 % of the mean in {}: {}. Look for what disturbed them, and repeat.",
                counted(rows.len() as u64, "cell"),
                first_of(&rows.iter().map(row).collect::<Vec<_>>(), ROWS_NAMED_MAX)
            )
        }
        ReportRemark::Drift { job, times, last, most } => drift(job.as_deref(), *times, [*last, *most]),
        _ => String::new(),
    }
}

fn drift(job: Option<&str>, times: u64, shares: [f64; 2]) -> String {
    let [last, most] = shares.map(percent);
    let measured = format!("The reference cell was measured {times} times");
    let away = format!("{last} of its first, and it was at most {most} away from it.");
    match job {
        None => format!("{measured}: its last value is {away}"),
        Some(job) => format!("{measured}. Of its jobs {job} differs most: the last value is {away}"),
    }
}

fn parts_cause(cause: &PartsCause, targets: u64) -> String {
    match cause {
        PartsCause::AddUp => "the parts add up".to_owned(),
        PartsCause::Slowest { share, target } => format!(
            "this is {} of {targets} times target {target}, the slowest: the load is spread evenly, and all wait for that one",
            percent_with(*share, 1)
        ),
        PartsCause::Shared => {
            "neither the parts nor the slowest of them explain it: something that they share is full"
                .to_owned()
        }
    }
}

/// `rw=randread bs=8k: `.
fn before(values: &Option<String>) -> String {
    values.as_ref().map(|values| format!("{values}: ")).unwrap_or_default()
}

fn fallen(it: &FallenRow) -> String {
    format!(
        "{} (in {} of {}, first at second {} from {} IOPS and {}, after {})",
        it.row,
        it.falls,
        counted(it.rounds, "round"),
        it.at_s,
        iops(it.iops_before),
        bandwidth(it.bytes_per_second_before),
        bytes(it.bytes_before)
    )
}

/// Why rounds need care.
pub fn doubt(doubted: &DoubtedRounds) -> String {
    of_finding(&doubted.finding).claim.whole()
}

/// `In rounds 1, 2 and 4 more of iops-round: …`; of all rounds, `In all 7 rounds of iops-round: …`.
fn in_rounds(doubted: &DoubtedRounds, of: usize) -> String {
    let (many, message) = (doubted.rounds.len(), doubt(doubted));
    let shown: Vec<String> = doubted.rounds.iter().take(ROUNDS_NAMED_MAX).map(usize::to_string).collect();
    let shown = shown.join(", ");
    let rounds = match many {
        1 if of == 1 => "the round".to_owned(),
        1 => format!("round {shown}"),
        _ if many == of => format!("all {of} rounds"),
        _ if many > ROUNDS_NAMED_MAX => format!("rounds {shown} and {} more", many - ROUNDS_NAMED_MAX),
        _ => format!("rounds {shown}"),
    };
    format!("In {rounds} of {}: {message}", doubted.rounds_of)
}
