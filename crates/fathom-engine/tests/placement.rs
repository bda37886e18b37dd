//! Where the threads of a job run, and where its buffers are: `cpumask`, `sqthread_poll_cpu`, `iomem_align`.

use crate::support::kernel_events::KernelEvents;
use crate::support::{Heard, WatchedFiles, planned, run, run_on};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::{Sink, Stop, StopReason};
use fathom_results::{Frame, Phase};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn file() -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    fs::write(file.path(), vec![7; 1 << 20]).unwrap();
    file
}

/// The CPUs that a thread may run on, as the kernel lists them.
fn cpus_of(thread: &Path) -> Option<String> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    Some(line.trim().to_owned())
}

#[test]
fn a_worker_runs_on_the_cpus_of_the_mask() {
    let file = file();
    for (option, cpus) in
        [("cpumask=1", "0"), ("cpumask=0x2", "1"), ("cpus_allowed=1", "1"), ("cpumask=3", "0-1")]
    {
        let seen = Arc::new(Mutex::new(None));
        let opens = seen.clone();
        let targets = WatchedFiles(move || {
            *opens.lock().unwrap() = cpus_of(Path::new("/proc/thread-self"));
        });
        let text = format!(
            "[j]\nioengine=psync\nfilename={}\nrw=read\nbs=4k\nnumber_ios=1\n{option}\n",
            file.path().display()
        );
        let mut heard = Heard::default();
        run_on(Arc::new(targets), planned(&text), &Arc::default(), &mut heard);
        assert_eq!(heard.outcome(0).failure, None, "{option}");
        assert_eq!(seen.lock().unwrap().as_deref(), Some(cpus), "{option}");
    }
}

/// Waits until the kernel's thread of a ring runs on a CPU, and then ends the job.
struct Poller {
    heard: Heard,
    interrupt: Arc<Stop>,
    /// The number of the worker's thread.
    worker: Arc<AtomicI32>,
    /// The CPU, as the kernel lists it.
    expected: &'static str,
    is_there: bool,
}

impl Sink for Poller {
    fn frame(&mut self, frame: &Frame) {
        self.heard.frame(frame);
        if !matches!(frame, Frame::Phase { phase: Phase::Measure, .. }) {
            return;
        }
        // The kernel names it after the thread that has made the ring. It may not have begun yet.
        let name = format!("iou-sqp-{}", self.worker.load(Ordering::Relaxed));
        let is_named =
            |thread: &Path| fs::read_to_string(thread.join("comm")).is_ok_and(|known| known.trim() == name);
        let is_there = || {
            let mut threads = fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
            threads.any(|thread| is_named(&thread) && cpus_of(&thread).as_deref() == Some(self.expected))
        };
        let limit = Instant::now() + Duration::from_secs(10);
        self.is_there = loop {
            if is_there() || Instant::now() > limit {
                break is_there();
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        self.interrupt.request(StopReason::Interrupt);
    }
    fn log(&mut self, _: LogChunk) {}
}

#[test]
fn the_thread_that_polls_a_ring_runs_on_the_cpu_of_the_job() {
    let file = file();
    for (cpu, expected) in [(0, "0"), (1, "1")] {
        let text = format!(
            "[j]\nioengine=io_uring\nsqthread_poll=1\nsqthread_poll_cpu={cpu}\nfilename={}\nrw=randread\nbs=4k\n\
             norandommap\nthinktime=1ms\ntime_based\nruntime=1h\n",
            file.path().display()
        );
        let (interrupt, worker) = (Arc::<Stop>::default(), Arc::new(AtomicI32::new(0)));
        let opens = worker.clone();
        let targets =
            WatchedFiles(move || opens.store(rustix::thread::gettid().as_raw_pid(), Ordering::Relaxed));
        let heard = Heard::default();
        let mut poller = Poller { heard, interrupt: interrupt.clone(), worker, expected, is_there: false };
        run_on(Arc::new(targets), planned(&text), &interrupt, &mut poller);
        assert_eq!(poller.heard.outcome(0).failure, None, "CPU {cpu}");
        assert!(poller.is_there, "CPU {cpu}");
    }
}

/// The address of the buffer of each read, as the kernel saw it.
#[test]
fn a_buffer_begins_at_a_multiple_of_the_alignment() {
    let file = file();
    // No other test has blocks of this length.
    let events = KernelEvents::of("syscalls/sys_enter_pread64", "count == 4608");
    let zero_bits = |option: &str| {
        let before = events.count();
        let heard = run(&format!(
            "[j]\nioengine=psync\nfilename={}\nrw=read\nbs=4608\nnumber_ios=3\n{option}\n",
            file.path().display()
        ));
        assert_eq!(heard.outcome(0).failure, None, "{option}");
        let lines = &events.lines()[before..];
        let address = |line: &String| {
            let text = line.split("buf: ").nth(1).and_then(|rest| rest.split(',').next());
            u64::from_str_radix(text.expect("a buffer").trim_start_matches("0x"), 16).expect("an address")
        };
        assert_eq!(lines.len(), 3, "{option}");
        lines.iter().map(|line| address(line).trailing_zeros()).min().unwrap()
    };
    assert!(zero_bits("") >= 12, "a page");
    // By chance, one of 16,384 pages is at such an address.
    assert!(zero_bits("iomem_align=64m") >= 26);
    assert!(zero_bits("iomem_align=8m") >= 23);
}
