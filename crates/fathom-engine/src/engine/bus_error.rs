//! SIGBUS while copying to or from a mapping: an I/O error, not a crash.
//!
//! The kernel raises SIGBUS when a mapped page cannot be had: the device
//! failed, or the file was cut. The handler puts an empty page in the place of
//! the missing one, so that the copy ends, and leaves word for
//! [`guarded`], which turns it into EIO. A SIGBUS from anywhere else keeps its
//! default and ends the process.

use std::cell::Cell;
use std::sync::Once;
use std::sync::atomic::{Ordering, compiler_fence};

thread_local! {
    /// This thread is inside [`guarded`].
    static COPYING: Cell<bool> = const { Cell::new(false) };
    /// A page was missing during the copy.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

const PAGE: usize = 4096;

/// Does a copy; false when a page of it could not be had.
pub fn guarded(copy: impl FnOnce()) -> bool {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(install);
    FAILED.set(false);
    COPYING.set(true);
    // The handler runs on this thread: only the compiler must be kept from
    // moving the copy out of the marked stretch.
    compiler_fence(Ordering::SeqCst);
    copy();
    compiler_fence(Ordering::SeqCst);
    COPYING.set(false);
    !FAILED.get()
}

fn install() {
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
    let replaced = COPYING.get() && replace_page(address & !(PAGE - 1));
    if replaced {
        FAILED.set(true);
    } else {
        // SAFETY: restores the default; the fault comes again and ends us.
        unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
    }
}

/// Puts an empty page where one is missing.
fn replace_page(page: usize) -> bool {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the page raised SIGBUS inside a guarded copy, so it belongs to
    // the mapping that this thread is copying from or to, and holds nothing.
    unsafe { libc::mmap(page as *mut libc::c_void, PAGE, protection, flags, -1, 0) != libc::MAP_FAILED }
}
