//! The one catalogue of metrics: what a figure is called, its unit, which way is better, where it is shown, and its value and its
//! interval in whatever was measured.
//!
//! [`METRICS`] is the table (`catalogue.rs`). A table on the terminal, a table of the page, the JSON document, the CSV table, a suite,
//! a comparison and an import ask it for their columns ([`of_output`]) instead of having lists of their own, so a new metric or a new
//! percentile is one entry. Values are in the base unit of the metric (ns, bytes per second); who shows them chooses ns or ms.
//!
//! fio's own outputs (JSON, terse, normal text) have the percentiles of the job (`percentile_list`), not those of the catalogue.

mod catalogue;
mod chosen;
mod value;

pub use catalogue::METRICS;
pub use chosen::{Columns, NamedMetric, UnknownMetric, percentile};
pub use value::Reading;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// A figure that outputs have.
pub struct Metric {
    /// Its name in JSON and CSV: `iops`, `latency_p99.9`.
    pub id: &'static str,
    /// The heading of its column, without the unit of a time: `IOPS`, `p99.9`.
    pub title: &'static str,
    /// Its name in a sentence: `p99.9 latency`.
    pub words: &'static str,
    /// The unit of its values.
    pub unit: MetricUnit,
    /// Which way is better.
    pub better: Better,
    /// What describes several rounds.
    pub over_rounds: OverRounds,
    /// Where there is no room for all columns, those with the highest rank are left out first.
    pub rank: u8,
    /// The outputs that have it where nobody chose columns.
    pub outputs: &'static [Output],
    /// How it is called in the file of a suite; empty where a suite cannot show it. That of a percentile is made from its title.
    suite: &'static str,
    /// What is measured.
    pub(crate) measure: Measure,
}

/// What a metric measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Measure {
    Iops,
    Bandwidth,
    Ios,
    Bytes,
    Errors,
    Mean,
    Deviation,
    Least,
    /// Of this many per cent of the I/Os.
    Percentile(f64),
    Most,
    CpuPerIo,
    InFlight,
    Runtime,
    WorkerCpu,
    AllCpus,
    SyncMean,
    SyncP99,
    Syncs,
    Seconds,
    DeviceIos,
    DeviceSize,
    CacheShare,
    /// Another program measured it, so no run of fathom has it.
    Printed,
}

/// The unit of the values of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricUnit {
    /// Events per second.
    PerSecond,
    /// Events per minute.
    PerMinute,
    /// Bytes per second.
    BytesPerSecond,
    /// Bytes.
    Bytes,
    /// A number.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Seconds.
    Seconds,
    /// Per cent.
    Percent,
}

impl MetricUnit {
    /// In JSON and CSV.
    pub const fn symbol(self) -> &'static str {
        match self {
            MetricUnit::PerSecond => "1/s",
            MetricUnit::PerMinute => "1/min",
            MetricUnit::BytesPerSecond => "B/s",
            MetricUnit::Bytes => "B",
            MetricUnit::Count => "1",
            MetricUnit::Nanoseconds => "ns",
            MetricUnit::Seconds => "s",
            MetricUnit::Percent => "%",
        }
    }
}

/// Which value of a metric is the better one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The larger one.
    More,
    /// The smaller one.
    Less,
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

/// What shows metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The table of a first screen: of the jobs of a run, or of the rounds of a procedure.
    Screen,
    /// The table of all latencies (`--details`).
    Details,
    /// The table of the page, its copy as CSV, and the percentiles over time.
    Page,
    /// The JSON document and the CSV table of a run.
    Document,
    /// A suite or a sweep that names no figures, and the page of rounds.
    Rounds,
    /// A comparison.
    Comparison,
    /// The results of fio that were imported.
    Import,
}

impl Metric {
    /// Does this output have it?
    pub fn is_in(&self, output: Output) -> bool {
        self.outputs.contains(&output)
    }

    /// The percentile of latency that it is, in per cent.
    pub fn percentile(&self) -> Option<f64> {
        match self.measure {
            Measure::Percentile(percent) => Some(percent),
            _ => None,
        }
    }

    /// Is it a figure of the latencies of single I/Os?
    pub fn is_latency(&self) -> bool {
        use Measure::{Deviation, Least, Mean, Most, Percentile};
        matches!(self.measure, Mean | Deviation | Least | Percentile(_) | Most)
    }

    /// Is it a figure that only other programs have?
    pub fn is_printed(&self) -> bool {
        self.measure == Measure::Printed
    }

    /// Is it a rate of I/O? Of one that fell, the part that lasted is compared.
    pub fn is_rate(&self) -> bool {
        matches!(self.measure, Measure::Iops | Measure::Bandwidth)
    }

    /// Its name in the file of a suite: `p999-us`; empty where a suite cannot show it.
    pub fn suite_name(&self) -> Cow<'static, str> {
        match self.percentile() {
            Some(_) => format!("{}-us", self.title.replace('.', "")).into(),
            None => self.suite.into(),
        }
    }

    /// The title of its column in the tables of a suite, with the unit.
    pub fn suite_title(&self) -> String {
        match self.unit {
            MetricUnit::Nanoseconds => format!("{} µs", self.title),
            _ => self.title.to_owned(),
        }
    }

    /// What it is called in the results of fio: `clat p99.9`; `None` where they do not have it.
    pub fn fio_name(&self) -> Option<Cow<'static, str>> {
        match self.measure {
            Measure::Iops | Measure::Bandwidth => Some(self.id.into()),
            Measure::Mean | Measure::Percentile(_) | Measure::Most => {
                Some(format!("clat {}", self.title).into())
            }
            _ => None,
        }
    }
}

impl PartialEq for Metric {
    fn eq(&self, other: &Metric) -> bool {
        self.id == other.id
    }
}

impl Eq for Metric {}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// The metrics of an output, in their order.
pub fn of_output(output: Output) -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(move |metric| metric.is_in(output))
}

/// The percentiles of an output, in their order.
pub fn percentiles_of(output: Output) -> impl Iterator<Item = &'static Metric> {
    of_output(output).filter(|metric| metric.percentile().is_some())
}

/// The percentile of latency at so many per cent: that of the catalogue, else one that is made for the program's lifetime, as a job
/// or a command line names it.
pub fn of_percent(percent: f64) -> &'static Metric {
    static OTHERS: Mutex<Vec<&'static Metric>> = Mutex::new(Vec::new());
    let is_it = |metric: &&Metric| metric.percentile() == Some(percent);
    if let Some(known) = METRICS.iter().find(is_it) {
        return known;
    }
    let mut others = OTHERS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = others.iter().copied().find(is_it) {
        return known;
    }
    let made: &'static Metric = Box::leak(Box::new(catalogue::other_percentile(percent)));
    others.push(made);
    made
}

/// The metric with this id; it is one of the catalogue, as a test of each caller shows.
///
/// # Panics
/// If there is none: the name is a constant of the program.
pub fn of_id(id: &str) -> &'static Metric {
    METRICS.iter().find(|metric| metric.id == id).expect("a metric of the catalogue")
}
