//! Watches the frames of a run for the rules that end its jobs before their time.
//!
//! A run gives its frames to a [`StopWatch`] while it runs. It puts the seconds of the jobs together that a rule
//! judges together, and names the jobs that should end. It sees frames and nothing else, so a run in virtual time
//! ends at the same second each time. To add a rule, implement [`StopRule`] and give it
//! to [`StopWatch::add`].

use super::confident::ConfidentTerms;
use super::confident_rule::ConfidentRule;
use super::fio_rule::FioRule;
use super::seconds::Seconds;
use super::stop_rule::StopRule;
use fathom_job::direction::Direction;
use fathom_job::plan::{Plan, PlannedFile, PlannedJob};
use fathom_job::steady::SteadyState;
use fathom_results::{Frame, Phase, StopRecord};
use std::collections::{BTreeMap, BTreeSet};

/// The sum of sizes: a file without an end (`fill_device`) counts 1 EiB, and there may be several.
fn sum(sizes: &mut dyn Iterator<Item = u64>) -> u64 {
    sizes.fold(0, u64::saturating_add)
}

/// Some jobs, and the rule that ends all of them.
struct Judged {
    /// Plan ids.
    jobs: Vec<u32>,
    seconds: Seconds,
    rule: Box<dyn StopRule>,
    /// Jobs of earlier stages that write to the same targets, and the bytes of theirs that are still to be counted:
    /// what they write twice counts once.
    before: BTreeMap<u32, u64>,
    /// Seconds until it was met.
    attained_after_s: Option<u64>,
}

/// Watches the frames of a run for the rules of its jobs.
#[derive(Default)]
pub struct StopWatch {
    judged: Vec<Judged>,
}

impl StopWatch {
    /// The rules that the jobs themselves ask for: fio's `steadystate=`.
    pub fn of(plan: &Plan) -> StopWatch {
        let mut watch = StopWatch::default();
        for together in plan.reported_together() {
            if let Some(steady) = together.first().and_then(|first| SteadyState::of(&first.job)) {
                let jobs = together.iter().map(|planned| planned.id).collect();
                watch.add(jobs, Box::new(FioRule::of(steady)));
            }
        }
        watch
    }

    /// Adds confident steady state for the jobs of each stage, which run at the same time and end together.
    pub fn until(mut self, plan: &Plan, terms: ConfidentTerms) -> StopWatch {
        let stages: BTreeSet<u32> = plan.jobs.iter().map(|job| job.stage).collect();
        for stage in stages {
            let of_stage = || plan.jobs.iter().filter(|job| job.stage == stage);
            // Clones share a file, and are counted once.
            let mut ranges: BTreeMap<&str, u64> = BTreeMap::new();
            for file in of_stage().filter(|job| job.uses(Direction::Write)).flat_map(|job| &job.files) {
                let range = ranges.entry(&file.path).or_default();
                *range = (*range).max(file.size.0);
            }
            let is_same = |job: &&PlannedJob| {
                let is_known = |file: &PlannedFile| ranges.contains_key(file.path.as_str());
                job.stage < stage && job.uses(Direction::Write) && job.files.iter().all(is_known)
            };
            let before = plan.jobs.iter().filter(is_same);
            let before =
                before.map(|job| (job.id, sum(&mut job.files.iter().map(|file| file.size.0)))).collect();
            let rule = ConfidentRule::of(terms, sum(&mut ranges.values().copied()));
            let jobs: Vec<u32> = of_stage().map(|job| job.id).collect();
            let seconds = Seconds::of(jobs.len());
            self.judged.push(Judged { jobs, seconds, rule: Box::new(rule), before, attained_after_s: None });
        }
        self
    }

    /// Adds a rule for the jobs of these plan ids, which are judged together. Jobs may have several rules; the first
    /// that is met ends them.
    pub fn add(&mut self, jobs: Vec<u32>, rule: Box<dyn StopRule>) {
        let seconds = Seconds::of(jobs.len());
        self.judged.push(Judged { jobs, seconds, rule, before: BTreeMap::new(), attained_after_s: None });
    }

    /// No job has a rule, so the frames need not be watched.
    pub fn is_empty(&self) -> bool {
        self.judged.is_empty()
    }

    /// Takes a frame. Returns the rules that are met now: the jobs of each should end.
    pub fn frame(&mut self, frame: &Frame) -> Vec<StopRecord> {
        let job = match frame {
            Frame::Window(window) if window.phase == Phase::Measure => window.job,
            Frame::Phase { job, phase: Phase::Measure, .. } => *job,
            Frame::Ended(outcome) => outcome.job,
            _ => return Vec::new(),
        };
        let of_job = self.judged.iter_mut().filter(|judged| judged.attained_after_s.is_none());
        of_job.filter_map(|judged| judged.frame(job, frame).then(|| judged.record())).collect()
    }

    /// What all rules found.
    pub fn records(&self) -> Vec<StopRecord> {
        self.judged.iter().map(Judged::record).collect()
    }
}

impl Judged {
    /// Takes a frame of a job. Is the rule met?
    fn frame(&mut self, job: u32, frame: &Frame) -> bool {
        let Ok(job) = self.jobs.binary_search(&job) else {
            if let (Frame::Window(window), Some(left)) = (frame, self.before.get_mut(&job)) {
                let writes = window.directions.iter().filter(|(way, _)| *way == Direction::Write);
                let written = writes.map(|(_, direction)| direction.bytes).sum::<u64>().min(*left);
                *left -= written;
                self.rule.written_before(written);
            }
            return false;
        };
        match frame {
            Frame::Window(window) => self.seconds.measured(job, window),
            Frame::Phase { at_ns, .. } => self.seconds.begins(job, *at_ns),
            _ => self.seconds.ended(job),
        }
        while let Some(second) = self.seconds.take() {
            if self.rule.take(&second) {
                self.attained_after_s = Some(second.number + 1);
                return true;
            }
        }
        false
    }

    fn record(&self) -> StopRecord {
        let mut record = StopRecord {
            jobs: self.jobs.clone(),
            rule: self.rule.text(),
            attained_after_s: self.attained_after_s,
            ..StopRecord::default()
        };
        self.rule.found(&mut record);
        record
    }
}
