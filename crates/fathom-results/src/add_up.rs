//! Adds up the frames of a spool.
//!
//! Two threads add windows, each those of every second job, and the caller reads and checks the spool and
//! takes all other frames. So a day of eight workers, which has 700,000 windows, takes half the time.
//! The result is the same as with one thread, because the windows of a job stay in order and sums are exact.

use crate::frame::{Event, Frame, FrameRecord};
use crate::job_result::JobResult;
use crate::outcome::JobOutcome;
use crate::sample::RunSamples;
use crate::spool::{Next, SpoolReader};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};

/// Threads that add windows.
const ADDERS: usize = 2;

/// A batch is handed over at this length.
const BATCH_BYTES: usize = 64 << 10;

/// Batches that may wait for a thread.
const WAITING: usize = 2;

/// What frames add up to.
pub(crate) struct Sums {
    /// In plan order.
    pub jobs: Vec<JobResult>,
    pub events: Vec<Event>,
    pub samples: RunSamples,
    /// End of the last frame, ns since the start.
    pub reaches_ns: u64,
}

/// One thread must add all frames: there are no others, or a frame cannot be decoded although its
/// checksum is right, and all frames after it must not count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Alone;

/// Payloads of windows, one after the other.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A thread that adds windows; its result is where they end.
struct Adder<'scope> {
    batch: Batch,
    to: SyncSender<Batch>,
    thread: ScopedJoinHandle<'scope, Result<u64, Alone>>,
}

impl Sums {
    pub(crate) fn new(jobs: Vec<JobResult>) -> Sums {
        Sums { jobs, events: Vec::new(), samples: RunSamples::default(), reaches_ns: 0 }
    }

    /// Adds all frames, one after the other.
    pub(crate) fn add(&mut self, reader: &mut SpoolReader) {
        let mut outcomes = Vec::new();
        for frame in reader {
            if let Frame::Window(window) = &frame {
                self.reaches_ns = self.reaches_ns.max(window.end_ns);
                if let Some(job) = self.jobs.get_mut(window.job as usize) {
                    job.add(window);
                }
            }
            self.add_other(frame, &mut outcomes);
        }
        self.end(outcomes);
    }

    /// Adds all frames, with threads for the windows.
    ///
    /// # Errors
    /// One thread must do it, from the beginning.
    pub(crate) fn add_with_threads(&mut self, reader: &mut SpoolReader) -> Result<(), Alone> {
        let mut jobs = std::mem::take(&mut self.jobs);
        let outcomes = thread::scope(|scope| {
            let mut adders = adders(scope, &mut jobs)?;
            let mut outcomes = Vec::new();
            while let Some(next) = reader.next_head() {
                match next {
                    Next::Window { job } => adders[job as usize % ADDERS].push(reader.payload())?,
                    Next::Other(frame) => self.add_other(frame, &mut outcomes),
                }
            }
            for adder in adders {
                self.reaches_ns = self.reaches_ns.max(adder.finish()?);
            }
            Ok(outcomes)
        })?;
        self.jobs = jobs;
        self.end(outcomes);
        Ok(())
    }

    fn add_other(&mut self, frame: Frame, outcomes: &mut Vec<JobOutcome>) {
        match frame {
            Frame::Window(_) => {}
            Frame::Phase { at_ns, .. } => self.reaches_ns = self.reaches_ns.max(at_ns),
            Frame::Ended(outcome) => {
                self.reaches_ns = self.reaches_ns.max(outcome.at_ns);
                outcomes.push(*outcome);
            }
            Frame::Event(event) => self.events.push(event),
            Frame::SampleTables(tables) => self.samples.name(*tables),
            Frame::Sample(sample) => self.samples.add(*sample),
        }
    }

    fn end(&mut self, outcomes: Vec<JobOutcome>) {
        self.jobs.iter_mut().for_each(JobResult::finish);
        for outcome in outcomes {
            if let Some(job) = self.jobs.get_mut(outcome.job as usize) {
                job.outcome = Some(outcome);
            }
        }
    }
}

fn adders<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    jobs: &'env mut [JobResult],
) -> Result<Vec<Adder<'scope>>, Alone> {
    let mut shares: [Vec<&mut JobResult>; ADDERS] = Default::default();
    jobs.iter_mut().enumerate().for_each(|(at, job)| shares[at % ADDERS].push(job));
    let start = |share| {
        let (to, batches) = sync_channel(WAITING);
        let thread = thread::Builder::new().name("add".to_owned());
        let thread = thread.spawn_scoped(scope, move || add_windows(share, &batches)).map_err(|_| Alone)?;
        Ok(Adder { batch: Batch::default(), to, thread })
    };
    shares.into_iter().map(start).collect()
}

impl Adder<'_> {
    /// Gives the thread a payload, with others.
    fn push(&mut self, payload: &[u8]) -> Result<(), Alone> {
        self.batch.bytes.extend_from_slice(payload);
        self.batch.ends.push(self.batch.bytes.len());
        match self.batch.bytes.len() < BATCH_BYTES {
            true => Ok(()),
            false => self.to.send(std::mem::take(&mut self.batch)).map_err(|_| Alone),
        }
    }

    /// The end of the last window, when all were added.
    fn finish(self) -> Result<u64, Alone> {
        self.to.send(self.batch).map_err(|_| Alone)?;
        drop(self.to);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Adds the windows of every [`ADDERS`]th job.
fn add_windows(mut jobs: Vec<&mut JobResult>, batches: &Receiver<Batch>) -> Result<u64, Alone> {
    let (mut reaches_ns, mut spare) = (0, None);
    for batch in batches {
        let mut from = 0;
        for end in batch.ends {
            let payload = &batch.bytes[std::mem::replace(&mut from, end)..end];
            let frame = FrameRecord::decode(payload, spare.take()).map_err(|_| Alone)?.frame.ok_or(Alone)?;
            frame.check().map_err(|_| Alone)?;
            if let Frame::Window(window) = &frame {
                reaches_ns = reaches_ns.max(window.end_ns);
                if let Some(job) = jobs.get_mut(window.job as usize / ADDERS) {
                    job.add(window);
                }
            }
            spare = Some(frame);
        }
    }
    Ok(reaches_ns)
}
