//! `mmap`: loads and stores on a shared mapping; page faults are the I/O.
//!
//! With `direct=1` or `sync=` each write is followed by msync(2) of its range,
//! as fio does, since a store alone reaches only the page cache.

use super::inline::InlineFiles;
use super::{Context, EngineEntry, EngineError, Replacement, SyncEngine, errno};
use crate::desc::{Desc, Op};
use crate::target::OpenTarget;
use fathom_job::options as opt;
use fathom_job::plan::PlannedFile;
use std::cell::Cell;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::ptr::NonNull;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence};

/// The registry entry.
pub const ENTRY: EngineEntry = EngineEntry::sync::<Mmap>("mmap");

/// A job's files, mapped.
pub struct Mmap {
    maps: Vec<Map>,
    inline: InlineFiles,
    mapping: Mapping,
    syncs_writes: bool,
}

/// How files are mapped.
#[derive(Clone, Copy)]
struct Mapping {
    writes: bool,
    /// Huge pages are asked for.
    huge: bool,
}

struct Map {
    start: NonNull<u8>,
    length: usize,
    /// File offset of the first mapped byte.
    base: u64,
    /// The file, which the worker keeps open.
    file: RawFd,
    protection: i32,
    /// Bytes of a page.
    page: usize,
    /// Empty pages have replaced pages of the file, and could not be replaced again.
    is_broken: bool,
}

impl SyncEngine for Mmap {
    fn open(context: &Context<'_>) -> Result<Self, EngineError> {
        let job = &context.plan.job;
        let mapping = Mapping { writes: context.plan.writes(), huge: job.get(&opt::THP) > 0 };
        let map = |(file, planned): (&OpenTarget, &PlannedFile)| Map::of(file, planned, mapping);
        Ok(Mmap {
            maps: context.files.iter().zip(&context.plan.files).map(map).collect::<Result<_, _>>()?,
            inline: InlineFiles::of(context.files, context.plan),
            mapping,
            syncs_writes: context.plan.direct || job.get(&opt::SYNC) != "none",
        })
    }

    fn replace(&mut self, by: &Replacement<'_>) -> Result<(), EngineError> {
        self.maps[by.entry] = Map::of(by.file, by.planned, self.mapping)?;
        self.inline.replace(by);
        Ok(())
    }

    fn execute(&mut self, desc: &Desc, buffer: *mut u8) -> i32 {
        let map = &mut self.maps[desc.file() as usize];
        let len = desc.len() as usize;
        if map.is_broken {
            return -libc::EIO;
        }
        let Some(at) = map.place(desc.offset, len) else { return -libc::EINVAL };
        let (from, to) = if desc.op() == Op::Read { (at, buffer) } else { (buffer, at) };
        // SAFETY: `place` checked the range; the slot buffer holds `len` bytes
        // and does not overlap the mapping, which is writable for jobs that
        // write.
        if !guarded(|| unsafe { std::ptr::copy_nonoverlapping(from, to, len) }) {
            map.restore(at, len);
            return -libc::EIO;
        }
        if desc.is_write() && self.syncs_writes {
            map.sync(at, len, desc.len() as i32)
        } else {
            desc.len() as i32
        }
    }

    fn control(&mut self, desc: &Desc) -> i32 {
        let map = &self.maps[desc.file() as usize];
        match desc.op() {
            Op::Trim => self.inline.control(desc),
            _ => map.sync(map.start.as_ptr(), map.length, 0),
        }
    }
}

impl Map {
    fn of(file: &OpenTarget, planned: &PlannedFile, how: Mapping) -> Result<Map, EngineError> {
        Map::new(file, planned.offset.0, planned.size.0, how).map_err(|source| EngineError {
            engine: "mmap",
            act: format!("map {}", planned.path),
            source,
        })
    }

    fn new(file: &OpenTarget, offset: u64, size: u64, how: Mapping) -> io::Result<Map> {
        let page = page_bytes();
        // Mappings start at page boundaries.
        let base = offset - offset % page as u64;
        let length = usize::try_from(offset + size - base).map_err(io::Error::other)?;
        let protection = libc::PROT_READ | if how.writes { libc::PROT_WRITE } else { 0 };
        // SAFETY: a new shared mapping at an address of the kernel's choice;
        // the planner made sure that the file reaches to offset + size.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                protection,
                libc::MAP_SHARED,
                file.fd.as_raw_fd(),
                base as i64,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).ok_or_else(|| io::Error::other("mmap returned no address"))?;
        let file = file.fd.as_raw_fd();
        let map = Map { start, length, base, file, protection, page, is_broken: false };
        // SAFETY: the mapping that was just made; advice changes no content.
        if how.huge && unsafe { libc::madvise(start.as_ptr().cast(), length, libc::MADV_HUGEPAGE) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(map)
    }

    /// Maps the file again where a copy of this range found pages missing and
    /// empty pages took their place. Otherwise later I/O on them would succeed
    /// without reaching the file.
    #[cold]
    fn restore(&mut self, at: *mut u8, len: usize) {
        let first = at as usize - self.start.as_ptr() as usize;
        let from = first - first % self.page;
        let bytes = (first + len).next_multiple_of(self.page) - from;
        let offset = self.base + from as u64;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: whole pages of this mapping, which nobody else uses, and which
        // ends with a whole page; the worker keeps the file open.
        let mapped = unsafe {
            let place = self.start.as_ptr().add(from).cast();
            libc::mmap(place, bytes, self.protection, flags, self.file, offset as i64)
        };
        self.is_broken |= mapped == libc::MAP_FAILED;
    }

    fn place(&self, offset: u64, len: usize) -> Option<*mut u8> {
        let from = usize::try_from(offset.checked_sub(self.base)?).ok()?;
        // SAFETY: from + len <= length, so the address lies in the mapping.
        (from.checked_add(len)? <= self.length).then(|| unsafe { self.start.as_ptr().add(from) })
    }

    /// msync(2) of the pages that hold the range; `result` when it succeeds.
    fn sync(&self, at: *mut u8, len: usize, result: i32) -> i32 {
        let into_page = at as usize % self.page;
        // SAFETY: the page-aligned range lies in the mapping, which starts at
        // a page boundary.
        let status = unsafe { libc::msync(at.sub(into_page).cast(), len + into_page, libc::MS_SYNC) };
        if status == 0 { result } else { -errno() }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `new` mapped.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

// SIGBUS while copying to or from a mapping: an I/O error, not a crash.
//
// The kernel raises SIGBUS when it cannot provide a mapped page: the device
// failed, or the file was truncated. The handler maps an empty page in place of
// the missing one, so that the copy can end, and sets a flag. [`guarded`] returns
// the flag, and the I/O fails with EIO. The engine maps the file there again
// before the next copy. A SIGBUS from anywhere else keeps its default and ends
// the process.

thread_local! {
    /// This thread is inside [`guarded`].
    static COPYING: Cell<bool> = const { Cell::new(false) };
    /// A page was missing during the copy.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Bytes of a page, for the handler, which may call few functions; set before the
/// handler is installed.
static PAGE: AtomicUsize = AtomicUsize::new(4096);

fn page_bytes() -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The flags that the kernel has for the mapping that begins there.
    fn flags_of(start: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|line| !line.starts_with(&format!("{start:x}-")));
        lines.find(|line| line.starts_with("VmFlags:")).unwrap().to_owned()
    }

    #[test]
    fn huge_pages_are_asked_for_where_the_job_says_so() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4 << 20).unwrap();
        let target = OpenTarget { fd: file.into(), is_block: false, size: 4 << 20, commands: None };
        for huge in [false, true] {
            let map = Map::new(&target, 0, 4 << 20, Mapping { writes: true, huge }).unwrap();
            let flags = flags_of(map.start.as_ptr() as usize);
            assert_eq!(flags.split_whitespace().any(|flag| flag == "hg"), huge, "{flags}");
        }
    }
}
