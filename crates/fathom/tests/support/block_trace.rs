//! What reaches a disk, as the kernel's block tracepoint shows it: each bio with its kind and size.

use crate::trace_buffer::TraceBuffer;
use std::collections::{BTreeMap, HashSet};

/// Room for the events on one CPU, KiB: an event takes some 60 bytes, and a run has less than 200,000.
const BUFFER_KIB: &str = "16384";

/// The bios of one disk, of the workers of jobs and not of what looks at it before.
#[derive(Debug, Default)]
pub struct Bios {
    /// Reads, writes and discards by kind (`R`, `W`, `D`) and size, KiB: how many.
    pub data: BTreeMap<(char, u64), u64>,
    /// Requests to empty the disk's cache.
    pub flushes: u64,
    /// Writes that return when they are safe (FUA).
    pub forced: u64,
}

impl Bios {
    /// The bytes of this kind, KiB.
    pub fn kib(&self, kind: char) -> u64 {
        self.data.iter().filter(|((of, _), _)| *of == kind).map(|((_, kib), count)| kib * count).sum()
    }

    /// The share of the bytes of this kind that came in this size. Of a larger I/O than 1 MiB the kernel may make several bios.
    pub fn share(&self, kind: char, kib: u64) -> f64 {
        let is_part = |size: u64| size == kib || size >= 1024 && kib.is_multiple_of(size);
        let of_size = self.data.iter().filter(|((of, size), _)| *of == kind && is_part(*size));
        of_size.map(|((_, size), count)| size * count).sum::<u64>() as f64 / self.kib(kind).max(1) as f64
    }

    /// Bios of this kind and size.
    pub fn count(&self, kind: char, kib: u64) -> u64 {
        self.data.get(&(kind, kib)).copied().unwrap_or(0)
    }
}

/// Traces a disk.
pub struct BlockTrace(TraceBuffer);

impl BlockTrace {
    /// Traces the disk with this number: `7:0`. Needs root and a kernel with block tracepoints.
    pub fn of(number: &str) -> BlockTrace {
        let trace = TraceBuffer::new("fathom-bios", BUFFER_KIB);
        let (major, minor) = number.trim().split_once(':').expect("major and minor number");
        let dev = (major.parse::<u32>().unwrap() << 20) | minor.parse::<u32>().unwrap();
        for event in ["block_bio_queue", "block_bio_complete"] {
            trace.set(&format!("events/block/{event}/filter"), &format!("dev == {dev}"));
            trace.set(&format!("events/block/{event}/enable"), "1");
        }
        BlockTrace(trace)
    }

    /// The bios while `act` runs.
    pub fn during(&self, act: impl FnOnce()) -> Bios {
        self.0.set("trace", "");
        self.0.set("tracing_on", "1");
        act();
        self.0.set("tracing_on", "0");
        let trace = self.0.read();
        let header = trace.lines().find(|line| line.contains("entries-in-buffer")).unwrap_or_default();
        let counts =
            header.split_once("written: ").and_then(|(_, rest)| rest.split(' ').next()?.split_once('/'));
        let (kept, written) = counts.expect("how many entries were written");
        assert_eq!(kept, written, "the buffer is too small: {header}");
        bios(&trace)
    }
}

/// How the threads are called that do the I/O of jobs: fathom's workers, and those that the kernel has for their io_uring.
const WORKERS: [&str; 2] = ["worker", "iou-wrk"];

/// Lines are `COMMAND-TID [CPU] FLAGS TIME: block_bio_queue: 7,0 WFS 2048 + 16 [COMMAND]`, and `block_bio_complete: 7,0 WFS 2048 + 16
/// [ERROR]`. The command at the beginning is what the number of the thread meant last, and only the one at the end is certain. Of the
/// letters, an F before the kind is a flush and one after it is FUA. io_uring first tries without waiting: a bio for which there is
/// no room ends at once with an error, and comes again from another thread.
fn bios(trace: &str) -> Bios {
    let (mut found, mut queued) = (Bios::default(), HashSet::new());
    for line in trace.lines() {
        let Some((_, event)) = line.split_once(": block_bio_") else { continue };
        let (name, event) = event.split_once(": ").unwrap_or_else(|| panic!("{line}"));
        let (event, last) = event.split_once(" [").unwrap_or_else(|| panic!("{line}"));
        match (name, last.trim_end_matches(']')) {
            ("queue", by) if WORKERS.iter().any(|name| by.starts_with(name)) => {
                queued.insert(event);
                found.count_one(event, |count| *count += 1);
            }
            ("queue", _) | ("complete", "0") => {}
            ("complete", _) if queued.remove(event) => found.count_one(event, |count| *count -= 1),
            ("complete", _) => {}
            _ => panic!("{line}"),
        }
    }
    found
}

impl Bios {
    /// Counts `7,0 WFS 2048 + 16`.
    fn count_one(&mut self, event: &str, count: impl Fn(&mut u64)) {
        let words: Vec<&str> = event.split_whitespace().collect();
        let [_, flags, _, "+", sectors] = words[..] else { panic!("{event}") };
        let kind = flags.trim_start_matches('F').chars().next().unwrap_or('F');
        let sectors: u64 = sectors.parse().unwrap();
        if flags.starts_with('F') {
            count(&mut self.flushes);
        }
        if flags.trim_start_matches('F').contains('F') {
            count(&mut self.forced);
        }
        if sectors > 0 {
            count(self.data.entry((kind, sectors / 2)).or_default());
        }
    }
}
