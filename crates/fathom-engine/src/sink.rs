//! Where a run's frames go, and how others can stop it.

use crate::log::LogChunk;
pub use crate::verify::WrongBlock;
use fathom_results::{EndedBy, Frame};
use std::sync::atomic::{AtomicU8, Ordering};

/// Receives what happens, from one thread, in order.
pub trait Sink: Send {
    /// A frame, to be kept.
    fn frame(&mut self, frame: &Frame);

    /// The sink to which this one passes on all that it does not handle; `None` drops it.
    fn inner(&mut self) -> Option<&mut dyn Sink> {
        None
    }

    /// What a job logged for its fio-style logs. The worker gets the memory
    /// back when the chunk is dropped, so it should be written soon, and by
    /// another thread: this one has to keep the frames.
    fn log(&mut self, chunk: LogChunk) {
        if let Some(inner) = self.inner() {
            inner.log(chunk);
        }
    }

    /// A wrong block that a verifying job is to save.
    fn wrong_block(&mut self, block: &WrongBlock) {
        if let Some(inner) = self.inner() {
            inner.wrong_block(block);
        }
    }

    /// What a job with `verify=` has written so far (`verify_state_save`), as the bytes of a file, in place of what came
    /// before. It should be saved by another thread.
    fn verify_state(&mut self, job: u32, file: Vec<u8>) {
        if let Some(inner) = self.inner() {
            inner.verify_state(job, file);
        }
    }

    /// No job runs, and these jobs begin as soon as this returns, so work that is
    /// done here disturbs no measurement.
    fn before_start(&mut self, jobs: &[usize]) {
        if let Some(inner) = self.inner() {
            inner.before_start(jobs);
        }
    }

    /// Plan ids of the jobs that need not go on, because of the frames so far: a rule for their end is met. Asked
    /// after each frame with counts and after each end, and only the sink that the runner was given; a job is
    /// named once.
    fn ends(&mut self) -> Vec<u32> {
        Vec::new()
    }
}

/// Asks workers to stop: one byte that they read once per loop.
#[derive(Debug, Default)]
pub struct Stop(AtomicU8);

/// Why workers are asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StopReason {
    /// Another job ended (`exitall`).
    Exitall = 1,
    /// There was a request to stop.
    Interrupt = 2,
    /// The sink said that the job need not go on ([`Sink::ends`]).
    Steady = 3,
}

impl StopReason {
    /// What then ended the job.
    pub fn ended_by(self) -> EndedBy {
        match self {
            StopReason::Exitall => EndedBy::Exitall,
            StopReason::Interrupt => EndedBy::Interrupt,
            StopReason::Steady => EndedBy::Steady,
        }
    }
}

impl Stop {
    /// Requests a stop; the first reason stays.
    pub fn request(&self, reason: StopReason) {
        let _ = self.0.compare_exchange(0, reason as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The reason, once a stop was requested.
    #[inline(always)]
    pub fn requested(&self) -> Option<StopReason> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopReason::Exitall),
            3 => Some(StopReason::Steady),
            _ => Some(StopReason::Interrupt),
        }
    }
}
