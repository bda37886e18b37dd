//! The writer: threads that write, flush and log until something ends them, which is meant to be the power.
//!
//! A thread takes the next act under a lock, does it without the lock, and logs its completion under the lock. So the order
//! of the log is the order in which the writer learned of completions: what the log has before the start of a flush was complete
//! before that flush was issued.

use super::aligned;
use super::log_file::{LogDestination, LogWriter, RecordBytes};
use super::target::CutTarget;
use crate::ender::{Cause, Ender};
use crate::exit::{Exit, Failure};
use crate::here::Here;
use crate::target_watch::{self, Alarm};
use fathom_text::number::grouped;
use fathom_verify::power_cut::{
    Act, CutWrite, LogHeader, Record, RecordCoder, UnitFormat, Workload, WorkloadTerms,
};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};
use std::fs::File;
use std::io::{self, IoSlice};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is written, and for how long.
#[derive(Debug)]
pub struct WriteRequest {
    /// The header of the log.
    pub header: LogHeader,
    /// The lengths of writes.
    pub terms: WorkloadTerms,
    /// Writes in flight.
    pub depth: u16,
    /// End by itself after this time.
    pub duration: Option<Duration>,
    /// End by itself after this many writes.
    pub writes: Option<u64>,
}

/// How the writer ended, where it did.
#[derive(Debug)]
pub struct WriteEnd {
    /// Writes that were issued.
    pub writes: u64,
    /// The signal that ended it; `None` after the time or the number of writes that was asked for.
    pub cause: Option<Cause>,
}

/// How often a thread that has nothing to do looks whether it should end.
const LOOK: Duration = Duration::from_millis(50);

/// What the threads share.
struct Shared<'a> {
    target: &'a File,
    format: UnitFormat,
    state: Mutex<State>,
    changed: Condvar,
    ender: &'a Ender,
    until: Option<Instant>,
    writes_max: u64,
    buffer_bytes: usize,
    at_first_flush: &'a (dyn Fn() + Sync),
}

struct State {
    workload: Workload,
    coder: RecordCoder,
    log: SyncSender<RecordBytes>,
    /// Why no more is written.
    failure: Option<Failure>,
    log_is_gone: bool,
}

/// Writes until the power is cut, a signal ends it, or its time is over. `at_first_flush` is called when the region is written
/// and flushed for the first time: from then on a cut proves something. `log` is made when the target is open, so that nothing is
/// left behind where the target cannot be written.
///
/// # Errors
/// The target or the log fails, or something else begins to use the target.
pub fn write(
    request: &WriteRequest,
    target: &CutTarget,
    log: impl FnOnce() -> Result<LogDestination, Failure>,
    ender: &Ender,
    at_first_flush: &(dyn Fn() + Sync),
    here: &Here,
) -> Result<WriteEnd, Failure> {
    let file = opened(target)?;
    let log = LogWriter::start(&request.header, log()?)?;
    let shared = Shared::new(request, &file, &log, ender, at_first_flush);
    let alarm = Arc::new(Alarm::new(here.listener().clone()));
    let watch = target_watch::start(&target.guard, here.root(), &alarm, ender.stop());
    std::thread::scope(|scope| {
        for n in 0..request.depth {
            let name = format!("writer-{n}");
            let started = std::thread::Builder::new().name(name).spawn_scoped(scope, || shared.work());
            if let Err(e) = started {
                shared.fail(Failure::new(Exit::Failed, format!("cannot start a thread that writes: {e}")));
            }
        }
    });
    drop(watch);
    let (writes, failure) = shared.finish();
    let end = request.header.start + request.header.len;
    // Without this note, the next run needs --overwrite for a file that this one created.
    let _ = target.guard.record_created(|_| Some(end));
    // An error of the log explains everything else.
    log.finish()?;
    match (failure, alarm.why()) {
        (_, Some(why)) => Err(Failure::new(Exit::Refused, why)),
        (Some(failure), None) => Err(failure),
        (None, None) => Ok(WriteEnd { writes, cause: ender.cause() }),
    }
}

fn opened(target: &CutTarget) -> Result<File, Failure> {
    target.open(true).map_err(|e| {
        let path = target.admitted.path().display();
        Failure::new(Exit::Usage, format!("cannot open {path} for direct I/O: {e}"))
            .hint("a power cut is judged by what the target has, and not by what the page cache has")
    })
}

impl<'a> Shared<'a> {
    fn new(
        request: &WriteRequest,
        target: &'a File,
        log: &LogWriter,
        ender: &'a Ender,
        at_first_flush: &'a (dyn Fn() + Sync),
    ) -> Shared<'a> {
        let WriteRequest { header, terms, duration, .. } = request;
        let format = UnitFormat::new(header);
        let units = usize::from(terms.units_max.max(terms.first_pass_units).max(1));
        let state = State {
            workload: Workload::new(header, *terms),
            coder: RecordCoder::new(header.key),
            log: log.sender(),
            failure: None,
            log_is_gone: false,
        };
        Shared {
            target,
            buffer_bytes: units * format.unit(),
            format,
            state: Mutex::new(state),
            changed: Condvar::new(),
            ender,
            writes_max: request.writes.unwrap_or(u64::MAX),
            until: duration.map(|duration| Instant::now() + duration),
            at_first_flush,
        }
    }

    /// One thread: act after act.
    fn work(&self) {
        let mut memory = Vec::new();
        let buffer = aligned(&mut memory, self.buffer_bytes);
        while let Some(act) = self.next_act() {
            match act {
                Act::Write(write) => self.write(&write, buffer),
                Act::Flush { flush, .. } => self.flush(flush),
                Act::Wait => {}
            }
        }
    }

    /// Waits for something to do; `None` at the end.
    fn next_act(&self) -> Option<Act> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() || state.log_is_gone || self.is_over(&state) {
                return None;
            }
            match state.workload.next_act() {
                Act::Wait => {
                    let waited = self.changed.wait_timeout(state, LOOK);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                Act::Flush { flush, begun } => {
                    state.log(&begun);
                    return Some(Act::Flush { flush, begun });
                }
                act @ Act::Write(_) => return Some(act),
            }
        }
    }

    fn is_over(&self, state: &State) -> bool {
        state.workload.issued() >= self.writes_max
            || self.ender.stop().requested().is_some()
            || self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn write(&self, write: &CutWrite, buffer: &mut [u8]) {
        let data = &mut buffer[..usize::from(write.units) * self.format.unit()];
        self.format.fill(write, data);
        match write_all(self.target, data, write.offset, write.fua) {
            Ok(()) => {
                let mut state = self.lock();
                let record = state.workload.written(write);
                state.log(&record);
            }
            Err(e) => self.fail(lost_target(&format!("writing at {}", grouped(write.offset)), &e)),
        }
        self.changed.notify_all();
    }

    fn flush(&self, flush: u64) {
        match self.target.sync_data() {
            Ok(()) => {
                let mut state = self.lock();
                let record = state.workload.flushed(flush);
                state.log(&record);
                drop(state);
                if flush == 0 {
                    (self.at_first_flush)();
                }
            }
            Err(e) => self.fail(lost_target("flushing", &e)),
        }
        self.changed.notify_all();
    }

    /// Ends the threads; the first failure is kept.
    fn fail(&self, failure: Failure) {
        self.lock().failure.get_or_insert(failure);
    }

    /// Logs the end, if nothing failed. The sender of the log is gone afterwards.
    fn finish(self) -> (u64, Option<Failure>) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let writes = state.workload.issued();
        if state.failure.is_none() {
            state.log(&Record::Ended { next_write: writes });
        }
        (writes, state.failure)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Gives a record to the log. Where its thread has ended, it says why itself.
    fn log(&mut self, record: &Record) {
        let bytes = self.coder.encode(record);
        self.log_is_gone |= self.log.send(bytes).is_err();
    }
}

fn lost_target(act: &str, e: &io::Error) -> Failure {
    Failure::new(Exit::IoErrors, format!("{act} failed: {e}"))
        .hint("if the power of the target was cut: switch it on, then fathom power-cut check")
}

/// Writes everything, also where the kernel takes it in parts.
fn write_all(file: &File, data: &[u8], offset: u64, fua: bool) -> io::Result<()> {
    let flags = if fua { ReadWriteFlags::DSYNC } else { ReadWriteFlags::empty() };
    let mut done = 0;
    while done < data.len() {
        match pwritev2(file, &[IoSlice::new(&data[done..])], offset + done as u64, flags) {
            Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero)),
            Ok(more) => done += more,
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}
