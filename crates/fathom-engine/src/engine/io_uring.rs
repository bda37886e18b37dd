//! `io_uring`: one ring per worker, driven by its owner alone.
//!
//! Files and the buffer region are registered where the kernel allows that. The
//! result says which setup the kernel took and what was registered. The words that
//! are the same for every I/O on a file are made once, so that staging an I/O takes
//! five stores into the kernel's queue.

use super::inline::InlineFiles;
use super::pvsync::RWF_DONTCACHE;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Replacement, Staged};
use crate::desc::{Desc, Op};
use crate::drawn_priorities::{DrawnPriorities, PriorityMix};
use crate::memory::SlotBuffers;
use crate::ring::abi::*;
use crate::ring::{Ring, RingSetup};
use crate::worker::DRAIN_NS;
use fathom_job::job::Job;
use fathom_job::options as opt;
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::queued::<Uring>("io_uring");

/// A ring and what was registered with it.
pub struct Uring {
    ring: Ring,
    /// For each file, for reads then writes: opcode, flags and file of an entry.
    heads: Vec<[u64; 2]>,
    slots: SlotBuffers,
    /// `RWF_*`, shifted to where an entry has them.
    flags: u64,
    /// The one that only writes have (`atomic`); 0 for none.
    of_writes: u64,
    /// Every Nth I/O goes to a kernel worker; 0 for none.
    async_every: u32,
    async_count: u32,
    priorities: Option<PriorityMix>,
    /// Some I/Os go to a kernel worker, or have a priority or flags of their own.
    varies: bool,
    inline: InlineFiles,
    has_fixed_files: bool,
    has_fixed_buffers: bool,
    is_polled: bool,
}

impl AsyncEngine for Uring {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let ring = Ring::new(&wanted(job, context.depth)).map_err(|source| EngineError {
            engine: "io_uring",
            act: "set up a ring".to_owned(),
            source,
        })?;
        let files: Vec<RawFd> = context.files.iter().map(|f| f.fd.as_raw_fd()).collect();
        // Files that are replaced are not registered, because that would take one
        // more system call for each.
        let has_fixed_files = !context.replaces_files && ring.register_files(&files).is_ok();
        // The kernel takes no atomic write from a registered buffer (`generic_atomic_write_valid`).
        let is_atomic = job.get(&opt::ATOMIC);
        // SAFETY: the region outlives the ring: the worker drops its engine
        // before its buffers, or drops neither.
        let has_fixed_buffers =
            !is_atomic && unsafe { ring.register_region(context.buffers.iovec()) }.is_ok();
        let flag = |on: bool, flag: i32| if on { flag as u64 } else { 0 };
        let rw_flags =
            flag(job.get(&opt::NOWAIT), libc::RWF_NOWAIT) | flag(job.get(&opt::UNCACHED), RWF_DONTCACHE);
        let priorities = context.priority_mix("io_uring")?;
        Ok(Uring {
            ring,
            heads: heads(&files, has_fixed_files, has_fixed_buffers),
            slots: context.buffers.slots(),
            flags: rw_flags << 32,
            of_writes: flag(is_atomic, libc::RWF_ATOMIC) << 32,
            async_every: job.get(&opt::FORCE_ASYNC),
            async_count: 0,
            varies: job.get(&opt::FORCE_ASYNC) > 0 || priorities.is_some() || is_atomic,
            priorities,
            inline: InlineFiles::of(context.files, context.plan),
            has_fixed_files,
            has_fixed_buffers,
            is_polled: job.get(&opt::HIPRI),
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.heads[by.entry] = head(by.file.fd.as_raw_fd() as u32, false, self.has_fixed_buffers);
        self.inline.replace(by);
        Ok(())
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc) {
        let is_write = desc.is_write();
        let mut head = self.heads[desc.file() as usize][usize::from(is_write)];
        if self.varies {
            head |= self.variation(slot, desc);
        }
        let entry = self.ring.stage();
        entry[0] = head;
        entry[1] = desc.offset;
        entry[2] = self.slots.of(slot, is_write) as u64;
        entry[3] = u64::from(desc.len()) | self.flags;
        entry[4] = u64::from(slot);
    }

    fn control(&mut self, slot: u32, desc: &Desc) -> Staged {
        if !self.queues(desc) {
            return Staged::Done(self.inline.control(desc));
        }
        let datasync = if desc.op() == Op::Fdatasync { u64::from(FSYNC_DATASYNC) } else { 0 };
        let file = self.heads[desc.file() as usize][0] >> 32;
        let flags = if self.has_fixed_files { u64::from(ENTRY_FIXED_FILE) } else { 0 };
        let entry = self.ring.stage();
        entry[..5].copy_from_slice(&[
            u64::from(OP_FSYNC) | flags << 8 | file << 32,
            0,
            0,
            datasync << 32,
            u64::from(slot),
        ]);
        Staged::Queued
    }

    /// A ring that polls takes nothing but reads and writes.
    fn queues(&self, desc: &Desc) -> bool {
        !self.is_polled && matches!(desc.op(), Op::Fsync | Op::Fdatasync)
    }

    #[inline(always)]
    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        self.ring.enter(wait, timeout_ns)
    }

    /// A system call is needed only when the poller sleeps.
    fn commit(&mut self) -> io::Result<()> {
        if self.ring.has_poller() { self.ring.publish() } else { self.ring.enter(0, 0).map(drop) }
    }

    /// With a poller, fio looks at the completion queue and makes no system call.
    fn collect(&mut self, wait: u32, _max: u32, timeout_ns: u64) -> io::Result<()> {
        if self.ring.has_poller() {
            std::hint::spin_loop();
            return Ok(());
        }
        self.ring.enter(wait, timeout_ns).map(drop)
    }

    #[inline(always)]
    fn available(&mut self) -> usize {
        self.ring.available() as usize
    }

    #[inline(always)]
    fn reap(&mut self, count: usize, done: impl FnMut(u64, i32)) {
        self.ring.reap(count, done);
    }

    /// A ring that polls sees completions only from a queue that polls too.
    /// Some targets accept such I/O and then complete none of it.
    fn gives_up(&self, idle_ns: u64) -> Option<&'static str> {
        (self.is_polled && idle_ns >= DRAIN_NS)
            .then_some("hipri=1 needs a device with poll queues (/sys/block/*/queue/io_poll is 1 then)")
    }

    fn notes(&self) -> Vec<(String, String)> {
        let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
        vec![
            ("io_uring.setup".into(), self.ring.setup().to_owned()),
            ("io_uring.registered_ring".into(), yes(self.ring.is_registered())),
            ("io_uring.registered_files".into(), yes(self.has_fixed_files)),
            ("io_uring.registered_buffers".into(), yes(self.has_fixed_buffers)),
        ]
    }

    fn drawn_priorities(&self) -> Option<DrawnPriorities> {
        self.priorities.as_ref().map(PriorityMix::drawn)
    }
}

impl Uring {
    /// What the first word of this I/O has more than those of others.
    #[cold]
    fn variation(&mut self, slot: u32, desc: &Desc) -> u64 {
        let of_writes = if desc.is_write() { self.of_writes } else { 0 };
        self.flags = self.flags & !self.of_writes | of_writes;
        let priority = self.priorities.as_mut().map_or(0, |mix| mix.draw(slot, desc.is_write(), desc.len()));
        self.async_flag() | u64::from(priority) << 16
    }

    /// `force_async=N`: every Nth I/O goes to a kernel worker.
    fn async_flag(&mut self) -> u64 {
        if self.async_every == 0 {
            return 0;
        }
        self.async_count = (self.async_count + 1) % self.async_every;
        if self.async_count == 0 { u64::from(ENTRY_ASYNC) << 8 } else { 0 }
    }
}

fn wanted(job: &Job, depth: u32) -> RingSetup {
    RingSetup {
        entries: depth.next_power_of_two(),
        is_polled: job.get(&opt::HIPRI),
        poller: job.get(&opt::SQTHREAD_POLL).then(|| job.get(&opt::SQTHREAD_POLL_CPU)),
    }
}

/// The first words of the entries of each file.
fn heads(files: &[RawFd], has_fixed_files: bool, has_fixed_buffers: bool) -> Vec<[u64; 2]> {
    let name = |(index, &fd): (usize, &RawFd)| if has_fixed_files { index as u32 } else { fd as u32 };
    let names = files.iter().enumerate().map(name);
    names.map(|name| head(name, has_fixed_files, has_fixed_buffers)).collect()
}

/// The first word of a file's entries, for reads and for writes. `name` is the
/// file's index if it is registered, or else its descriptor.
fn head(name: u32, is_fixed: bool, has_fixed_buffers: bool) -> [u64; 2] {
    let opcodes = if has_fixed_buffers { [OP_READ_FIXED, OP_WRITE_FIXED] } else { [OP_READ, OP_WRITE] };
    let flags = if is_fixed { ENTRY_FIXED_FILE } else { 0 };
    opcodes.map(|op| u64::from(op) | u64::from(flags) << 8 | u64::from(name) << 32)
}
