//! What a result has beside rates and latencies, by name, for those who list it: processor, distributions, samples, disks.

use super::details::{FioDisk, FioShare, FioSpread};
use super::job_result::{FioFlow, FioJob, FioResult};

/// One number of a job or a disk.
#[derive(Clone, Debug, PartialEq)]
pub struct FioDetail {
    /// The job, as [`FioResult::labels`] names it, or the disk.
    pub of: String,
    /// `read`, `write`, `trim`, `mixed`; empty for all together.
    pub direction: &'static str,
    /// `cpu`, `depth`, `submit`, `complete`, `latency`, `bandwidth samples`, `iops samples`, `ios`, `job`, `disk`.
    pub kind: &'static str,
    /// `user`, `context switches`; the bound of a class: `32`, `>=64`, a latency in ns.
    pub name: String,
    /// `%`, `B/s`, `1/s`, `ms`, and `1` for a number of things.
    pub unit: &'static str,
    /// Its value.
    pub value: f64,
}

impl FioShare {
    /// Its bound as fio writes it: `32`, `>=64`.
    pub fn name(&self) -> String {
        if self.is_open { format!(">={}", self.bound) } else { self.bound.to_string() }
    }
}

impl FioResult {
    /// All of them, those that the file has: of each job, and then of the disks.
    pub fn details(&self) -> Vec<FioDetail> {
        let of_jobs = self.jobs.iter().zip(self.labels()).flat_map(|(job, label)| of_job(job, &label));
        of_jobs.chain(self.disks.iter().flat_map(of_disk)).collect()
    }
}

/// The details of one job or disk, with what they have in common.
struct Details<'a> {
    of: &'a str,
    all: Vec<FioDetail>,
}

impl Details<'_> {
    fn add(
        &mut self,
        (direction, kind): (&'static str, &'static str),
        name: &str,
        unit: &'static str,
        value: Option<f64>,
    ) {
        let (of, name) = (self.of.to_owned(), name.to_owned());
        self.all.extend(value.map(|value| FioDetail { of, direction, kind, name, unit, value }));
    }
}

fn of_job(job: &FioJob, label: &str) -> Vec<FioDetail> {
    let mut details = Details { of: label, all: Vec::new() };
    details.add(("", "job"), "group", "1", Some(job.group as f64));
    for flow in &job.flows {
        of_flow(flow, &mut details);
    }
    if let Some(cpu) = job.cpu {
        let place = ("", "cpu");
        details.add(place, "user", "%", cpu.user_percent);
        details.add(place, "system", "%", cpu.system_percent);
        details.add(place, "context switches", "1", number(cpu.context_switches));
        details.add(place, "major faults", "1", number(cpu.major_faults));
        details.add(place, "minor faults", "1", number(cpu.minor_faults));
    }
    for (kind, shares) in job.shares.named() {
        for share in shares {
            details.add(("", kind), &share.name(), "%", Some(share.percent));
        }
    }
    details.all
}

fn of_flow(flow: &FioFlow, details: &mut Details<'_>) {
    let place = (flow.direction, "ios");
    details.add(place, "short", "1", number(flow.short));
    details.add(place, "dropped", "1", number(flow.dropped));
    let mut add = |kind, unit, spread: FioSpread| {
        let place = (flow.direction, kind);
        for (name, value) in
            [("min", spread.min), ("max", spread.max), ("mean", spread.mean), ("stddev", spread.stddev)]
        {
            details.add(place, name, unit, value);
        }
        details.add(place, "n", "1", number(spread.n));
        details.add(place, "share of the group", "%", spread.group_percent);
    };
    if let Some(spread) = flow.bandwidth_spread {
        add("bandwidth samples", "B/s", spread);
    }
    if let Some(spread) = flow.iops_spread {
        add("iops samples", "1/s", spread);
    }
}

fn of_disk(disk: &FioDisk) -> Vec<FioDetail> {
    let mut details = Details { of: &disk.name, all: Vec::new() };
    for (direction, side) in [("read", disk.reads), ("write", disk.writes)] {
        let place = (direction, "disk");
        details.add(place, "requests", "1", number(side.ios));
        details.add(place, "merges", "1", number(side.merges));
        details.add(place, "time of requests", "ms", number(side.ticks_ms));
    }
    details.add(("", "disk"), "time in the queue", "ms", number(disk.queue_ms));
    details.add(("", "disk"), "busy", "%", disk.busy_percent);
    details.all
}

fn number(count: Option<u64>) -> Option<f64> {
    count.map(|count| count as f64)
}

#[cfg(test)]
mod tests {
    use crate::fio::fio_text;

    #[test]
    fn what_the_text_of_a_guide_has_is_listed() {
        let text = include_str!("../../tests/fixtures/fio-text/vsl-guide.txt");
        let all = fio_text(text).unwrap().remove(0).details();
        let value = |kind: &str, direction: &str, name: &str| {
            let found =
                all.iter().find(|it| (it.kind, it.direction, it.name.as_str()) == (kind, direction, name));
            found.map(|it| (it.of.as_str(), it.unit, it.value))
        };
        assert_eq!(value("job", "", "group"), Some(("/dev/fioa", "1", 0.0)));
        assert_eq!(value("cpu", "", "context switches"), Some(("/dev/fioa", "1", 5_305_818.0)));
        assert_eq!(value("depth", "", "32"), Some(("/dev/fioa", "%", 115.3)));
        assert_eq!(value("depth", "", ">=64"), Some(("/dev/fioa", "%", 0.0)));
        assert_eq!(value("latency", "", "250000"), Some(("/dev/fioa", "%", 70.62)));
        assert_eq!(
            value("bandwidth samples", "write", "share of the group"),
            Some(("/dev/fioa", "%", 24.58))
        );
        assert_eq!(value("iops samples", "write", "mean"), None, "fio 2 has none");
        assert_eq!(value("ios", "write", "short"), Some(("/dev/fioa", "1", 0.0)));
        assert_eq!(value("ios", "write", "dropped"), None);
        assert_eq!(value("disk", "write", "requests"), Some(("fioa", "1", 8_637_747.0)));
        assert_eq!(value("disk", "", "busy"), Some(("fioa", "%", 100.0)));
    }
}
