//! A comparison: what several measurements say together. `fathom compare --json` prints it.
//!
//! The first subject is the baseline. Every other one is compared with it, figure by figure. The document holds no sentence of
//! fathom's own: `fathom-words` makes them of it.

mod cause;
mod left_out;

pub use cause::*;
pub use left_out::*;

use crate::answer::{Measured, MeasuredJobs, TrustLevel};
use crate::document::SeriesRecord;
use serde::{Deserialize, Serialize};

/// Version of the document. Added fields do not change it.
pub const COMPARISON_FORMAT: u32 = 1;

/// A comparison of two or more subjects.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// [`COMPARISON_FORMAT`] of the writer.
    pub format: u32,
    /// What is compared; the first one is the baseline.
    pub subjects: Vec<ComparedSubject>,
    /// What differs between the machines, the targets and the jobs, the most important first.
    pub differences: Vec<Difference>,
    /// What was measured and cannot be compared.
    pub left_out: Vec<LeftOut>,
    /// The figures, in the order of the jobs of the baseline.
    pub figures: Vec<ComparedFigure>,
    /// Other causes than what was changed that can make the figures differ, the most serious first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<OtherCause>,
    /// Another cause can explain or hide a difference, and favours one side. It takes the place of the headline, because
    /// the figures do not show then what was changed.
    pub not_shown: Option<NotShown>,
    /// What else needs care, the most serious first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<ComparisonDoubt>,
    /// What to do next: what would exclude another cause, or decide a figure that is unclear; else what shows more. Absent
    /// in comparisons that nobody asked for on a command line.
    pub next: Option<ComparisonStep>,
    /// What to do after `next`, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<ComparisonStep>,
    /// Each second of each job of each round; absent where nobody asked for it (`--series`).
    #[serde(default)]
    pub series: Option<Vec<SeriesRecord>>,
}

impl Comparison {
    /// What differs, without what only follows another difference.
    pub fn own_differences(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.follows.is_none())
    }

    /// The subjects of which it cannot be told whether they differ from the baseline: some figure is unclear, and none is better or
    /// worse.
    pub fn unclear(&self) -> impl Iterator<Item = &ComparedSubject> {
        let is_unclear = |(place, _): &(usize, &ComparedSubject)| {
            let verdicts =
                || self.figures.iter().filter_map(|figure| Some(figure.against.get(*place)?.verdict));
            verdicts().any(FigureVerdict::is_unclear) && !verdicts().any(FigureVerdict::is_difference)
        };
        self.subjects.iter().skip(1).enumerate().filter(is_unclear).map(|(_, subject)| subject)
    }
}

/// One of the things that are compared.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedSubject {
    /// One letter: A is the baseline.
    pub letter: String,
    /// The name that the user sees.
    pub name: String,
    /// The directory or file that it was read from; empty for typed values.
    pub source: String,
    /// Id of the run or procedure.
    #[serialize_always]
    pub id: Option<String>,
    /// Wall clock at its start, nanoseconds since 1970 UTC.
    #[serialize_always]
    pub started_unix_ns: Option<u64>,
    /// The targets. Of a suite those of all cells, where they differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Measured>,
    /// How many jobs, and how long; absent where nothing is known of them.
    pub jobs: Option<MeasuredJobs>,
    /// What they do, in the words of job files.
    pub workload: Option<String>,
    /// How many runs it consists of.
    pub runs: u32,
    /// Of a file of fio in which several results have one name: how many results it holds. They are clones of a job or runs of it,
    /// and nothing tells which.
    pub results: Option<u32>,
    /// Of tests of the specification: how many rounds their measurement windows have, which are its runs.
    pub window_rounds: Option<u32>,
    /// The cells of a suite whose runs these are; absent of what is no suite.
    pub cells: Option<ComparedCells>,
    /// Why it is not whole: that it is not finished, and which cells, rounds and jobs failed or are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incomplete: Vec<Gap>,
    /// Jobs and cells of which the baseline has figures and this one has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Jobs and cells of which this one and the baseline have figures, and none that can be compared, as of another block size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_alike: Vec<String>,
    /// How far its result can be trusted, the lowest of its runs; `None` where nothing judged it.
    #[serialize_always]
    pub trust: Option<TrustLevel>,
    /// Why its figures need care, those of the lowest trust first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<SubjectDoubt>,
}

/// The cells of a suite that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedCells {
    /// How many the suite has.
    pub planned: u32,
    /// Of how many there are figures.
    pub measured: u32,
    /// The fewest runs of a cell that was measured.
    pub runs_min: u32,
    /// The most runs of a cell.
    pub runs_max: u32,
}

/// A property in which the subjects differ.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference {
    /// What it is a property of.
    pub of: DifferenceOf,
    /// The property: `kernel`, `iodepth`.
    pub what: String,
    /// The jobs whose option it is; absent of what is no option.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// The target that it is of, where it is not the first: 2 is the second.
    pub target: Option<u64>,
    /// Its value for each subject; `None` where it is not known.
    pub values: Vec<Option<String>>,
    /// The property with which the kernel changes this one, if that differs too.
    pub follows: Option<String>,
}

/// What a property belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceOf {
    /// The jobs: what was asked for.
    Job,
    /// The target.
    Target,
    /// The machine.
    Machine,
    /// The version of fathom.
    Program,
}

/// One figure of all subjects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedFigure {
    /// The job, with its direction where it has several: `mixed read`.
    pub job: String,
    /// The cell of the suites; absent where they are no suites.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cell: String,
    /// What is measured: `IOPS`, `p99 latency`.
    pub metric: String,
    /// Unit of the values: `IOPS`, `bytes/s`, `ns`; empty for typed values without one.
    pub unit: String,
    /// Whether a larger value is a better one.
    pub is_more_better: bool,
    /// The values of each subject.
    pub values: Vec<FigureValues>,
    /// Each subject after the first, compared with it.
    pub against: Vec<Against>,
}

/// A figure of one subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureValues {
    /// One value for each run, or for each round of a measurement window.
    pub values: Vec<f64>,
    /// Their mean, or the median for percentiles.
    pub value: f64,
    /// The 95 % interval; of a single run it is of what varied within that run only.
    pub interval: Option<(f64, f64)>,
    /// The values depend on their order, as with a drift or in blocks: how likely neighbours are so alike by chance. Absent where the
    /// order seems to be chance, and where it is not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_p_value: Option<f64>,
}

/// A subject compared with the baseline in one figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Against {
    /// The value divided by that of the baseline; `None` where the baseline is 0.
    pub ratio: Option<f64>,
    /// The 95 % interval of the ratio.
    pub interval: Option<(f64, f64)>,
    /// What the interval was made from.
    pub basis: Basis,
    /// The probability of such a difference if nothing differs.
    pub p_value: Option<f64>,
    /// The same, adjusted for the number of figures (Holm).
    pub p_value_adjusted: Option<f64>,
    /// Differences up to this ratio count as none: 0.03 is 3 %.
    pub tolerance: f64,
    /// What it means.
    pub verdict: FigureVerdict,
}

/// What an interval was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// Independent runs: their means, by Welch and Fieller.
    Runs,
    /// Independent runs: their order, by Hodges and Lehmann.
    Ranks,
    /// Runs in turn: the ratios of pairs.
    Pairs,
    /// The rounds of a measurement window of each: their means, by Welch and Fieller.
    Window,
    /// A single run each: what varied within the runs.
    Within,
    /// There is no interval.
    Nothing,
}

/// What the comparison of a figure says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum FigureVerdict {
    /// Better than the baseline.
    Better,
    /// Worse than the baseline.
    Worse,
    /// The whole interval is within the tolerance.
    Same,
    /// The runs are too few, or vary too much.
    Unknown {
        /// The runs that each side needs, if that can be told.
        runs_needed: Option<u32>,
    },
}

impl FigureVerdict {
    /// Is it better or worse?
    pub const fn is_difference(self) -> bool {
        matches!(self, FigureVerdict::Better | FigureVerdict::Worse)
    }

    /// Is it not known?
    pub const fn is_unclear(self) -> bool {
        matches!(self, FigureVerdict::Unknown { .. })
    }
}

impl Against {
    /// Is it unclear only because many figures are compared: does its own interval leave out that nothing differs?
    pub fn is_unclear_by_number(&self) -> bool {
        self.verdict.is_unclear() && self.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    }
}
