//! Which jobs are counted.
//!
//! Batches are fixed at 16 where the engine has batches, and so is the depth. With more in flight than
//! one batch, the batches depend on how fast the target answers, and a count must not depend on that.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One job whose instructions per I/O are counted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its key in the record.
    pub name: String,
    /// What is counted.
    pub title: String,
    /// What the I/O goes to.
    pub target: Target,
    /// The lines of the job.
    pub job: Vec<String>,
    /// The same job without the feature whose cost is counted: the count is the difference of the two.
    pub without: Option<Vec<String>>,
    /// The budget of the design, in instructions per I/O.
    pub budget: Option<f64>,
    /// Whether fio can run it, so that its count can be shown too.
    pub has_peer: bool,
}

/// Where the I/O of a case goes.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Nowhere: the engine completes the I/O itself.
    Nothing,
    /// A file through the page cache.
    Cached,
    /// A file without the page cache, the only way in which libaio submits batches.
    Direct,
}

/// Every case, in the order of `cases.toml`.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases: BTreeMap<String, Vec<Case>> =
        toml::from_str(include_str!("cases.toml")).expect("a test reads the file");
    cases.remove("case").unwrap_or_default()
});
