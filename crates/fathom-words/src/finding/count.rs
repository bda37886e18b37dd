//! Counts that do not fit together, I/O that failed, jobs that were cut short.

use super::FindingWords;
use crate::claim::claim;
use crate::incomplete;
use fathom_job::units::Bytes;
use fathom_results::Evidence;
use fathom_results::finding::{CountsDiffer, CutBlocks, CutEnd, CutShort, CutWorker, FailedIos, Law};
use fathom_text::number::grouped;
use fathom_text::quantity::{bytes, latency, percent, rate, seconds};
use fathom_text::words::listed;

pub(super) fn words(evidence: &Evidence) -> Option<FindingWords> {
    Some(match evidence {
        Evidence::ErrorsContinued { jobs } => FindingWords::of(
            "I/Os failed and the run went on",
            &jobs.iter().map(failed).collect::<Vec<_>>(),
            "see the run's events and dmesg for the failing blocks",
        ),
        Evidence::Interrupted(evidence) => interrupted(evidence),
        Evidence::BlocksCut { jobs } => FindingWords::of(
            "blocks were smaller than the job asks for",
            &jobs.iter().map(cut_blocks).collect::<Vec<_>>(),
            "norandommap=1 keeps the sizes, and uses some blocks twice",
        ),
        Evidence::CountsDisagree(evidence) => counts(evidence),
        Evidence::TooFast { job, reads, block_bytes, latency_ns_mean } => FindingWords::new(
            "reads were answered faster than any disk can; a cache above the disk answered",
            format!(
                "{job}: {} reads of {} took {} on average",
                grouped(*reads),
                Bytes(*block_bytes),
                latency(*latency_ns_mean)
            ),
            "find the cache: hypervisor, controller or filesystem; or use more data than it holds",
        ),
        Evidence::LittlesLaw { is_impossible, law: of } => FindingWords::new(
            match is_impossible {
                true => claim("more I/Os in flight than the depth allows")
                    .explained(": a latency or a count is wrong"),
                false => claim("the queue was not kept full")
                    .explained(": the device saw less than the depth that was asked for"),
            },
            law(of, 1),
            "lower iodepth until it is kept full, or add workers (numjobs)",
        ),
        Evidence::ClockResolution { job, latency_ns_mean, clock } => FindingWords::new(
            "latencies are close to what reading the clock costs",
            format!("{job}: mean latency {}, clock {clock}", latency(*latency_ns_mean)),
            "compare CPU time for each I/O instead of latency",
        ),
        _ => return None,
    })
}

fn failed(it: &FailedIos) -> String {
    format!("{}: {} of {} {}s", it.job, grouped(it.failed), grouped(it.ios), it.direction.name())
}

fn interrupted(evidence: &CutShort) -> FindingWords {
    match &evidence.why {
        Some(why) => {
            FindingWords::new("the run did not end as planned", incomplete(why), "let it run to its end")
        }
        None => {
            let what = if evidence.none_started { "no job was started" } else { "jobs were cut short" };
            FindingWords::new(
                what,
                listed(&evidence.workers.iter().map(cut_short).collect::<Vec<_>>()),
                "let it run to its end",
            )
        }
    }
}

fn cut_short(it: &CutWorker) -> String {
    let name = &it.worker;
    match (&it.end, it.measured_s) {
        (CutEnd::Never, Some(of)) => format!("{name} never ended, {} measured", seconds(of, 1)),
        (CutEnd::Interrupted, Some(of)) => format!("{name} was interrupted after {}", seconds(of, 1)),
        (CutEnd::Failed(why), Some(of)) => format!("{name} failed after {}: {why}", seconds(of, 1)),
        (CutEnd::Failed(why), None) => format!("{name} not started: {why}"),
        (CutEnd::Never | CutEnd::Interrupted, None) => format!("{name} not started"),
    }
}

fn cut_blocks(it: &CutBlocks) -> String {
    let [mean, asked] = [it.bytes_mean, it.bytes_asked].map(bytes);
    format!("{}: {}s of {mean} on average instead of {asked}", it.job, it.direction.name())
}

fn counts(evidence: &CountsDiffer) -> FindingWords {
    match evidence {
        CountsDiffer::Own { job, direction, ios, block_bytes, bytes } => {
            let most = grouped(ios.saturating_mul(*block_bytes));
            let (size, direction) = (Bytes(*block_bytes), direction.name());
            let [ios, bytes] = [*ios, *bytes].map(grouped);
            FindingWords::new(
                "bytes are not I/Os × block size",
                format!("{job}: {ios} {direction}s of {size} are {most} B, but {bytes} B were counted"),
                "repeat on the raw device with direct=1; if the difference stays, report it",
            )
        }
        CountsDiffer::Kernel { disk, direction, own_bytes, disk_bytes, share } => FindingWords::new(
            claim(format!("not every {} reached the disk", direction.name()))
                .explained(", in spite of direct=1"),
            format!(
                "{} by fathom's count, {} ({}) by the kernel's on {disk}",
                bytes(*own_bytes as f64),
                bytes(*disk_bytes as f64),
                percent(*share)
            ),
            "repeat on the raw device with direct=1; if the difference stays, report it",
        ),
    }
}

/// Little's law in numbers, with so many digits: `t: 80.0k IOPS × 399 µs = 31.9 in flight, depth 32`; `≈` where only the edges
/// of the window make the product larger than the depth.
pub fn law(of: &Law, digits: usize) -> String {
    let Law { job, product, in_flight_by_law, in_flight, syncs, depth } = of;
    let Some(product) = product else {
        let why = "its clones measured for different times";
        return format!("{job}: {in_flight:.digits$} in flight, depth {depth}; {why}");
    };
    let is_same = in_flight_by_law - in_flight < 0.5 / 10_f64.powi(digits as i32);
    let sign = if is_same { '=' } else { '≈' };
    let service = if product.is_service { " of service" } else { "" };
    let mean = latency(product.latency_ns_mean) + service;
    let rate = match product.unrated {
        Some((ios, seconds)) => format!("{} I/Os in {}", grouped(ios), latency(seconds * 1e9)),
        None => rate(product.iops),
    };
    let syncs = syncs.map(|syncs| format!(", and {syncs:.digits$} syncs")).unwrap_or_default();
    format!("{job}: {rate} × {mean} {sign} {in_flight:.digits$} in flight{syncs}, depth {depth}")
}
