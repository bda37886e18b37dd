//! What no figure shows, a clause each.

use crate::jobs::{in_rounds, part};
use fathom_job::units::Nanos;
use fathom_results::Trend;
use fathom_results::answer::{LatencySearched, MergedIos, Remark, RemarkKind, SearchEnd};
use fathom_text::number::grouped;
use fathom_text::quantity::{bytes, percent};

/// `no I/O of other programs on the disk`; `scheduler none (in 2 of 3 rounds)`.
pub fn remark(remark: &Remark) -> String {
    let rounds = remark.rounds.map(|part| format!(" ({})", in_rounds(part)));
    kind(&remark.kind) + &rounds.unwrap_or_default()
}

fn kind(kind: &RemarkKind) -> String {
    match kind {
        RemarkKind::LatencySearches { searches } => {
            searches.iter().map(searched).collect::<Vec<_>>().join("; ")
        }
        RemarkKind::Merged { merged: all } => all.iter().map(merged).collect::<Vec<_>>().join("; "),
        RemarkKind::Rests { job } => {
            let whose = job.as_ref().map(|job| format!("{job}: ")).unwrap_or_default();
            format!(
                "{whose}between the I/Os the CPU and the disk rest, and the latency has the time that they need to wake"
            )
        }
        RemarkKind::OneMember { members } => format!(
            "one I/O at a time uses one of the {members} members of the array: iodepth= or numjobs= uses more"
        ),
        RemarkKind::Alone => "no I/O of other programs on the disk".to_owned(),
        RemarkKind::Undisturbed => "no disturbance of the host seen".to_owned(),
        RemarkKind::Unflushed { jobs } => {
            let whose = match jobs {
                None => String::new(),
                Some(jobs) if jobs.names.len() <= 2 => format!(" of {}", part(jobs)),
                Some(jobs) => format!(" of {} jobs", jobs.names.len()),
            };
            format!("writes{whose} without flush: a cache may hold them")
        }
        RemarkKind::Filled { part: None } => "the target was filled before it was read".to_owned(),
        RemarkKind::Filled { part: Some(part) } => {
            format!("only {} of {} were written first", bytes(part.bytes as f64), bytes(part.of_bytes as f64))
        }
        RemarkKind::NotPreconditioned => "no preconditioning in this run".to_owned(),
        RemarkKind::Scheduler { name } => format!("scheduler {name}"),
        RemarkKind::RoundsVary { share, trend } => {
            let trend = match trend {
                Some(Trend::Falls) => "and fall",
                Some(Trend::Rises) => "and rise",
                _ => "without a trend",
            };
            format!("the rounds vary by {} (standard deviation), {trend}", percent(*share))
        }
    }
}

fn merged(it: &MergedIos) -> String {
    let (ios, requests, name) = (grouped(it.ios), grouped(it.requests), it.direction.name());
    format!("the kernel merged {ios} {name}s into {requests} requests to {}", it.disk)
}

/// The depth that keeps a latency: no column shows it.
fn searched(search: &LatencySearched) -> String {
    let depth = search.depth;
    let asked =
        format!("{} % of the I/Os within {} (latency_target)", search.percentile, Nanos(search.target_ns));
    let result = match search.end {
        SearchEnd::Kept => format!("a depth of {depth} is the largest that keeps {asked}"),
        SearchEnd::NeverKept => format!("not even a depth of 1 keeps {asked}"),
        SearchEnd::Unfinished => {
            format!("the search for the depth that keeps {asked} did not end, and its last depth was {depth}")
        }
    };
    format!("{}: {result}", search.job)
}
