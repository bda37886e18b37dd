//! Counts how often the kernel passed a tracepoint, by `perf_event_open` (linux/perf_event.h).
//!
//! Needs `CAP_PERFMON`, or root, where `kernel.perf_event_paranoid` is above -1.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd};

use super::check;

/// The first version of `struct perf_event_attr`, 64 bytes, which every kernel takes.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    config1: u64,
}

const PERF_TYPE_TRACEPOINT: u32 = 2;
/// One read gives the counts of the whole group.
const PERF_FORMAT_GROUP: u64 = 1 << 3;
const PERF_FLAG_FD_CLOEXEC: libc::c_ulong = 1 << 3;
/// `_IOW('$', 6, char *)`.
const PERF_EVENT_IOC_SET_FILTER: libc::Ioctl = libc::_IOW::<*const libc::c_char>(b'$' as u32, 6);

/// Counts of one tracepoint on one CPU: one for each filter.
#[derive(Debug)]
pub struct TracepointCounts {
    /// The first is the leader of the group, by which all are read.
    counters: Vec<File>,
}

impl TracepointCounts {
    /// Begins to count on a CPU: for each filter (`order==0`) the passes that it lets through.
    ///
    /// # Errors
    /// Where the kernel does not allow it, or does not know the tracepoint or a filter.
    pub fn open(id: u64, cpu: u32, filters: &[String]) -> io::Result<Self> {
        let mut counters: Vec<File> = Vec::with_capacity(filters.len());
        for filter in filters {
            let counter = open(id, cpu, counters.first())?;
            set_filter(&counter, filter)?;
            counters.push(counter);
        }
        Ok(Self { counters })
    }

    /// The counts since it was opened, in the order of the filters.
    ///
    /// # Errors
    /// Where the CPU has gone offline.
    pub fn read(&self) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; 8 * (1 + self.counters.len())];
        let Some(mut leader) = self.counters.first() else { return Ok(Vec::new()) };
        leader.read_exact(&mut bytes)?;
        let words = bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(word.try_into().expect("8 bytes")));
        // The first word is the number of counts.
        Ok(words.skip(1).collect())
    }
}

fn open(id: u64, cpu: u32, leader: Option<&File>) -> io::Result<File> {
    let attributes = Attributes {
        kind: PERF_TYPE_TRACEPOINT,
        size: size_of::<Attributes>() as u32,
        config: id,
        read_format: PERF_FORMAT_GROUP,
        ..Attributes::default()
    };
    let group = leader.map_or(-1, AsRawFd::as_raw_fd);
    let (pid, cpu) = (-1 as libc::pid_t, cpu as libc::c_int);
    // SAFETY: `attributes` is a valid perf_event_attr of the size that it names, and outlives the call; the other arguments are numbers.
    let fd = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &attributes, pid, cpu, group, PERF_FLAG_FD_CLOEXEC)
    };
    check(fd as libc::c_int)?;
    // SAFETY: the kernel just returned this descriptor, and nothing else owns it.
    Ok(unsafe { File::from_raw_fd(fd as libc::c_int) })
}

fn set_filter(counter: &File, filter: &str) -> io::Result<()> {
    let filter = CString::new(filter)?;
    // SAFETY: the descriptor is open, and `filter` is NUL-terminated and outlives the call, which only reads it.
    check(unsafe { libc::ioctl(counter.as_raw_fd(), PERF_EVENT_IOC_SET_FILTER, filter.as_ptr()) })
}
