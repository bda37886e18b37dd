//! What a procedure will take: rounds, time, bytes written.

use super::directory::LaidOut;
use super::jobs;
use crate::base::RunBase;
use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::refusals::{of_plan, refusals};
use crate::request::SavedAt;
use crate::targets;
use fathom_guard::{Consent, Door};
use fathom_job::plan::{Plan, PlannedJob};
use fathom_procedures::{Procedure, Round, RoundJobs};
use fathom_results::procedure::{JobSource, ProcedureForecast};
use std::collections::BTreeSet;

/// The most jobs in all rounds of a procedure that differ. A plan of these takes some seconds; `numjobs=1..4096` has eight million,
/// and a person wants to see a plan at once.
const JOBS_MAX: u64 = 1 << 16;

/// What a procedure will take. Each of the rounds that differ is planned once, so a round that cannot
/// be planned, or that no run does, is an error now and not after hours.
///
/// # Errors
/// A round cannot be planned, or a run refuses it whatever its targets are.
pub fn forecast(
    procedure: &dyn Procedure,
    source: &JobSource,
    here: &Here,
) -> Result<ProcedureForecast, Failure> {
    let planned = forecast_of(procedure.expected(), source, here)?;
    let rounds = planned.rounds.saturating_add(procedure.unplanned_rounds());
    Ok(ProcedureForecast { rounds, ..planned })
}

/// The same of some rounds, each with how often it is measured.
///
/// # Errors
/// A round cannot be planned.
pub fn forecast_of(
    rounds: Vec<(Round, u32)>,
    source: &JobSource,
    here: &Here,
) -> Result<ProcedureForecast, Failure> {
    let mut sum =
        ProcedureForecast { time_ns: Some(0), written_bytes: Some(0), ..ProcedureForecast::default() };
    let mut laid_out = LaidOut::default();
    refuse_too_many(&rounds, source, here)?;
    for (round, times) in rounds {
        let cell = || format!("in the cell {:?}", round.cell);
        let planned = jobs::plan(source, &round, &[], here);
        let possible = planned.and_then(|(_, plan)| match of_plan(&plan, Door::Native, None, here) {
            Some(refusal) => Err(refusal),
            None => Ok(plan),
        });
        let plan = possible.map_err(|e| match round.jobs {
            RoundJobs::Text { .. } => e.hint(cell()),
            _ => e,
        })?;
        let add = |sum: Option<u64>, one: Option<u64>| {
            Some(sum?.saturating_add(one?.saturating_mul(u64::from(times))))
        };
        sum.rounds = sum.rounds.saturating_add(times);
        sum.time_ns = add(sum.time_ns, plan.expected_time().map(|time| time.0));
        sum.written_bytes = add(sum.written_bytes, written_bytes(&plan));
        laid_out.add(&plan, times);
    }
    sum.laid_out_bytes = laid_out.bytes();
    sum.written_bytes = sum.written_bytes.map(|bytes| bytes.saturating_add(sum.laid_out_bytes));
    sum.laid_out = laid_out.files.into_keys().collect();
    Ok(sum)
}

/// Refuses rounds with too many jobs before one is planned.
fn refuse_too_many(rounds: &[(Round, u32)], source: &JobSource, here: &Here) -> Result<(), Failure> {
    // One round has the limits of a plan.
    let mut jobs: u64 = 0;
    for (at, (round, _)) in rounds.iter().enumerate().filter(|_| rounds.len() > 1) {
        // A round that cannot be read is told where it is planned.
        jobs += jobs::count(source, round, here).unwrap_or(0);
        if jobs > JOBS_MAX {
            let message = format!(
                "the first {} of {} cells have more than {JOBS_MAX} jobs together, and a procedure has at most so many",
                at + 1,
                rounds.len()
            );
            let hint = "fewer cells, such as numjobs=1,2,4..4096 for numjobs=1..4096";
            return Err(Failure::new(Exit::Usage, message).hint(hint));
        }
    }
    Ok(())
}

/// What the guard would refuse of these rounds, each refusal once. A round on targets that were examined is not planned into another
/// examination.
///
/// # Errors
/// A round cannot be planned.
pub fn refusals_of(
    rounds: Vec<(Round, u32)>,
    (source, consent, saved): (&JobSource, &Consent, &SavedAt),
    here: &Here,
) -> Result<Vec<Failure>, Failure> {
    refuse_too_many(&rounds, source, here)?;
    let (mut examined, mut refused) = (BTreeSet::new(), Vec::<Failure>::new());
    for (round, _) in rounds {
        let (_, plan) = jobs::plan(source, &round, &[], here)?;
        let wanted = wanted(&plan);
        if wanted.is_subset(&examined) {
            continue;
        }
        examined.extend(wanted);
        for refusal in refusals(&plan, Door::Native, consent.clone(), saved, here) {
            if !refused.iter().any(|known| known.message == refusal.message) {
                refused.push(refusal);
            }
        }
    }
    Ok(refused)
}

/// The targets of a plan, and whether each is written.
fn wanted(plan: &Plan) -> BTreeSet<(String, bool)> {
    let files = plan.jobs.iter().flat_map(|job| job.files.iter().map(move |file| (job, file)));
    files.map(|(job, file)| (file.path.clone(), job.writes() || file.layout.0 > 0)).collect()
}

/// Has the guard admit what only later rounds use. The first round is the next step, and asks for its own targets. Admitted is
/// admitted until the last round, so nothing is examined twice.
///
/// # Errors
/// A later round would be refused a target.
pub(super) fn refuse_later(
    rounds: Vec<(Round, u32)>,
    source: &JobSource,
    base: &RunBase<'_>,
) -> Result<(), Failure> {
    let mut examined = BTreeSet::new();
    for (place, (round, _)) in rounds.iter().enumerate() {
        let (_, plan) = jobs::plan(source, round, &[], base.here())?;
        let wanted = wanted(&plan);
        let is_new = !wanted.is_subset(&examined);
        examined.extend(wanted);
        if place > 0 && is_new {
            let refused = targets::refused(base.guard(), &plan, base.here().slow_look());
            if let Some(refusal) = refused.into_iter().next() {
                return Err(refusal.hint(format!("in the round {}", round.cell)));
            }
        }
    }
    Ok(())
}

/// What all jobs write; a mix counts as a whole, so it is the most.
fn written_bytes(plan: &Plan) -> Option<u64> {
    let writers = plan.jobs.iter().filter(|job| PlannedJob::writes(job));
    writers.map(|job| job.expected.bytes).try_fold(0, |sum: u64, bytes| Some(sum.saturating_add(bytes?.0)))
}
