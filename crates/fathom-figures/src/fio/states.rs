//! Which trees of one file are states of one run (`--status-interval`), and which are complete runs, one behind the other (`>>`).

use super::job_result::{FioJob, FioResult};

/// fio gives the seconds since its start as a whole number, rounded up.
const ELAPSED_ROUNDS_MS: u64 = 1_000;

/// Before `timestamp_ms`, fio gave the time of a tree in whole seconds.
const TIMESTAMP_ROUNDS_MS: u64 = 1_000;

/// Is a tree a later state of the run of the one before it? Then it has the same jobs, began at the same time, and no count went
/// back.
pub(super) fn is_later_state(before: &FioResult, now: &FioResult) -> bool {
    before.version == now.version
        && before.jobs.len() == now.jobs.len()
        && began_together(before, now)
        && before.jobs.iter().zip(&now.jobs).all(|(before, now)| is_later_state_of_job(before, now))
}

fn is_later_state_of_job(before: &FioJob, now: &FioJob) -> bool {
    let is_same = (&before.name, before.group, &before.host) == (&now.name, now.group, &now.host);
    // A job that has not begun yet has no time.
    let starts = before.started_ms.zip(now.started_ms).filter(|(before, now)| *before > 0 && *now > 0);
    let goes_on = |flow: &super::FioFlow| {
        let later = now.flows.iter().find(|other| other.direction == flow.direction);
        later.is_some_and(|later| {
            later.ios >= flow.ios && later.bytes >= flow.bytes && later.runtime_ms >= flow.runtime_ms
        })
    };
    is_same && starts.is_none_or(|(before, now)| before == now) && before.flows.iter().all(goes_on)
}

/// Did both begin at one time, as far as the file tells?
fn began_together(before: &FioResult, now: &FioResult) -> bool {
    let rounds = match before.written.is_exact && now.written.is_exact {
        true => ELAPSED_ROUNDS_MS,
        false => ELAPSED_ROUNDS_MS + TIMESTAMP_ROUNDS_MS,
    };
    let begins = began_ms(before).zip(began_ms(now));
    begins.is_none_or(|(before, now)| before.abs_diff(now) <= rounds)
}

fn began_ms(result: &FioResult) -> Option<u64> {
    let elapsed_s = result.jobs.iter().filter_map(|job| job.elapsed_s).max()?;
    result.written.unix_ms?.checked_sub(elapsed_s.saturating_mul(1_000))
}
