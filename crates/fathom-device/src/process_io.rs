//! What the kernel counted for this process: the bytes that it made block devices read and write (`/proc/self/io`,
//! proc_pid_io(5)).
//!
//! The count is made where a request goes to a block device, in the task that asks for it. So it has what a read of the page
//! cache or of a hole does not cause, and nothing that other programs do. All threads of the process are in it, those that ended
//! and those of io_uring included.

use crate::root::{Root, Unknown};

const PATH: &str = "/proc/self/io";

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
        let text = root.read_text(PATH)?;
        Self::parse(&text).ok_or_else(|| Unknown::new(PATH, format!("unexpected text {text:?}")))
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

#[cfg(test)]
mod tests {
    use super::*;

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
