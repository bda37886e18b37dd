//! The value of a metric in what was measured, in its base unit, and its interval. `None` where it was not kept, was not measured, or is
//! of too few I/Os.
//!
//! I/Os that are near in time are alike, so the interval of a latency within a single run is not made from single I/Os. It is made
//! from the same figure of each span of about a second, whose likeness is taken into account, and its relative width is given to the
//! figure of the whole run (batch quantiles: methodology of T. P. Chen and W. D. Kelton, "Quantile and tolerance-interval estimation
//! in simulation", European Journal of Operational Research 168 (2006) 520-540).

use super::{Measure, Metric};
use crate::{DirectionFigures, LatencySpan, Percentile, Row, TAIL_MIN, is_thin};
use fathom_results::procedure::RoundFigures;
use fathom_results::{Latency, has_too_few};
use fathom_stats::{CEILING_NS, Estimate, Histogram};

/// A latency as exactly as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// ns.
    pub ns: f64,
    /// It is a percentile with fewer than [`TAIL_MIN`](crate::TAIL_MIN) values beyond it.
    pub is_thin: bool,
    /// It is at least so much: the histogram does not resolve it.
    pub is_bound: bool,
}

impl Metric {
    /// Of a direction of a run, as it was measured.
    pub fn of_flow(&self, flow: &DirectionFigures<'_>) -> Option<f64> {
        let totals = &flow.totals;
        let rated = |rate: f64| flow.unrated().is_none().then_some(rate);
        match self.measure {
            Measure::Iops => rated(flow.iops()),
            Measure::Bandwidth | Measure::Bytes if !flow.moves_data() => None,
            Measure::Bandwidth => rated(flow.bytes_per_second()),
            Measure::Ios => Some(totals.ios as f64),
            Measure::Bytes => Some(totals.bytes as f64),
            Measure::Errors => Some(totals.errors as f64),
            _ => {
                let reading = self.of_latency(flow.main_latency()?.1)?;
                (!reading.is_bound).then_some(reading.ns)
            }
        }
    }

    /// Of a direction of a run, for a comparison: of a rate that fell it is the one that lasted, and a percentile has enough I/Os
    /// beyond it.
    pub fn of_flow_compared(&self, flow: &DirectionFigures<'_>) -> Option<f64> {
        let lasting = flow.lasting_rate();
        let lasting = match self.measure {
            Measure::Iops => lasting.map(|rate| rate.iops),
            Measure::Bandwidth => lasting.map(|rate| rate.bytes_per_second),
            Measure::Percentile(_) if self.of_latency(flow.main_latency()?.1)?.is_thin => return None,
            _ => None,
        };
        let value = self.of_flow(flow).map(|value| lasting.unwrap_or(value))?;
        (!self.is_rate() || value > 0.0).then_some(value)
    }

    /// Its 95 % interval within a single run.
    pub fn interval(&self, flow: &DirectionFigures<'_>) -> Option<Estimate> {
        match self.measure {
            Measure::Bandwidth if !flow.moves_data() => None,
            Measure::Iops => flow.iops_estimate(),
            Measure::Bandwidth => flow.bandwidth_estimate(),
            Measure::Mean => interval_of_mean(flow),
            Measure::Percentile(percent) => {
                interval_of_percentile(flow, percent, self.of_flow_compared(flow)?)
            }
            _ => None,
        }
    }

    /// Of a latency.
    pub fn of_latency(&self, latency: &Latency) -> Option<Reading> {
        let moments = &latency.moments;
        let exact = |ns: f64| Reading { ns, is_thin: false, is_bound: false };
        match self.measure {
            Measure::Mean => latency.mean_ns().map(exact),
            Measure::Deviation => moments.stddev().filter(|_| !latency.has_too_few()).map(exact),
            Measure::Least => moments.min().map(|ns| exact(ns as f64)),
            Measure::Most => moments.max().map(|ns| exact(ns as f64)),
            Measure::Percentile(percent) => Reading::of_percentile(latency, percent),
            _ => None,
        }
    }

    /// Of all directions of a job together.
    pub fn of_row(&self, row: &Row<'_>) -> Option<f64> {
        match self.measure {
            Measure::CpuPerIo => row.cpu_ns_per_io(),
            Measure::InFlight => row.mixed().in_flight().map(|it| it.mean),
            Measure::Runtime => Some(row.runtime_ns() as f64),
            _ => None,
        }
    }

    /// Do rounds keep it?
    pub fn is_of_rounds(&self) -> bool {
        use Measure::{Bytes, CpuPerIo, Deviation, Errors, InFlight, Printed, Runtime};
        !matches!(self.measure, Bytes | Errors | Deviation | CpuPerIo | InFlight | Runtime | Printed)
    }

    /// Of a job of a round; of a rate that fell it is the one that lasted.
    pub fn of_round(&self, figures: &RoundFigures) -> Option<f64> {
        let whole = |ns: Option<u64>| ns.map(|ns| ns as f64);
        let sync = figures.sync.as_ref();
        match self.measure {
            Measure::Iops => figures.lasting_rate(),
            Measure::Bandwidth => figures.lasting_bandwidth(),
            Measure::Ios => Some(figures.ios as f64),
            Measure::Mean => figures.latency_ns_mean,
            Measure::Least => whole(figures.latency_ns_min),
            Measure::Percentile(percent) => whole(figures.latency_percentiles.get(percent)),
            Measure::Most => whole(figures.latency_ns_max),
            Measure::WorkerCpu => figures.cpu_percent,
            Measure::AllCpus => figures.all_cpus_percent,
            Measure::SyncMean => sync?.ns_mean,
            Measure::SyncP99 => whole(sync?.ns_p99),
            Measure::Syncs => {
                let sync = sync.filter(|sync| !has_too_few(sync.count))?;
                Some(sync.count as f64 / figures.seconds.max(1e-9))
            }
            Measure::Seconds => Some(figures.seconds),
            Measure::DeviceIos => figures.device.map(|device| device.requests as f64),
            Measure::DeviceSize => figures
                .device
                .filter(|device| device.requests > 0)
                .map(|device| device.bytes as f64 / device.requests as f64),
            Measure::CacheShare => cache_percent(figures),
            Measure::Bytes | Measure::Errors | Measure::Deviation => None,
            Measure::CpuPerIo | Measure::InFlight | Measure::Runtime | Measure::Printed => None,
        }
    }
}

impl Reading {
    fn of_percentile(latency: &Latency, percent: f64) -> Option<Reading> {
        let (ns, is_bound) = match Percentile::of_latency(latency, percent)? {
            Percentile::At(ns) => (ns, false),
            Percentile::BeyondCeiling => (CEILING_NS, true),
        };
        Some(Reading { ns: ns as f64, is_thin: is_thin(latency.moments.count(), percent), is_bound })
    }
}

/// The share of the bytes that the disks did not see, per cent.
fn cache_percent(figures: &RoundFigures) -> Option<f64> {
    let moved = figures.bytes_per_second * figures.seconds;
    let device = figures.device.filter(|_| moved > 0.0)?;
    let share = 1.0 - device.bytes as f64 / moved;
    // Reading ahead, and other programs, can make the disk move more than the job. The rest of a rounded rate is no share.
    Some(if share < 1e-9 { 0.0 } else { 100.0 * share })
}

/// The most spans that a run is cut into.
const SPANS_MAX: usize = 120;

/// A span of average length has so many times the I/Os beyond the percentile that it needs, because
/// the spans do not all have the same number.
const SPAN_TAIL: f64 = 2.0;

/// Of the mean latency.
fn interval_of_mean(flow: &DirectionFigures<'_>) -> Option<Estimate> {
    scaled(flow, flow.main_latency_ns_mean()?, SPANS_MAX, |histogram| histogram.totals().mean())
}

/// Of a percentile of the latency, which has this value.
fn interval_of_percentile(flow: &DirectionFigures<'_>, percent: f64, value: f64) -> Option<Estimate> {
    let of = |histogram: &Histogram| {
        let is_known = !is_thin(histogram.count(), percent);
        is_known.then(|| histogram.quantile(percent / 100.0)).flatten().map(|ns| ns as f64)
    };
    let beyond = flow.main_latency()?.1.moments.count() as f64 * (1.0 - percent / 100.0);
    let spans = (beyond / (SPAN_TAIL * TAIL_MIN)) as usize;
    scaled(flow, value, spans.min(SPANS_MAX), of)
}

/// The interval of the mean over the spans, around the figure of the whole run.
fn scaled(
    flow: &DirectionFigures<'_>,
    value: f64,
    spans: usize,
    of: impl Fn(&Histogram) -> Option<f64>,
) -> Option<Estimate> {
    if flow.is_staggered() || spans == 0 {
        return None;
    }
    let spans: Vec<LatencySpan> = flow.latency_spans_measured(spans);
    let values: Option<Vec<f64>> = spans.iter().map(|span| of(&span.latency)).collect();
    let mean = Estimate::of_series(&values?, 0.95).filter(|mean| mean.value > 0.0)?;
    let factor = value / mean.value;
    let (low, high) = ((mean.low * factor).max(0.0), mean.high * factor);
    Some(Estimate { value, low, high, n: mean.n, confidence: mean.confidence })
}

#[cfg(test)]
mod tests {
    use super::super::of_id;
    use fathom_results::procedure::{DeviceCounts, RoundFigures};

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
            assert_eq!(of_id("device_ios").of_round(&figures), Some(f64::from(requests as u32)));
            assert_eq!(tenths(of_id("device_size").of_round(&figures).map(|bytes| bytes / 1024.0)), kib);
            assert_eq!(of_id("cache_share").of_round(&figures), Some(0.0), "nothing was in memory");
        }
    }

    /// T-49, T-50: 1,121 of 2,560 reads reached the disk; in the second run none.
    #[test]
    fn the_share_of_memory_is_what_the_disk_did_not_see() {
        let first = read(2_560, 4096, 0.292, 1_121, 1_121 * 4096);
        assert_eq!(tenths(of_id("cache_share").of_round(&first)), 56.2);
        let second = read(2_560, 4096, 0.003, 0, 0);
        assert_eq!(of_id("cache_share").of_round(&second), Some(100.0));
        assert_eq!(of_id("device_size").of_round(&second), None);
        assert_eq!(of_id("iops").of_round(&second).unwrap().round(), 853_333.0);
        assert_eq!(of_id("cache_share").of_round(&RoundFigures::default()), None, "nothing was counted");
    }
}
