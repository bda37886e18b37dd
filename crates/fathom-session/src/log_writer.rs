//! The thread that writes fio-style logs.
//!
//! The thread that keeps the frames does not make or write the lines, so a log
//! never delays the series of a run.

use crate::logs::Logs;
use fathom_engine::log::LogChunk;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

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
    let mut outcome = Ok(());
    while let Ok(first) = inbox.recv() {
        for chunk in std::iter::once(first).chain(inbox.try_iter()) {
            outcome = outcome.and_then(|()| logs.write(&chunk));
        }
        outcome = outcome.and_then(|()| logs.flush());
    }
    outcome.and_then(|()| logs.finish())
}
