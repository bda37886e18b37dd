//! The loop of synchronous engines: one I/O, one stamp before, one after.

use super::errors::{Judgement, describe};
use super::recorder::Turn;
use super::{Worker, WorkerEnd};
use crate::desc::{Desc, Op};
use crate::engine::SyncEngine;
use fathom_results::{EndedBy, JobFailure};

/// Runs a worker with the engine until it ends.
pub fn run<E: SyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    let mut engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return WorkerEnd::unusable(e),
    };
    worker.start();
    let (ended_by, failure) = match drive(worker, &mut engine) {
        Ok(rule) => (rule, None),
        Err(failure) => (EndedBy::Error, Some(failure)),
    };
    WorkerEnd { ended_by, failure, notes: engine.notes() }
}

fn drive<E: SyncEngine>(worker: &mut Worker<'_>, engine: &mut E) -> Result<EndedBy, JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(rule) = worker.asked_to_stop() {
            return Ok(rule);
        }
        let Some(desc) = worker.next_desc() else { return Ok(worker.ran_dry()) };
        let (start, result) = execute(worker, engine, &desc);
        let seen = clock.now_ordered();
        // The clock first: what completes after a boundary belongs to the
        // window behind it.
        let is_due = seen >= worker.recorder.next_stamp();
        let turn = if is_due { worker.turn(seen) } else { Turn::Nothing };
        let is_fine = result > 0 || (result == 0 && desc.op.direction().is_none());
        if turn == Turn::RampOver && is_fine {
            // The ramp's last I/O; the measured window has its own.
            continue;
        }
        if result > 0 {
            worker.recorder.add_one(&desc, result as u32, start, seen);
        } else {
            settle(worker, &desc, result, start, seen)?;
        }
        if turn == Turn::TimeOver {
            return Ok(EndedBy::Time);
        }
    }
}

/// Does one I/O; returns the stamp before it, and its result.
#[inline(always)]
fn execute<E: SyncEngine>(worker: &mut Worker<'_>, engine: &mut E, desc: &Desc) -> (u64, i32) {
    let clock = worker.recorder.clock;
    if desc.op == Op::Write {
        worker.payload.prepare(desc.offset, worker.buffers.slot_mut(0, desc.len as usize));
    }
    let buffer = worker.buffers.slot(0);
    let start = clock.now();
    let result = match desc.op {
        Op::Read | Op::Write => engine.execute(desc, buffer),
        _ => engine.control(desc),
    };
    (start, result)
}

/// What is no plain data: the fsync family, and errors.
#[cold]
fn settle(
    worker: &mut Worker<'_>,
    desc: &Desc,
    result: i32,
    start: u64,
    seen: u64,
) -> Result<(), JobFailure> {
    if result == 0 && desc.op.direction().is_none() {
        worker.recorder.add_sync(start, seen);
        return Ok(());
    }
    match worker.tolerance.judge(desc.op, -result) {
        Judgement::Ignore => {}
        Judgement::Count => worker.count_error(desc, result, seen),
        Judgement::Fatal => return Err(describe(worker.plan, desc, result)),
    }
    Ok(())
}
