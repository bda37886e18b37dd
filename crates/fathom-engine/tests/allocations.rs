//! A worker's loop allocates nothing and takes no page fault: what it needs is
//! allocated before it starts.

mod support;

use fathom_engine::log::LogChunk;
use fathom_engine::sink::Sink;
use fathom_results::{Frame, Phase};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use support::{Heard, planned, run_plan};

/// Counts the allocations of each thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More threads than this test program has.
const THREADS: usize = 1024;

/// Thread ids and the number of allocations of each thread, in the order of their
/// first allocation.
static TIDS: [AtomicI32; THREADS] = [const { AtomicI32::new(0) }; THREADS];
static COUNTS: [AtomicU64; THREADS] = [const { AtomicU64::new(0) }; THREADS];
static NEXT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// This thread's place in the tables; none before its first allocation.
    static PLACE: Cell<Option<usize>> = const { Cell::new(None) };
}

fn count() {
    let place = PLACE.get().unwrap_or_else(|| {
        let place = NEXT.fetch_add(1, Ordering::Relaxed) as usize % THREADS;
        TIDS[place].store(own_tid(), Ordering::Relaxed);
        PLACE.set(Some(place));
        place
    });
    COUNTS[place].fetch_add(1, Ordering::Relaxed);
}

// SAFETY: the system's allocator does all the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as above.
        unsafe { System.realloc(old, layout, size) }
    }
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// What a thread has allocated so far.
fn allocated_by(tid: i32) -> u64 {
    let place = (0..THREADS).rev().find(|&at| TIDS[at].load(Ordering::Relaxed) == tid);
    place.map_or(0, |at| COUNTS[at].load(Ordering::Relaxed))
}

/// The thread of a job: its name is `worker N`. Workers of other tests in this program
/// would have the same names, so one test runs at a time.
fn thread_of(job: u32) -> i32 {
    let wanted = format!("worker {job}\n");
    let tasks = std::fs::read_dir("/proc/self/task").expect("it is there");
    let mut tids = tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse::<i32>().ok());
    let is_it = |tid: &i32| {
        std::fs::read_to_string(format!("/proc/self/task/{tid}/comm")).is_ok_and(|name| name == wanted)
    };
    tids.find(is_it).unwrap_or_else(|| panic!("worker {job} runs"))
}

/// At each phase and window of a worker, reads what its thread has allocated.
#[derive(Default)]
struct Auditor {
    heard: Heard,
    threads: BTreeMap<u32, i32>,
    /// At the start of each phase and at the end of each whole window.
    counts: BTreeMap<u32, Vec<u64>>,
}

impl Sink for Auditor {
    fn frame(&mut self, frame: &Frame) {
        match frame {
            Frame::Phase { job, phase: Phase::Ramp | Phase::Measure, .. } => self.ask(*job),
            // The last window comes when the loop is over.
            Frame::Window(w) if w.end_ns - w.start_ns >= 999_000_000 => self.ask(w.job),
            _ => {}
        }
        self.heard.frame(frame);
    }
    fn log(&mut self, _chunk: LogChunk) {}
}

impl Auditor {
    fn ask(&mut self, job: u32) {
        let tid = *self.threads.entry(job).or_insert_with(|| thread_of(job));
        self.counts.entry(job).or_default().push(allocated_by(tid));
    }
}

/// Jobs of each kind of loop, paced and not, on a file that is in the cache.
fn jobs(path: &str) -> Vec<(&'static str, String)> {
    let on_file = |engine: &str, more: &str| {
        format!("ioengine={engine}\nfilename={path}\nrw=randread\nsize=8m\nnorandommap\n{more}")
    };
    vec![
        ("null", "ioengine=null\nrw=randrw\nsize=1g\niodepth=32\n".to_owned()),
        ("paced null", "ioengine=null\nrw=randrw\nsize=1g\niodepth=8\nrate_iops=5000\nthinktime=1ms\nthinktime_blocks=50\n".to_owned()),
        ("searching null", "ioengine=null\nrw=randread\nsize=1g\niodepth=32\nlatency_target=1s\nlatency_window=50ms\nlatency_run=1\n".to_owned()),
        ("oracle", "ioengine=oracle\noracle_latency=pareto:50us:1.5\nrw=randread\nsize=1g\niodepth=32\n".to_owned()),
        ("nop", "ioengine=nop\nrw=randread\nsize=1g\niodepth=8\n".to_owned()),
        ("psync", on_file("psync", "")),
        ("paced psync", on_file("psync", "rate_iops=2000\nrate_process=poisson\n")),
        ("io_uring", on_file("io_uring", "iodepth=8\n")),
        ("libaio", on_file("libaio", "iodepth=8\ndirect=1\n")),
        ("in fio's order", on_file("io_uring", "iodepth=8\niodepth_batch=4\ncompat=fio\n")),
    ]
}

/// All in one test, one after the other, because the figures are those of the process.
#[test]
fn a_worker_neither_allocates_nor_faults_between_its_start_and_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cached");
    std::fs::write(&path, vec![7u8; 8 << 20]).unwrap();
    assert!(allocated_by(own_tid()) > 0, "the allocator counts");
    for (name, job) in jobs(&path.to_string_lossy()) {
        let text = format!("[j]\n{job}bs=4k\ntime_based\nramp_time=100ms\nruntime=1100ms\n");
        let mut auditor = Auditor::default();
        run_plan(planned(&text), &Arc::default(), &mut auditor);
        assert_eq!(auditor.heard.outcome(0).failure, None, "{name}");
        let counts = &auditor.counts[&0];
        assert!(counts.len() >= 3, "{name}: a ramp, its end and windows: {counts:?}");
        assert!(counts[0] > 0, "{name}: what it prepared is counted");
        assert!(counts.iter().all(|&count| count == counts[0]), "{name} allocates: {counts:?}");
        // The kernel maps libaio's ring as a file, and write-protects its pages
        // now and then.
        if name != "libaio" {
            let usage = auditor.heard.outcome(0).usage;
            assert_eq!((usage.faults_minor, usage.faults_major), (0, 0), "{name}: page faults");
        }
    }
}

/// The calling thread's id.
fn own_tid() -> i32 {
    // SAFETY: no arguments; it cannot fail.
    unsafe { libc::gettid() }
}
