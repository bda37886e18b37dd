//! Which jobs may start: stonewalls and `wait_for`.
//!
//! Pure: its caller reports which jobs ended, and asks which jobs start.

use crate::sink::StopReason;
use fathom_job::options as opt;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::EndedBy;
use std::collections::HashSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended,
}

#[derive(Debug)]
pub struct StartOrder<'a> {
    plan: &'a Plan,
    states: Vec<State>,
}

impl<'a> StartOrder<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        StartOrder { plan, states: vec![State::Waiting; plan.jobs.len()] }
    }

    /// Jobs that may start now, marked as running.
    pub fn start(&mut self) -> Vec<usize> {
        // This is called whenever a job ends. What the waiting jobs wait for is collected
        // once, not once per job, since a thousand jobs may wait for a thousand.
        let left = || self.plan.jobs.iter().zip(&self.states).filter(|(_, s)| **s != State::Ended);
        let first_stage = left().map(|(job, _)| job.stage).min();
        // A job has ended when what it wrote was read back.
        let names: HashSet<&str> = left().map(|(job, _)| self.writer(job).name.as_str()).collect();
        let may_start = |job: &PlannedJob| {
            let is_awaiting = job.wait_for.as_deref().is_some_and(|name| names.contains(name));
            let is_early = job.reads_back.is_some_and(|writer| self.states[writer as usize] != State::Ended);
            first_stage.is_none_or(|first| job.stage <= first) && !is_awaiting && !is_early
        };
        let waits = |&job: &usize| self.states[job] == State::Waiting && may_start(&self.plan.jobs[job]);
        let ready: Vec<usize> = (0..self.states.len()).filter(waits).collect();
        for &job in &ready {
            self.states[job] = State::Running;
        }
        ready
    }

    /// The job whose writes a job reads back; of any other job, the job itself.
    fn writer(&self, job: &'a PlannedJob) -> &'a PlannedJob {
        job.reads_back.map_or(job, |writer| &self.plan.jobs[writer as usize])
    }

    pub fn is_idle(&self) -> bool {
        !self.states.contains(&State::Running)
    }

    pub fn ended(&mut self, job: usize) {
        self.states[job] = State::Ended;
    }

    /// The jobs that have not started, marked as ended.
    pub fn abandon(&mut self) -> Vec<usize> {
        let waiting: Vec<usize> =
            (0..self.states.len()).filter(|&j| self.states[j] == State::Waiting).collect();
        for &job in &waiting {
            self.states[job] = State::Ended;
        }
        waiting
    }

    pub fn is_over(&self) -> bool {
        self.states.iter().all(|s| *s == State::Ended)
    }

    /// Jobs to stop because `job` ended: those that its `exitall` ends, and the loads on a CPU that end with the last I/O.
    pub fn exits_with(&self, job: usize, failed: bool) -> Vec<usize> {
        let mut all = self.exits_by_request(job, failed);
        all.extend(self.loads_without_io());
        all
    }

    /// The jobs with `exit_on_io_done`, when all jobs with I/O have ended.
    pub fn loads_without_io(&self) -> Vec<usize> {
        let jobs = || self.plan.jobs.iter().zip(&self.states).enumerate();
        let is_left = |job: &PlannedJob, state: State| !job.burns_cpu() && state != State::Ended;
        let has_io = self.plan.jobs.iter().any(|job| !job.burns_cpu());
        if !has_io || jobs().any(|(_, (job, state))| is_left(job, *state)) {
            return Vec::new();
        }
        let ends =
            |job: &PlannedJob, state: State| state != State::Ended && job.job.get(&opt::EXIT_ON_IO_DONE);
        jobs().filter(|(_, (job, state))| ends(job, **state)).map(|(at, _)| at).collect()
    }

    /// Jobs to stop because `job` ended with `exitall`: its group, its stage or
    /// all jobs, as `exit_what` says.
    fn exits_by_request(&self, job: usize, failed: bool) -> Vec<usize> {
        // A job whose writes are read back has ended when that is done, and what is read back is never cut by another.
        let jobs = &self.plan.jobs;
        if jobs.iter().any(|other| other.reads_back == Some(jobs[job].id)) {
            return Vec::new();
        }
        let one = self.writer(&jobs[job]);
        let asks = one.job.get(&opt::EXITALL) || (failed && one.job.get(&opt::EXITALL_ON_ERROR));
        if !asks {
            return Vec::new();
        }
        let what = one.job.get(&opt::EXIT_WHAT);
        let same = |other: &PlannedJob| match what {
            "all" => true,
            "stonewall" => other.stage == one.stage,
            _ => other.group == one.group,
        };
        (0..self.states.len())
            .filter(|&j| self.states[j] != State::Ended && jobs[j].reads_back.is_none() && same(&jobs[j]))
            .collect()
    }
}

/// The rule that ends a job whose turn has come and which need not start: another job
/// has stopped it, or all that it does is to create its files.
pub fn ends_unstarted(plan: &PlannedJob, stopped: Option<StopReason>) -> Option<EndedBy> {
    // With verify_only, only the job that reads back does anything.
    let is_dry = plan.reads_back.is_none() && plan.verify.as_ref().is_some_and(|verify| verify.only);
    let creates = || (is_dry || plan.job.get(&opt::CREATE_ONLY)).then_some(EndedBy::Size);
    stopped.map(StopReason::ended_by).or_else(creates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::planned;

    const JOBS: &str = "[global]\nioengine=null\nrw=read\nsize=1m\n";

    fn plan(sections: &str) -> Plan {
        planned(&format!("{JOBS}{sections}"))
    }

    #[test]
    fn a_stonewall_holds_until_all_before_it_ended() {
        let plan = plan("[a]\n[b]\n[c]\nstonewall\n[d]\n");
        let mut schedule = StartOrder::new(&plan);
        assert_eq!(schedule.start(), [0, 1]);
        assert_eq!(schedule.start(), [0; 0], "each starts once");
        schedule.ended(1);
        assert_eq!(schedule.start(), [0; 0]);
        schedule.ended(0);
        assert_eq!(schedule.start(), [2, 3]);
        schedule.ended(2);
        assert!(!schedule.is_over());
        schedule.ended(3);
        assert!(schedule.is_over());
    }

    #[test]
    fn nothing_runs_between_two_stages() {
        let plan = plan("[a]\n[b]\nstonewall\n");
        let mut schedule = StartOrder::new(&plan);
        assert!(schedule.is_idle());
        schedule.start();
        assert!(!schedule.is_idle());
        schedule.ended(0);
        assert!(schedule.is_idle());
    }

    #[test]
    fn wait_for_waits_for_every_clone_of_that_job_alone() {
        let plan = plan("[a]\nnumjobs=2\n[b]\n[c]\nwait_for=a\n");
        let mut schedule = StartOrder::new(&plan);
        assert_eq!(schedule.start(), [0, 1, 2]);
        schedule.ended(0);
        assert_eq!(schedule.start(), [0; 0]);
        schedule.ended(1);
        assert_eq!(schedule.start(), [3], "b still runs");
    }

    #[test]
    fn what_is_abandoned_never_starts() {
        let plan = plan("[a]\n[b]\nstonewall\n[c]\nstonewall\n");
        let mut schedule = StartOrder::new(&plan);
        schedule.start();
        assert_eq!(schedule.abandon(), [1, 2]);
        schedule.ended(0);
        assert_eq!(schedule.start(), [0; 0]);
        assert!(schedule.is_over());
    }

    #[test]
    fn exitall_reaches_group_stage_or_all() {
        // Groups: a b | c | d; stages: a b c | d.
        let sections =
            |what: &str| format!("[a]\nexitall\nexit_what={what}\n[b]\n[c]\nnew_group\n[d]\nstonewall\n");
        for (what, expected) in [("group", vec![1]), ("stonewall", vec![1, 2]), ("all", vec![1, 2, 3])] {
            let plan = plan(&sections(what));
            let mut schedule = StartOrder::new(&plan);
            schedule.start();
            schedule.ended(0);
            assert_eq!(schedule.exits_with(0, false), expected, "{what}");
            assert_eq!(schedule.exits_with(1, true), [0; 0], "{what}: b does not ask");
        }
    }

    #[test]
    fn exitall_on_error_needs_an_error() {
        let plan = plan("[a]\nexitall_on_error\n[b]\n");
        let mut schedule = StartOrder::new(&plan);
        schedule.start();
        schedule.ended(0);
        assert_eq!(schedule.exits_with(0, false), [0; 0]);
        assert_eq!(schedule.exits_with(0, true), [1]);
    }
}
