//! What the kernel counts since boot: how each CPU spent its time, by use (`/proc/stat`, proc_stat(5)), the bytes of this
//! process, the slots for asynchronous I/O; and which boot this is.

use crate::root::{Root, Unknown};
use std::collections::BTreeMap;

/// The file with the counters.
pub const CPU_TICKS_PATH: &str = "/proc/stat";

/// Uses that every kernel since 2.6.11 counts: those before guest time.
const FIELDS_MIN: usize = 8;

/// Ticks of `USER_HZ` (10 ms on every current architecture) of one CPU: user, nice, system, idle, iowait, irq,
/// softirq, steal, guest, guest_nice. Guest time is contained in the first two.
pub type CpuTicks = [u64; 10];

/// Reads the ticks of each CPU that is online.
///
/// # Errors
/// Where the file cannot be read, or names no CPU.
pub fn cpu_ticks(root: &Root) -> Result<BTreeMap<u32, CpuTicks>, Unknown> {
    let text = root.read_text(CPU_TICKS_PATH)?;
    parse_cpu_ticks(&text)
        .ok_or_else(|| Unknown::garbled(CPU_TICKS_PATH.as_ref(), text.lines().next().unwrap_or_default()))
}

/// The ticks of each CPU in the file's text; `None` where a line of a CPU is garbled, or there is none.
pub fn parse_cpu_ticks(text: &str) -> Option<BTreeMap<u32, CpuTicks>> {
    // The lines of CPUs come first; the line of interrupts after them is long.
    let lines = text.lines().take_while(|line| line.starts_with("cpu"));
    let of_cpus = lines.filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        Some((name.strip_prefix("cpu")?.parse().ok()?, rest))
    });
    let cpus: BTreeMap<u32, CpuTicks> =
        of_cpus.map(|(cpu, rest)| Some((cpu, ticks(rest)?))).collect::<Option<_>>()?;
    (!cpus.is_empty()).then_some(cpus)
}

/// The numbers after a line's name; uses that an old kernel does not count are 0.
pub fn ticks(text: &str) -> Option<CpuTicks> {
    let mut ticks = CpuTicks::default();
    let mut read = 0;
    for (field, word) in ticks.iter_mut().zip(text.split_whitespace()) {
        *field = word.parse().ok()?;
        read += 1;
    }
    (read >= FIELDS_MIN).then_some(ticks)
}

// What the kernel counted for this process: the bytes that it made block devices read and write (`/proc/self/io`,
// proc_pid_io(5)).
//
// The count is made where a request goes to a block device, in the task that asks for it. So it has what a read of the page
// cache or of a hole does not cause, and nothing that other programs do. All threads of the process are in it, those that ended
// and those of io_uring included.

const IO_PATH: &str = "/proc/self/io";

/// Bytes since the start of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessBytes {
    /// Read from block devices.
    pub read: u64,
    /// Written to block devices, or to pages that will be written back.
    pub written: u64,
}

impl ProcessBytes {
    /// Reads the counters of this process.
    ///
    /// # Errors
    /// Where the kernel does not count (CONFIG_TASK_IO_ACCOUNTING), or the text is not as expected.
    pub fn read(root: &Root) -> Result<Self, Unknown> {
        let text = root.read_text(IO_PATH)?;
        Self::parse(&text).ok_or_else(|| Unknown::new(IO_PATH, format!("unexpected text {text:?}")))
    }

    /// Parses the file's text.
    pub fn parse(text: &str) -> Option<Self> {
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            line.strip_prefix(':')?.trim().parse().ok()
        };
        Some(ProcessBytes { read: of("read_bytes")?, written: of("write_bytes")? })
    }

    /// What happened since `earlier`.
    pub fn since(&self, earlier: &Self) -> Self {
        ProcessBytes {
            read: self.read.saturating_sub(earlier.read),
            written: self.written.saturating_sub(earlier.written),
        }
    }
}

/// The kernel's random name of this boot.
pub fn boot_id(root: &Root) -> Option<String> {
    root.read_text("/proc/sys/kernel/random/boot_id").ok()
}

/// How many slots the host has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AioSlots {
    /// Slots that contexts have reserved (`/proc/sys/fs/aio-nr`).
    pub used: u64,
    /// Slots that there are (`/proc/sys/fs/aio-max-nr`).
    pub max: u64,
}

impl AioSlots {
    /// Fewer free slots are few for a job of which nothing is known: sixteen workers at depth 64.
    pub const FREE_MIN: u64 = 1024;

    /// Slots that a job can reserve.
    pub fn free(self) -> u64 {
        self.max.saturating_sub(self.used)
    }

    /// Are few left for a job of which nothing is known?
    pub fn are_few(self) -> bool {
        self.free() < Self::FREE_MIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_cpus_and_no_others() {
        let text = "cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu12 1 2 3 4 5 6 7 8\nintr 5\ncpu3 x\n";
        let cpus = parse_cpu_ticks(text).unwrap();
        assert_eq!(cpus[&0], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!((cpus.len(), cpus[&12][8]), (2, 0));
        for text in ["", "intr 5", "cpu  1 2 3 4 5 6 7 8", "cpu0 1 2 x", "cpu0 1 2 3"] {
            assert_eq!(parse_cpu_ticks(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_of_devices_and_not_of_calls() {
        let text = "rchar: 6976\nwchar: 9\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 512\n\
                    cancelled_write_bytes: 7\n";
        let now = ProcessBytes::parse(text).unwrap();
        assert_eq!(now, ProcessBytes { read: 4096, written: 512 });
        assert_eq!(
            now.since(&ProcessBytes { read: 96, written: 512 }),
            ProcessBytes { read: 4000, written: 0 }
        );
        for text in ["", "read_bytes: 4096\n", "read_bytes: x\nwrite_bytes: 1\n"] {
            assert_eq!(ProcessBytes::parse(text), None, "{text:?}");
        }
    }
}
