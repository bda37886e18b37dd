//! The figures of fio's results by name, for those who list or compare them.

use super::job_result::{FioFlow, FioResult};
use crate::metric::{Measure, Metric};
use fathom_results::Unrated;

/// A figure that can be compared with the same figure of another run.
#[derive(Clone, Debug, PartialEq)]
pub struct FioFigure {
    /// The job, as [`FioResult::labels`] names it.
    pub job: String,
    /// `read`, `write`, `trim` or `mixed`.
    pub direction: &'static str,
    /// `iops`, `bandwidth`, or a latency: `clat mean`, `clat p99`, `lat max`.
    pub name: String,
    /// `1/s`, `B/s` or `ns`.
    pub unit: &'static str,
    /// Its value.
    pub value: f64,
    /// The value that it does not reach, where the file has it cut to a whole number.
    pub below: Option<f64>,
    /// Is a higher value the better one?
    pub is_rate: bool,
    /// Why it says nothing: it is a rate of too short a time, or of too few I/Os a rate, a mean or a percentile.
    pub unrated: Option<Unrated>,
}

impl FioResult {
    /// All figures of all jobs: rates, and of each latency the mean, the percentiles and the maximum.
    pub fn figures(&self) -> Vec<FioFigure> {
        let mut all = Vec::new();
        for (job, label) in self.jobs.iter().zip(self.labels()) {
            for flow in &job.flows {
                let direction = flow.direction;
                let mut add = |name: String, unit, value: Option<f64>| {
                    let Some(value) = value else { return };
                    let is_rate = unit != "ns";
                    let few = (flow.has_too_few() && !name.ends_with(" max")).then_some(Unrated::TooFew);
                    let unrated = flow.unrated().filter(|_| is_rate).or(few);
                    let job = label.clone();
                    let below = flow.cut.filter(|_| name == "iops").map(|cut| cut.iops_below);
                    all.push(FioFigure { job, direction, name, unit, value, below, is_rate, unrated });
                };
                add("iops".to_owned(), "1/s", flow.iops);
                add("bandwidth".to_owned(), "B/s", flow.bytes_per_second);
                for latency in &flow.latencies {
                    let kind = latency.kind;
                    add(format!("{kind} mean"), "ns", latency.mean_ns);
                    for (percent, ns) in &latency.percentiles {
                        add(format!("{kind} p{percent}"), "ns", Some(*ns));
                    }
                    add(format!("{kind} max"), "ns", latency.max_ns);
                }
            }
        }
        all
    }
}

impl Metric {
    /// Of a direction that fio measured. Of too few I/Os only the slowest is known.
    pub fn of_fio(&self, flow: &FioFlow) -> Option<f64> {
        let rated = |rate: Option<f64>| rate.filter(|_| flow.unrated().is_none());
        let main = flow.main_latency();
        let enough = main.filter(|_| !flow.has_too_few());
        match self.measure {
            Measure::Iops => rated(flow.iops),
            Measure::Bandwidth => rated(flow.bytes_per_second),
            Measure::Ios => flow.ios.map(|ios| ios as f64),
            Measure::Bytes => flow.bytes.map(|bytes| bytes as f64),
            Measure::Mean => enough.and_then(|it| it.mean_ns),
            Measure::Deviation => enough.and_then(|it| it.stddev_ns),
            Measure::Percentile(percent) => enough.and_then(|it| it.percentile_ns(percent)),
            Measure::Most => main.and_then(|it| it.max_ns),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fio::{FioFlow, FioJob, FioLatency, FioResult};

    /// An altered or cut file of fio lacks figures: none of them is 0.
    #[test]
    fn what_is_missing_is_no_figure() {
        let figures = |read: &str| {
            let text = format!(
                "{{\"fio version\": \"fio-3\", \"jobs\": [{{\"jobname\": \"a\", \"read\": {{{read}}}}}]}}"
            );
            let result = crate::fio::fio_json(&text).unwrap().remove(0);
            result.figures().into_iter().map(|figure| (figure.name, figure.value)).collect::<Vec<_>>()
        };
        assert_eq!(figures("\"total_ios\": 9000"), []);
        let iops = ("iops".to_owned(), 5.0);
        assert_eq!(
            figures("\"total_ios\": 9000, \"iops\": 5.0, \"bw_bytes\": \"x\""),
            std::slice::from_ref(&iops)
        );
        let clat =
            "\"total_ios\": 9000, \"iops\": 5.0, \"bw_bytes\": -1, \"clat_ns\": {\"N\": 9000, \"max\": 7}";
        assert_eq!(figures(clat), [iops, ("clat max".to_owned(), 7.0)]);
    }

    #[test]
    fn figures_have_names_units_and_a_direction_in_which_they_are_better() {
        // There is no bandwidth, so there is no figure of it.
        let latency = FioLatency {
            kind: "clat",
            max_ns: Some(9.0),
            mean_ns: Some(2.0),
            percentiles: vec![(99.9, 8.0)],
            ..Default::default()
        };
        let flow =
            FioFlow { direction: "read", iops: Some(5.0), latencies: vec![latency], ..Default::default() };
        let job = FioJob { name: "j".to_owned(), flows: vec![flow], ..Default::default() };
        let figures = FioResult { jobs: vec![job], ..Default::default() }.figures();
        let told: Vec<(&str, &str, f64, bool)> =
            figures.iter().map(|f| (f.name.as_str(), f.unit, f.value, f.is_rate)).collect();
        let expected = [
            ("iops", "1/s", 5.0, true),
            ("clat mean", "ns", 2.0, false),
            ("clat p99.9", "ns", 8.0, false),
            ("clat max", "ns", 9.0, false),
        ];
        assert_eq!(told, expected);
        assert_eq!((figures[0].job.as_str(), figures[0].direction), ("j", "read"));
    }
}
