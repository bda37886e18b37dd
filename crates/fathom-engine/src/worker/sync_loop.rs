//! The loop of synchronous engines: one I/O, one stamp before, one after.

use super::errors::{Judgement, describe};
use super::recorder::Turn;
use super::{Worker, WorkerEnd, failure};
use crate::desc::Op;
use crate::engine::SyncEngine;
use crate::sink::StopReason;
use fathom_results::EndedBy;

/// Runs a worker with the engine until it ends.
pub fn run<E: SyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    let mut engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return could_not_open(worker, e),
    };
    worker.start();
    let (ended_by, failure) = match drive(worker, &mut engine) {
        Ok(rule) => (rule, None),
        Err(failure) => (EndedBy::Error, Some(failure)),
    };
    WorkerEnd { ended_by, failure, notes: engine.notes() }
}

/// Lets the others start, and reports the error.
pub(super) fn could_not_open(worker: &mut Worker<'_>, e: crate::engine::EngineError) -> WorkerEnd {
    worker.start();
    let errno = e.source.raw_os_error().unwrap_or(0);
    WorkerEnd { ended_by: EndedBy::Error, failure: Some(failure(errno, e.to_string())), notes: Vec::new() }
}

/// The rule behind a request to stop.
pub(super) fn stopped_by(reason: StopReason) -> EndedBy {
    match reason {
        StopReason::Exitall => EndedBy::Exitall,
        StopReason::Interrupt => EndedBy::Interrupt,
    }
}

fn drive<E: SyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
) -> Result<EndedBy, fathom_results::JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(reason) = worker.stop.requested() {
            return Ok(stopped_by(reason));
        }
        let Some(desc) = worker.next_desc() else { return Ok(worker.ran_dry()) };
        let buffer = worker.buffers.slot(0);
        let (start, seen, result);
        match desc.op {
            Op::Read => {
                start = clock.now();
                result = engine.execute(&desc, buffer);
            }
            Op::Write => {
                worker.payload.prepare(desc.offset, worker.buffers.slot_mut(0, desc.len as usize));
                start = clock.now();
                result = engine.execute(&desc, buffer);
            }
            _ => {
                start = clock.now();
                result = engine.control(&desc);
            }
        }
        seen = clock.now_ordered();
        if result > 0 {
            worker.recorder.add(&desc, result as u32, start, 0, seen);
            worker.recorder.flush_run(seen);
            count_maps(worker);
        } else if result == 0 && desc.op.direction().is_none() {
            worker.recorder.add_sync(start, seen);
        } else {
            match worker.tolerance.judge(desc.op, -result) {
                Judgement::Ignore => {}
                Judgement::Count => worker.recorder.add_error(desc.op, seen),
                Judgement::Fatal => return Err(describe(worker.plan, &desc, result)),
            }
        }
        if seen >= worker.recorder.next_stamp() {
            match worker.recorder.turn(seen) {
                Turn::Nothing => {}
                Turn::RampOver => worker.restart(),
                Turn::TimeOver => return Ok(EndedBy::Time),
            }
        }
    }
}

/// Depth one, one submitted, one reaped.
#[inline(always)]
fn count_maps(worker: &mut Worker<'_>) {
    let tally = worker.recorder.tally();
    tally.depth[1] += 1;
    tally.submit[1] += 1;
    tally.complete[1] += 1;
}
