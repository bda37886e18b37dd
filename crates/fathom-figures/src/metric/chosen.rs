//! The columns that a person chose, in place of those that an output has by itself.

use super::{METRICS, Metric, Output, of_output, of_percent};
use fathom_job::options::nearest_of;
use std::fmt;
use std::str::FromStr;

/// A metric that a person named, by its id, its title, its name in a suite, or `p` and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedMetric(pub &'static Metric);

/// Columns that a person chose; none where everything is as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    metrics: Vec<&'static Metric>,
    percentiles: Vec<&'static Metric>,
}

impl Columns {
    /// The usual ones.
    pub const USUAL: &'static Columns = &Columns { metrics: Vec::new(), percentiles: Vec::new() };

    /// These columns in place of all, and these percentiles in place of the percentiles; an empty list changes nothing.
    pub fn new(metrics: Vec<&'static Metric>, percentiles: Vec<&'static Metric>) -> Columns {
        Columns { metrics, percentiles }
    }

    /// Did a person choose anything?
    pub fn are_chosen(&self) -> bool {
        *self != *Columns::USUAL
    }

    /// The per cents of the percentiles that a person asked for, by either list.
    pub fn chosen_percents(&self) -> Vec<f64> {
        let chosen = self.metrics.iter().chain(&self.percentiles);
        chosen.filter_map(|metric| metric.percentile()).collect()
    }

    /// The columns of an output, in their order. Percentiles that were chosen stand where percentiles stand.
    pub fn of(&self, output: Output) -> Vec<&'static Metric> {
        let mut all: Vec<&'static Metric> = match self.metrics.as_slice() {
            [] => of_output(output).collect(),
            chosen => chosen.to_vec(),
        };
        if !self.percentiles.is_empty() {
            let is_percentile = |metric: &Metric| metric.percentile().is_some();
            let place = all.iter().position(|metric| is_percentile(metric));
            let place =
                place.or(all.iter().position(|metric| metric.id == "latency_max")).unwrap_or(all.len());
            all.retain(|metric| !is_percentile(metric));
            all.splice(place..place, self.percentiles.iter().copied());
        }
        all
    }
}

/// A name that is no metric's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownMetric(String);

impl fmt::Display for UnknownMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = || chosen_from().map(name);
        let ids = chosen_from().map(|metric| metric.id).chain(titles());
        write!(f, "no column is called {:?}", self.0)?;
        match nearest_of(&self.0, ids) {
            Some(nearest) => write!(f, "; did you mean {nearest}?")?,
            None => f.write_str(".")?,
        }
        let all: Vec<&str> = titles().collect();
        write!(f, " There are {}, and any percentile, such as p99.5", all.join(", "))
    }
}

impl std::error::Error for UnknownMetric {}

/// The metrics that a person can choose: those that fathom measures.
fn chosen_from() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| !metric.is_printed())
}

/// The shortest name that a person can write on a command line, where a comma ends it.
fn name(metric: &'static Metric) -> &'static str {
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '/');
    if is_word(metric.title) { metric.title } else { metric.id }
}

impl FromStr for NamedMetric {
    type Err = UnknownMetric;

    fn from_str(text: &str) -> Result<Self, UnknownMetric> {
        let text = text.trim();
        let is_it = |metric: &&Metric| {
            metric.id.eq_ignore_ascii_case(text)
                || metric.title.eq_ignore_ascii_case(text)
                || !text.is_empty() && metric.suite_name().eq_ignore_ascii_case(text)
        };
        let known = chosen_from().find(is_it);
        let of_number = || percentile(text.strip_prefix('p')?);
        known.or_else(of_number).map(NamedMetric).ok_or_else(|| UnknownMetric(text.to_owned()))
    }
}

/// The percentile of `99.9`; `None` of what is none.
pub fn percentile(text: &str) -> Option<&'static Metric> {
    let percent: f64 = text.trim().trim_start_matches('p').parse().ok()?;
    (percent > 0.0 && percent < 100.0).then(|| of_percent(percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(columns: &Columns, output: Output) -> Vec<&'static str> {
        columns.of(output).into_iter().map(|metric| metric.id).collect()
    }

    #[test]
    fn chosen_percentiles_stand_where_percentiles_stand() {
        let percentiles = ["90", "p99.5"].map(|text| percentile(text).unwrap()).to_vec();
        let columns = Columns::new(Vec::new(), percentiles.clone());
        let expected = ["iops", "bandwidth", "latency_mean", "latency_p90", "latency_p99.5", "latency_max"];
        assert_eq!(ids(&columns, Output::Screen), expected);
        let chosen = ["iops", "MB/s", "max"].map(|text| text.parse::<NamedMetric>().unwrap().0).to_vec();
        assert_eq!(
            ids(&Columns::new(chosen.clone(), Vec::new()), Output::Screen),
            ["iops", "bandwidth", "latency_max"]
        );
        let both = Columns::new(chosen, percentiles);
        assert_eq!(
            ids(&both, Output::Document),
            ["iops", "bandwidth", "latency_p90", "latency_p99.5", "latency_max"]
        );
        assert_eq!(ids(Columns::USUAL, Output::Rounds).len(), of_output(Output::Rounds).count());
    }

    #[test]
    fn a_name_that_does_not_exist_has_the_nearest_and_the_list() {
        let why = "iopps".parse::<NamedMetric>().unwrap_err().to_string();
        assert!(
            why.starts_with("no column is called \"iopps\"; did you mean iops? There are IOPS, MB/s, "),
            "{why}"
        );
        let why = "zzzz".parse::<NamedMetric>().unwrap_err().to_string();
        assert!(why.starts_with("no column is called \"zzzz\". There are IOPS, MB/s, "), "{why}");
        assert_eq!("P99-us".parse::<NamedMetric>().unwrap().0.id, "latency_p99");
        assert!([" ", "p", "p100", "pfoo"].iter().all(|text| text.parse::<NamedMetric>().is_err()));
        assert_eq!(percentile("100"), None);
    }
}
