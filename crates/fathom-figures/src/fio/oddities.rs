//! Finds what is odd about a result of fio.

use super::job_result::{FioFlow, FioJob, FioLatency};
use super::oddity::FioOddity;
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
        self.other_lines("before the JSON", before.lines());
        self.other_lines("behind the JSON", behind.lines());
    }

    /// Lines that are not part of the result.
    pub(super) fn other_lines<'t>(&mut self, place: &'static str, lines: impl Iterator<Item = &'t str>) {
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
            self.of_counts(job, flow);
            self.of_depth(job, flow);
            flow.latencies.iter().for_each(|latency| self.of_latency(&job.name, flow.direction, latency));
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

#[cfg(test)]
mod tests {
    use crate::fio::fio_json;

    /// The oddities of a job with this object of reads, and more keys.
    fn told(read: &str, more: &str) -> Vec<String> {
        let text = format!(
            "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"a\", {more} \"read\": {{{read}}}}}]}}"
        );
        fio_json(&text).unwrap().remove(0).oddities.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_contradicts_itself_is_told() {
        let sound = "\"total_ios\": 1000, \"io_bytes\": 4096000, \"io_kbytes\": 4000, \"runtime\": 10000, \"iops\": 100.0, \"bw_bytes\": 409600";
        assert_eq!(told(sound, ""), Vec::<String>::new());
        let clat = |inner: &str| format!("{sound}, \"clat_ns\": {{\"N\": 1000, {inner}}}");
        let cases = [
            (sound.replace("100.0", "-5.0"), "", "job a: read iops is -5, and it cannot be below zero"),
            (
                sound.replace("100.0", "900.0"),
                "",
                "job a: read iops is 900 1/s, but total_ios ÷ runtime is 100 1/s",
            ),
            (
                clat("\"min\": 1, \"max\": 10000, \"mean\": 5000.0, \"percentile\": {\"99.000000\": 90000}"),
                "",
                "job a: read clat p99 is 90000 ns, but max is 10000 ns",
            ),
            (
                clat(
                    "\"min\": 1, \"max\": 100000, \"mean\": 5000.0, \"percentile\": {\"50.000000\": 90000, \"99.000000\": 9}",
                ),
                "",
                "job a: read clat p50 is 90000 ns, but p99 is 9 ns",
            ),
            (
                clat("\"min\": 1, \"max\": 10000, \"mean\": 50000.0"),
                "",
                "job a: read clat mean is 50000 ns, but max is 10000 ns",
            ),
            (
                format!("{sound}, \"iops\": 100.5"),
                "",
                "\"iops\" stands twice with different values; the last one is read",
            ),
            (
                sound.to_owned(),
                "\"error\": 5, \"total_err\": 3,",
                "job a ended with error 5 (EIO: input/output error)",
            ),
            (sound.to_owned(), "\"total_err\": 3,", "job a: 3 I/Os failed"),
            (
                sound.replace("\"total_ios\": 1000", "\"total_ios\": -5"),
                "",
                "job a: read total_ios is -5, and it cannot be below zero",
            ),
            (
                sound.replace("\"total_ios\": 1000", "\"total_ios\": 0"),
                "",
                "job a: read iops is 100 1/s, but total_ios ÷ runtime is 0 1/s",
            ),
            (
                sound.replace("100.0", "\"100\""),
                "",
                "job a: read iops is \"100\", which is not a number, and is left out",
            ),
            (
                sound.replace("\"runtime\": 10000", "\"runtime\": 0"),
                "",
                "job a: read iops is 100 1/s, but its run time is 0",
            ),
            (
                clat("\"min\": 1, \"max\": 10000, \"mean\": 5000.0").replace("\"N\": 1000", "\"N\": 5"),
                "",
                "job a: read clat N is 5 I/Os, but total_ios is 1000 I/Os",
            ),
            (
                clat("\"min\": 1, \"max\": \"x\", \"mean\": 5000.0"),
                "",
                "job a: read clat max is \"x\", which is not a number, and is left out",
            ),
            ("\"total_ios\": 0".to_owned(), "", "job a has no I/O"),
            (
                clat("\"mean\": 5000.0")
                    .replace("clat", "lat")
                    .replace("5000.0", "30000000.0, \"max\": 40000000"),
                "\"job options\": {\"iodepth\": \"1\"},",
                "job a: read iops × mean lat is 3 in flight, but the depth of all jobs is 1 in flight",
            ),
        ];
        let held = told(
            &clat("\"mean\": 9900000.0, \"max\": 40000000").replace("clat", "lat"),
            "\"job options\": {},",
        );
        assert_eq!(held, Vec::<String>::new(), "0.99 in flight of 1");
        for (read, more, expected) in cases {
            let told = told(&read, more);
            assert!(told.iter().any(|said| said == expected), "{expected}: {told:?}");
        }
    }

    #[test]
    fn other_lines_before_and_behind_are_told() {
        let tree =
            "{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"a\", \"read\": {\"total_ios\": 1}}]}";
        let text = format!("fio: file is too large\n{{ a line with a brace\n{tree}\n\nRun status:\n  READ\n");
        let told: Vec<String> =
            fio_json(&text).unwrap().remove(0).oddities.iter().map(ToString::to_string).collect();
        assert_eq!(told[0], "2 other lines stand before the JSON; the first is \"fio: file is too large\"");
        assert_eq!(told[1], "2 other lines stand behind the JSON; the first is \"Run status:\"");
    }
}
