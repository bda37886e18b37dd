//! `libaio`: the kernel's older asynchronous interface, by raw system calls.
//!
//! Completions are taken from the ring that the kernel maps into the process,
//! without a system call, when any are there; only an empty ring is waited on
//! with io_getevents(2).

mod abi;

use super::inline::InlineFile;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Staged, declare, errno};
use crate::desc::{Desc, Op};
use crate::worker::DRAIN_NS;
use abi::{Event, Iocb, PREAD, PWRITE, Ring, io_setup, user_ring};
use fathom_job::engine::EngineDef;
use fathom_job::options as opt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::Ordering;

/// The registry entry. Buffered I/O is done inside io_submit(2), one after the
/// other, so a depth needs `direct=1`.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Libaio>(EngineDef {
    needs_direct_for_depth: true,
    ..declare("libaio", "the kernel's native asynchronous I/O, io_submit(2)", 65536)
});

/// An AIO context with room for every slot.
pub struct Libaio {
    context: u64,
    ring: Option<*const Ring>,
    files: Vec<RawFd>,
    inline: Vec<InlineFile>,
    iocbs: Vec<Iocb>,
    staged: Vec<*mut Iocb>,
    events: Vec<Event>,
    /// Of `events`, how many are to be reaped: from io_getevents(2), or of
    /// I/Os that the kernel refused.
    waited: usize,
    flags: i32,
    /// Taken by the kernel, or refused, and not yet reaped.
    in_kernel: usize,
}

impl AsyncEngine for Libaio {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let depth = context.depth as usize;
        let id = io_setup(context.depth).map_err(|source| EngineError {
            engine: "libaio",
            act: format!("set up a context for {depth} I/Os"),
            source: explain(source),
        })?;
        Ok(Libaio {
            context: id,
            ring: user_ring(id),
            files: context.files.iter().map(|f| f.fd.as_raw_fd()).collect(),
            inline: InlineFile::all(context.files, &context.plan.job),
            iocbs: vec![Iocb::default(); depth],
            staged: Vec::with_capacity(depth),
            events: vec![Event::default(); depth],
            waited: 0,
            flags: if context.plan.job.get(&opt::NOWAIT) { libc::RWF_NOWAIT } else { 0 },
            in_kernel: 0,
        })
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc, buffer: *mut u8) -> Staged {
        let opcode = match desc.op {
            Op::Read => PREAD,
            Op::Write => PWRITE,
            _ => return Staged::Done(self.inline[desc.file as usize].control(desc)),
        };
        let iocb = &mut self.iocbs[slot as usize];
        *iocb = Iocb {
            data: u64::from(slot),
            rw_flags: self.flags,
            opcode,
            fd: self.files[desc.file as usize] as u32,
            buffer: buffer as u64,
            bytes: u64::from(desc.len),
            offset: desc.offset as i64,
            ..Iocb::default()
        };
        self.staged.push(iocb);
        Staged::Queued
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let submitted = self.submit_staged();
        if self.available() < wait as usize {
            self.wait(wait, timeout_ns)?;
        }
        Ok(submitted)
    }

    #[inline(always)]
    fn reap(&mut self, max: usize, mut done: impl FnMut(u32, i32)) -> usize {
        let mut count = 0;
        for event in self.events[..self.waited].iter().take(max) {
            done(event.data as u32, event.result as i32);
            count += 1;
        }
        self.events.copy_within(count..self.waited, 0);
        self.waited -= count;
        let all = count + self.reap_ring(max - count, &mut done);
        self.in_kernel -= all;
        all
    }

    fn gives_up(&self, idle_ns: u64) -> Option<&'static str> {
        (self.in_kernel == 0 && !self.staged.is_empty() && idle_ns >= DRAIN_NS)
            .then_some("the kernel takes no I/O from io_submit(2), for want of memory or requests")
    }

    fn notes(&self) -> Vec<(String, String)> {
        let how = if self.ring.is_some() { "from the mapped ring" } else { "io_getevents(2)" };
        vec![("libaio.reaping".into(), how.into())]
    }
}

impl Libaio {
    /// Submits until the kernel has taken or refused everything, or has no
    /// room. Returns how many it took.
    fn submit_staged(&mut self) -> u32 {
        let before = self.in_kernel;
        while !self.staged.is_empty() {
            // SAFETY: every pointer leads into `iocbs`, whose length never
            // changes; the slots' buffers stay valid until they are reaped.
            let done = unsafe {
                libc::syscall(libc::SYS_io_submit, self.context, self.staged.len(), self.staged.as_ptr())
            };
            match done {
                1.. => {
                    self.staged.drain(..done as usize);
                    self.in_kernel += done as usize;
                }
                _ if done == 0 || matches!(errno(), libc::EAGAIN | libc::EINTR) => break,
                _ => self.refuse_first(errno()),
            }
        }
        (self.in_kernel - before) as u32
    }

    /// An error of io_submit(2) is that of the first control block: its I/O
    /// completes with it, and can be judged like any other failure.
    #[cold]
    fn refuse_first(&mut self, errno: i32) {
        // SAFETY: the pointer leads into `iocbs`, and nobody writes there now.
        let data = unsafe { (*self.staged.remove(0)).data };
        self.events[self.waited] = Event { data, result: i64::from(-errno), ..Event::default() };
        self.waited += 1;
        self.in_kernel += 1;
    }

    /// Waits in the kernel. `wait` above one keeps earlier completions back,
    /// as `iodepth_batch_complete_min` asks.
    fn wait(&mut self, wait: u32, timeout_ns: u64) -> io::Result<()> {
        let room = self.events.len() - self.waited;
        let time = libc::timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as i64,
            tv_nsec: (timeout_ns % 1_000_000_000) as i64,
        };
        // SAFETY: the kernel writes at most `room` events behind the ones
        // already held, and reads one timespec.
        let got = unsafe {
            let free = self.events.as_mut_ptr().add(self.waited);
            libc::syscall(libc::SYS_io_getevents, self.context, (wait as usize).min(room), room, free, &time)
        };
        match got {
            0.. => self.waited += got as usize,
            _ if errno() == libc::EINTR => {}
            _ => return Err(io::Error::last_os_error()),
        }
        Ok(())
    }

    /// Completions that can be reaped without a system call.
    #[inline(always)]
    fn available(&self) -> usize {
        let Some(ring) = self.ring else { return self.waited };
        // SAFETY: the kernel keeps the ring mapped while the context lives.
        let (head, tail, entries) = unsafe {
            ((*ring).head.load(Ordering::Relaxed), (*ring).tail.load(Ordering::Acquire), (*ring).entries)
        };
        let in_ring = if tail >= head { tail - head } else { entries - head + tail };
        self.waited + in_ring as usize
    }

    #[inline(always)]
    fn reap_ring(&mut self, max: usize, done: &mut impl FnMut(u32, i32)) -> usize {
        let Some(ring) = self.ring else { return 0 };
        // SAFETY: the ring stays mapped while the context lives; events
        // follow its header, and this thread is the only one that reaps.
        unsafe {
            let events = ring.cast::<u8>().add((*ring).header_length as usize).cast::<Event>();
            let entries = (*ring).entries;
            let tail = (*ring).tail.load(Ordering::Acquire);
            let mut head = (*ring).head.load(Ordering::Relaxed);
            let mut count = 0;
            while head != tail && count < max {
                let event = &*events.add(head as usize);
                done(event.data as u32, event.result as i32);
                head = if head + 1 == entries { 0 } else { head + 1 };
                count += 1;
            }
            (*ring).head.store(head, Ordering::Release);
            count
        }
    }
}

impl Drop for Libaio {
    fn drop(&mut self) {
        // SAFETY: the context is ours; the kernel waits for its I/Os.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}

fn explain(e: io::Error) -> io::Error {
    match e.raw_os_error() {
        Some(libc::EAGAIN) => io::Error::new(e.kind(), format!("{e} (sysctl fs.aio-max-nr is used up)")),
        _ => e,
    }
}
