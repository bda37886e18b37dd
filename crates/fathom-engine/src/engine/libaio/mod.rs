//! `libaio`: the kernel's older asynchronous interface, by raw system calls.
//!
//! When completions are in the ring that the kernel maps into the process, they
//! are taken from there without a system call. Only when the ring is empty,
//! io_getevents(2) waits.

use super::inline::InlineFiles;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged, errno};
use crate::desc::Desc;
use crate::drawn_priorities::{DrawnPriorities, PriorityMix};
use crate::memory::SlotBuffers;
use crate::syscall::system_call;
use crate::worker::DRAIN_NS;
use fathom_job::options as opt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// The registry entry. io_submit(2) does buffered I/O before it returns, one I/O
/// after the other, so a queue becomes deep only with `direct=1`.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Libaio>("libaio");

/// How long to wait before the next try when the kernel accepts no I/O and has
/// none in flight, ns.
const NO_ROOM_NS: u64 = 100_000;

/// An AIO context with room for every slot.
pub struct Libaio {
    context: u64,
    ring: Option<*const AioRing>,
    /// For each file, for reads then writes: opcode and file of a control block.
    heads: Vec<[u64; 2]>,
    inline: InlineFiles,
    /// One for each slot, with all fields set that do not change from I/O to I/O.
    iocbs: Vec<Iocb>,
    slots: SlotBuffers,
    /// Writes have buffers of their own, so the address changes from I/O to I/O.
    splits_writes: bool,
    /// With `libaio_vectored`, the buffer of each slot; else empty.
    vectors: Box<[libc::iovec]>,
    priorities: Option<PriorityMix>,
    /// The flags that writes have and reads do not.
    write_flags: Option<i32>,
    /// The job has such vectors, priorities or flags.
    varies: bool,
    /// How many of the staged control blocks have theirs.
    varied: usize,
    /// Of these, `first..count` are staged and not yet taken by the kernel.
    staged: Box<[*mut Iocb]>,
    first: usize,
    count: usize,
    events: Vec<IoEvent>,
    /// How many of `events` are to be reaped: results of io_getevents(2), and I/Os
    /// that the kernel refused.
    waited: usize,
    /// Index of the next I/O in fio's ring of control blocks.
    lap: usize,
    /// I/Os that the kernel took or refused, and that are not yet reaped.
    in_kernel: usize,
}

impl AsyncEngine for Libaio {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let depth = context.depth as usize;
        let priorities = context.priority_mix("libaio")?;
        let id = io_setup(context.depth).map_err(|source| EngineError {
            engine: "libaio",
            act: format!("set up a context for {depth} I/Os"),
            source: explain(source),
        })?;
        let job = &context.plan.job;
        // fio gets completions by a system call each time, unless the job lets it
        // read the ring and does not make it wait.
        let looks_itself = job.get(&opt::USERSPACE_REAP) && context.plan.depth.complete_min == Some(0);
        let by_call = context.plan.compat_fio && !looks_itself;
        let is_vectored = job.get(&opt::LIBAIO_VECTORED);
        let none = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };
        Ok(Libaio {
            vectors: vec![none; if is_vectored { depth } else { 0 }].into(),
            varies: is_vectored || priorities.is_some() || job.get(&opt::ATOMIC),
            write_flags: job.get(&opt::ATOMIC).then_some(libc::RWF_ATOMIC),
            varied: 0,
            priorities,
            context: id,
            ring: user_ring(id).filter(|_| !by_call),
            heads: context.files.iter().map(|f| heads(f.fd.as_raw_fd())).collect(),
            inline: InlineFiles::of(context.files, context.plan),
            slots: context.buffers.slots(),
            splits_writes: context.buffers.splits_writes(),
            iocbs: iocbs(context, if job.get(&opt::NOWAIT) { libc::RWF_NOWAIT } else { 0 }),
            staged: vec![std::ptr::null_mut(); depth].into(),
            first: 0,
            count: 0,
            events: vec![IoEvent::default(); depth],
            waited: 0,
            lap: 0,
            in_kernel: 0,
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.heads[by.entry] = heads(by.file.fd.as_raw_fd());
        self.inline.replace(by);
        Ok(())
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc) {
        let is_write = desc.is_write();
        let head = self.heads[desc.file() as usize][usize::from(is_write)];
        let iocb = &mut self.iocbs[slot as usize];
        iocb.head = head;
        if self.splits_writes {
            iocb.buffer = self.slots.of(slot, is_write) as u64;
        }
        iocb.bytes = u64::from(desc.len());
        iocb.offset = desc.offset as i64;
        self.staged[self.count] = iocb;
        self.count += 1;
    }

    fn control(&mut self, _slot: u32, desc: &Desc) -> Staged {
        Staged::Done(self.inline.control(desc))
    }

    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let submitted = self.submit_staged();
        let available = self.available();
        if available < wait as usize {
            // No more I/Os can complete than the kernel has.
            let coming = self.in_kernel - self.waited;
            let more = (wait as usize - self.waited).min(coming).max(1);
            // If the kernel has no I/O of ours, it had no room for any. A moment later
            // it may have room.
            let left_ns = if coming == 0 { timeout_ns.min(NO_ROOM_NS) } else { timeout_ns };
            self.wait(more, self.events.len(), left_ns)?;
        }
        Ok(submitted)
    }

    /// fio keeps its control blocks in a ring as long as the queue is deep. It
    /// submits those up to the end of the ring in one call and the rest in another.
    fn commit(&mut self) -> io::Result<()> {
        if self.varies {
            self.vary_staged();
        }
        while self.first < self.count {
            let to_end = self.staged.len() - self.lap;
            let Some(taken) = self.submit_until(self.count.min(self.first + to_end)) else {
                self.keep_rest();
                return Ok(());
            };
            self.lap = (self.lap + taken) % self.staged.len();
        }
        (self.first, self.count, self.varied) = (0, 0, 0);
        Ok(())
    }

    fn collect(&mut self, wait: u32, max: u32, timeout_ns: u64) -> io::Result<()> {
        // Submits what the kernel had no room for.
        self.commit()?;
        if self.ring.is_some() {
            return Ok(());
        }
        let more = |n: u32| (n as usize).saturating_sub(self.waited);
        self.wait(more(wait), more(max), timeout_ns)
    }

    #[inline(always)]
    fn available(&mut self) -> usize {
        self.waited + self.in_ring()
    }

    #[inline(always)]
    fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        let waited = count.min(self.waited);
        for event in self.events.iter().take(waited) {
            done(event.data, event.result as i32);
        }
        if waited > 0 {
            self.events.copy_within(waited..self.waited, 0);
            self.waited -= waited;
        }
        self.reap_ring(count - waited, &mut done);
        self.in_kernel = self.in_kernel.saturating_sub(count);
    }

    fn gives_up(&self, idle_ns: u64) -> Option<&'static str> {
        (self.in_kernel == 0 && self.first < self.count && idle_ns >= DRAIN_NS)
            .then_some("io_submit(2) accepts no I/O: the kernel lacks memory or requests")
    }

    fn notes(&self) -> Vec<(String, String)> {
        let how = if self.ring.is_some() { "from the mapped ring" } else { "io_getevents(2)" };
        let calls = if self.vectors.is_empty() { "pread and pwrite" } else { "preadv and pwritev" };
        vec![("libaio.reaping".into(), how.into()), ("libaio.submits".into(), calls.into())]
    }

    fn drawn_priorities(&self) -> Option<DrawnPriorities> {
        self.priorities.as_ref().map(PriorityMix::drawn)
    }
}

impl Libaio {
    /// Writes into the control blocks of staged I/Os what `libaio_vectored` and `cmdprio_*` add. This is done before a call and not when
    /// an I/O is staged, so that other jobs pay nothing for each I/O.
    #[cold]
    fn vary_staged(&mut self) {
        let first = self.iocbs.as_ptr().addr();
        for staged in &self.staged[self.varied..self.count] {
            let slot = (staged.addr() - first) / size_of::<Iocb>();
            let iocb = &mut self.iocbs[slot];
            let is_write = iocb.head as u16 == PWRITE;
            if let Some(flag) = self.write_flags {
                iocb.rw_flags = if is_write { iocb.rw_flags | flag } else { iocb.rw_flags & !flag };
            }
            if let Some(mix) = &mut self.priorities {
                let priority = mix.draw(slot as u32, is_write, iocb.bytes as u32);
                iocb.head |= u64::from(priority) << 16;
                iocb.flags = if priority > 0 { HAS_PRIORITY } else { 0 };
            }
            if let Some(vector) = self.vectors.get_mut(slot) {
                let base = self.slots.of(slot as u32, is_write).cast();
                *vector = libc::iovec { iov_base: base, iov_len: iocb.bytes as usize };
                (iocb.buffer, iocb.bytes) = (std::ptr::from_ref(vector) as u64, 1);
                iocb.head += u64::from(VECTORED);
            }
        }
        self.varied = self.count;
    }

    /// Submits until the kernel has taken or refused everything, or has no
    /// room. Returns how many it took.
    fn submit_staged(&mut self) -> u32 {
        let before = self.in_kernel;
        if self.varies {
            self.vary_staged();
        }
        while self.first < self.count {
            if self.submit_until(self.count).is_none() {
                self.keep_rest();
                return (self.in_kernel - before) as u32;
            }
        }
        (self.first, self.count, self.varied) = (0, 0, 0);
        (self.in_kernel - before) as u32
    }

    /// One call for what is staged before `end`. Returns how many the kernel
    /// took, or refused; `None` when it has no room.
    #[inline(always)]
    fn submit_until(&mut self, end: usize) -> Option<usize> {
        let staged = &self.staged[self.first..end];
        // Every pointer points into `iocbs`, whose length never
        // changes; the slots' buffers stay valid until they are reaped.
        let args = [self.context, staged.len() as u64, staged.as_ptr() as u64, 0, 0, 0];
        // SAFETY: for these reasons the kernel reads control blocks that we own.
        match unsafe { system_call(libc::SYS_io_submit, args) } {
            done @ 1.. => {
                self.first += done as usize;
                self.in_kernel += done as usize;
                Some(done as usize)
            }
            error if error == 0 || matches!(-error as i32, libc::EAGAIN | libc::EINTR) => None,
            error => {
                self.refuse_first(-error as i32);
                Some(1)
            }
        }
    }

    /// Moves what the kernel has no room for to the front.
    #[cold]
    fn keep_rest(&mut self) {
        self.staged.copy_within(self.first..self.count, 0);
        (self.first, self.count) = (0, self.count - self.first);
        self.varied = self.count;
    }

    /// An error of io_submit(2) is that of the first control block. Its I/O
    /// completes with that error, and is then treated like any other failed I/O.
    #[cold]
    fn refuse_first(&mut self, errno: i32) {
        // SAFETY: the pointer points into `iocbs`, and nothing writes there now.
        let data = unsafe { (*self.staged[self.first]).data };
        self.first += 1;
        self.events[self.waited] = IoEvent { data, result: i64::from(-errno), ..IoEvent::default() };
        self.waited += 1;
        self.in_kernel += 1;
    }

    /// Waits in the kernel, and takes at most `max`. With `wait` above one, earlier
    /// completions are kept back, as `iodepth_batch_complete_min` asks.
    fn wait(&mut self, wait: usize, max: usize, timeout_ns: u64) -> io::Result<()> {
        let room = (self.events.len() - self.waited).min(max);
        let time = libc::timespec {
            tv_sec: (timeout_ns / 1_000_000_000) as i64,
            tv_nsec: (timeout_ns % 1_000_000_000) as i64,
        };
        // SAFETY: the kernel writes at most `room` events behind the ones
        // already held, and reads one timespec.
        let got = unsafe {
            let free = self.events.as_mut_ptr().add(self.waited);
            libc::syscall(libc::SYS_io_getevents, self.context, wait.min(room), room, free, &time)
        };
        match got {
            0.. => self.waited += got as usize,
            _ if errno() == libc::EINTR => {}
            _ => return Err(io::Error::last_os_error()),
        }
        Ok(())
    }

    #[inline(always)]
    fn in_ring(&self) -> usize {
        let Some(ring) = self.ring else { return 0 };
        // SAFETY: the kernel keeps the ring mapped while the context lives.
        let (head, tail, entries) = unsafe {
            ((*ring).head.load(Ordering::Relaxed), (*ring).tail.load(Ordering::Acquire), (*ring).entries)
        };
        (if tail >= head { tail - head } else { entries - head + tail }) as usize
    }

    /// Reaps `count` completions from the mapped ring; it must hold so many.
    #[inline(always)]
    fn reap_ring(&mut self, count: usize, done: &mut impl FnMut(u64, i32)) {
        let Some(ring) = self.ring.filter(|_| count > 0) else { return };
        // SAFETY: the ring stays mapped while the context lives; events
        // follow its header, and this thread is the only one that reaps.
        unsafe {
            let events = ring.cast::<u8>().add((*ring).header_length as usize).cast::<IoEvent>();
            let entries = (*ring).entries;
            let mut head = (*ring).head.load(Ordering::Relaxed);
            for _ in 0..count {
                let event = &*events.add(head as usize);
                done(event.data, event.result as i32);
                head = if head + 1 == entries { 0 } else { head + 1 };
            }
            (*ring).head.store(head, Ordering::Release);
        }
    }
}

impl Drop for Libaio {
    fn drop(&mut self) {
        // SAFETY: the context is ours; the kernel waits for its I/Os.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.context) };
    }
}

/// The word of a control block that holds opcode, priority and file.
fn heads(fd: RawFd) -> [u64; 2] {
    [PREAD, PWRITE].map(|opcode| u64::from(opcode) | (fd as u64) << 32)
}

/// A control block for each slot: its number, its buffer, its flags.
fn iocbs(context: &Context<'_>, rw_flags: i32) -> Vec<Iocb> {
    let slots = context.buffers.slots();
    let iocb = |slot| {
        let buffer = slots.of(slot, false) as u64;
        Iocb { data: u64::from(slot), rw_flags, buffer, ..Iocb::default() }
    };
    (0..context.depth).map(iocb).collect()
}

fn explain(e: io::Error) -> io::Error {
    match e.raw_os_error() {
        Some(libc::EAGAIN) => io::Error::new(e.kind(), format!("{e} (sysctl fs.aio-max-nr is too low)")),
        _ => e,
    }
}

/// `struct iocb` of linux/aio_abi.h, little endian.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Iocb {
    pub data: u64,
    pub key: u32,
    pub rw_flags: i32,
    /// Opcode in the low 16 bits, then priority, then the file in the high 32.
    pub head: u64,
    pub buffer: u64,
    pub bytes: u64,
    pub offset: i64,
    pub reserved: u64,
    pub flags: u32,
    pub event_fd: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct IoEvent {
    pub data: u64,
    pub iocb: u64,
    pub result: i64,
    pub result2: i64,
}

/// `struct aio_ring` of fs/aio.c, which a context id is the address of.
#[repr(C)]
struct AioRing {
    pub id: u32,
    pub entries: u32,
    pub head: AtomicU32,
    pub tail: AtomicU32,
    pub magic: u32,
    pub compat: u32,
    pub incompat: u32,
    pub header_length: u32,
}

/// The value of `magic` when user space may reap completions by itself.
const RING_MAGIC: u32 = 0xa10a_10a1;
const PREAD: u16 = 0;
const PWRITE: u16 = 1;
/// From `IOCB_CMD_PREAD` to `IOCB_CMD_PREADV`, and from PWRITE to PWRITEV.
const VECTORED: u16 = 7;
/// `IOCB_FLAG_IOPRIO`.
const HAS_PRIORITY: u32 = 2;

/// Makes a context for `depth` I/Os; returns its id.
fn io_setup(depth: u32) -> io::Result<u64> {
    let mut context = 0u64;
    // SAFETY: the kernel writes one context id.
    let status = unsafe { libc::syscall(libc::SYS_io_setup, depth, &mut context) };
    if status == 0 { Ok(context) } else { Err(io::Error::last_os_error()) }
}

fn user_ring(context: u64) -> Option<*const AioRing> {
    let ring = context as *const AioRing;
    // SAFETY: on every kernel with AIO the context id is the address of the
    // mapped ring, whose header is longer than what is read here.
    let magic = unsafe { (*ring).magic };
    (magic == RING_MAGIC).then_some(ring)
}
