//! What all rounds of a procedure write to lay out files.

use fathom_job::options;
use fathom_job::plan::Plan;
use std::collections::BTreeMap;

/// Bytes that are laid out, by file.
#[derive(Debug, Default)]
pub(super) struct LaidOut {
    pub(super) files: BTreeMap<String, u64>,
}

impl LaidOut {
    /// Adds a round that is measured so many times. Every round is planned before the first is measured, so each plan has the file
    /// as missing that only the first round lays out; one that removes its files lays them out every time.
    pub(super) fn add(&mut self, plan: &Plan, times: u32) {
        let mut once: BTreeMap<&str, u64> = BTreeMap::new();
        for job in &plan.jobs {
            let removes = job.job.get(&options::UNLINK);
            for file in job.files.iter().filter(|file| file.layout.0 > 0) {
                let bytes = file.layout.0.saturating_mul(if removes { u64::from(times) } else { 1 });
                let sum = once.entry(&file.path).or_default();
                *sum = sum.saturating_add(bytes);
            }
        }
        for (path, bytes) in once {
            let most = self.files.entry(path.to_owned()).or_default();
            *most = bytes.max(*most);
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.files.values().copied().fold(0, u64::saturating_add)
    }
}
