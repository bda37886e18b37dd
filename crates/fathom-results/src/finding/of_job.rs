//! What of a finding is about one job.

use super::{CountsDiffer, CutShort, Finding, GeneratorLimit, PageCache, Seen};

impl Finding {
    /// What of the finding is about this job; `None` where it names no job, or others.
    pub fn of_job(&self, name: &str) -> Option<Finding> {
        let seen = self.seen.of_job(name)?;
        Some(Finding { seen, ..self.clone() })
    }
}

/// The items of one job, if there are any.
fn kept<T: Clone>(all: &[T], is_of: impl Fn(&T) -> bool) -> Option<Vec<T>> {
    let kept: Vec<T> = all.iter().filter(|item| is_of(item)).cloned().collect();
    (!kept.is_empty()).then_some(kept)
}

impl Seen {
    fn of_job(&self, name: &str) -> Option<Seen> {
        let is_of_worker = |worker: &str| worker.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let whole = |job: &str| (job == name).then(|| self.clone());
        Some(match self {
            Seen::DataLimited { jobs } => Seen::DataLimited { jobs: kept(jobs, |it| it.job == name)? },
            Seen::KernelWorkers { jobs } => Seen::KernelWorkers { jobs: kept(jobs, |it| it.job == name)? },
            Seen::RegistrationDiffers { jobs } => {
                Seen::RegistrationDiffers { jobs: kept(jobs, |it| it.job == name)? }
            }
            Seen::RateFell { jobs, is_only } => {
                Seen::RateFell { jobs: kept(jobs, |it| it.job == name)?, is_only: *is_only }
            }
            Seen::Unstable { jobs, is_only } => {
                Seen::Unstable { jobs: kept(jobs, |it| it.job == name)?, is_only: *is_only }
            }
            Seen::ErrorsContinued { jobs } => {
                Seen::ErrorsContinued { jobs: kept(jobs, |it| it.job == name)? }
            }
            Seen::RateMissed { jobs } => Seen::RateMissed { jobs: kept(jobs, |it| it.job == name)? },
            Seen::BlocksCut { jobs } => Seen::BlocksCut { jobs: kept(jobs, |it| it.job == name)? },
            Seen::WokenLate { jobs } => Seen::WokenLate { jobs: kept(jobs, |it| it.job == name)? },
            Seen::CompletesInline { jobs } => {
                Seen::CompletesInline { jobs: kept(jobs, |it| it.job == name)? }
            }
            Seen::FewSamples { jobs } => Seen::FewSamples { jobs: kept(jobs, |it| it.job == name)? },
            Seen::CpuQuota { quota, jobs } => {
                Seen::CpuQuota { quota: *quota, jobs: kept(jobs, |job| job == name)? }
            }
            Seen::GeneratorLimited(seen) => {
                let limited = kept(&seen.limited, |it| it.job == name).unwrap_or_default();
                let delayed = kept(&seen.delayed, |it| it.job == name).unwrap_or_default();
                let is_any = !limited.is_empty() || !delayed.is_empty();
                Seen::GeneratorLimited(is_any.then_some(GeneratorLimit { limited, delayed })?)
            }
            Seen::LogLimited { workers } => {
                Seen::LogLimited { workers: kept(workers, |it| is_of_worker(&it.worker))? }
            }
            Seen::Stalls { workers } => {
                Seen::Stalls { workers: kept(workers, |it| is_of_worker(&it.worker))? }
            }
            Seen::Interrupted(seen) => Seen::Interrupted(CutShort {
                workers: kept(&seen.workers, |it| is_of_worker(&it.worker))?,
                ..seen.clone()
            }),
            Seen::UnknownContent { job, .. }
            | Seen::TooFast { job, .. }
            | Seen::ClockResolution { job, .. }
            | Seen::ShortRun { job, .. }
            | Seen::PageCache(PageCache::Fits { job, .. })
            | Seen::CountsDisagree(CountsDiffer::Own { job, .. }) => whole(job)?,
            Seen::LittlesLaw { law, .. } => whole(&law.job)?,
            _ => return None,
        })
    }
}
