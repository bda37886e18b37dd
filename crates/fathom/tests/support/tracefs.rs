//! System calls of a command, counted by the kernel's tracepoints.

use crate::support::must;
use crate::trace_buffer::TraceBuffer;
use std::collections::BTreeMap;
use std::process::Command;

/// Calls by name, of one thread.
pub type Calls = BTreeMap<String, u64>;

/// The calls that submit I/O, wait for it, or do it.
const CALLS: [&str; 5] = ["io_uring_enter", "io_submit", "io_getevents", "io_pgetevents", "pread64"];

/// Room for the events of a run on one CPU, KiB: an event takes some 80 bytes,
/// and a run has less than 100,000.
const BUFFER_KIB: &str = "16384";

/// Counts the calls of a command.
pub struct Tracer(TraceBuffer);

impl Tracer {
    /// Needs root and a kernel with syscall tracepoints.
    pub fn new() -> Tracer {
        let tracer = Tracer(TraceBuffer::new("fathom-test", BUFFER_KIB));
        tracer.0.set("tracing_on", "0");
        tracer.0.set("options/event-fork", "1");
        CALLS.iter().for_each(|call| tracer.enable(call, "1"));
        tracer
    }

    /// Runs a command, which must succeed. Returns what it said, and the calls
    /// of the thread that made the most: the one that did the I/O.
    pub fn count(&self, command: &Command) -> (String, Calls) {
        self.0.set("trace", "");
        // The shell becomes the command, so that it is traced from its first
        // instruction, with all of its children and threads.
        let script = "echo $$ > \"$0/set_event_pid\" && echo 1 > \"$0/tracing_on\" && exec \"$@\"";
        let mut traced = Command::new("sh");
        traced.args(["-c", script]).arg(&self.0.instance).arg(command.get_program()).args(command.get_args());
        if let Some(dir) = command.get_current_dir() {
            traced.current_dir(dir);
        }
        let said = must(&mut traced);
        self.0.set("tracing_on", "0");
        assert_eq!(self.lost(), 0, "the buffer is too small");
        (said, busiest(&self.0.read()))
    }

    /// Events that did not fit into the buffer.
    fn lost(&self) -> u64 {
        let cpus = std::fs::read_dir(self.0.instance.join("per_cpu")).unwrap();
        let stats = cpus.map(|cpu| std::fs::read_to_string(cpu.unwrap().path().join("stats")).unwrap());
        let lost = |stats: String| -> u64 {
            let overrun = stats.lines().find_map(|line| line.strip_prefix("overrun: ")).unwrap();
            overrun.parse().unwrap()
        };
        stats.map(lost).sum()
    }

    fn enable(&self, call: &str, on: &str) {
        self.0.set(&format!("events/syscalls/sys_enter_{call}/enable"), on);
    }
}

/// Lines are `COMMAND-TID [CPU] FLAGS TIME: sys_NAME(…)`.
fn busiest(trace: &str) -> Calls {
    let mut threads: BTreeMap<&str, Calls> = BTreeMap::new();
    for line in trace.lines().filter(|line| !line.starts_with('#')) {
        let event = line.split_once(" [").and_then(|(task, rest)| {
            let (_, call) = rest.split_once(": sys_")?;
            Some((task.trim_end().rsplit('-').next()?, call.split('(').next()?))
        });
        let Some((thread, call)) = event else { continue };
        *threads.entry(thread).or_default().entry(call.to_owned()).or_default() += 1;
    }
    threads.into_values().max_by_key(|calls| calls.values().sum::<u64>()).unwrap_or_default()
}
