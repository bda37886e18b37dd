//! The figures that a suite tabulates, and how they are told.

use fathom_results::has_too_few;
use fathom_results::procedure::RoundFigures;
use fathom_text::quantity;
use serde::Deserialize;

/// A figure of a job in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// I/Os per second; of a rate that fell, those that lasted.
    Iops,
    /// Bandwidth, 10⁶ bytes per second; of a rate that fell, the one that lasted.
    Mbps,
    /// Mean latency, µs.
    MeanUs,
    /// The latency that 95 % of the I/Os did not exceed, µs.
    P95Us,
    /// The latency that 99 % of the I/Os did not exceed, µs.
    P99Us,
    /// The latency that 99.9 % of the I/Os did not exceed, µs.
    P999Us,
    /// The longest latency, µs.
    MaxUs,
    /// CPU time of the workers, per cent of one core.
    Cpu,
    /// Time in which CPUs worked, kernel threads and other programs included, per cent of the time of all CPUs (contract I-39).
    AllCpus,
    /// Mean time of a sync, µs.
    SyncMeanUs,
    /// The time that 99 % of the syncs did not exceed, µs.
    SyncP99Us,
    /// Syncs per second.
    Syncs,
    /// Seconds that the job took.
    Seconds,
    /// Requests that the disks of the job completed.
    DeviceIos,
    /// Mean size of these requests, KiB.
    DeviceKib,
    /// The share of the bytes that the disks did not see, because memory answered (contract T-49), per cent.
    CachePercent,
}

/// What a figure of several rounds is. A mean of percentiles or of maxima is the latency of no I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverRounds {
    /// The mean of the rounds.
    Mean,
    /// Their median.
    Median,
    /// The largest of them.
    Largest,
}

impl Shown {
    /// What the figure of several rounds is.
    pub const fn over_rounds(self) -> OverRounds {
        match self {
            Shown::P95Us | Shown::P99Us | Shown::P999Us | Shown::SyncP99Us => OverRounds::Median,
            Shown::MaxUs => OverRounds::Largest,
            _ => OverRounds::Mean,
        }
    }

    /// What a table has where the suite does not say it.
    pub const USUAL: [Shown; 5] = [Shown::Iops, Shown::Mbps, Shown::MeanUs, Shown::P99Us, Shown::MaxUs];

    /// The title of its column, with the unit.
    pub const fn title(self) -> &'static str {
        match self {
            Shown::Iops => "IOPS",
            Shown::Mbps => "MB/s",
            Shown::MeanUs => "mean µs",
            Shown::P95Us => "p95 µs",
            Shown::P99Us => "p99 µs",
            Shown::P999Us => "p99.9 µs",
            Shown::MaxUs => "max µs",
            Shown::Cpu => "CPU %",
            Shown::AllCpus => "all CPUs %",
            Shown::SyncMeanUs => "sync mean µs",
            Shown::SyncP99Us => "sync p99 µs",
            Shown::Syncs => "syncs/s",
            Shown::Seconds => "s",
            Shown::DeviceIos => "device I/Os",
            Shown::DeviceKib => "KiB per device I/O",
            Shown::CachePercent => "cache %",
        }
    }

    /// The figure in the unit of its column.
    pub fn of(self, figures: &RoundFigures) -> Option<f64> {
        let us = |ns: Option<u64>| ns.map(|ns| ns as f64 / 1e3);
        match self {
            Shown::Iops => figures.lasting_rate(),
            Shown::Mbps => figures.lasting_bandwidth().map(|rate| rate / 1e6),
            Shown::MeanUs => figures.latency_ns_mean.map(|ns| ns / 1e3),
            Shown::P95Us => us(figures.latency_ns_p95),
            Shown::P99Us => us(figures.latency_ns_p99),
            Shown::P999Us => us(figures.latency_ns_p999),
            Shown::MaxUs => us(figures.latency_ns_max),
            Shown::Cpu => figures.cpu_percent,
            Shown::AllCpus => figures.all_cpus_percent,
            Shown::SyncMeanUs => figures.sync.as_ref().and_then(|sync| sync.ns_mean).map(|ns| ns / 1e3),
            Shown::SyncP99Us => us(figures.sync.as_ref().and_then(|sync| sync.ns_p99)),
            Shown::Syncs => {
                let sync = figures.sync.as_ref().filter(|sync| !has_too_few(sync.count))?;
                Some(sync.count as f64 / figures.seconds.max(1e-9))
            }
            Shown::Seconds => Some(figures.seconds),
            Shown::DeviceIos => figures.device.map(|device| device.requests as f64),
            Shown::DeviceKib => figures
                .device
                .filter(|device| device.requests > 0)
                .map(|device| device.bytes as f64 / 1024.0 / device.requests as f64),
            Shown::CachePercent => {
                let moved = figures.bytes_per_second * figures.seconds;
                let device = figures.device.filter(|_| moved > 0.0)?;
                let share = 1.0 - device.bytes as f64 / moved;
                // Reading ahead, and other programs, can make the disk move more than the job. The rest of a rounded rate is no share.
                Some(if share < 1e-9 { 0.0 } else { 100.0 * share })
            }
        }
    }

    /// What [`Shown::told`] does not say, before it: `sync p99 `; nothing of a rate.
    pub fn word(self) -> String {
        self.title().strip_suffix(" µs").map(|word| word.to_owned() + " ").unwrap_or_default()
    }

    /// The figure in a sentence: `51.2k IOPS`, `2.10 GB/s`, `93.4 µs`.
    pub fn told(self, value: f64) -> String {
        match self {
            Shown::Iops => quantity::iops(value) + " IOPS",
            Shown::Mbps => quantity::bandwidth(value * 1e6),
            Shown::Cpu => format!("{value:.0} % of a core"),
            Shown::AllCpus => format!("{value:.1} % of all CPUs"),
            Shown::Syncs => quantity::iops(value) + " syncs/s",
            Shown::Seconds => format!("{} s", fathom_text::number::three(value)),
            Shown::DeviceIos => format!("{value:.0} device I/Os"),
            Shown::DeviceKib => format!("{} KiB per device I/O", fathom_text::number::three(value)),
            Shown::CachePercent => format!("{value:.1} % from memory"),
            Shown::MeanUs
            | Shown::P95Us
            | Shown::P99Us
            | Shown::P999Us
            | Shown::MaxUs
            | Shown::SyncMeanUs
            | Shown::SyncP99Us => quantity::latency(value * 1e3),
        }
    }

    /// Is a lower value the better one?
    pub const fn is_better_low(self) -> bool {
        !matches!(self, Shown::Iops | Shown::Mbps | Shown::Syncs | Shown::DeviceKib | Shown::CachePercent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::procedure::DeviceCounts;

    fn read(ios: u64, block: u64, seconds: f64, requests: u64, bytes: u64) -> RoundFigures {
        RoundFigures {
            seconds,
            iops: ios as f64 / seconds,
            bytes_per_second: (ios * block) as f64 / seconds,
            device: Some(DeviceCounts { requests, bytes }),
            ..RoundFigures::default()
        }
    }

    fn tenths(value: Option<f64>) -> f64 {
        (value.unwrap() * 10.0).round() / 10.0
    }

    /// T-46: 100 MiB in 25,600 reads of 4 KiB; the disk saw 561 requests with a window of 64 KiB, and 296 with one of 128 KiB.
    #[test]
    fn a_larger_window_makes_fewer_and_larger_requests() {
        let all = 25_600 * 4096;
        for (requests, kib) in [(561, 182.5), (296, 345.9)] {
            let figures = read(25_600, 4096, 1.0, requests, all);
            assert_eq!(Shown::DeviceIos.of(&figures), Some(f64::from(requests as u32)));
            assert_eq!(tenths(Shown::DeviceKib.of(&figures)), kib);
            assert_eq!(Shown::CachePercent.of(&figures), Some(0.0), "nothing was in memory");
        }
    }

    /// T-49, T-50: 1,121 of 2,560 reads reached the disk; in the second run none.
    #[test]
    fn the_share_of_memory_is_what_the_disk_did_not_see() {
        let first = read(2_560, 4096, 0.292, 1_121, 1_121 * 4096);
        assert_eq!(tenths(Shown::CachePercent.of(&first)), 56.2);
        let second = read(2_560, 4096, 0.003, 0, 0);
        assert_eq!(Shown::CachePercent.of(&second), Some(100.0));
        assert_eq!(Shown::DeviceKib.of(&second), None);
        assert_eq!(Shown::Iops.of(&second).unwrap().round(), 853_333.0);
        assert_eq!(Shown::CachePercent.of(&RoundFigures::default()), None, "nothing was counted");
    }
}
