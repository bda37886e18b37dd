//! SIGBUS while copying to or from a mapping: an I/O error, not a crash.
//!
//! The kernel raises SIGBUS when it cannot provide a mapped page: the device
//! failed, or the file was truncated. The handler maps an empty page in place of
//! the missing one, so that the copy can end, and sets a flag. [`guarded`] returns
//! the flag, and the I/O fails with EIO. The engine maps the file there again
//! before the next copy. A SIGBUS from anywhere else keeps its default and ends
//! the process.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

thread_local! {
    /// This thread is inside [`guarded`].
    static COPYING: Cell<bool> = const { Cell::new(false) };
    /// A page was missing during the copy.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Bytes of a page, for the handler, which may call few functions; set before the
/// handler is installed.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

pub fn page_bytes() -> usize {
    // SAFETY: no pointers.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).ok().filter(|bytes| bytes.is_power_of_two()).unwrap_or(4096)
}

/// Does a copy; returns false when a page of it was missing and an empty page
/// took its place.
pub fn guarded(copy: impl FnOnce()) -> bool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(install);
    FAILED.set(false);
    COPYING.set(true);
    // The handler runs on this thread, so it is enough to keep the compiler from
    // moving the copy out of the section in which `COPYING` is set.
    compiler_fence(Ordering::SeqCst);
    copy();
    compiler_fence(Ordering::SeqCst);
    COPYING.set(false);
    !FAILED.get()
}

fn install() {
    PAGE.store(page_bytes(), Ordering::Relaxed);
    // SAFETY: sigaction is plain old data, for which zeros are valid.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_bus_error as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO;
    // SAFETY: the handler only uses its arguments, constant-initialised
    // thread-locals without destructors, and two system calls.
    unsafe { libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut()) };
}

extern "C" fn on_bus_error(_signal: libc::c_int, about: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo to an SA_SIGINFO handler.
    let address = unsafe { (*about).si_addr() } as usize;
    let replaced = COPYING.get() && replace_page(address);
    if replaced {
        FAILED.set(true);
    } else {
        // SAFETY: restores the default; the fault comes again and ends the process.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
    }
}

/// Maps an empty page where the one at this address is missing.
fn replace_page(address: usize) -> bool {
    let bytes = PAGE.load(Ordering::Relaxed);
    let page = address & !(bytes - 1);
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page raised SIGBUS inside a guarded copy, so it belongs to
    // the mapping that this thread is copying from or to, and holds nothing.
    unsafe { libc::mmap(page as *mut libc::c_void, bytes, protection, flags, -1, 0) != libc::MAP_FAILED }
}
