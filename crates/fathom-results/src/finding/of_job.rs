//! What of a finding is about one job.

use super::{CountsDiffer, Finding, PageCache, Seen};

impl Finding {
    /// What of the finding is about this job; `None` where it names no job, or others.
    pub fn of_job(&self, name: &str) -> Option<Finding> {
        let seen = self.seen.of_job(name)?;
        Some(Finding { seen, ..self.clone() })
    }
}

/// Keeps what is of one job. Is anything left?
fn keep<T>(all: &mut Vec<T>, is_of: impl FnMut(&T) -> bool) -> bool {
    all.retain(is_of);
    !all.is_empty()
}

impl Seen {
    fn of_job(&self, name: &str) -> Option<Seen> {
        let is_of_worker = |worker: &str| worker.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let mut seen = self.clone();
        let is_of_it = match &mut seen {
            Seen::DataLimited { jobs } => keep(jobs, |it| it.job == name),
            Seen::KernelWorkers { jobs } => keep(jobs, |it| it.job == name),
            Seen::RegistrationDiffers { jobs } => keep(jobs, |it| it.job == name),
            Seen::RateFell { jobs, .. } => keep(jobs, |it| it.job == name),
            Seen::Unstable { jobs, .. } => keep(jobs, |it| it.job == name),
            Seen::ErrorsContinued { jobs } => keep(jobs, |it| it.job == name),
            Seen::RateMissed { jobs } => keep(jobs, |it| it.job == name),
            Seen::BlocksCut { jobs } => keep(jobs, |it| it.job == name),
            Seen::CpusMissing { jobs } => keep(jobs, |it| it.job == name),
            Seen::WokenLate { jobs } => keep(jobs, |it| it.job == name),
            Seen::CompletesInline { jobs } => keep(jobs, |it| it.job == name),
            Seen::FewSamples { jobs } => keep(jobs, |it| it.job == name),
            Seen::CpuQuota { jobs, .. } => keep(jobs, |job| job == name),
            Seen::GeneratorLimited(seen) => {
                let is_limited = keep(&mut seen.limited, |it| it.job == name);
                keep(&mut seen.delayed, |it| it.job == name) || is_limited
            }
            Seen::LogLimited { workers } => keep(workers, |it| is_of_worker(&it.worker)),
            Seen::Stalls { workers } => keep(workers, |it| is_of_worker(&it.worker)),
            Seen::Interrupted(seen) => keep(&mut seen.workers, |it| is_of_worker(&it.worker)),
            Seen::UnknownContent { job, .. }
            | Seen::TooFast { job, .. }
            | Seen::ClockResolution { job, .. }
            | Seen::ShortRun { job, .. }
            | Seen::PageCache(PageCache::Fits { job, .. })
            | Seen::CountsDisagree(CountsDiffer::Own { job, .. }) => job == name,
            Seen::LittlesLaw { law, .. } => law.job == name,
            _ => false,
        };
        is_of_it.then_some(seen)
    }
}
