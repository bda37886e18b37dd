//! What the kernel traces (tracefs): events of one kind, in an instance of the test's own. Needs root.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

/// Events that are traced while it lives.
pub struct KernelEvents {
    /// A separate mount, since others may remove theirs.
    mount: TempDir,
    instance: PathBuf,
}

impl KernelEvents {
    /// Traces the events of this name (`block/block_rq_issue`) that the kernel's filter lets through.
    pub fn of(event: &str, filter: &str) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let mount = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount").args(["-t", "tracefs", "nodev"]).arg(mount.path()).status();
        assert!(mounted.unwrap().success(), "tracefs is mounted by root");
        let name = format!("fathom-test-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let instance = mount.path().join("instances").join(name);
        fs::create_dir(&instance).expect("tracefs makes instances");
        let traced = KernelEvents { mount, instance };
        traced.set(&format!("events/{event}/filter"), filter);
        traced.set(&format!("events/{event}/enable"), "1");
        traced
    }

    fn set(&self, file: &str, value: &str) {
        fs::write(self.instance.join(file), value).unwrap();
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.lines().len()
    }

    /// How many there were of one thread.
    pub fn count_of(&self, thread: i32) -> usize {
        // A line begins with the name and the number of the thread, and then has its CPU: `layout-1234 [000]`.
        let marks = format!("-{thread} ");
        let is_of = |line: &&String| line.split('[').next().is_some_and(|head| head.contains(&marks));
        self.lines().iter().filter(is_of).count()
    }

    /// The lines of the trace, an event each.
    pub fn lines(&self) -> Vec<String> {
        let trace = fs::read_to_string(self.instance.join("trace")).unwrap();
        trace.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
    }
}

impl Drop for KernelEvents {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.instance);
        let _ = Command::new("umount").arg(self.mount.path()).status();
    }
}
