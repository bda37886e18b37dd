//! Which runner a plan gets: the one place that decides it.

use super::{LocalThreads, Runner, VirtualTime};
use crate::clock::Clock;
use crate::engine;
use crate::simulated::SimulatedDrives;
use fathom_job::plan::{Plan, PlannedJob};
use std::sync::Arc;

/// The time in which a plan runs. Its engines decide it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanTime {
    /// The time of the machine's clock.
    Real,
    /// A time that moves only when workers wait: an hour passes in a second.
    Virtual,
}

/// A plan with jobs in real time and others in virtual time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "job {in_virtual} runs in virtual time and job {in_real} in real time, but the jobs of one run share one clock"
)]
pub struct MixedTime {
    /// Name and engine of the first job in virtual time.
    pub in_virtual: String,
    /// Name and engine of the first job in real time.
    pub in_real: String,
}

impl MixedTime {
    /// What to do.
    pub const HINT: &str = "run them in two runs (--section NAME selects jobs), or set oracle_clock=real for the \
                            jobs in virtual time";
}

impl PlanTime {
    /// The time of a plan. A plan without jobs runs in real time.
    pub fn of(plan: &Plan) -> Result<PlanTime, MixedTime> {
        let first = |is_virtual| plan.jobs.iter().find(|job| engine::is_virtual(job) == is_virtual);
        match (first(true), first(false)) {
            (Some(one), Some(other)) => {
                Err(MixedTime { in_virtual: name_and_engine(one), in_real: name_and_engine(other) })
            }
            (Some(_), None) => Ok(PlanTime::Virtual),
            (None, _) => Ok(PlanTime::Real),
        }
    }

    /// The clock of such a run. `kernel_trusts_tsc` as in [`Clock::calibrate`].
    pub fn clock(self, kernel_trusts_tsc: bool) -> Clock {
        match self {
            PlanTime::Real => Clock::calibrate(kernel_trusts_tsc),
            PlanTime::Virtual => Clock::virtual_time(),
        }
    }

    /// The runner for it. `local` is the one in real time, and `drives` are those in virtual time.
    pub fn runner(self, local: &LocalThreads, drives: &Arc<SimulatedDrives>) -> Box<dyn Runner> {
        match self {
            PlanTime::Real => Box::new(local.clone()),
            PlanTime::Virtual => {
                Box::new(VirtualTime { drives: drives.clone(), traces: Some(local.targets.clone()) })
            }
        }
    }
}

fn name_and_engine(job: &PlannedJob) -> String {
    format!("`{}` (ioengine={})", job.name, job.engine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    const VIRTUAL: &str = "[v]\nioengine=oracle\noracle_clock=virtual\nrw=read\nsize=1m\n";
    const REAL: &str = "[r]\nioengine=oracle\nrw=read\nsize=1m\n[n]\nioengine=null\nrw=read\nsize=1m\n";

    #[test]
    fn engines_decide_the_time() {
        assert_eq!(PlanTime::of(&planned(VIRTUAL)), Ok(PlanTime::Virtual));
        assert_eq!(PlanTime::of(&planned(REAL)), Ok(PlanTime::Real));
        assert_eq!(PlanTime::of(&Plan { jobs: Vec::new(), findings: Vec::new() }), Ok(PlanTime::Real));
    }

    #[test]
    fn a_mixture_is_refused_with_both_names() {
        let error = PlanTime::of(&planned(&format!("{REAL}{VIRTUAL}"))).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("`v` (ioengine=oracle) runs in virtual time"), "{message}");
        assert!(message.contains("`r` (ioengine=oracle) in real time"), "{message}");
    }
}
