//! Which jobs may start: stonewalls and `wait_for`.
//!
//! Pure: fed with what ended, asked what starts.

use fathom_job::options as opt;
use fathom_job::plan::Plan;

/// The state of each clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended,
}

/// Decides start order.
#[derive(Debug)]
pub struct Schedule<'a> {
    plan: &'a Plan,
    states: Vec<State>,
}

impl<'a> Schedule<'a> {
    /// Nothing has started.
    pub fn new(plan: &'a Plan) -> Self {
        Schedule { plan, states: vec![State::Waiting; plan.jobs.len()] }
    }

    /// Jobs that may start now, marked as running.
    pub fn start(&mut self) -> Vec<usize> {
        let ready: Vec<usize> = (0..self.states.len()).filter(|&job| self.may_start(job)).collect();
        for &job in &ready {
            self.states[job] = State::Running;
        }
        ready
    }

    /// A job ended.
    pub fn ended(&mut self, job: usize) {
        self.states[job] = State::Ended;
    }

    /// Jobs that never started, marked as ended.
    pub fn abandon(&mut self) -> Vec<usize> {
        let waiting: Vec<usize> =
            (0..self.states.len()).filter(|&j| self.states[j] == State::Waiting).collect();
        for &job in &waiting {
            self.states[job] = State::Ended;
        }
        waiting
    }

    /// Has every job ended?
    pub fn is_over(&self) -> bool {
        self.states.iter().all(|s| *s == State::Ended)
    }

    /// Jobs to stop because `job` ended with `exitall`: `exit_what` says
    /// whether its group, its stage or all.
    pub fn exits_with(&self, job: usize, failed: bool) -> Vec<usize> {
        let one = &self.plan.jobs[job];
        let asks = one.job.get(&opt::EXITALL) || (failed && one.job.get(&opt::EXITALL_ON_ERROR));
        if !asks {
            return Vec::new();
        }
        let what = one.job.get(&opt::EXIT_WHAT);
        let same = |other: &fathom_job::plan::PlannedJob| match what {
            "all" => true,
            "stonewall" => other.stage == one.stage,
            _ => other.group == one.group,
        };
        (0..self.states.len())
            .filter(|&j| self.states[j] != State::Ended && same(&self.plan.jobs[j]))
            .collect()
    }

    fn may_start(&self, job: usize) -> bool {
        let one = &self.plan.jobs[job];
        let earlier = |other: usize| self.plan.jobs[other].stage < one.stage;
        let awaited = |other: usize| one.wait_for.as_ref() == Some(&self.plan.jobs[other].name);
        self.states[job] == State::Waiting
            && (0..self.states.len()).all(|o| self.states[o] == State::Ended || !(earlier(o) || awaited(o)))
    }
}
