//! A rule by which a suite judges a figure: `sync-p99-us` of the job `etcd`, at most 10,000.

use super::Shown;
use serde::Deserialize;

/// A limit that a published text gives for a figure.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// The job whose figure it is.
    pub job: String,
    /// The figure, in the unit of its column.
    pub figure: Shown,
    /// It passes up to this value.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// It passes from this value on.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// Where the limit is published, and what it means.
    pub source: String,
}

impl Rule {
    /// Does this value pass?
    pub fn passes(&self, value: f64) -> bool {
        self.at_most.is_none_or(|most| value <= most) && self.at_least.is_none_or(|least| value >= least)
    }
}
