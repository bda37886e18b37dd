//! Adds up the frames of a spool.

use crate::frame::{Event, Frame};
use crate::job_result::JobResult;
use crate::outcome::JobOutcome;
use crate::sample::RunSamples;
use crate::spool::SpoolReader;

/// What frames add up to.
pub(crate) struct Sums {
    /// In plan order.
    pub jobs: Vec<JobResult>,
    pub events: Vec<Event>,
    pub samples: RunSamples,
    /// End of the last frame, ns since the start.
    pub reaches_ns: u64,
}

impl Sums {
    /// Adds all frames that the reader has; none where there is no spool.
    pub(crate) fn of(jobs: Vec<JobResult>, reader: Option<&mut SpoolReader>) -> Sums {
        let mut sums = Sums { jobs, events: Vec::new(), samples: RunSamples::default(), reaches_ns: 0 };
        let mut outcomes: Vec<JobOutcome> = Vec::new();
        if let Some(reader) = reader {
            while let Some(frame) = reader.next() {
                sums.add(frame, &mut outcomes, reader);
            }
        }
        sums.jobs.iter_mut().for_each(JobResult::finish);
        for outcome in outcomes {
            if let Some(job) = sums.jobs.get_mut(outcome.job as usize) {
                job.outcome = Some(outcome);
            }
        }
        sums
    }

    fn add(&mut self, frame: Frame, outcomes: &mut Vec<JobOutcome>, reader: &mut SpoolReader) {
        let ends_ns = match &frame {
            Frame::Window(window) => window.end_ns,
            Frame::Phase { at_ns, .. } => *at_ns,
            Frame::Ended(outcome) => outcome.at_ns,
            Frame::Event(_) | Frame::SampleTables(_) | Frame::Sample(_) => 0,
        };
        self.reaches_ns = self.reaches_ns.max(ends_ns);
        match frame {
            Frame::Window(window) => {
                if let Some(job) = self.jobs.get_mut(window.job as usize) {
                    job.add(&window);
                }
                reader.reuse(window);
            }
            Frame::Phase { .. } => {}
            Frame::Ended(outcome) => outcomes.push(*outcome),
            Frame::Event(event) => self.events.push(event),
            Frame::SampleTables(tables) => self.samples.name(*tables),
            Frame::Sample(sample) => self.samples.add(*sample),
        }
    }
}
