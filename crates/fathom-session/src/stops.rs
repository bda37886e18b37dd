//! Ends the jobs whose rule for their end is met, and keeps what the rules found.

use crate::here::Here;
use crate::notice::{Listener, Message, Notice};
use crate::read_back::named;
use fathom_engine::sink::Sink;
use fathom_job::plan::Plan;
use fathom_judge::steady::StopWatch;
use fathom_results::{Frame, StopRecord};
use std::sync::Arc;

/// Passes frames on, and gives them to the rules.
pub struct StopSink<'a> {
    watch: StopWatch,
    /// Jobs that should end, and that the runner has not asked for.
    ends: Vec<u32>,
    plan: &'a Plan,
    listener: Arc<dyn Listener>,
    inner: &'a mut dyn Sink,
}

impl<'a> StopSink<'a> {
    /// Passes everything on to `inner`; without a rule it does nothing else.
    pub fn before(inner: &'a mut dyn Sink, plan: &'a Plan, watch: StopWatch, here: &Here) -> Self {
        StopSink { watch, ends: Vec::new(), plan, listener: here.listener().clone(), inner }
    }

    /// What the rules found, at the end.
    pub fn records(&self) -> Vec<StopRecord> {
        self.watch.records()
    }
}

impl Sink for StopSink<'_> {
    fn frame(&mut self, frame: &Frame) {
        self.inner.frame(frame);
        if self.watch.is_empty() {
            return;
        }
        for met in self.watch.frame(frame) {
            let jobs = met.jobs.iter().filter_map(|job| self.plan.jobs.get(*job as usize));
            let (names, after) =
                (named(jobs.map(|job| job.name.as_str())), met.attained_after_s.unwrap_or(0));
            let message = format!("steady after {after} s, and ended by {}: {names}", met.rule);
            self.listener.notice(Notice::Message(Message::state(message)));
            self.ends.extend(met.jobs);
        }
    }

    fn inner(&mut self) -> Option<&mut dyn Sink> {
        Some(&mut *self.inner)
    }

    fn ends(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ends)
    }
}
