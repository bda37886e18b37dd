//! What a job issues, for `write_iolog`: a hook that takes each I/O with its time, and hands full buffers over.

use super::{IssuedIo, LogChunk, LogKinds, touched};
use crate::clock::Clock;
use crate::desc::Desc;
use crate::hook::{Hook, SharedHook};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// I/Os of a buffer.
const ENTRIES: usize = 2048;
/// Buffers of a worker.
const BUFFERS: usize = 4;

/// Takes what a job issues. Another hook of the job is called within it.
pub struct IssueLog {
    job: u32,
    clock: Clock,
    /// Stamp of the first I/O.
    origin: Option<u64>,
    ios: Vec<IssuedIo>,
    spare: Receiver<Vec<IssuedIo>>,
    back: SyncSender<Vec<IssuedIo>>,
    give: Box<dyn Fn(LogChunk)>,
    inner: Option<SharedHook>,
}

impl IssueLog {
    /// The log of a job, whose chunks go to `give`.
    pub fn new(job: u32, clock: Clock, inner: Option<SharedHook>, give: Box<dyn Fn(LogChunk)>) -> IssueLog {
        let (back, spare) = sync_channel(BUFFERS);
        let buffer = || touched(IssuedIo::BLANK, ENTRIES);
        for _ in 1..BUFFERS {
            let _ = back.try_send(buffer());
        }
        IssueLog { job, clock, origin: None, ios: buffer(), spare, back, give, inner }
    }

    /// Hands over what is left; the job has ended.
    pub fn finish(&mut self) {
        if !self.ios.is_empty() {
            let ios = std::mem::take(&mut self.ios);
            self.hand_over(ios);
        }
    }

    /// No I/O of a recording is lost: where the writer is late, the job waits for it.
    #[cold]
    fn turn(&mut self) {
        let full = std::mem::take(&mut self.ios);
        self.hand_over(full);
        self.ios = self.spare.recv().unwrap_or_default();
    }

    fn hand_over(&self, issued: Vec<IssuedIo>) {
        let mut chunk = LogChunk::of(self.job, LogKinds::default());
        (chunk.issued, chunk.issued_back) = (issued, Some(self.back.clone()));
        (self.give)(chunk);
    }
}

impl Hook for IssueLog {
    fn issue(&mut self, slot: u32, desc: &Desc, data: &mut [u8]) {
        if let Some(inner) = &self.inner {
            inner.borrow_mut().issue(slot, desc, data);
        }
        let now = self.clock.now();
        let origin = *self.origin.get_or_insert(now);
        let at_ns = self.clock.nanos(now.saturating_sub(origin));
        let (op, bytes) = (desc.op(), desc.bytes());
        self.ios.push(IssuedIo { at_ns, op, file: desc.file(), offset: desc.offset, bytes });
        if self.ios.len() >= ENTRIES {
            self.turn();
        }
    }

    fn complete(&mut self, slot: u32, desc: &Desc, result: i32, data: &mut [u8]) {
        if let Some(inner) = &self.inner {
            inner.borrow_mut().complete(slot, desc, result, data);
        }
    }
}
