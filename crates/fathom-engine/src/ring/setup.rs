//! Setting a ring up: the richest set of flags that this kernel knows.
//!
//! The kernel rejects flags that it does not know with EINVAL, so explicit sets are
//! tried from the richest to the plainest (engine.md §2.1). Single issuer needs
//! 6.0, deferred task work 6.1, no SQ array 6.6, cooperative task work
//! 5.19, submit-all 5.18; the plain ring works on 5.10.

use super::abi::*;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

/// What is asked of a ring.
#[derive(Clone, Copy, Debug)]
pub struct RingSetup {
    /// Most I/Os in flight.
    pub entries: u32,
    /// Poll the device for completions (`hipri`).
    pub is_polled: bool,
    /// A kernel thread that takes submissions, and its CPU.
    pub poller: Option<Option<u32>>,
}

/// One way to set a ring up, by name.
type Setup = (&'static str, u32);

const LADDER: &[Setup] = &[
    (
        "single-issuer, deferred task work, no SQ array, submit-all",
        SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | SETUP_TASKRUN_FLAG | SETUP_NO_SQARRAY | SETUP_SUBMIT_ALL,
    ),
    (
        "single-issuer, deferred task work, submit-all",
        SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | SETUP_TASKRUN_FLAG | SETUP_SUBMIT_ALL,
    ),
    (
        "single-issuer, cooperative task work, submit-all",
        SETUP_SINGLE_ISSUER | SETUP_COOP_TASKRUN | SETUP_TASKRUN_FLAG | SETUP_SUBMIT_ALL,
    ),
    ("cooperative task work, submit-all", SETUP_COOP_TASKRUN | SETUP_TASKRUN_FLAG | SETUP_SUBMIT_ALL),
    ("submit-all", SETUP_SUBMIT_ALL),
    ("plain", 0),
];

/// With a kernel thread that takes submissions, task work cannot be deferred
/// to the issuer.
const LADDER_POLLER: &[Setup] = &[
    (
        "sqpoll, single-issuer, no SQ array, submit-all",
        SETUP_SINGLE_ISSUER | SETUP_NO_SQARRAY | SETUP_SUBMIT_ALL,
    ),
    ("sqpoll, single-issuer, submit-all", SETUP_SINGLE_ISSUER | SETUP_SUBMIT_ALL),
    ("sqpoll", 0),
];

/// Idle time after which the polling thread sleeps, ms.
const POLLER_IDLE_MS: u32 = 1000;

/// Returns a ring's descriptor, what the kernel says about it, and which set of flags
/// it took. `shape` are the flags of larger entries. The ring takes nothing before it is enabled (5.10).
pub fn set_up(wanted: &RingSetup, shape: u32) -> io::Result<(OwnedFd, Params, &'static str)> {
    let ladder = if wanted.poller.is_some() { LADDER_POLLER } else { LADDER };
    first_accepted(ladder, |flags| {
        let mut params = wanted.params(flags | shape);
        Ok((io_uring_setup(wanted.entries, &mut params)?, params))
    })
    .map(|((fd, params), name)| (fd, params, name))
}

/// Tries the sets in turn; any error but EINVAL ends the search.
fn first_accepted<T>(
    ladder: &[Setup],
    mut set_up: impl FnMut(u32) -> io::Result<T>,
) -> io::Result<(T, &'static str)> {
    let mut last = io::Error::from_raw_os_error(libc::ENOSYS);
    for &(name, flags) in ladder {
        match set_up(flags) {
            Ok(ring) => return Ok((ring, name)),
            Err(e) if e.raw_os_error() == Some(libc::EINVAL) => last = e,
            Err(e) => return Err(e),
        }
    }
    Err(last)
}

impl RingSetup {
    fn params(&self, flags: u32) -> Params {
        // SAFETY: it has nothing but numbers.
        let mut params: Params = unsafe { std::mem::zeroed() };
        params.flags = flags | SETUP_CLAMP | SETUP_CQSIZE | SETUP_DISABLED;
        params.cq_entries = self.entries.saturating_mul(2);
        if self.is_polled {
            params.flags |= SETUP_IOPOLL;
        }
        if let Some(cpu) = self.poller {
            params.flags |= SETUP_SQPOLL;
            params.sq_thread_idle = POLLER_IDLE_MS;
            if let Some(cpu) = cpu {
                params.flags |= SETUP_SQ_AFF;
                params.sq_thread_cpu = cpu;
            }
        }
        params
    }
}

fn io_uring_setup(entries: u32, params: &mut Params) -> io::Result<OwnedFd> {
    let params: *mut Params = params;
    // SAFETY: the kernel reads and writes one `Params` that we own.
    let fd = unsafe { libc::syscall(libc::SYS_io_uring_setup, entries, params) };
    if fd < 0 {
        return Err(explain(io::Error::last_os_error()));
    }
    // SAFETY: a descriptor that the kernel just made for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

/// What usually forbids a ring (engine.md §2.3).
fn explain(e: io::Error) -> io::Error {
    let why = match e.raw_os_error() {
        Some(libc::EPERM) => "sysctl kernel.io_uring_disabled, or a container's seccomp profile, forbids it",
        Some(libc::ENOSYS) => "this kernel, or a container's seccomp profile, has no io_uring",
        Some(libc::ENOMEM) => "the limit of locked memory (ulimit -l) is too small on kernels before 5.12",
        _ => return e,
    };
    io::Error::new(e.kind(), format!("{e} ({why})"))
}

#[derive(Debug)]
pub struct Map {
    start: NonNull<u8>,
    length: usize,
}

impl Map {
    pub fn new(fd: RawFd, length: usize, offset: i64) -> io::Result<Map> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), length, protection, flags, fd, offset) };
        if map == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(map.cast()).ok_or_else(|| io::Error::other("mmap returned no address"))?;
        Ok(Map { start, length })
    }

    /// The address `offset` bytes into it, which the kernel said holds a `T`.
    ///
    /// # Panics
    /// When a `T` there would not lie inside the mapping.
    pub fn at<T>(&self, offset: u32) -> NonNull<T> {
        let offset = offset as usize;
        assert!(offset + size_of::<T>() <= self.length, "the kernel names a place outside its ring");
        // SAFETY: just checked to lie inside the mapping.
        unsafe { self.start.add(offset) }.cast()
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what was mapped; the ring that points into it
        // is gone.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

// The longest time of a wait, where the kernel can read it without a copy.
//
// Kernels since 6.13 map a page of ours. A call then states the place of the time in
// that page, and costs as much as a call without a time (measured on 6.18 with an
// empty operation: 400 ns for either, 450 ns where the time is copied). Before 6.13
// the time is copied at each call.

/// A page whose first words are a `struct io_uring_reg_wait`.
#[derive(Debug)]
#[repr(C, align(4096))]
pub struct WaitPage {
    seconds: AtomicI64,
    nanos: AtomicI64,
    min_wait_us: u32,
    flags: u32,
    rest: [u64; 4096 / 8 - 3],
}

impl WaitPage {
    pub fn new() -> Box<WaitPage> {
        Box::new(WaitPage {
            seconds: AtomicI64::new(0),
            nanos: AtomicI64::new(0),
            min_wait_us: 0,
            flags: WAIT_HAS_TIME as u32,
            rest: [0; 4096 / 8 - 3],
        })
    }

    pub fn region(&self) -> RegionDesc {
        let (user_addr, size) = (std::ptr::from_ref(self) as u64, size_of::<WaitPage>() as u64);
        let flags = REGION_OF_USER as u32;
        RegionDesc { user_addr, size, flags, id: 0, mmap_offset: 0, __resv: [0; 4] }
    }

    /// The next wait is no longer than this.
    #[inline(always)]
    pub fn set(&self, timeout_ns: u64) {
        let [seconds, nanos] = split(timeout_ns);
        self.seconds.store(seconds, Relaxed);
        self.nanos.store(nanos, Relaxed);
    }
}

/// Seconds and nanoseconds, in the kernel's form of a time.
#[inline(always)]
pub fn split(timeout_ns: u64) -> [i64; 2] {
    [(timeout_ns / 1_000_000_000) as i64, (timeout_ns % 1_000_000_000) as i64]
}

/// Gives the page to a ring that is not enabled yet; `None` on a kernel that does not
/// accept one.
pub fn registered(register: impl FnOnce(*const u8) -> io::Result<i64>) -> Option<Box<WaitPage>> {
    let page = WaitPage::new();
    let region = page.region();
    let (region_uptr, flags) = ((&raw const region) as u64, REGION_HAS_WAITS as u64);
    let argument = RegionArgument { region_uptr, flags, __resv: [0; 2] };
    register((&raw const argument).cast()).is_ok().then_some(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_kernel_gets_the_next_set() {
        for known in 0..LADDER.len() {
            let accept = |flags| {
                if LADDER[known..].iter().any(|s| s.1 == flags) {
                    Ok(flags)
                } else {
                    Err(io::Error::from_raw_os_error(libc::EINVAL))
                }
            };
            let (flags, name) = first_accepted(LADDER, accept).unwrap();
            assert_eq!((name, flags), LADDER[known]);
        }
    }

    #[test]
    fn what_forbids_rings_ends_the_search_and_is_named() {
        let mut tries = 0;
        let refused = first_accepted::<()>(LADDER, |_| {
            tries += 1;
            Err(explain(io::Error::from_raw_os_error(libc::EPERM)))
        });
        assert_eq!(tries, 1);
        assert!(refused.unwrap_err().to_string().contains("io_uring_disabled"));
    }

    #[test]
    fn a_time_lies_where_the_kernel_reads_it() {
        assert_eq!(std::mem::offset_of!(WaitPage, flags), 20);
        assert_eq!(size_of::<WaitPage>(), 4096);
        let page = WaitPage::new();
        page.set(3_000_000_007);
        assert_eq!((page.seconds.load(Relaxed), page.nanos.load(Relaxed)), (3, 7));
    }
}
