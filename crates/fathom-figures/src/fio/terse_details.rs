//! The fields of a terse line behind those of its directions: processor, depths, latency classes, disks.

use super::details::{FioCpu, FioDisk, FioDiskSide, FioShare, FioShares, FioSpread};

/// Fields of the processor.
const CPU_FIELDS: usize = 5;

/// Depths, the last one open.
const DEPTHS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Classes of latencies of µs, and of ms, of which the last one is open. fio counts those below a µs in the first.
const US_CLASSES: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1_000];
const MS_CLASSES: [u64; 12] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1_000, 2_000, 2_000];

/// Fields of a disk.
const DISK_FIELDS: usize = 9;

/// The processor time of a job. `fields` are those behind the directions.
pub(super) fn cpu(fields: &[&str]) -> Option<FioCpu> {
    let cpu = FioCpu {
        user_percent: percent(fields, 0),
        system_percent: percent(fields, 1),
        context_switches: count(fields, 2),
        major_faults: count(fields, 3),
        minor_faults: count(fields, 4),
    };
    (cpu != FioCpu::default()).then_some(cpu)
}

/// The distributions of a job. Batches are not in a terse line.
pub(super) fn shares(fields: &[&str]) -> FioShares {
    let list = |first: usize, bounds: &[u64], unit: u64, is_last_open: bool| -> Vec<FioShare> {
        let share = |(at, bound): (usize, &u64)| {
            let is_open = is_last_open && at + 1 == bounds.len();
            Some(FioShare { bound: bound * unit, is_open, percent: percent(fields, first + at)? })
        };
        bounds.iter().enumerate().filter_map(share).collect()
    };
    let us = CPU_FIELDS + DEPTHS.len();
    let mut latencies = list(us, &US_CLASSES, 1_000, false);
    latencies.extend(list(us + US_CLASSES.len(), &MS_CLASSES, 1_000_000, true));
    latencies.retain(|share| share.percent != 0.0);
    FioShares { depths: list(CPU_FIELDS, &DEPTHS, 1, true), latencies, ..FioShares::default() }
}

/// The disks, as far as their fields are whole. Behind them stand an error and a description.
pub(super) fn disks(fields: &[&str]) -> Vec<FioDisk> {
    let first = CPU_FIELDS + DEPTHS.len() + US_CLASSES.len() + MS_CLASSES.len();
    let all = fields.get(first..).unwrap_or_default();
    all.chunks_exact(DISK_FIELDS).map_while(disk).collect()
}

fn disk(fields: &[&str]) -> Option<FioDisk> {
    let busy_percent = Some(fields[8].strip_suffix('%')?.parse().ok()?);
    let side = |at: usize| FioDiskSide {
        ios: count(fields, 1 + at),
        merges: count(fields, 3 + at),
        ticks_ms: count(fields, 5 + at),
    };
    Some(FioDisk {
        name: fields[0].to_owned(),
        reads: side(0),
        writes: side(1),
        queue_ms: count(fields, 7),
        busy_percent,
    })
}

/// The bandwidth as fio sampled it: min, max, per cent of the group, mean, deviation, and in version 5 samples.
pub(super) fn bandwidth_spread(fields: &[&str]) -> Option<FioSpread> {
    let of = |at: usize| number(fields, at).map(|kib| kib * 1024.0);
    let (min, max, mean, stddev) = (of(0), of(1), of(3), of(4));
    let spread = FioSpread { min, max, mean, stddev, n: count(fields, 5), group_percent: percent(fields, 2) };
    spread.if_measured()
}

/// IOPS as fio sampled them, which only version 5 has.
pub(super) fn iops_spread(fields: &[&str]) -> Option<FioSpread> {
    let [min, max, mean, stddev] = [6, 7, 8, 9].map(|at| number(fields, at));
    FioSpread { min, max, mean, stddev, n: count(fields, 10), group_percent: None }.if_measured()
}

fn number(fields: &[&str], at: usize) -> Option<f64> {
    fields.get(at)?.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

fn percent(fields: &[&str], at: usize) -> Option<f64> {
    let text = fields.get(at)?.strip_suffix('%')?;
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn count(fields: &[&str], at: usize) -> Option<u64> {
    fields.get(at)?.parse().ok()
}
