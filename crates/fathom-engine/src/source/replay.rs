//! The I/Os of a trace, with the starts that it asks for.
//!
//! The trace is read while it is replayed, 64 KiB at a time, on the worker's thread: what that takes is in the response times of the I/Os
//! that it delays, and in nothing else. What the plan did not admit is not issued: each I/O is compared with the file, the end and the
//! direction that the trace had when it was planned.

use crate::clock::Clock;
use crate::desc::{Desc, DescBlock, Op};
use crate::target::TraceBytes;
use fathom_job::plan::PlannedJob;
use fathom_job::trace::{Replay, ReplayedIo, TraceOp};

/// The I/Os of a trace.
pub struct Replayed {
    name: String,
    /// `None` when the trace is over.
    replay: Option<Replay<Box<dyn TraceBytes>>>,
    /// Where the last I/O of each file may end.
    ends: Vec<u64>,
    /// The longest I/O of each operation that the plan knows.
    largest: [u64; 3],
    clock: Clock,
    /// Passes that are left after this one; `None` is without end.
    passes: Option<u32>,
    /// I/Os that are left.
    ios: u64,
    /// When this pass began, and when its last I/O so far is due, ns.
    began_ns: u64,
    last_ns: u64,
    is_plain: bool,
    syncs: bool,
    failure: Option<String>,
}

impl Replayed {
    /// The trace of a planned job, whose bytes are `inputs`: several where they are merged.
    ///
    /// # Errors
    /// It is not the trace that was planned.
    pub fn new(
        plan: &PlannedJob,
        inputs: Vec<Box<dyn TraceBytes>>,
        clock: Clock,
    ) -> Result<Replayed, String> {
        let replays = plan.replays.as_ref().ok_or("the job has no trace")?;
        let named = |why: String| format!("the trace {}: {why}", replays.trace);
        let replay = Replay::begin(inputs, &replays.terms).map_err(|defect| named(defect.to_string()))?;
        let largest = |direction| if plan.uses(direction) { plan.block[direction].max().0 } else { 0 };
        Ok(Replayed {
            name: replays.trace.clone(),
            replay: Some(replay),
            ends: plan.files.iter().map(|file| file.size.0).collect(),
            largest: fathom_job::direction::Direction::ALL.map(largest),
            clock,
            passes: (!plan.end.time_based).then(|| plan.end.loops.saturating_sub(1)),
            ios: plan.end.ios.unwrap_or(u64::MAX),
            began_ns: 0,
            last_ns: 0,
            is_plain: replays.syncs == 0 && replays.ios.trim == 0,
            syncs: replays.syncs > 0,
            failure: None,
        })
    }

    /// Does it make only reads and writes?
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Does it make operations of the fsync family?
    pub fn syncs(&self) -> bool {
        self.syncs
    }

    /// Did the limit of I/Os end it?
    pub fn ended_by_ios(&self) -> bool {
        self.ios == 0
    }

    /// Why the trace could not be replayed to its end.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The next I/Os and when each is due, in ticks after the beginning.
    pub fn fill(&mut self, out: &mut [Desc; DescBlock::LEN], due: &mut [u64; DescBlock::LEN]) -> usize {
        let mut count = 0;
        while count < out.len() && self.ios > 0 {
            let Some((desc, at_ns)) = self.next() else { break };
            (out[count], due[count]) = (desc, self.clock.ticks(at_ns));
            self.ios -= u64::from(desc.op().direction().is_some());
            count += 1;
        }
        count
    }

    fn next(&mut self) -> Option<(Desc, u64)> {
        loop {
            match self.replay.as_mut()?.next_io() {
                Ok(Some(io)) => {
                    let desc = self.admitted(&io)?;
                    self.last_ns = self.began_ns.saturating_add(io.due_ns);
                    return Some((desc, self.last_ns));
                }
                Ok(None) => self.begin_next_pass()?,
                Err(defect) => return self.fail(defect.to_string()),
            }
        }
    }

    /// The trace begins again when its last I/O was due.
    fn begin_next_pass(&mut self) -> Option<()> {
        let ended = self.replay.take()?;
        if let Some(passes) = &mut self.passes {
            *passes = passes.checked_sub(1)?;
        }
        self.began_ns = self.last_ns;
        match ended.again() {
            Ok(replay) => self.replay = Some(replay),
            Err(defect) => return self.fail(defect.to_string()),
        }
        Some(())
    }

    /// The descriptor of an I/O, if it is one that was planned.
    fn admitted(&mut self, io: &ReplayedIo) -> Option<Desc> {
        let op = match io.op {
            TraceOp::Read => Op::Read,
            TraceOp::Write => Op::Write,
            TraceOp::Trim => Op::Trim,
            TraceOp::Sync => Op::Fsync,
            TraceOp::Datasync => Op::Fdatasync,
        };
        let is_known = self.ends.get(io.file).is_some_and(|most| match op {
            Op::Fsync | Op::Fdatasync => self.syncs,
            _ => {
                io.len <= self.largest[op as usize]
                    && io.offset.checked_add(io.len).is_some_and(|end| end <= *most)
            }
        });
        if !is_known {
            return self.fail(format!("{}: it was another one when the run was planned", io.at));
        }
        Some(match op {
            Op::Fsync | Op::Fdatasync => Desc::new(op, 0, 0, io.file as u32),
            _ => Desc::new(op, io.offset, io.len as u32, io.file as u32),
        })
    }

    #[cold]
    fn fail<T>(&mut self, why: String) -> Option<T> {
        self.failure = Some(format!("the trace {}: {why}", self.name));
        self.replay = None;
        None
    }
}
