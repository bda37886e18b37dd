//! System calls per I/O, counted by the kernel's tracepoints on entry of the calls in [`CALLS`].
//!
//! Other calls are not counted: start-up makes thousands of them, and each time another number. A
//! separate instance in tracefs counts the calls of one process and its threads. These runs are short
//! and are not the timed ones, because tracing slows every process down. The slope between two lengths
//! removes start-up from the count. It needs root.

use std::fs;
use std::path::{Path, PathBuf};

use super::side;
use super::side::{Length, Tool};
use xtask::command::{capture, command, need_root};
use xtask::workspace::{at, read_text, write_file};

const TRACEFS: &str = "/sys/kernel/tracing";
const INSTANCE: &str = "instances/fathom-bench";
/// Room for the longest run: an entry takes about 72 bytes. Entries that do not fit are counted too.
const BUFFER_KB: &str = "8192";
/// The calls that start I/O or wait for it, of every engine that is compared.
const CALLS: &[&str] =
    &["io_uring_enter", "io_submit", "io_getevents", "io_pgetevents", "pread64", "preadv", "preadv2"];
const SHORT: u64 = 2_000;
const LONG: u64 = 12_000;

/// The counter. Dropping it removes the instance.
pub struct Tracing {
    instance: PathBuf,
    mounted: bool,
}

impl Tracing {
    /// Makes the instance; the error says why system calls cannot be counted here.
    pub fn open() -> Result<Self, String> {
        need_root("counting system calls")?;
        let mounted = !Path::new(TRACEFS).join("instances").exists();
        if mounted {
            capture(&mut command("mount", &["-t", "tracefs", "nodev", TRACEFS]))?;
        }
        let tracing = Self { instance: Path::new(TRACEFS).join(INSTANCE), mounted };
        fs::create_dir_all(&tracing.instance).map_err(at(&tracing.instance))?;
        tracing.write("tracing_on", "0")?;
        tracing.write("buffer_size_kb", BUFFER_KB)?;
        tracing.write("options/event-fork", "1")?;
        Ok(tracing)
    }

    /// System calls per I/O of a tool; `text` makes its job for a given length.
    pub fn per_io(
        &self,
        tool: &Tool,
        text: impl Fn(Length) -> String,
        scratch: &Path,
    ) -> Result<f64, String> {
        let calls = |ios: u64| {
            let job_file = side::write(scratch, &text(Length::Ios(ios)))?;
            self.count(&tool.words(&job_file), scratch)
        };
        self.enable(true)?;
        let counted = calls(SHORT).and_then(|short| Ok((short, calls(LONG)?)));
        self.enable(false)?;
        let (short, long) = counted?;
        Ok((long as f64 - short as f64) / (LONG - SHORT) as f64)
    }

    fn enable(&self, on: bool) -> Result<(), String> {
        let flag = if on { "1" } else { "0" };
        CALLS
            .iter()
            .try_for_each(|call| self.write(&format!("events/syscalls/sys_enter_{call}/enable"), flag))
    }

    /// System calls of one command, all its threads together.
    fn count(&self, words: &[String], directory: &Path) -> Result<u64, String> {
        // The shell gives its process ID to the tracer, and then becomes the command. The tracer is switched
        // on after that, because without a process ID it traces all processes.
        const BEGIN: &str = "echo $$ > \"$0\"/set_event_pid && echo 1 > \"$0\"/tracing_on && exec \"$@\"";
        let instance = self.instance.to_string_lossy();
        let mut all = vec!["-c", BEGIN, instance.as_ref()];
        all.extend(words.iter().map(String::as_str));
        self.write("trace", "")?;
        let ran = capture(command("sh", &all).current_dir(directory));
        self.write("tracing_on", "0")?;
        ran?;
        self.events()
    }

    /// The events of all processors' buffers, also those that were lost.
    fn events(&self) -> Result<u64, String> {
        let directory = self.instance.join("per_cpu");
        let entries = directory.read_dir().map_err(at(&directory))?;
        let mut events = 0;
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path().join("stats");
            let text = read_text(&path)?;
            events += counted(&text).ok_or_else(|| format!("{}: no counts", path.display()))?;
        }
        Ok(events)
    }

    fn write(&self, file: &str, text: &str) -> Result<(), String> {
        let path = self.instance.join(file);
        write_file(&path, text)
    }
}

impl Drop for Tracing {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.instance) {
            eprintln!("left behind: {}: {error}", self.instance.display());
        }
        if self.mounted
            && let Err(error) = capture(&mut command("umount", &[TRACEFS]))
        {
            eprintln!("left behind: {error}");
        }
    }
}

/// The sum of `entries`, `overrun` and `dropped events` in the statistics of one processor's buffer.
fn counted(stats: &str) -> Option<u64> {
    let field = |name: &str| -> Option<u64> {
        let line = stats.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().parse().ok()
    };
    Some(field("entries")? + field("overrun")? + field("dropped events")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_entries_are_counted_too() {
        let stats =
            "entries: 120\noverrun: 30\ncommit overrun: 7\nbytes: 900\ndropped events: 2\nread events: 0\n";
        assert_eq!(counted(stats), Some(152));
        assert_eq!(counted("entries: 120\n"), None);
    }
}
