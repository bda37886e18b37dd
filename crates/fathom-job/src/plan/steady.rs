//! What is asked of steady state: can it be found, and do the jobs that are judged together agree?
//!
//! fio judges a group with `group_reporting` as one job, and rejects groups whose jobs differ. It
//! says nothing where a window can never be full.

use super::notes::{self, Checked, Notes};
use super::{Plan, PlannedJob};
use crate::diagnostic::{Diagnostic, Severity};
use crate::job::Job;
use crate::options;
use crate::steady::SteadyState;
use crate::units::Nanos;

/// Fewer values have no spread, and every window of one value would be steady.
const VALUES_MIN: usize = 2;

impl Plan {
    /// The clones that are reported together, and whose steady state is judged together: a job that
    /// sets `group_reporting` belongs to the job before it if both have the same group.
    pub fn reported_together(&self) -> impl Iterator<Item = &[PlannedJob]> {
        together(&self.jobs)
    }
}

impl SteadyState {
    /// What the job asks for. As in fio, nothing is judged without a `steadystate_duration`, and
    /// parts of a second of it do not count.
    pub fn of(job: &Job) -> Option<SteadyState> {
        let whole = |time: Nanos| time.0 / Nanos::secs(1).0;
        let window_s = Some(whole(job.get(&options::STEADYSTATE_DURATION))).filter(|window| *window > 0)?;
        Some(SteadyState {
            terms: job.get(&options::STEADYSTATE),
            window_s,
            interval_s: whole(job.get(&options::STEADYSTATE_CHECK_INTERVAL)).max(1),
            ramp_s: job.get(&options::STEADYSTATE_RAMP_TIME).0.div_ceil(Nanos::secs(1).0),
        })
    }
}

fn together(jobs: &[PlannedJob]) -> impl Iterator<Item = &[PlannedJob]> {
    jobs.chunk_by(|a, b| b.job.get(&options::GROUP_REPORTING) && a.group == b.group)
}

/// What a job asks.
pub(super) fn check(job: &Job, notes: &mut Notes) -> Option<()> {
    let window = job.get(&options::STEADYSTATE_DURATION);
    if window.0 == 0 {
        without_window(job, notes);
        return Some(());
    }
    notes.take(window_of(job, window))?;
    let Some(steady) = SteadyState::of(job) else { return Some(()) };
    let (needs, time) = (steady.ramp_s + steady.window_s, job.get(&options::RUNTIME));
    if time.0 > 0 && Nanos::secs(needs) > time {
        let message = format!(
            "job {}: its first window for steady state is full after {}, and its runtime is {time}: it will never \
             be found steady",
            job.name,
            Nanos::secs(needs)
        );
        notes.push(
            notes::warning(job, &options::STEADYSTATE_DURATION, "steady-never", message)
                .hint("runtime is the longest that the job may take; give several times the window"),
        );
    }
    Some(())
}

fn window_of(job: &Job, window: Nanos) -> Checked<()> {
    let interval = job.get(&options::STEADYSTATE_CHECK_INTERVAL);
    if interval.0 == 0 || !interval.0.is_multiple_of(Nanos::secs(1).0) {
        let message =
            format!("job {}: steadystate_check_interval={interval} is not in whole seconds", job.name);
        let error = notes::error(job, &options::STEADYSTATE_CHECK_INTERVAL, "steady-interval", message);
        return Err(
            error.hint("steadystate_check_interval=1s or more: the values are means of whole seconds")
        );
    }
    if SteadyState::of(job).is_some_and(|steady| steady.values() >= VALUES_MIN) {
        return Ok(());
    }
    let message = format!(
        "job {}: steadystate_duration={window} is shorter than two values of {interval}, and a single value \
         always looks steady",
        job.name
    );
    let error = notes::error(job, &options::STEADYSTATE_DURATION, "steady-window", message);
    Err(error.hint("steadystate_duration=60s, for example"))
}

/// Options that have no effect without a window.
fn without_window(job: &Job, notes: &mut Notes) {
    let message = "steadystate without steadystate_duration: nothing is judged, and the job goes on to its end, as \
                   in fio";
    if job.is_given(&options::STEADYSTATE) {
        notes.push(
            notes::warning(job, &options::STEADYSTATE, "steady-without-window", message)
                .hint("steadystate_duration=60s, for example"),
        );
    }
    for name in ["steadystate_ramp_time", "steadystate_check_interval"] {
        if job.named(name).is_some() {
            let message = format!("{name} has no effect without steadystate_duration");
            let note = Diagnostic::new(Severity::Note, "steady-without-window", message);
            notes.push(notes::at_name(note, job, name));
        }
    }
}

/// Do jobs that are judged together ask for the same?
pub(super) fn agrees(jobs: &[PlannedJob], notes: &mut Notes) {
    for group in together(jobs) {
        let Some((first, others)) = group.split_first() else { continue };
        let asked = SteadyState::of(&first.job);
        let Some(other) = others.iter().find(|other| SteadyState::of(&other.job) != asked) else { continue };
        let message = format!(
            "jobs {} and {} are reported as one group, whose steady state is judged together, and their \
             steadystate options differ",
            first.name, other.name
        );
        let error = notes::error(&other.job, &options::STEADYSTATE, "steady-differs", message);
        notes.push(error.hint(
            "set the options in [global], put the jobs into groups of their own (new_group), or leave out \
             group_reporting",
        ));
    }
}
