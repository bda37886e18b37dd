//! Makes the plan that this machine can run from jobs.

use crate::exit::Failure;
use crate::here::Here;
use fathom_engine::engine;
use fathom_job::diagnostic::{Diagnostic, Severity};
use fathom_job::options;
use fathom_job::parse::JobSet;
use fathom_job::plan::{NO_MEMORY, NO_SPACE, Plan, TARGET_MISSING, ZONES_EMPTY, plan};

/// Findings with which `fathom run` begins nothing.
const ERRORS: [&str; 3] = [NO_SPACE, NO_MEMORY, TARGET_MISSING];

/// Plans the jobs on this machine. What cannot fit on the disk or into the memory is an error of
/// the job, and so is a directory that is not there.
pub fn planned(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    without(&ERRORS, resolved(jobs, here)?)
}

/// The same for jobs with which everything begins, so that a simulated drive is new: what reads its empty zones is an error.
pub fn planned_first(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    without(&[ZONES_EMPTY], planned(jobs, here)?)
}

/// The plan, or its findings of these codes as errors.
fn without(codes: &[&str], plan: Plan) -> Result<Plan, Failure> {
    let wrong = plan.findings.iter().filter(|finding| codes.contains(&finding.code.as_ref()));
    let errors: Vec<Diagnostic> =
        wrong.map(|finding| Diagnostic { severity: Severity::Error, ..finding.clone() }).collect();
    if errors.is_empty() { Ok(plan) } else { Err(Failure::job(&errors)) }
}

/// The same by the rules of fio, whose jobs may fill the disk, and which makes the directories of `filename`.
pub fn planned_as_fio(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    let mut plan = resolved(jobs, here)?;
    plan.findings.retain(|finding| finding.code != TARGET_MISSING);
    verify_as_fio(&mut plan);
    Ok(plan)
}

fn resolved(jobs: &JobSet, here: &Here) -> Result<Plan, Failure> {
    plan(&jobs.jobs, &engine::definitions(), &here.machine(), &here.targets()).map_err(|e| Failure::job(&e))
}

/// In fio, the first wrong block ends its job, unless the job goes on after such errors, each pass is read back, and `verify_only`
/// does not look at the number of a write. fio draws other places than fathom, so with `verify_only` the numbers of its random
/// writes are not those that fathom expects.
fn verify_as_fio(plan: &mut Plan) {
    for job in &mut plan.jobs {
        let goes_on = matches!(job.job.get(&options::CONTINUE_ON_ERROR), "verify" | "io" | "all");
        if let Some(verify) = &mut job.verify {
            verify.is_fatal |= !goes_on;
            verify.each_pass = true;
            verify.checks_sequence &= !(verify.only && job.rw.random);
        }
    }
}

/// The options of `[global]` as typed, in the order of the file, for the record.
pub fn globals(jobs: &JobSet) -> Vec<(String, String)> {
    let mut globals: Vec<_> = jobs.globals.iter().collect();
    globals.sort_by_key(|(_, setting)| (setting.span.line, setting.span.column));
    globals.into_iter().map(|(name, setting)| ((*name).to_owned(), setting.text.clone())).collect()
}
