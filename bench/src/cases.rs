//! Every comparison: the entries of `cases.toml`.
//!
//! Generators are compared where the target is nearly free: null, a page-cached file, zram. On a
//! device that is the limit (loop, ext4 on it) IOPS must be equal, and the CPU time shows the difference.
//!
//! *plain*: the job file that a user would write, the same for both. *best*: fio gets the flags
//! that make it fastest, batches of 16 above all; fathom keeps the plain job and its own batching,
//! which never holds a completion back. zram and tmpfs hand io_uring's requests to kernel threads,
//! so that every tool measures the hand-off; the tmpfs cases are shown for that, never as a claim.
//!
//! The *bare loop* submits, waits and reaps, and measures nothing. The difference to fathom is the
//! cost of fathom's statistics.

use super::figure::Goal;
use super::target::Target;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One comparison: a job, its target, and the goal for the ratio.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name on the command line and in the records.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// What the I/O goes to.
    pub target: Target,
    /// The job, the same for both sides.
    pub job: Vec<String>,
    /// The two sides that run it.
    #[serde(default)]
    pub sides: Sides,
    /// The lines that only fio's job has.
    #[serde(default)]
    pub fio: Vec<String>,
    /// IOPS of the first side over the second's.
    #[serde(default)]
    pub iops: Goal,
    /// CPU time per I/O of the first side over the second's.
    #[serde(default)]
    pub cpu: Goal,
}

/// The sides of a case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sides {
    /// fathom and fio.
    #[default]
    FathomFio,
    /// Only fathom: fio cannot run it.
    Fathom,
    /// fathom and the bare loop: reads without any measuring.
    FathomBare,
    /// The bare loop and fio.
    BareFio,
}

/// All cases, in the order in which they run.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases: BTreeMap<String, Vec<Case>> =
        toml::from_str(include_str!("cases.toml")).expect("a test reads the file");
    cases.remove("case").unwrap_or_default()
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job_check::assert_one_job;
    use crate::side::Length;
    use crate::side::text;

    #[test]
    fn names_are_unique_and_every_job_is_one() {
        for (at, case) in CASES.iter().enumerate() {
            assert!(CASES[..at].iter().all(|other| other.name != case.name), "{}", case.name);
            for fio in [false, true] {
                assert_one_job(&text(case, "size=1g\n", fio, Length::Seconds(1)));
                assert_one_job(&text(case, "size=1g\n", fio, Length::Ios(1)));
            }
        }
    }
}
