//! An io_uring, driven by the one thread that made it.
//!
//! The rings of the kernel are mapped and used in place: an entry is five words
//! written where the kernel reads them, and a completion is read where the kernel
//! wrote it. The `io-uring` crate builds each entry on the stack and copies it,
//! and cannot register the ring of a borrowed submitter; ADR 0005 states what that
//! costs. Submitting and waiting are one system call.

pub(crate) mod abi;
mod poller;
mod setup;
mod shape;

pub use setup::RingSetup;
pub use shape::Wide;
use shape::{Completion, Narrow, Shape};

use crate::syscall::system_call;
use abi::*;
use setup::{Map, WaitPage, split};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// A ring of the calling thread. It is not `Send`, because of its raw pointers;
/// its registration belongs to the thread too.
#[derive(Debug)]
pub struct RingOf<S: Shape> {
    entries: NonNull<S::Entry>,
    entry_mask: u32,
    /// Our end of the submission queue, ahead of the kernel's by what is staged.
    tail: u32,
    shared_tail: NonNull<AtomicU32>,
    shared_head: NonNull<AtomicU32>,
    submission_flags: NonNull<AtomicU32>,
    completions: NonNull<S::Completion>,
    completion_mask: u32,
    completion_head: NonNull<AtomicU32>,
    completion_tail: NonNull<AtomicU32>,
    /// The number that names the ring in system calls: its descriptor, or its index once registered.
    enter_fd: RawFd,
    enter_flags: u32,
    is_registered: bool,
    has_wait_argument: bool,
    /// The time of a wait, if the kernel reads it in place.
    wait_page: Option<Box<WaitPage>>,
    has_poller: bool,
    /// With a poller: how often the next wait looks at the completions before it calls
    /// the kernel, and how many waits did call it.
    looks: u32,
    waits: u32,
    setup: &'static str,
    fd: OwnedFd,
    _maps: Vec<Map>,
}

/// A ring of usual entries.
pub type Ring = RingOf<Narrow>;

/// Can a ring be made at all here? The error says what usually forbids it.
pub fn probe() -> io::Result<()> {
    Ring::new(&RingSetup { entries: 1, is_polled: false, poller: None }).map(drop)
}

impl<S: Shape> RingOf<S> {
    /// Sets a ring up, maps it and registers it with the calling thread.
    pub fn new(wanted: &RingSetup) -> io::Result<Self> {
        let (fd, params, setup) = setup::set_up(wanted, S::SETUP)?;
        let raw = fd.as_raw_fd();
        let has_array = params.flags & SETUP_NO_SQARRAY == 0;
        let array_bytes = if has_array { params.sq_entries as usize * 4 } else { 0 };
        // Without an array its offset is zero. The flags and counters before it
        // fit into one page.
        let sq_bytes = (params.sq_off.array as usize + array_bytes).max(4096);
        let cq_bytes = params.cq_off.cqes as usize + params.cq_entries as usize * size_of::<S::Completion>();
        let one_map = params.features & FEAT_SINGLE_MMAP != 0;
        let sq_length = if one_map { sq_bytes.max(cq_bytes) } else { sq_bytes };
        let sq = Map::new(raw, sq_length, OFFSET_SQ_RING.into())?;
        let other = if one_map { None } else { Some(Map::new(raw, cq_bytes, OFFSET_CQ_RING.into())?) };
        let cq = other.as_ref().unwrap_or(&sq);
        let entries =
            Map::new(raw, params.sq_entries as usize * size_of::<S::Entry>(), OFFSET_ENTRIES.into())?;
        if has_array {
            fill_array(&sq, &params);
        }
        let mut ring = RingOf {
            entries: entries.at(0),
            entry_mask: params.sq_entries - 1,
            tail: 0,
            shared_tail: sq.at(params.sq_off.tail),
            shared_head: sq.at(params.sq_off.head),
            submission_flags: sq.at(params.sq_off.flags),
            completions: cq.at(params.cq_off.cqes),
            completion_mask: params.cq_entries - 1,
            completion_head: cq.at(params.cq_off.head),
            completion_tail: cq.at(params.cq_off.tail),
            enter_fd: raw,
            enter_flags: 0,
            is_registered: false,
            has_wait_argument: params.features & FEAT_EXT_ARG != 0,
            wait_page: None,
            has_poller: params.flags & SETUP_SQPOLL != 0,
            looks: poller::LOOKS_MAX,
            waits: 0,
            setup,
            fd,
            _maps: [Some(sq), other, Some(entries)].into_iter().flatten().collect(),
        };
        // A page can be given to a ring only before it is enabled. A ring that polls takes
        // no time from a page (EINVAL at each wait, 6.18).
        if !wanted.is_polled {
            ring.wait_page = setup::registered(|argument| {
                ring.register(Register::IORING_REGISTER_MEM_REGION, argument, 1)
            });
        }
        ring.register(Register::IORING_REGISTER_ENABLE_RINGS, std::ptr::null(), 0)?;
        ring.register_itself();
        Ok(ring)
    }

    /// Which set of flags the kernel took.
    pub fn setup(&self) -> &'static str {
        self.setup
    }

    /// Do system calls name the ring by its registered index? (5.18)
    pub fn is_registered(&self) -> bool {
        self.is_registered
    }

    /// The next entry, to be written whole before the next [`RingOf::enter`].
    /// No more than were wanted may be staged at a time.
    #[inline(always)]
    pub fn stage(&mut self) -> &mut S::Entry {
        let index = self.tail & self.entry_mask;
        self.tail = self.tail.wrapping_add(1);
        // SAFETY: the mask keeps the index below the number of entries that
        // the mapping was checked to hold.
        unsafe { self.entries.add(index as usize).as_mut() }
    }

    /// Entries that the kernel has not taken yet.
    #[inline(always)]
    pub fn staged(&self) -> u32 {
        // SAFETY: the counter lives in a mapping that this ring owns.
        self.tail.wrapping_sub(unsafe { self.shared_head.as_ref() }.load(Ordering::Acquire))
    }

    /// Submits what is staged and waits for `wait` completions, for at most
    /// `timeout_ns`. With `wait` 0 it does not wait, but collects what the kernel
    /// deferred. Returns how many were submitted; the rest stays staged.
    #[inline(always)]
    pub fn enter(&mut self, wait: u32, timeout_ns: u64) -> io::Result<u32> {
        if self.has_poller {
            return self.enter_beside_poller(wait, timeout_ns);
        }
        self.show_tail();
        let (staged, flags) = (self.staged(), ENTER_GETEVENTS | self.enter_flags);
        if wait > 0 {
            self.wait(staged, wait, flags, timeout_ns)
        } else {
            self.call(staged, 0, flags, std::ptr::null(), 0)
        }
    }

    /// The call that waits, for at most `timeout_ns`.
    #[inline(always)]
    fn wait(&self, staged: u32, wait: u32, flags: u32, timeout_ns: u64) -> io::Result<u32> {
        if let Some(page) = &self.wait_page {
            page.set(timeout_ns);
            // The argument is the offset of the time in the page: 0.
            let flags = flags | ENTER_EXT_ARG | ENTER_REGISTERED_WAIT;
            return self.call(staged, wait, flags, std::ptr::null(), size_of::<RegisteredWait>());
        }
        self.wait_with_copy(staged, wait, flags, timeout_ns)
    }

    #[cold]
    fn wait_with_copy(&self, staged: u32, wait: u32, flags: u32, timeout_ns: u64) -> io::Result<u32> {
        if !self.has_wait_argument {
            return self.call(staged, wait, flags, std::ptr::null(), 0);
        }
        let time = split(timeout_ns);
        let ts = (&raw const time) as u64;
        let argument = WaitArgument { sigmask: 0, sigmask_sz: 0, min_wait_usec: 0, ts };
        let bytes = size_of::<WaitArgument>();
        self.call(staged, wait, flags | ENTER_EXT_ARG, (&raw const argument).cast(), bytes)
    }

    /// Lets the kernel see what is staged.
    #[inline(always)]
    fn show_tail(&self) {
        // SAFETY: the counter lives in a mapping that this ring owns.
        unsafe { self.shared_tail.as_ref() }.store(self.tail, Ordering::Release);
    }

    /// Submits what is staged and collects nothing.
    pub fn submit(&mut self) -> io::Result<u32> {
        self.show_tail();
        self.call(self.staged(), 0, self.enter_flags, std::ptr::null(), 0)
    }

    #[inline(always)]
    fn call(&self, staged: u32, wait: u32, flags: u32, argument: *const u8, bytes: usize) -> io::Result<u32> {
        let words =
            [self.enter_fd as u64, staged.into(), wait.into(), flags.into(), argument as u64, bytes as u64];
        // SAFETY: entries up to the tail are whole, and what they refer to
        // stays valid until their completion is reaped (the callers of `stage`
        // see to that); the argument and its time outlive the call.
        let done = unsafe { system_call(libc::SYS_io_uring_enter, words) };
        if done >= 0 { Ok(done as u32) } else { failed(io::Error::from_raw_os_error(-done as i32)) }
    }

    /// Completions that can be reaped now.
    #[inline(always)]
    pub fn available(&self) -> u32 {
        // SAFETY: both counters live in mappings that this ring owns.
        let (head, tail) = unsafe { (self.completion_head.as_ref(), self.completion_tail.as_ref()) };
        tail.load(Ordering::Acquire).wrapping_sub(head.load(Ordering::Relaxed))
    }

    /// Passes the user data and the result of `count` completions to `done`;
    /// [`RingOf::available`] must have returned at least so many.
    #[inline(always)]
    pub fn reap(&mut self, count: usize, mut done: impl FnMut(u64, i32)) {
        // SAFETY: as in `available`.
        let shared_head = unsafe { self.completion_head.as_ref() };
        let mut head = shared_head.load(Ordering::Relaxed);
        for _ in 0..count {
            let index = head & self.completion_mask;
            // SAFETY: the mask keeps the index inside the mapped queue, and
            // the kernel has written every completion before its tail.
            let completion = unsafe { self.completions.add(index as usize).read() };
            done(completion.user_data(), completion.result());
            head = head.wrapping_add(1);
        }
        shared_head.store(head, Ordering::Release);
    }

    /// Registers files: entries then name them by index.
    pub fn register_files(&self, files: &[RawFd]) -> io::Result<()> {
        self.register(Register::IORING_REGISTER_FILES, files.as_ptr().cast(), files.len() as u32).map(drop)
    }

    /// Registers one region of buffers, index 0.
    ///
    /// # Safety
    /// The region stays mapped as long as the ring lives.
    pub unsafe fn register_region(&self, region: libc::iovec) -> io::Result<()> {
        self.register(Register::IORING_REGISTER_BUFFERS, (&raw const region).cast(), 1).map(drop)
    }

    /// Registers the ring, which saves the kernel a look-up of the descriptor in each call.
    fn register_itself(&mut self) {
        let mut update = RingUpdate { offset: u32::MAX, resv: 0, data: self.fd.as_raw_fd() as u64 };
        if self
            .register(Register::IORING_REGISTER_RING_FDS, (&raw mut update).cast(), 1)
            .is_ok_and(|n| n == 1)
        {
            self.enter_fd = update.offset as RawFd;
            self.enter_flags = ENTER_REGISTERED_RING;
            self.is_registered = true;
        }
    }

    fn register(&self, what: Register, argument: *const u8, count: u32) -> io::Result<i64> {
        let fd = self.fd.as_raw_fd();
        // SAFETY: the callers give an argument of the kind and count that
        // `what` reads, alive during the call.
        let done = unsafe { libc::syscall(libc::SYS_io_uring_register, fd, what as u32, argument, count) };
        if done >= 0 { Ok(done) } else { Err(io::Error::last_os_error()) }
    }
}

impl<S: Shape> Drop for RingOf<S> {
    /// A registration belongs to the thread and keeps the ring alive. If only
    /// the descriptor were closed, both would stay until the thread ends, and a thread
    /// has only 16 places. A ring cannot be sent, so this is the thread that
    /// registered it.
    fn drop(&mut self) {
        if self.is_registered {
            let mut update = RingUpdate { offset: self.enter_fd as u32, resv: 0, data: 0 };
            let _ = self.register(Register::IORING_UNREGISTER_RING_FDS, (&raw mut update).cast(), 1);
        }
    }
}

/// Some errors only mean that a wait ended early or that nothing was submitted: the
/// kernel's head then tells the next call what is left.
#[cold]
fn failed(e: io::Error) -> io::Result<u32> {
    match e.raw_os_error() {
        Some(libc::ETIME | libc::EINTR | libc::EBUSY | libc::EAGAIN) => Ok(0),
        _ => Err(e),
    }
}

/// Before 6.6 an array names the entries. Here each place names the entry of its own index.
fn fill_array(sq: &Map, params: &Params) {
    for index in 0..params.sq_entries {
        let place = sq.at::<AtomicU32>(params.sq_off.array + index * 4);
        // SAFETY: inside the mapping, and the kernel has seen no entry yet.
        unsafe { place.as_ref() }.store(index, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(entries: u32) -> Ring {
        Ring::new(&RingSetup { entries, is_polled: false, poller: None }).unwrap()
    }

    fn nops(ring: &mut Ring, from: u64, count: u64) {
        for at in 0..count {
            *ring.stage() = [u64::from(OP_NOP), 0, 0, 0, from + at, 0, 0, 0];
        }
    }

    #[test]
    fn entries_come_back_in_order_over_many_rounds_of_the_ring() {
        let mut ring = ring(8);
        let mut reaped = Vec::new();
        for round in 0..100 {
            nops(&mut ring, round * 5, 5);
            assert_eq!(ring.enter(5, 1_000_000_000).unwrap(), 5);
            assert_eq!(ring.available(), 5);
            ring.reap(5, |data, result| reaped.push((data, result)));
        }
        assert_eq!(reaped, (0..500).map(|n| (n, 0)).collect::<Vec<_>>());
    }

    #[test]
    fn a_wait_for_nothing_ends_with_its_time() {
        let mut ring = ring(1);
        let start = std::time::Instant::now();
        assert_eq!(ring.enter(1, 20_000_000).unwrap(), 0);
        assert!(start.elapsed().as_millis() >= 20);
    }

    #[test]
    fn a_wait_ends_with_its_time_where_the_kernel_copies_it_too() {
        let mut ring = ring(1);
        ring.wait_page = None;
        let start = std::time::Instant::now();
        assert_eq!(ring.enter(1, 20_000_000).unwrap(), 0);
        assert!(start.elapsed().as_millis() >= 20);
    }

    #[test]
    fn a_ring_that_polls_takes_a_wait_with_a_time() {
        let mut ring = Ring::new(&RingSetup { entries: 4, is_polled: true, poller: None }).unwrap();
        assert_eq!(ring.enter(1, 1_000_000).unwrap(), 0);
    }

    #[test]
    fn what_is_not_taken_stays() {
        let mut ring = ring(4);
        nops(&mut ring, 0, 4);
        ring.enter(4, 0).unwrap();
        ring.reap(3, |_, _| ());
        assert_eq!(ring.available(), 1);
        ring.reap(1, |data, _| assert_eq!(data, 3));
        assert_eq!(ring.available(), 0);
    }

    /// A thread has 16 places for registered rings (`IO_RINGFD_REG_MAX`).
    #[test]
    fn a_ring_gives_its_registration_back() {
        assert!((0..40).all(|_| ring(1).is_registered()));
    }

    #[test]
    fn this_kernel_registers_a_ring() {
        assert!(ring(1).is_registered(), "kernels since 5.18 do");
    }
}
