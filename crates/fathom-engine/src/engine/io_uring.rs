//! `io_uring`: one ring per worker, driven by its owner alone.
//!
//! Flag sets are tried from the richest to the plainest, since the kernel
//! rejects what it does not know; files and the buffer region are registered
//! where it allows that. Which set and what was registered stand in the
//! result. Submission and waiting are one system call.

use super::inline::InlineFile;
use super::pvsync::RWF_DONTCACHE;
use super::{AsyncEngine, Context, EngineEntry, EngineError, Staged, declare};
use crate::desc::{Desc, Op};
use crate::worker::DRAIN_NS;
use fathom_job::job::Job;
use fathom_job::options as opt;
use io_uring::squeue::Flags;
use io_uring::types::{Fd, Fixed, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{Builder, IoUring, opcode, squeue};
use std::io;
use std::os::fd::{AsRawFd, RawFd};

/// The registry entry. The kernel's rings hold at most 32,768 entries.
pub const ENTRY: EngineEntry =
    EngineEntry::queued::<Uring>(declare("io_uring", "an io_uring of the worker's own", 32768));

/// A ring and what was registered with it.
pub struct Uring {
    ring: IoUring,
    files: Vec<RawFd>,
    inline: Vec<InlineFile>,
    has_fixed_files: bool,
    has_fixed_buffers: bool,
    has_timeout: bool,
    is_polled: bool,
    flags: i32,
    async_every: u32,
    async_count: u32,
    setup: &'static str,
}

/// One way to set a ring up, by name.
type Setup = (&'static str, fn(&mut Builder) -> &mut Builder);

/// Richest first: single issuer 6.0, deferred task work 6.1, cooperative task
/// work 5.19, submit-all 5.18 (engine.md §2.1).
const LADDER: &[Setup] = &[
    ("single-issuer, deferred task work, no SQ array, submit-all", |b| {
        b.setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_no_sqarray()
            .setup_submit_all()
    }),
    ("single-issuer, deferred task work, submit-all", |b| {
        b.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag().setup_submit_all()
    }),
    ("single-issuer, cooperative task work, submit-all", |b| {
        b.setup_single_issuer().setup_coop_taskrun().setup_taskrun_flag().setup_submit_all()
    }),
    ("cooperative task work, submit-all", |b| b.setup_coop_taskrun().setup_taskrun_flag().setup_submit_all()),
    ("submit-all", |b| b.setup_submit_all()),
    ("plain", |b| b),
];

/// With a kernel thread polling the submission queue, task work cannot be
/// deferred to the issuer.
const LADDER_SQPOLL: &[Setup] = &[
    ("sqpoll, single-issuer, submit-all", |b| b.setup_single_issuer().setup_submit_all()),
    ("sqpoll", |b| b),
];

/// Idle time after which the polling thread sleeps, ms.
const SQPOLL_IDLE_MS: u32 = 1000;

impl AsyncEngine for Uring {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let (ring, setup) = build(job, context.depth).map_err(|source| EngineError {
            engine: "io_uring",
            act: "set up a ring".to_owned(),
            source: explain(source),
        })?;
        let files: Vec<RawFd> = context.files.iter().map(|f| f.fd.as_raw_fd()).collect();
        let has_fixed_files = ring.submitter().register_files(&files).is_ok();
        let region = context.buffers.iovec();
        // SAFETY: the region outlives the ring: the worker drops its engine
        // before its buffers.
        let has_fixed_buffers = unsafe { ring.submitter().register_buffers(&[region]) }.is_ok();
        let flag = |on: bool, flag: i32| if on { flag } else { 0 };
        Ok(Uring {
            has_timeout: ring.params().is_feature_ext_arg(),
            ring,
            files,
            inline: InlineFile::all(context.files, job),
            has_fixed_files,
            has_fixed_buffers,
            is_polled: job.get(&opt::HIPRI),
            flags: flag(job.get(&opt::NOWAIT), libc::RWF_NOWAIT)
                | flag(job.get(&opt::UNCACHED), RWF_DONTCACHE),
            async_every: job.get(&opt::FORCE_ASYNC),
            async_count: 0,
            setup,
        })
    }

    #[inline(always)]
    fn stage(&mut self, slot: u32, desc: &Desc, buffer: *mut u8) -> Staged {
        let entry = match desc.op {
            Op::Read | Op::Write => self.transfer(desc, buffer),
            Op::Fsync | Op::Fdatasync if !self.is_polled => self.sync(desc),
            _ => return Staged::Done(self.inline[desc.file as usize].control(desc)),
        };
        let entry = entry.user_data(u64::from(slot));
        let entry = if self.async_every > 0 { self.maybe_async(entry) } else { entry };
        // SAFETY: the slot's buffer and the descriptors stay valid until the
        // slot is reaped. The queue has a place for every slot.
        let pushed = unsafe { self.ring.submission().push(&entry) };
        if pushed.is_ok() { Staged::Queued } else { Staged::Done(-libc::EBUSY) }
    }

    #[inline(always)]
    fn submit(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        let submitter = self.ring.submitter();
        let result = if wait > 0 && self.has_timeout && !self.is_polled {
            let time =
                Timespec::new().sec(timeout_ns / 1_000_000_000).nsec((timeout_ns % 1_000_000_000) as u32);
            submitter.submit_with_args(wait as usize, &SubmitArgs::new().timespec(&time))
        } else {
            submitter.submit_and_wait(wait as usize)
        };
        match result {
            Ok(submitted) => Ok(submitted as u32),
            // The wait ended early; what was submitted is in flight, and the
            // kernel's queue head says how much that is.
            Err(e)
                if matches!(
                    e.raw_os_error(),
                    Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN)
                ) =>
            {
                Ok(0)
            }
            Err(e) => Err(e),
        }
    }

    #[inline(always)]
    fn reap(&mut self, max: usize, mut done: impl FnMut(u32, i32)) -> usize {
        let mut count = 0;
        let mut queue = self.ring.completion();
        while count < max {
            let Some(entry) = queue.next() else { break };
            done(entry.user_data() as u32, entry.result());
            count += 1;
        }
        count
    }

    /// A ring that polls sees completions only from a queue that polls too;
    /// some targets accept such I/O and then deliver none.
    fn gives_up(&self, idle_ns: u64) -> Option<&'static str> {
        (self.is_polled && idle_ns >= DRAIN_NS)
            .then_some("hipri=1 needs a device with poll queues (/sys/block/*/queue/io_poll is 1 then)")
    }

    fn notes(&self) -> Vec<(String, String)> {
        let yes = |b: bool| if b { "yes" } else { "no" }.to_owned();
        vec![
            ("io_uring.setup".into(), self.setup.to_owned()),
            ("io_uring.registered_files".into(), yes(self.has_fixed_files)),
            ("io_uring.registered_buffers".into(), yes(self.has_fixed_buffers)),
        ]
    }
}

impl Uring {
    #[inline(always)]
    fn transfer(&self, desc: &Desc, buffer: *mut u8) -> squeue::Entry {
        let file = desc.file as usize;
        let fixed = Fixed(u32::from(desc.file));
        let (offset, len, flags) = (desc.offset, desc.len, self.flags);
        macro_rules! entry {
            ($op:ident, $fd:expr $(, $buffer_index:expr)?) => {
                opcode::$op::new($fd, buffer, len $(, $buffer_index)?).offset(offset).rw_flags(flags).build()
            };
        }
        match (desc.op, self.has_fixed_files, self.has_fixed_buffers) {
            (Op::Read, true, true) => entry!(ReadFixed, fixed, 0),
            (Op::Read, true, false) => entry!(Read, fixed),
            (Op::Read, false, true) => entry!(ReadFixed, Fd(self.files[file]), 0),
            (Op::Read, false, false) => entry!(Read, Fd(self.files[file])),
            (_, true, true) => entry!(WriteFixed, fixed, 0),
            (_, true, false) => entry!(Write, fixed),
            (_, false, true) => entry!(WriteFixed, Fd(self.files[file]), 0),
            (_, false, false) => entry!(Write, Fd(self.files[file])),
        }
    }

    fn sync(&self, desc: &Desc) -> squeue::Entry {
        let flags = if desc.op == Op::Fdatasync { FsyncFlags::DATASYNC } else { FsyncFlags::empty() };
        opcode::Fsync::new(Fd(self.files[desc.file as usize])).flags(flags).build()
    }

    /// `force_async=N`: every Nth I/O goes to a kernel worker.
    fn maybe_async(&mut self, entry: squeue::Entry) -> squeue::Entry {
        self.async_count = (self.async_count + 1) % self.async_every;
        if self.async_count == 0 { entry.flags(Flags::ASYNC) } else { entry }
    }
}

/// Can a ring be made at all here? The error says what usually forbids it.
pub fn probe() -> io::Result<()> {
    IoUring::new(1).map(drop).map_err(explain)
}

fn build(job: &Job, depth: u32) -> io::Result<(IoUring, &'static str)> {
    let entries = depth.next_power_of_two();
    let is_sqpoll = job.get(&opt::SQTHREAD_POLL);
    let mut last = io::Error::from_raw_os_error(libc::ENOSYS);
    for (name, apply) in if is_sqpoll { LADDER_SQPOLL } else { LADDER } {
        let mut builder = IoUring::builder();
        builder.setup_clamp().setup_cqsize(entries * 2);
        apply(&mut builder);
        if job.get(&opt::HIPRI) {
            builder.setup_iopoll();
        }
        if is_sqpoll {
            builder.setup_sqpoll(SQPOLL_IDLE_MS);
            if let Some(cpu) = job.get(&opt::SQTHREAD_POLL_CPU) {
                builder.setup_sqpoll_cpu(cpu);
            }
        }
        match builder.build(entries) {
            Ok(ring) => return Ok((ring, name)),
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

/// Says what usually stands behind the errno.
fn explain(e: io::Error) -> io::Error {
    let cause = match e.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "forbidden here: sysctl kernel.io_uring_disabled, or a container's seccomp profile"
        }
        Some(libc::ENOSYS) => "this kernel or sandbox has no io_uring",
        Some(libc::ENOMEM) => "locked-memory limit too small (before Linux 5.12)",
        _ => return e,
    };
    io::Error::new(e.kind(), format!("{e} ({cause})"))
}
