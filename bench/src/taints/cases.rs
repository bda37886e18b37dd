//! The runs of `runs.toml`: what is measured, what disturbs it, and which taints they must have.

use super::ground::Ground;
use super::quiet::Disturbance;
use serde::Deserialize;
use std::sync::LazyLock;

/// A run to make.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name; a number is added to it.
    pub name: String,
    /// What it measures.
    pub ground: Ground,
    /// Options of its job, separated by blanks.
    pub job: String,
    /// What disturbs it.
    #[serde(default)]
    pub disturbance: Disturbance,
    /// Taints that must appear, in addition to those of its ground.
    #[serde(default)]
    pub must: Vec<String>,
    /// Taints that may appear.
    #[serde(default)]
    may: Option<Vec<String>>,
    /// Words that the answer must name as the limit; empty where it may name any.
    #[serde(default)]
    pub limit: String,
    /// Those that may appear if it names none.
    #[serde(skip)]
    may_else: Vec<String>,
}

impl Case {
    /// Taints that may appear.
    pub fn may(&self) -> &[String] {
        self.may.as_ref().unwrap_or(&self.may_else)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Runs {
    busy: Vec<String>,
    beside: Vec<String>,
    clean: Vec<Case>,
    disturbed: Vec<Case>,
    sampled: Vec<Case>,
}

static RUNS: LazyLock<Runs> = LazyLock::new(|| {
    let mut runs: Runs = toml::from_str(include_str!("runs.toml")).expect("a test reads the file");
    runs.disturbed.iter_mut().for_each(|case| case.may_else.clone_from(&runs.busy));
    runs.sampled.iter_mut().for_each(|case| case.may_else.clone_from(&runs.beside));
    runs
});

/// How many runs are made and kept of each clean case, and of each disturbed one.
const CLEAN: usize = 3;
const DISTURBED: usize = 4;

/// The runs for the shares of false alarms and of misses: each clean one once, and four of each kind of disturbance.
pub fn sample() -> Vec<(&'static Case, usize)> {
    each(&[(&RUNS.clean, 1), (&RUNS.sampled, DISTURBED)])
}

/// All runs that are kept.
pub fn all() -> Vec<(&'static Case, usize)> {
    each(&[(&RUNS.clean, CLEAN), (&RUNS.disturbed, DISTURBED)])
}

fn each(groups: &[(&'static [Case], usize)]) -> Vec<(&'static Case, usize)> {
    groups.iter().flat_map(|(cases, times)| cases.iter().map(|case| (case, *times))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_run_is_read_and_has_a_name_of_its_own() {
        let cases: Vec<&Case> = all().into_iter().chain(sample()).map(|(case, _)| case).collect();
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), RUNS.clean.len() + RUNS.disturbed.len() + RUNS.sampled.len());
        assert_eq!((RUNS.clean.len(), RUNS.disturbed.len(), RUNS.sampled.len()), (30, 17, 10));
        let is_clean = |case: &&Case| case.disturbance == Disturbance::Quiet;
        assert!(RUNS.clean.iter().all(|case| is_clean(&case) && case.may().is_empty()));
        assert!(RUNS.sampled.iter().all(|case| !is_clean(&case) && !case.may().is_empty()));
    }
}
