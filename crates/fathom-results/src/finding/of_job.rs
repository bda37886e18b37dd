//! What of a finding is about one job.

use super::{CountsDiffer, Evidence, Finding, PageCache};

impl Finding {
    /// What of the finding is about this job; `None` where it names no job, or others.
    pub fn of_job(&self, name: &str) -> Option<Finding> {
        let evidence = self.evidence.of_job(name)?;
        Some(Finding { evidence, ..self.clone() })
    }
}

/// Keeps what is of one job. Is anything left?
fn keep<T>(all: &mut Vec<T>, is_of: impl FnMut(&T) -> bool) -> bool {
    all.retain(is_of);
    !all.is_empty()
}

impl Evidence {
    fn of_job(&self, name: &str) -> Option<Evidence> {
        let is_of_worker = |worker: &str| worker.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let mut evidence = self.clone();
        let is_of_it = match &mut evidence {
            Evidence::DataLimited { jobs } => keep(jobs, |it| it.job == name),
            Evidence::KernelWorkers { jobs } => keep(jobs, |it| it.job == name),
            Evidence::RegistrationDiffers { jobs } => keep(jobs, |it| it.job == name),
            Evidence::RateFell { jobs, .. } => keep(jobs, |it| it.job == name),
            Evidence::Unstable { jobs, .. } => keep(jobs, |it| it.job == name),
            Evidence::ErrorsContinued { jobs } => keep(jobs, |it| it.job == name),
            Evidence::RateMissed { jobs } => keep(jobs, |it| it.job == name),
            Evidence::BlocksCut { jobs } => keep(jobs, |it| it.job == name),
            Evidence::CpusMissing { jobs } => keep(jobs, |it| it.job == name),
            Evidence::WokenLate { jobs } => keep(jobs, |it| it.job == name),
            Evidence::CompletesInline { jobs } => keep(jobs, |it| it.job == name),
            Evidence::FewSamples { jobs } => keep(jobs, |it| it.job == name),
            Evidence::CpuQuota { jobs, .. } => keep(jobs, |job| job == name),
            Evidence::GeneratorLimited(evidence) => {
                let is_limited = keep(&mut evidence.limited, |it| it.job == name);
                keep(&mut evidence.delayed, |it| it.job == name) || is_limited
            }
            Evidence::LogLimited { workers } => keep(workers, |it| is_of_worker(&it.worker)),
            Evidence::Stalls { workers } => keep(workers, |it| is_of_worker(&it.worker)),
            Evidence::Interrupted(evidence) => keep(&mut evidence.workers, |it| is_of_worker(&it.worker)),
            Evidence::UnknownContent { job, .. }
            | Evidence::TooFast { job, .. }
            | Evidence::ClockResolution { job, .. }
            | Evidence::ShortRun { job, .. }
            | Evidence::PageCache(PageCache::Fits { job, .. })
            | Evidence::CountsDisagree(CountsDiffer::Own { job, .. }) => job == name,
            Evidence::LittlesLaw { law, .. } => law.job == name,
            _ => false,
        };
        is_of_it.then_some(evidence)
    }
}
