//! What a run was checked against, in words.

use crate::finding::law;
use fathom_job::direction::Direction;
use fathom_results::self_check::{
    CeilingCompared, CheckEvidence, CountsDifferBy, CountsOfDirection, CountsUnclear, KernelCounts,
    NoWitness, RequestsOfData,
};
use fathom_text::number::grouped;
use fathom_text::quantity::{bytes, iops, latency, percent, percent_with};

/// What a check compared, with numbers; for an unknown outcome, why.
pub fn check(evidence: &CheckEvidence) -> String {
    match evidence {
        CheckEvidence::KernelCounts(counts) => kernel_counts(counts),
        CheckEvidence::Members { disks, own_reads, own_writes, reads, writes, with_flushes } => {
            let flushes = if *with_flushes { ", flushes included," } else { "" };
            let cost = cost_of([*own_reads, *own_writes], [*reads, *writes]);
            format!("{cost}{flushes} of its members ({})", disks.join(", "))
        }
        CheckEvidence::LittlesLaw { law: Some(of), .. } => law(of, 2),
        CheckEvidence::ClockResolution {
            job,
            latency_ns_mean: Some(mean),
            is_service,
            clock,
            latency_ns_min,
        } => {
            let service = if *is_service { " of service" } else { "" };
            let least = latency_ns_min
                .map_or_else(String::new, |ns| format!(", whose smallest latency is {}", latency(ns as f64)));
            format!("{job}: mean latency {}{service} by clock {clock}{least}", latency(*mean))
        }
        CheckEvidence::LittlesLaw { job, law: None }
        | CheckEvidence::ClockResolution { job, latency_ns_mean: None, .. } => {
            format!("{job}: latency was not kept")
        }
        CheckEvidence::GeneratorCeiling { job, of } => format!("{job}: {}", ceiling(of)),
        CheckEvidence::Later(later) => later.evidence.to_string(),
    }
}

fn kernel_counts(counts: &KernelCounts) -> String {
    match counts {
        KernelCounts::NotCounted { why } => no_witness(why),
        KernelCounts::Compared { disks, directions, unclear } => {
            let disk = disks.join(" and ");
            let each = directions.iter().map(|of| side_by_side(&disk, of)).collect::<Vec<_>>().join("; ");
            let why = match unclear {
                None => return each,
                Some(CountsUnclear::PageCache) => {
                    "the page cache is in between: it reads ahead, writes back later, and answers reads itself"
                }
                Some(CountsUnclear::TooLittle) => "fathom moved too little to compare",
                Some(CountsUnclear::TooShort) => "the run was too short to compare",
            };
            format!("{why} ({each})")
        }
    }
}

fn no_witness(why: &NoWitness) -> String {
    match why {
        NoWitness::NoCounters => "no counters of a disk below the target".to_owned(),
        NoWitness::NoJobOnDisk => "no job reaches a disk".to_owned(),
        NoWitness::DiskUnknown => "which disk holds the target is not known".to_owned(),
        NoWitness::NotCounting { disk } => {
            format!("{disk} does not count its I/O: /sys/block/{disk}/queue/iostats is 0")
        }
        NoWitness::NotRead { disk } => format!("the counters of {disk} were not read"),
        NoWitness::LoopMayBeBacked { disks } => {
            format!("a loop device may be backed by another target ({})", disks.join(", "))
        }
        NoWitness::SeveralDisks { disks } => {
            format!("the targets lie on more than one disk ({})", disks.join(", "))
        }
        NoWitness::PartOfTarget { part, whole } => {
            format!("{part}, a target, is a part of {whole}, another target")
        }
    }
}

/// `sda counted 200,010 reads of 819 MB, 100.01 %; fathom 200,000 of 819 MB`, with what explains the difference.
fn side_by_side(disk: &str, of: &CountsOfDirection) -> String {
    let share = (of.own_bytes > 0).then(|| of.disk_bytes as f64 / of.own_bytes as f64);
    let share = share.map_or_else(String::new, |share| format!(", {}", of_ours(share)));
    let own = of.disk_bytes_own.map(|own| format!(", {} of it for fathom", bytes(own as f64)));
    let because = of.because.as_ref().map(|because| differ_by(because, of.direction));
    format!(
        "{disk} counted {} {}s of {}{share}{}; fathom {} of {}{}",
        grouped(of.requests),
        of.direction.name(),
        bytes(of.disk_bytes as f64),
        own.unwrap_or_default(),
        grouped(of.ios),
        bytes(of.own_bytes as f64),
        because.unwrap_or_default()
    )
}

/// A share from which on it is a multiple.
const MULTIPLE_MIN: f64 = 10.0;

/// What the kernel counted, as a share of what fathom counted: `99.98 %`, `2,614 times as much`.
fn of_ours(share: f64) -> String {
    match share {
        share if share >= MULTIPLE_MIN => format!("{} times as much", grouped(share.round() as u64)),
        share => percent_with(share, 2),
    }
}

fn differ_by(because: &CountsDifferBy, direction: Direction) -> String {
    match because {
        CountsDifferBy::Requests { flushes, data } => {
            let flushes = flushes.map(|flushes| {
                let (flushes, direction) = (grouped(flushes), direction.name());
                format!("{flushes} of the {direction}s flush the disk's cache and carry no data")
            });
            let all: Vec<String> = flushes.into_iter().chain(data.as_ref().map(of_data)).collect();
            format!(": {}", all.join(", and "))
        }
        CountsDifferBy::FileSystemTrims => ": the file system trimmed blocks that no file uses".to_owned(),
        CountsDifferBy::FileSystemJournal => {
            ": at each sync, the file system also wrote its journal and metadata".to_owned()
        }
        CountsDifferBy::Ramps { bytes: of } => {
            format!(", and up to {} in ramps at the same time", bytes(*of as f64))
        }
    }
}

fn of_data(data: &RequestsOfData) -> String {
    match data {
        RequestsOfData::Merged { requests } => {
            format!("{} merged into others on the way", grouped(*requests))
        }
        RequestsOfData::Split { requests_each } => {
            format!("each I/O was split into {requests_each:.1} requests")
        }
        RequestsOfData::Adjacent => "adjacent I/Os became one request before they were counted".to_owned(),
    }
}

/// What reads and writes of an array cost its members.
fn cost_of([own_reads, own_writes]: [u64; 2], [reads, writes]: [u64; 2]) -> String {
    let each = |of: u64, own: u64| of as f64 / own as f64;
    match (own_reads, own_writes) {
        (0, 1..) => format!(
            "each write cost {:.1} reads and {:.1} writes",
            each(reads, own_writes),
            each(writes, own_writes)
        ),
        (1.., 0) => format!("each read cost {:.1} reads", each(reads, own_reads)),
        _ => {
            let [own_reads, own_writes, reads, writes] = [own_reads, own_writes, reads, writes].map(grouped);
            format!("{own_reads} reads and {own_writes} writes became {reads} reads and {writes} writes")
        }
    }
}

fn ceiling(of: &CeilingCompared) -> String {
    match of {
        CeilingCompared::NotMeasured => "fathom's own top speed was not checked".to_owned(),
        CeilingCompared::TooShort => "it measured for too short a time for a rate".to_owned(),
        CeilingCompared::Rates { iops: rate, iops_max, engine } => format!(
            "{} IOPS, {} of the {} that the {engine} engine reaches",
            iops(*rate),
            percent(rate / iops_max),
            iops(*iops_max)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_many_times_is_a_multiple() {
        assert_eq!([0.9998, 9.99, 2_613.9].map(of_ours), ["99.98 %", "999.00 %", "2,614 times as much"]);
    }
}
