//! A separate buffer of the kernel's events, which other tracers of the machine do not use; removed when dropped.

use crate::support::{must, unmount};
use std::path::PathBuf;
use std::process::Command;
use tempfile::TempDir;

/// The buffer.
pub struct TraceBuffer {
    mount: TempDir,
    /// Its directory in tracefs.
    pub instance: PathBuf,
}

impl TraceBuffer {
    /// One with this name and this room on each CPU. Needs root.
    pub fn new(name: &str, kib: &str) -> TraceBuffer {
        let mount = tempfile::tempdir().unwrap();
        // A separate mount, since others may remove theirs.
        must(Command::new("mount").args(["-t", "tracefs", "nodev"]).arg(mount.path()));
        let instance = mount.path().join(format!("instances/{name}-{}", std::process::id()));
        std::fs::create_dir(&instance).expect("tracefs makes instances");
        let buffer = TraceBuffer { mount, instance };
        buffer.set("buffer_size_kb", kib);
        buffer
    }

    /// Writes a file of the buffer.
    pub fn set(&self, file: &str, value: &str) {
        let path = self.instance.join(file);
        std::fs::write(&path, value).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }

    /// Its events, as text.
    pub fn read(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.instance.join("trace")).unwrap()).into_owned()
    }
}

impl Drop for TraceBuffer {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.instance);
        unmount(self.mount.path(), &[]);
    }
}
