//! The job asked for CPUs that this machine does not have, and ran on the rest.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::finding::JobWithoutCpus;
use fathom_results::{Evidence, JobRecord, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "cpus-missing", weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let mut jobs: Vec<JobWithoutCpus> = case.run.record.plan.jobs.iter().filter_map(without_cpus).collect();
    // The clones of a job name the same CPUs.
    jobs.dedup();
    Found::where_any(jobs, |jobs| Evidence::CpusMissing { jobs })
}

fn without_cpus(job: &JobRecord) -> Option<JobWithoutCpus> {
    let cpus = job.missing_cpus.clone()?;
    Some(JobWithoutCpus { job: job.name.clone(), cpus })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn evidence(cpus: &str) -> Option<String> {
        let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f cpus_allowed={cpus}");
        let run = RunBuilder::of(&job).all(2, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
    }

    #[test]
    fn a_job_that_names_cpus_of_another_machine_is_a_finding_once() {
        let clones = "2-7\nnumjobs=2";
        let expected = "job t allows CPU 4-7, but this machine has CPUs 0-3; it ran on 2-3";
        assert_eq!([evidence("2-7"), evidence(clones)].map(Option::unwrap), [expected, expected]);
        assert_eq!(evidence("0-3"), None);
    }
}
