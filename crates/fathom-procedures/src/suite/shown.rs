//! The figures that a suite tabulates: metrics of the catalogue in the units of a suite's columns.

use fathom_figures::metric::{
    Better, Columns, METRICS, Metric, MetricUnit, Output, OverRounds, of_id, of_output,
};
use fathom_results::procedure::RoundFigures;
use serde::{Deserialize, Deserializer};

/// A figure of a job in a cell. A file of a suite has it by its name: `p99-us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown(&'static Metric);

impl Shown {
    /// The metric with this id.
    pub fn of_id(id: &str) -> Shown {
        Shown(of_id(id))
    }

    /// The figures of a person's choice, in the place of the usual ones; those that rounds do not have are left out.
    pub fn chosen(columns: &Columns) -> Vec<Shown> {
        let known = |shown: &Shown| Shown::all().any(|known| known == *shown);
        columns.of(Output::Rounds).into_iter().map(Shown).filter(known).collect()
    }

    /// All that a suite can show.
    pub fn all() -> impl Iterator<Item = Shown> {
        METRICS.iter().filter(|metric| !metric.suite_name().is_empty()).map(Shown)
    }

    /// Is it this metric?
    pub fn is(self, metric: &Metric) -> bool {
        self.0 == metric
    }

    /// The id of its metric.
    pub fn id(self) -> &'static str {
        self.0.id
    }

    /// Its name in a file.
    pub fn name(self) -> String {
        self.0.suite_name().into_owned()
    }

    /// What a table has where the suite does not say it.
    pub fn usual() -> Vec<Shown> {
        of_output(Output::Rounds).map(Shown).collect()
    }

    /// The figure of this name in a file; `None` where there is none.
    pub fn of_name(name: &str) -> Option<Shown> {
        Shown::all().find(|shown| shown.0.suite_name() == name)
    }

    /// What the figure of several rounds is.
    pub fn over_rounds(self) -> OverRounds {
        self.0.over_rounds
    }

    /// Is it a rate of I/O?
    pub fn is_rate(self) -> bool {
        self.0.is_rate()
    }

    /// The title of its column, with the unit.
    pub fn title(self) -> String {
        self.0.suite_title()
    }

    /// The figure in the unit of its column.
    pub fn of(self, figures: &RoundFigures) -> Option<f64> {
        self.0.of_round(figures).map(|value| value / self.column_unit())
    }

    /// What one of the column is in the unit of the metric.
    fn column_unit(self) -> f64 {
        match self.0.unit {
            MetricUnit::Nanoseconds => 1e3,
            MetricUnit::BytesPerSecond => 1e6,
            MetricUnit::Bytes => 1024.0,
            _ => 1.0,
        }
    }

    /// A value of its column in the base unit of the metric.
    pub fn in_base_unit(self, value: f64) -> f64 {
        value * self.column_unit()
    }

    /// Is a lower value the better one?
    pub fn is_better_low(self) -> bool {
        self.0.better == Better::Less
    }
}

impl<'de> Deserialize<'de> for Shown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Shown::of_name(&name).ok_or_else(|| {
            let names: Vec<String> =
                Shown::all().map(|shown| format!("`{}`", shown.0.suite_name())).collect();
            serde::de::Error::custom(format!("unknown figure `{name}`, expected one of {}", names.join(", ")))
        })
    }
}
