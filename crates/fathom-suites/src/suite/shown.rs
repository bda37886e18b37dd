//! The figures that a suite tabulates, and how they are told.

use crate::quantity;
use fathom_results::procedure::RoundFigures;
use serde::Deserialize;

/// A figure of a job in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// I/Os per second.
    Iops,
    /// Bandwidth, 10⁶ bytes per second.
    Mbps,
    /// Mean latency, µs.
    MeanUs,
    /// The latency that 99 % of the I/Os did not exceed, µs.
    P99Us,
    /// The latency that 99.9 % of the I/Os did not exceed, µs.
    P999Us,
    /// The longest latency, µs.
    MaxUs,
    /// CPU time of the workers, per cent of one core.
    Cpu,
    /// Mean time of a sync, µs.
    SyncMeanUs,
    /// The time that 99 % of the syncs did not exceed, µs.
    SyncP99Us,
    /// Syncs per second.
    Syncs,
    /// Seconds that the job took.
    Seconds,
}

impl Shown {
    /// What a table has where the suite does not say it.
    pub const USUAL: [Shown; 5] = [Shown::Iops, Shown::Mbps, Shown::MeanUs, Shown::P99Us, Shown::MaxUs];

    /// The title of its column, with the unit.
    pub const fn title(self) -> &'static str {
        match self {
            Shown::Iops => "IOPS",
            Shown::Mbps => "MB/s",
            Shown::MeanUs => "mean µs",
            Shown::P99Us => "p99 µs",
            Shown::P999Us => "p99.9 µs",
            Shown::MaxUs => "max µs",
            Shown::Cpu => "CPU %",
            Shown::SyncMeanUs => "sync mean µs",
            Shown::SyncP99Us => "sync p99 µs",
            Shown::Syncs => "syncs/s",
            Shown::Seconds => "s",
        }
    }

    /// The figure in the unit of its column.
    pub fn of(self, figures: &RoundFigures) -> Option<f64> {
        let us = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e3);
        match self {
            Shown::Iops => figures.rate(),
            Shown::Mbps => figures.bandwidth().map(|rate| rate / 1e6),
            Shown::MeanUs => figures.latency_ns_mean.map(|ns| ns / 1e3),
            Shown::P99Us => us(figures.latency_ns_p99),
            Shown::P999Us => us(figures.latency_ns_p999),
            Shown::MaxUs => us(figures.latency_ns_max),
            Shown::Cpu => figures.cpu_percent,
            Shown::SyncMeanUs => figures.sync.as_ref().and_then(|sync| sync.ns_mean).map(|ns| ns / 1e3),
            Shown::SyncP99Us => us(figures.sync.as_ref().and_then(|sync| sync.ns_p99)),
            Shown::Syncs => figures.sync.as_ref().map(|sync| sync.count as f64 / figures.seconds.max(1e-9)),
            Shown::Seconds => Some(figures.seconds),
        }
    }

    /// The figure in a sentence: `51.2k IOPS`, `2.10 GB/s`, `93.4 µs`.
    pub fn told(self, value: f64) -> String {
        match self {
            Shown::Iops => quantity::iops(value) + " IOPS",
            Shown::Mbps => quantity::bandwidth(value * 1e6),
            Shown::Cpu => format!("{value:.0} % of a core"),
            Shown::Syncs => quantity::iops(value) + " syncs/s",
            Shown::Seconds => format!("{} s", fathom_text::number::three(value)),
            Shown::MeanUs
            | Shown::P99Us
            | Shown::P999Us
            | Shown::MaxUs
            | Shown::SyncMeanUs
            | Shown::SyncP99Us => quantity::latency(value * 1e3),
        }
    }

    /// Is a lower value the better one?
    pub const fn is_better_low(self) -> bool {
        !matches!(self, Shown::Iops | Shown::Mbps | Shown::Syncs)
    }
}
