//! What the view shows at one moment.

use super::feed::{Doing, Feed};
use super::figures::Figures;
use super::rounds::Rounds;
use fathom_job::plan::Plan;
use fathom_job::units::Nanos;
use fathom_results::quick::FILL;
use fathom_text::quantity::waiting;
use fathom_text::shown;

/// What the view shows at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveMoment {
    /// What most of the jobs that run do.
    pub phase: &'static str,
    /// The jobs that run.
    pub running: Running,
    /// The round that runs, and how many there are.
    pub round: Option<(u32, u32)>,
    /// Time since the start.
    pub elapsed: Nanos,
    /// Time of all that is left, where it is known.
    pub left: Option<Nanos>,
    /// The share of the whole that is done, where it is known.
    pub share: Option<f64>,
    /// The last second.
    pub figures: Option<Figures>,
    /// I/Os per second of the jobs that run, one for each second of this measurement, the newest last.
    pub history: Vec<f64>,
    /// What spoils the result.
    pub taints: Vec<String>,
}

/// The jobs that run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Running {
    /// The first of them, escaped; empty if none runs.
    pub name: String,
    /// How many other jobs run.
    pub others: usize,
    /// Workers of all of them.
    pub workers: usize,
    /// Jobs that have begun.
    pub begun: usize,
    /// Jobs that have ended.
    pub ended: usize,
    /// Jobs of the plan. The clones of a job are one job.
    pub all: usize,
}

impl Running {
    /// The jobs that run now.
    pub fn now(plan: &Plan, feed: &Feed) -> Running {
        let mut now = Running::default();
        for clones in plan.jobs.chunk_by(|a, b| a.id - a.subjob == b.id - b.subjob) {
            let states = || clones.iter().map(|clone| feed.state(clone.id));
            let workers = states().filter(|state| state.runs()).count();
            now.all += 1;
            now.begun += usize::from(states().any(|state| state >= Doing::Ramps));
            now.ended += usize::from(states().all(|state| state == Doing::Ended));
            now.workers += workers;
            match (workers > 0, now.name.is_empty()) {
                (true, true) => now.name = shown::line(&clones[0].name).into_owned(),
                (true, false) => now.others += 1,
                (false, _) => {}
            }
        }
        now
    }

    /// Which of the jobs: `randread-4k (2 of 6)`.
    pub fn label(&self) -> String {
        let others = if self.others > 0 { format!(" and {} more", self.others) } else { String::new() };
        format!("{}{others} ({} of {})", self.name, self.begun, self.all)
    }
}

/// What the jobs that run do. Before the first of them does I/O, files are laid out if need be.
pub fn phase(plan: &Plan, feed: &Feed, lays_out: bool) -> &'static str {
    let find = |state: Doing| plan.jobs.iter().find(|job| feed.state(job.id) == state);
    let has_begun = || plan.jobs.iter().any(|job| feed.state(job.id) >= Doing::Ramps);
    match find(Doing::Measures) {
        Some(job) if job.name == FILL => "filling",
        Some(_) => "measuring",
        None if find(Doing::Ramps).is_some() => "ramp",
        None if find(Doing::Drains).is_some() => "ending",
        None if plan.jobs.iter().all(|job| feed.state(job.id) == Doing::Ended) => "checking",
        None if lays_out && find(Doing::Prepares).is_some() && !has_begun() => "layout",
        None => "preparing",
    }
}

impl LiveMoment {
    /// Adds the round, and what share of the whole is done after `done` of this run.
    pub fn of_rounds(mut self, done: Nanos, rounds: Option<&Rounds>) -> LiveMoment {
        self.round = rounds.map(|rounds| (rounds.done + 1, rounds.of));
        let before = rounds.map_or(Some(Nanos(0)), Rounds::before);
        self.share = self.left.zip(before).map(|(left, before)| {
            let done = before.0 as f64 + done.0 as f64;
            done / (done + left.0 as f64).max(1.0)
        });
        self
    }

    /// What is left, in words: `about 40 s left`.
    pub fn left(&self) -> String {
        match self.left {
            Some(left) => format!("about {} left", waiting(left.0)),
            None => format!("{} so far", waiting(self.elapsed.0)),
        }
    }
}
