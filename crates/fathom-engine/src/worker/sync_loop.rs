//! The loop of synchronous engines: one I/O, one stamp before, one after.
//! Compiled twice for each engine: with a pace and without.

use super::errors::Judgement;
use super::recorder::Turn;
use super::{Carried, Next, Worker, WorkerEnd};
use crate::clock::Clock;
use crate::desc::{Desc, Op};
use crate::engine::SyncEngine;
use fathom_results::{EndedBy, JobFailure};

pub fn run<E: SyncEngine>(worker: &mut Worker<'_>) -> WorkerEnd {
    let mut engine = match E::open(&worker.context()) {
        Ok(engine) => engine,
        Err(e) => return WorkerEnd::unusable(e),
    };
    worker.start();
    let end = if worker.is_paced {
        drive::<E, true>(worker, &mut engine)
    } else {
        drive::<E, false>(worker, &mut engine)
    };
    worker.end_measure(&end);
    worker.recorder.end_usage();
    let kept = worker.recorder.broken_limit();
    let ended = match kept {
        Some(limit) => worker.tolerance.both(end, Err(limit)),
        None => end,
    };
    let (ended_by, failure) = worker.tolerance.ending(ended);
    let mut notes = engine.notes();
    notes.extend(worker.habits());
    notes.extend(worker.pacer.notes());
    WorkerEnd { ended_by, failure, notes }
}

fn drive<E: SyncEngine, const PACED: bool>(
    worker: &mut Worker<'_>,
    engine: &mut E,
) -> Result<EndedBy, JobFailure> {
    let clock = worker.recorder.clock;
    loop {
        if let Some(rule) = worker.asked_to_stop() {
            return Ok(rule);
        }
        let (desc, intended) = match worker.next_desc::<E, PACED>(engine) {
            Next::Go(desc, intended) => (desc, intended),
            Next::Dry => return worker.ran_dry(),
            Next::NotYet => {
                if worker.turn_if_due()? == Turn::TimeOver {
                    return Ok(worker.time_over());
                }
                continue;
            }
        };
        let (start, result, reaped_at) = execute(worker, engine, desc, &clock);
        if reaped_at < worker.recorder.next_stamp() {
            record::<PACED>(worker, desc, intended, result, (start, reaped_at))?;
        } else if pass_boundary::<PACED>(worker, desc, intended, result, (start, reaped_at))?
            == Turn::TimeOver
        {
            return Ok(worker.time_over());
        }
    }
}

/// Records the one I/O that reaches the end of a window, and passes the boundary.
/// An I/O that completes after a boundary belongs to the window after it, and one that
/// completes exactly on it to the window before it.
#[cold]
#[inline(never)]
fn pass_boundary<const PACED: bool>(
    worker: &mut Worker<'_>,
    desc: Desc,
    intended: u64,
    result: i32,
    (start, reaped_at): (u64, u64),
) -> Result<Turn, JobFailure> {
    if reaped_at == worker.recorder.next_stamp() {
        record::<PACED>(worker, desc, intended, result, (start, reaped_at))?;
        return worker.turn(reaped_at, Carried::default);
    }
    let moved = match (result, desc.op()) {
        (0, Op::Trim) => desc.bytes(),
        _ => u64::try_from(result).unwrap_or(0),
    };
    let is_data = moved > 0 && desc.op().direction().is_some();
    let turn = worker.turn(reaped_at, || Carried { held: None, ios: is_data.into(), bytes: moved })?;
    record::<PACED>(worker, desc, intended, result, (start, reaped_at))?;
    Ok(turn)
}

/// Records the result of an I/O between two stamps.
#[inline(always)]
fn record<const PACED: bool>(
    worker: &mut Worker<'_>,
    desc: Desc,
    intended: u64,
    result: i32,
    (start, reaped_at): (u64, u64),
) -> Result<(), JobFailure> {
    if result <= 0 {
        return settle::<PACED>(worker, desc, intended, result, (start, reaped_at));
    }
    let total_ns = worker.recorder.add_one(desc, result as u32, start, reaped_at);
    if PACED {
        worker.completed(desc.op(), intended, total_ns, (start, reaped_at));
    }
    Ok(())
}

/// Does one I/O; returns the stamp before it, its result, and the stamp after it.
#[inline(always)]
fn execute<E: SyncEngine>(
    worker: &mut Worker<'_>,
    engine: &mut E,
    desc: Desc,
    clock: &Clock,
) -> (u64, i32, u64) {
    let buffer = if desc.is_write() {
        let data = worker.buffers.slot_mut(0, desc.len() as usize);
        worker.payload.prepare(desc.offset, data);
        data.as_mut_ptr()
    } else {
        worker.buffers.slot(0, false)
    };
    engine.before(&{ desc }, buffer);
    let ((start, result), reaped_at) = worker.lend_and(
        || {
            let start = clock.now();
            if desc.is_transfer() {
                (start, engine.execute(&desc, buffer))
            } else {
                // A copy: a descriptor that is passed to a function elsewhere has to be in
                // memory, and without the copy those of all transfers would be too.
                (start, engine.control(&{ desc }))
            }
        },
        || clock.now_ordered(),
    );
    engine.after(&{ desc }, result, buffer);
    (start, result, reaped_at)
}

/// What is not plain data: trims, the fsync family, and errors.
#[cold]
fn settle<const PACED: bool>(
    worker: &mut Worker<'_>,
    desc: Desc,
    intended: u64,
    result: i32,
    (start, reaped_at): (u64, u64),
) -> Result<(), JobFailure> {
    match (result, desc.op()) {
        (0, Op::Trim) => {
            let total_ns = worker.recorder.add_trim(&desc, start, reaped_at);
            if PACED {
                worker.completed(Op::Trim, intended, total_ns, (start, reaped_at));
            }
            return Ok(());
        }
        (0, op) if op.direction().is_none() => {
            worker.recorder.add_sync(start, reaped_at);
            return Ok(());
        }
        _ => {}
    }
    match worker.tolerance.judge(desc.op(), -result) {
        Judgement::Ignore => {}
        Judgement::Count => worker.count_error(&desc, result, reaped_at),
        Judgement::Fatal => return Err(worker.describe(&desc, result)),
    }
    Ok(())
}
