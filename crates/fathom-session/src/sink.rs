//! Frames to the spool and to the listener, logs to their files; counters of the disks at the start and the end.

use crate::disks::Disks;
use crate::logs::Logs;
use crate::notice::{Listener, Message, Notice};
use crate::verify_states::StateWriter;
use crate::wrong_blocks::WrongBlocks;
use fathom_engine::log::LogChunk;
use fathom_engine::sink::{Sink, Stop, StopReason, WrongBlock};
use fathom_results::{
    DiskDelta, EventKind, Frame, JobOutcome, Phase, ProcessIo, SavedBlock, SpoolExtent, SpoolWriter,
};
use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Kinds of events that are reported immediately and not only saved.
const TOLD: [EventKind; 3] = [EventKind::Stall, EventKind::StallOver, EventKind::GivenUp];

/// How often the sink checks that its spool still has a name.
const LOOK: Duration = Duration::from_secs(1);

/// Saves what the engine reports.
pub struct SpoolSink {
    spool: SpoolWriter,
    /// When the spool was last seen to have a name.
    looked_at: Instant,
    listener: Arc<dyn Listener>,
    disks: Disks,
    logs: LogWriter,
    wrong_blocks: WrongBlocks,
    /// Files of wrong blocks that could not be written.
    unsaved: HashSet<String>,
    states: StateWriter,
    interrupt: Arc<Stop>,
    /// Whether a worker failed or was interrupted.
    incomplete: bool,
    /// Why results cannot be saved any more.
    trouble: Option<String>,
    /// Jobs in their measurement window.
    measuring: HashSet<u32>,
}

/// What jobs write beside their figures.
pub struct JobFiles {
    /// Logs of I/Os and rates.
    pub logs: Logs,
    /// Contents of wrong blocks.
    pub wrong_blocks: WrongBlocks,
    /// States of verifications.
    pub states: StateWriter,
}

/// What a sink knows at the end.
pub struct SinkEnd {
    /// Every job ended by its own rule.
    pub complete: bool,
    /// What the spool consists of.
    pub spool: SpoolExtent,
    /// Kernel counters over the measured windows.
    pub disks: Vec<DiskDelta>,
    /// What the kernel counted for this process over the same windows.
    pub process_io: Option<ProcessIo>,
    /// Why results could not be saved.
    pub trouble: Option<String>,
    /// Why logs could not be saved.
    pub log_trouble: Option<String>,
    /// Why the state of a verification could not be saved.
    pub state_trouble: Option<String>,
}

impl SpoolSink {
    /// Starts the spool of the run `id` in `dir`.
    pub fn create(
        dir: &Path,
        id: &str,
        listener: Arc<dyn Listener>,
        disks: Disks,
        files: JobFiles,
        interrupt: Arc<Stop>,
    ) -> io::Result<Self> {
        let JobFiles { logs, wrong_blocks, states } = files;
        let spool = SpoolWriter::create(dir, id)?;
        Ok(SpoolSink {
            spool,
            looked_at: Instant::now(),
            listener,
            disks,
            logs: LogWriter::start(logs)?,
            wrong_blocks,
            unsaved: HashSet::new(),
            states,
            interrupt,
            incomplete: false,
            trouble: None,
            measuring: HashSet::new(),
        })
    }

    /// Every frame has been given: completes the spool and the logs.
    pub fn finish(mut self) -> SinkEnd {
        let synced = self.spool.sync();
        self.keep(synced);
        let closed = self.logs.finish();
        let log_trouble = closed.err().map(|e| format!("writing a log failed: {e}"));
        let state_trouble = self.states.finish().err().map(|e| format!("the state of a verification: {e}"));
        let (disks, process_io) = self.disks.finish();
        SinkEnd {
            complete: !self.incomplete,
            spool: self.spool.extent(),
            disks,
            process_io,
            trouble: self.trouble,
            log_trouble,
            state_trouble,
        }
    }

    /// Stops the run if its results cannot be saved: it would only wear the drive.
    fn keep(&mut self, result: io::Result<()>) {
        if let Err(e) = result
            && self.trouble.is_none()
        {
            self.trouble = Some(format!("writing the spool failed: {e}"));
            self.interrupt.request(StopReason::Interrupt);
        }
    }

    /// The end of a job, without the names of files that could not be written.
    fn with_saved_files(&self, outcome: &JobOutcome) -> Option<Frame> {
        let mut outcome = outcome.clone();
        let found = outcome.verification.as_mut().filter(|_| !self.unsaved.is_empty())?;
        for fault in &mut found.faults {
            let saved = fault.saved.take().filter(|saved| !self.unsaved.contains(&saved.received));
            fault.saved = saved.map(|saved| SavedBlock {
                expected: saved.expected.filter(|name| !self.unsaved.contains(name)),
                ..saved
            });
        }
        Some(Frame::Ended(Box::new(outcome)))
    }

    /// Stops the run if its directory was removed: it would go on to its end and then
    /// have no result.
    fn look_at_spool(&mut self) {
        if self.looked_at.elapsed() < LOOK {
            return;
        }
        self.looked_at = Instant::now();
        let removed = |has_name| if has_name { Ok(()) } else { Err(io::Error::other("it was removed")) };
        let looked = self.spool.has_name().and_then(removed);
        self.keep(looked);
    }
}

impl Sink for SpoolSink {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Phase { job, phase: Phase::Measure, .. } => {
                if self.measuring.is_empty() {
                    self.disks.open();
                }
                self.measuring.insert(*job);
            }
            Frame::Ended(outcome) => {
                if self.measuring.remove(&outcome.job) && self.measuring.is_empty() {
                    self.disks.close();
                }
                use fathom_results::EndedBy::{Error, Interrupt};
                self.incomplete |= matches!(outcome.ended_by, Error | Interrupt);
            }
            Frame::Event(event) if TOLD.contains(&event.kind) => {
                self.listener.notice(Notice::Message(Message::state(event.text.as_str())));
            }
            _ => {}
        }
        let changed = match frame {
            Frame::Ended(outcome) => self.with_saved_files(outcome),
            _ => None,
        };
        let frame = changed.as_ref().unwrap_or(frame);
        self.listener.notice(Notice::Frame(frame));
        let written = self.spool.append(frame);
        self.keep(written);
        self.look_at_spool();
    }

    fn log(&mut self, chunk: LogChunk) {
        self.logs.write(chunk);
    }

    fn wrong_block(&mut self, block: &WrongBlock) {
        if let Some((name, failure)) = self.wrong_blocks.save(block) {
            self.listener.notice(Notice::Message(Message::warning(failure.message)));
            self.unsaved.insert(name);
        }
    }

    fn verify_state(&mut self, job: u32, file: Vec<u8>) {
        self.states.write(job, file);
    }
}

// The thread that writes fio-style logs.
//
// The thread that keeps the frames does not make or write the lines, so a log
// never delays the series of a run.

/// Writes logs until it is finished. The channel in which chunks wait has no limit.
/// It does not need one: workers have a few buffers each, and wait when all are full.
pub struct LogWriter {
    chunks: Option<Sender<LogChunk>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl LogWriter {
    /// Starts the thread; a run without logs needs none.
    pub fn start(logs: Logs) -> io::Result<LogWriter> {
        if logs.is_empty() {
            return Ok(LogWriter { chunks: None, thread: None });
        }
        let (chunks, inbox) = channel();
        let thread = Builder::new().name("log-writer".to_owned()).spawn(move || write_all(logs, &inbox));
        let thread =
            thread.map_err(|e| io::Error::new(e.kind(), format!("no thread for writing logs: {e}")))?;
        Ok(LogWriter { chunks: Some(chunks), thread: Some(thread) })
    }

    /// Takes a chunk; it is written later.
    pub fn write(&self, chunk: LogChunk) {
        if let Some(chunks) = &self.chunks {
            // The writer ends only when this end of the channel is closed.
            let _ = chunks.send(chunk);
        }
    }

    /// All chunks have been given: waits until they are written.
    pub fn finish(&mut self) -> io::Result<()> {
        drop(self.chunks.take());
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes logs panicked")))
    }
}

/// Writes chunks as they come. After an error the others are dropped, so that
/// no worker waits for its buffer: the measurement goes on.
fn write_all(mut logs: Logs, inbox: &Receiver<LogChunk>) -> io::Result<()> {
    let mut outcome = match logs.cpus() {
        [] => Ok(()),
        cpus => fathom_engine::cpu::set_affinity(cpus).map_err(|e| {
            io::Error::new(e.kind(), format!("the CPUs of log_compression_cpus cannot be used: {e}"))
        }),
    };
    while let Ok(first) = inbox.recv() {
        for chunk in std::iter::once(first).chain(inbox.try_iter()) {
            outcome = outcome.and_then(|()| logs.write(&chunk));
        }
        outcome = outcome.and_then(|()| logs.flush());
    }
    outcome.and_then(|()| logs.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::here::Here;
    use crate::logs::Where;
    use fathom_job::parse::{Adjust, load_text};
    use std::fs;

    struct NoListener;

    impl Listener for NoListener {
        fn notice(&self, _: Notice<'_>) {}
    }

    /// May a thread that writes logs run on these CPUs and no others, as the kernel lists them?
    fn is_on(cpus: &str) -> bool {
        fs::read_dir("/proc/self/task").unwrap().any(|thread| {
            let thread = thread.unwrap().path();
            let text = |file: &str| fs::read_to_string(thread.join(file)).unwrap_or_default();
            let line = format!("Cpus_allowed_list:\t{cpus}");
            text("comm").trim() == "log-writer" && text("status").lines().any(|known| known == line)
        })
    }

    #[test]
    fn logs_are_written_on_the_cpus_of_the_job() {
        let here = Here::new(Arc::new(NoListener));
        for cpu in ["0", "1"] {
            let dir = tempfile::tempdir().unwrap();
            let job = format!(
                "[s]\nioengine=null\nrw=read\nsize=4k\nwrite_lat_log=x\nlog_compression_cpus={cpu}\n"
            );
            let jobs = load_text("test", &job, &Adjust::default(), &here).unwrap();
            let plan = crate::planning::planned(&jobs, &here).unwrap();
            let logs = Logs::open(&plan, Where::Run(dir.path()), here.slow_look()).unwrap();
            let mut writer = LogWriter::start(logs).unwrap();
            let limit = Instant::now() + Duration::from_secs(10);
            while !is_on(cpu) && Instant::now() < limit {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(is_on(cpu), "CPU {cpu}");
            writer.finish().unwrap();
        }
    }
}
