//! Finds what is odd about a result of fio.

use super::details::FioDisk;
use super::job_result::{FioFlow, FioJob, FioLatency, FioResult};
use super::oddity::{FioOddity, LinesPlace};
use crate::DepthTarget;

/// Different oddities that are kept of one result; the others are counted.
const KEPT_MAX: usize = 20;

/// A figure that follows from two others may differ by this share, because fio rounds each.
const ROUNDED: f64 = 0.02;

/// fio's run time is in whole ms: of a shorter run than this, no rate is computed again, ms.
const CHECKED_FROM_MS: u64 = 500;

/// No device has smaller blocks than this, bytes: the sector of Linux.
const BLOCK_BYTES_MIN: f64 = 512.0;

/// I/Os that may be in flight when a job begins or ends, where its options do not tell its depth.
const IN_FLIGHT_MIN: u64 = 64;

/// The mean of I/Os in flight may be above the depth by this factor: fio rounds, and rates and latencies have two ends.
const IN_FLIGHT_ABOVE: f64 = 1.1;

/// What fio prints and counts in bytes is whole KiB.
const KIB: f64 = 1024.0;

/// Of so many I/Os of a mix, chance leaves none of either direction out.
const BOTH_FROM_IOS: u64 = 64;

/// Shares are rounded up to 0.1 %, so seven of them may be this much together.
const SHARES_MOST: f64 = 101.0;

/// The last bucket of fio's histogram begins here, ns: 2^24 µs less a 128th in fio 2, and 2^34 ns less that in fio 3.
const CEILING_NS: f64 = 16_640_000_000.0;

/// Characters of a line of other text that are quoted.
const QUOTED_MAX: usize = 60;

/// Collects the oddities of a result, each once.
#[derive(Debug, Default)]
pub(super) struct Oddities {
    kept: Vec<FioOddity>,
    more: usize,
}

impl Oddities {
    /// All that were kept, and how many more there are.
    pub(super) fn all(mut self) -> Vec<FioOddity> {
        self.kept.extend((self.more > 0).then_some(FioOddity::More { count: self.more }));
        self.kept
    }

    /// The text before and behind the JSON.
    pub(super) fn around(&mut self, before: &str, behind: &str) {
        self.other_lines(LinesPlace::BeforeJson, before.lines());
        self.other_lines(LinesPlace::BehindJson, behind.lines());
    }

    /// Lines that are not part of the result.
    pub(super) fn other_lines<'t>(&mut self, place: LinesPlace, lines: impl Iterator<Item = &'t str>) {
        let mut lines = lines.map(str::trim).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return };
        let first: String = first.chars().take(QUOTED_MAX).collect();
        self.add(FioOddity::OtherLines { place, lines: 1 + lines.count(), first });
    }

    /// A number as the file has it, before it is taken as a count: it may be none, or below zero.
    pub(super) fn of_count(
        &mut self,
        job: &str,
        figure: impl FnOnce() -> String,
        value: Result<f64, String>,
    ) {
        match value {
            Ok(value) if value < 0.0 => {
                self.add(FioOddity::Negative { job: job.to_owned(), figure: figure(), value })
            }
            Ok(_) => {}
            Err(value) => self.add(FioOddity::NoNumber { job: job.to_owned(), figure: figure(), value }),
        }
    }

    /// The end of a text is missing.
    pub(super) fn cut(&mut self) {
        self.add(FioOddity::EndMissing);
    }

    /// A key stands twice.
    pub(super) fn twice(&mut self, key: &str) {
        self.add(FioOddity::Twice { key: key.to_owned() });
    }

    /// Takes figures away that are below zero, and reports them.
    pub(super) fn take_negative(&mut self, job: &str, flow: &mut FioFlow) {
        let direction = flow.direction;
        let mut take = |name: String, value: &mut Option<f64>| {
            if let Some(negative) = value.take_if(|value| *value < 0.0) {
                let figure = format!("{direction} {name}");
                self.add(FioOddity::Negative { job: job.to_owned(), figure, value: negative });
            }
        };
        take("iops".to_owned(), &mut flow.iops);
        take("bw".to_owned(), &mut flow.bytes_per_second);
        for latency in &mut flow.latencies {
            let kind = latency.kind;
            take(format!("{kind} min"), &mut latency.min_ns);
            take(format!("{kind} mean"), &mut latency.mean_ns);
            take(format!("{kind} max"), &mut latency.max_ns);
            take(format!("{kind} stddev"), &mut latency.stddev_ns);
            latency.percentiles.retain(|(_, ns)| *ns >= 0.0);
        }
    }

    /// Looks at a job.
    pub(super) fn of_job(&mut self, job: &FioJob) {
        let name = || job.name.clone();
        if job.error != 0 {
            self.add(FioOddity::Failed { job: name(), errno: job.error });
        }
        if let Some(count) = job.errors.filter(|count| *count > 0) {
            self.add(FioOddity::FailedIos { job: name(), count });
        }
        if job.flows.is_empty() {
            self.add(FioOddity::NoIo { job: name() });
        }
        for flow in &job.flows {
            if let Some(cut) = flow.cut {
                let (direction, ios) = (flow.direction, (flow.ios.unwrap_or(0), cut.ios_most));
                self.add(FioOddity::Cut { job: name(), direction, ios, has_size: job.block_bytes.is_some() });
            }
            self.of_flow(&job.name, flow);
            self.of_size(job, flow);
            self.of_counts(job, flow);
            self.of_depth(job, flow);
            flow.latencies.iter().for_each(|latency| self.of_latency(&job.name, flow.direction, latency));
        }
    }

    /// The options of a job, and its bandwidth: I/Os of this size.
    fn of_size(&mut self, job: &FioJob, flow: &FioFlow) {
        let is_one = job.several_blocks.is_none() && flow.cut.is_none();
        let Some((block, iops)) = job.block_bytes.filter(|_| is_one).zip(flow.iops) else { return };
        let Some(rate) =
            flow.bytes_per_second.filter(|_| flow.runtime_ms.is_some_and(|ms| ms >= CHECKED_FROM_MS))
        else {
            return;
        };
        if (block * iops - rate).abs() > KIB + block + ROUNDED * rate {
            let one = format!("{} bs × iops", flow.direction);
            self.contradiction(&job.name, (one, block * iops), ("bw", rate), "B/s");
        }
    }

    /// Bytes of a text, and its count of I/Os of one size: fio prints both.
    pub(super) fn of_bytes(&mut self, job: &str, direction: &str, printed: f64, counted: f64) {
        self.contradiction(job, (format!("{direction} io"), printed), ("total issued × bs", counted), "B");
    }

    /// Looks at a result as a whole.
    pub(super) fn of_result(&mut self, result: &FioResult) {
        for job in &result.jobs {
            self.of_pattern(job);
            self.of_depths(job);
            // The histogram of fathom, which writes this form, too, ends later.
            if !result.version.contains("fathom") {
                self.of_ceiling(job);
            }
        }
        if let [disk] = result.disks.as_slice() {
            self.of_disk(disk, &result.jobs);
        }
    }

    /// The directions of the options and those of the result.
    fn of_pattern(&mut self, job: &FioJob) {
        let Some(rw) = job.direction.as_deref() else { return };
        let asked: &[&str] = match rw.split(':').next().unwrap_or_default() {
            "read" | "randread" => &["read"],
            "write" | "randwrite" => &["write"],
            "trim" | "randtrim" => &["trim"],
            "rw" | "readwrite" | "randrw" => &["read", "write"],
            _ => return,
        };
        if job.flows.iter().any(|flow| flow.direction == "mixed") {
            return;
        }
        let (name, rw) = (&job.name, rw.to_owned());
        for flow in job.flows.iter().filter(|flow| !asked.contains(&flow.direction)) {
            self.add(FioOddity::OtherDirection {
                job: name.clone(),
                rw: rw.clone(),
                direction: flow.direction,
            });
        }
        let is_meant = job.mix_asked.is_some_and(|percent| percent <= 0.0 || percent >= 100.0);
        if let ([_, _], [flow]) = (asked, job.flows.as_slice())
            && flow.ios.is_some_and(|ios| ios >= BOTH_FROM_IOS)
            && !is_meant
        {
            self.add(FioOddity::OneDirection { job: name.clone(), rw, direction: flow.direction });
        }
    }

    fn of_depths(&mut self, job: &FioJob) {
        let percent: f64 = job.shares.depths.iter().map(|share| share.percent).sum();
        if percent > SHARES_MOST {
            self.add(FioOddity::DepthsAbove { job: job.name.clone(), percent });
        }
    }

    fn of_ceiling(&mut self, job: &FioJob) {
        for flow in &job.flows {
            for latency in &flow.latencies {
                let Some((percent, ns)) = latency.percentiles.iter().find(|(_, ns)| *ns >= CEILING_NS) else {
                    continue;
                };
                let figure = format!("{} {} p{percent}", flow.direction, latency.kind);
                self.add(FioOddity::Ceiling { job: job.name.clone(), figure, ns: *ns });
            }
        }
    }

    /// Requests of the only disk against the I/Os of all jobs.
    fn of_disk(&mut self, disk: &FioDisk, jobs: &[FioJob]) {
        for (direction, side) in [("read", disk.reads), ("write", disk.writes)] {
            let flows = || jobs.iter().flat_map(|job| &job.flows);
            if flows().any(|flow| flow.direction == "mixed" || flow.cut.is_some()) {
                return;
            }
            let ios =
                flows().filter(|flow| flow.direction == direction).map(|flow| flow.ios).sum::<Option<u64>>();
            let Some((requests, ios)) = side.ios.zip(ios).filter(|(_, ios)| *ios > 0) else { continue };
            let (one, other) = (requests as f64, ios as f64);
            if (one - other).abs() > IN_FLIGHT_MIN as f64 + ROUNDED * one.max(other) {
                self.add(FioOddity::AtDisk { disk: disk.name.clone(), direction, requests, ios });
            }
        }
    }

    fn of_flow(&mut self, job: &str, flow: &FioFlow) {
        let direction = flow.direction;
        let iops = flow.iops.filter(|iops| *iops > 0.0);
        if let Some(iops) = iops.filter(|_| flow.runtime_ms == Some(0)) {
            self.add(FioOddity::NoTime { job: job.to_owned(), direction, iops });
        }
        let block_bytes = flow.bytes_per_second.zip(iops).map(|(bytes, iops)| bytes / iops);
        if let Some(bytes) = block_bytes.filter(|bytes| *bytes > 0.0 && *bytes < BLOCK_BYTES_MIN) {
            self.add(FioOddity::NoBlock { job: job.to_owned(), direction, bytes });
        }
        let Some(ms) = flow.runtime_ms.filter(|ms| *ms >= CHECKED_FROM_MS) else { return };
        let per_second = |amount: Option<u64>| amount.map(|amount| amount as f64 * 1e3 / ms as f64);
        let rates = [
            ("iops", flow.iops, "total_ios ÷ runtime", per_second(flow.ios), "1/s"),
            ("bw", flow.bytes_per_second, "io_bytes ÷ runtime", per_second(flow.bytes), "B/s"),
        ];
        for (name, told, formula, computed, unit) in rates {
            let Some((told, computed)) = told.zip(computed) else { continue };
            // fio cuts rates of terse lines to whole numbers, and bandwidths to KiB/s.
            let rounded = if unit == "1/s" { 1.0 } else { 1024.0 };
            if (told - computed).abs() > rounded + ROUNDED * told.max(computed) {
                let one = format!("{} {name}", flow.direction);
                self.contradiction(job, (one, told), (formula, computed), unit);
            }
        }
    }

    /// Every I/O that counts has its latency, except those that are in flight when the job begins or ends.
    fn of_counts(&mut self, job: &FioJob, flow: &FioFlow) {
        let Some(ios) = flow.ios.map(|ios| ios as f64) else { return };
        let in_flight =
            job.depth.unwrap_or(1).saturating_mul(job.jobs.unwrap_or(1)).max(IN_FLIGHT_MIN) as f64;
        for latency in &flow.latencies {
            let Some(n) = latency.n.map(|n| n as f64) else { continue };
            if (n - ios).abs() > in_flight + ROUNDED * n.max(ios) {
                let one = format!("{} {} N", flow.direction, latency.kind);
                self.contradiction(&job.name, (one, n), ("total_ios", ios), "I/Os");
            }
        }
    }

    /// No more I/Os are in flight than the depth allows (Little's law). Where the figures say that more were, the clock of the
    /// machine was wrong, or the file was altered.
    fn of_depth(&mut self, job: &FioJob, flow: &FioFlow) {
        let DepthTarget::Of(most) = job.depth_target else { return };
        let total = flow.latencies.iter().filter(|latency| latency.kind == "lat");
        let mean_ns = total.filter_map(|latency| latency.mean_ns).fold(0.0, f64::max);
        let in_flight = flow.iops.unwrap_or(0.0) * mean_ns / 1e9;
        let is_long = flow.runtime_ms.is_some_and(|ms| ms >= CHECKED_FROM_MS);
        if in_flight > most as f64 * IN_FLIGHT_ABOVE && is_long {
            let one = format!("{} iops × mean lat", flow.direction);
            self.contradiction(
                &job.name,
                (one, in_flight),
                ("the depth of all jobs", most as f64),
                "in flight",
            );
        }
    }

    fn of_latency(&mut self, job: &str, direction: &str, latency: &FioLatency) {
        let named = |figure: &str| format!("{direction} {} {figure}", latency.kind);
        // fio rounds to whole ns, µs or ms.
        let above = |one: f64, other: f64| one > other * (1.0 + ROUNDED) + 1e3;
        let FioLatency { min_ns, mean_ns, max_ns, .. } = *latency;
        for (one, value, other, most) in
            [("min", min_ns, "the mean", mean_ns), ("mean", mean_ns, "max", max_ns)]
        {
            if let Some((value, most)) = value.zip(most).filter(|(value, most)| above(*value, *most)) {
                self.contradiction(job, (named(one), value), (other, most), "ns");
            }
        }
        let mut before: Option<(f64, f64)> = None;
        for &(percent, ns) in &latency.percentiles {
            if let Some(max_ns) = max_ns.filter(|max_ns| above(ns, *max_ns)) {
                self.contradiction(job, (named(&format!("p{percent}")), ns), ("max", max_ns), "ns");
                return;
            }
            if let Some((lower, of_lower)) = before.filter(|(p, value)| *p < percent && *value > ns) {
                let other = format!("p{percent}");
                self.contradiction(job, (named(&format!("p{lower}")), of_lower), (&other, ns), "ns");
                return;
            }
            before = Some((percent, ns));
        }
    }

    fn contradiction(&mut self, job: &str, one: (String, f64), other: (&str, f64), unit: &'static str) {
        self.add(FioOddity::Contradiction {
            job: job.to_owned(),
            one: one.0,
            one_value: one.1,
            other: other.0.to_owned(),
            other_value: other.1,
            unit,
        });
    }

    fn add(&mut self, oddity: FioOddity) {
        match () {
            () if self.kept.contains(&oddity) => {}
            () if self.kept.len() < KEPT_MAX => self.kept.push(oddity),
            () => self.more += 1,
        }
    }
}
