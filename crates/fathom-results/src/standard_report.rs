//! The report of a standard's tests: tables and plots in the order of the standard, as values.
//!
//! They are computed from the saved rounds whenever the report is printed. The page draws them, and the document has them
//! as numbers.

use crate::answer::{ReportDeviation, StoppedTest};
use crate::report_remark::{DoubtedRounds, ReportHeadline, ReportRemark};
use crate::stop_record::NotSettled;
use serde::{Deserialize, Serialize};

/// The report of all tests of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StandardReport {
    /// The standard and its version: `SNIA PTS 2.0.2 (Enterprise)`.
    pub standard: String,
    /// What is on every page, in groups: each has a title, and entries of a name and a text.
    pub header: Vec<HeaderGroup>,
    /// What is not as the standard asks. On every page, too.
    pub deviations: Vec<ReportDeviation>,
    /// The tests, in the order in which they ran.
    pub tests: Vec<TestReport>,
}

/// A part of the header.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HeaderGroup {
    /// `Device under test`.
    pub title: String,
    /// Name and text of each entry.
    pub entries: Vec<(String, String)>,
}

/// The report of one test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestReport {
    /// The short name: `iops`.
    pub name: String,
    /// The title: `IOPS test`.
    pub title: String,
    /// What came out.
    pub headline: ReportHeadline,
    /// The standard's verdict: steady state reached or not; `None` of a test that has none, or that has not come so far.
    pub is_steady: Option<bool>,
    /// Why it stopped before its end: the device failed or went away.
    #[serde(default)]
    pub stopped: Option<StoppedTest>,
    /// Parameters of the test that stand in its header: name and text.
    pub parameters: Vec<(String, String)>,
    /// Rounds inside its measurement windows whose figures need care.
    #[serde(default)]
    pub doubted: Vec<DoubtedRounds>,
    /// What to know before the figures are used.
    pub remarks: Vec<ReportRemark>,
    /// The tracking variables in their measurement windows.
    pub determinations: Vec<Determination>,
    /// Tables and plots in the standard's order.
    pub parts: Vec<ReportPart>,
}

/// A tracking variable in its measurement window of five rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Determination {
    /// What is tracked: `RND 4 KiB, 0/100`.
    pub variable: String,
    /// Unit of the values.
    pub unit: String,
    /// First and last round of the window, counted from 1.
    pub rounds: (usize, usize),
    /// Mean of the window.
    pub mean: f64,
    /// Largest minus smallest value, and the most that the standard allows.
    pub range: (f64, f64),
    /// Change of the fitted line within the window, and the most that the standard allows.
    pub slope: (f64, f64),
    /// Is it steady by the standard?
    pub is_steady: bool,
}

/// A table or a plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "part", rename_all = "kebab-case")]
pub enum ReportPart {
    /// Rows and columns.
    Table(ReportTable),
    /// Lines over a horizontal axis.
    Plot(ReportPlot),
    /// One column for each pair of two categories.
    Columns(ReportColumns),
    /// One field for each pair of two categories, with its number.
    Heat(ReportColumns),
}

impl ReportPart {
    /// A table with these titles of columns.
    pub fn table(title: impl Into<String>, columns: &[&str], rows: Vec<Vec<TableCell>>) -> Self {
        let columns = columns.iter().map(|title| (*title).to_owned()).collect();
        ReportPart::Table(ReportTable { title: title.into(), columns, rows })
    }

    /// A plot of these lines. The label of an axis alone makes a linear one.
    pub fn plot(
        title: impl Into<String>,
        x: impl Into<ReportAxis>,
        y: impl Into<ReportAxis>,
        series: Vec<ReportSeries>,
    ) -> Self {
        ReportPart::Plot(ReportPlot { title: title.into(), x: x.into(), y: y.into(), series })
    }
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportTable {
    /// What it shows, with the unit.
    pub title: String,
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum TableCell {
    /// A number, in the unit of its column.
    Number(f64),
    /// Words; empty where there is nothing.
    Text(String),
    /// Why a series has not settled.
    NotSettled(Vec<NotSettled>),
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        TableCell::Text(text.to_owned())
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        TableCell::Text(text)
    }
}

impl From<f64> for TableCell {
    fn from(value: f64) -> Self {
        TableCell::Number(value)
    }
}

impl From<Option<f64>> for TableCell {
    fn from(value: Option<f64>) -> Self {
        value.map_or_else(|| "".into(), TableCell::Number)
    }
}

/// A plot of lines.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportPlot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: ReportAxis,
    /// The vertical axis.
    pub y: ReportAxis,
    /// The lines.
    pub series: Vec<ReportSeries>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportAxis {
    /// What lies on it, with the unit.
    pub label: String,
    /// Logarithmic.
    pub is_log: bool,
}

impl ReportAxis {
    /// An axis with equal steps.
    pub fn linear(label: impl Into<String>) -> Self {
        ReportAxis { label: label.into(), is_log: false }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        ReportAxis { label: label.into(), is_log: true }
    }
}

impl From<&str> for ReportAxis {
    fn from(label: &str) -> Self {
        ReportAxis::linear(label)
    }
}

/// A line of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportSeries {
    /// Its name.
    pub name: String,
    /// A limit or a fitted line, drawn thin and dashed; else something that was measured.
    pub is_guide: bool,
    /// Counts of classes, drawn as a thin column each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_counts: bool,
    /// Horizontal and vertical values.
    pub points: Vec<(f64, f64)>,
}

impl ReportSeries {
    /// Counts of classes.
    pub fn counts(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        ReportSeries { is_counts: true, ..ReportSeries::measured(name, points) }
    }

    /// Something that was measured.
    pub fn measured(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        ReportSeries { name: name.into(), is_guide: false, is_counts: false, points }
    }

    /// A limit or a fitted line.
    pub fn guide(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        ReportSeries { name: name.into(), is_guide: true, is_counts: false, points }
    }
}

/// Columns over two categories.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportColumns {
    /// What it shows, with the unit.
    pub title: String,
    /// What the categories along the front are.
    pub x: String,
    /// What the categories along the depth are.
    pub z: String,
    /// Names of the categories along the front.
    pub x_names: Vec<String>,
    /// Names of the categories along the depth.
    pub z_names: Vec<String>,
    /// The values: for each category along the depth, one for each along the front.
    pub values: Vec<Vec<Option<f64>>>,
}
