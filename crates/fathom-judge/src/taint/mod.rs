//! Taints: why the figures of a run need care.
//!
//! One rule per file, one line in [`RULES`]. A rule looks at the whole run and says at most one
//! thing, as a variant of `Evidence` with its numbers; the words are in `fathom-words/src/finding/`. Rules about devices are
//! silent where no device is reached (null engine). ARCHITECTURE.md ("a finding of a run") says how one is added.

mod blocks_cut;
mod clock_low;
mod clock_resolution;
mod completes_inline;
mod counts_disagree;
mod cpu_quota;
mod cpus_missing;
mod data_limited;
mod errors_continued;
mod foreign_io;
mod generator_limited;
mod host_disturbed;
mod interrupted;
pub(crate) mod kernel_workers;
mod littles_law;
mod log_limited;
mod loop_device;
mod memory_backed;
mod no_target;
mod page_cache;
mod rate_fell;
mod rate_missed;
mod registration_differs;
mod same_filesystem;
mod simulated;
mod stalls;
mod steal;
mod stopped;
mod thin_percentile;
mod too_fast;
mod too_hot;
mod unknown_content;
mod unstable;
mod unwritten_range;
mod virtual_disk;
mod woken_late;

pub(crate) use littles_law::unfilled;
pub use rate_fell::CODE as RATE_FELL;
pub(crate) use rate_fell::{fall_evidence, fallen, lasting};
pub(crate) use unknown_content::CODE as UNKNOWN_CONTENT;
pub use unstable::CODE as UNSTABLE;
pub(crate) use unwritten_range::CODE as UNWRITTEN_RANGE;

use crate::case::Case;
use crate::surrounds::Surrounds;
use fathom_results::{Evidence, Finding, JobsPart, RunResult, Weight};

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct TaintRule {
    /// Stable short name, the code of its findings.
    pub code: &'static str,
    /// What it means for the trust in the figures.
    pub weight: Weight,
    pub(crate) check: fn(&Case<'_>) -> Option<Found>,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    evidence: Evidence,
    /// What it means for the trust, where that is not as the rule says.
    weight: Option<Weight>,
    /// The jobs that it is about, where it is not about all.
    jobs: Option<JobsPart>,
}

impl Found {
    pub(crate) fn new(evidence: Evidence) -> Self {
        Found { evidence, weight: None, jobs: None }
    }

    /// What `evidence` makes of all cases; nothing where there is none.
    pub(crate) fn where_any<T>(all: Vec<T>, evidence: impl FnOnce(Vec<T>) -> Evidence) -> Option<Self> {
        (!all.is_empty()).then(|| Found::new(evidence(all)))
    }

    /// With this weight instead of that of the rule.
    pub(crate) fn weighing(self, weight: Weight) -> Self {
        Found { weight: Some(weight), ..self }
    }

    /// About these jobs; about all where there is no name.
    pub(crate) fn about(self, jobs: Option<JobsPart>) -> Self {
        Found { jobs, ..self }
    }
}

#[cfg(test)]
impl Found {
    fn words(&self) -> fathom_words::FindingWords {
        let Found { evidence, weight, jobs } = self.clone();
        fathom_words::of_finding(&Finding { evidence, weight: weight.unwrap_or(Weight::Medium), jobs })
    }

    /// The evidence in words.
    pub(crate) fn evidence(&self) -> String {
        self.words().evidence
    }

    /// The claim in words.
    pub(crate) fn claim(&self) -> String {
        self.words().claim.whole()
    }

    /// The evidence in few words, where it has fewer.
    pub(crate) fn brief(&self) -> Option<String> {
        self.words().brief
    }
}

/// All rules, the most serious first: those that make a figure void, or not the device's, come
/// before those that only distort it. Every list of taints is in this order.
pub const RULES: &[TaintRule] = &[
    foreign_io::RULE,
    page_cache::RULE,
    memory_backed::RULE,
    no_target::RULE,
    simulated::RULE,
    unwritten_range::RULE,
    unknown_content::RULE,
    cpu_quota::RULE,
    generator_limited::RULE,
    data_limited::RULE,
    log_limited::RULE,
    kernel_workers::RULE,
    registration_differs::RULE,
    rate_fell::RULE,
    unstable::RULE,
    errors_continued::RULE,
    interrupted::RULE,
    rate_missed::RULE,
    blocks_cut::RULE,
    counts_disagree::RULE,
    too_fast::RULE,
    host_disturbed::RULE,
    clock_low::RULE,
    too_hot::RULE,
    stopped::RULE,
    stalls::RULE,
    steal::RULE,
    cpus_missing::RULE,
    woken_late::RULE,
    littles_law::RULE,
    completes_inline::RULE,
    clock_resolution::RULE,
    loop_device::RULE,
    virtual_disk::RULE,
    same_filesystem::RULE,
    thin_percentile::RULE,
];

/// What the rules find in this run; empty when nothing speaks against its figures.
pub fn findings(run: &RunResult, surrounds: &Surrounds) -> Vec<Finding> {
    let case = Case::new(run, surrounds);
    RULES.iter().filter_map(|rule| rule.found(&case)).collect()
}

/// What the rule of that code finds.
pub(crate) fn found(code: &str, case: &Case<'_>) -> Option<Finding> {
    RULES.iter().find(|rule| rule.code == code)?.found(case)
}

impl TaintRule {
    /// What the rule finds.
    pub(crate) fn found(&self, case: &Case<'_>) -> Option<Finding> {
        let Found { evidence, weight, jobs } = (self.check)(case)?;
        Some(Finding { evidence, weight: weight.unwrap_or(self.weight), jobs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_distinct() {
        let codes: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes.len(), RULES.len());
        for rule in RULES {
            assert!(rule.code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{}", rule.code);
        }
    }

    #[test]
    fn a_sound_run_has_no_taint() {
        let job = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";
        let flow = DirectionLoad::reads(40_000, 4096, 199_000);
        let run =
            RunBuilder::of(job).all(10, flow).disk(crate::fixture::disk("sda", 40_000 * 4096 * 10, 0)).run();
        assert_eq!(findings(&run, &crate::fixture::surrounds()), []);
    }

    #[test]
    fn the_null_engine_gets_no_taint_of_a_device() {
        let run = RunBuilder::of("rw=randread bs=4k ioengine=null iodepth=8 size=1g")
            .all(10, DirectionLoad::reads(1_000_000, 4096, 60))
            .cpu(0, 0.99, 0.0)
            .run();
        let worst = Surrounds {
            is_loop: true,
            is_virtual: Some(true),
            disk_name: Some("loop0".to_owned()),
            fs_type: Some("tmpfs".to_owned()),
            results_on_same_fs: true,
            ..crate::fixture::surrounds()
        };
        let codes: Vec<String> =
            findings(&run, &worst).iter().map(|finding| finding.code().to_owned()).collect();
        assert_eq!(codes, ["no-target"]);
    }

    #[test]
    fn every_taint_of_a_bad_run_says_what_was_seen() {
        let run = RunBuilder::of("rw=randread bs=4k ioengine=io_uring iodepth=8 filename=/data/f")
            .all(3, DirectionLoad { errors: 1, short_ios: 1, ..DirectionLoad::reads(900, 4096, 90) })
            .cpu(0, 0.5, 0.5)
            .run();
        let surrounds = Surrounds {
            results_on_same_fs: true,
            steal_percent: Some(7.0),
            is_loop: true,
            ..crate::fixture::surrounds()
        };
        let all = findings(&run, &surrounds);
        assert!(all.len() >= 7, "{all:#?}");
        for finding in all {
            let words = fathom_words::of_finding(&finding);
            let has_number = words.evidence.chars().any(|c| c.is_ascii_digit());
            assert!(has_number || finding.code() == "loop-device", "{words:?}");
            assert!(!words.claim.whole().ends_with('.') && !words.evidence.ends_with('.'), "{words:?}");
            assert!(words.next.len() > 10, "{words:?}");
            let saved = serde_json::to_string(&finding).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&saved).unwrap(), finding, "{saved}");
        }
    }
}
