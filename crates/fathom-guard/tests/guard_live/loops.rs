//! Loop devices, mounts and swap that are removed at the end of the test, even
//! if it fails.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Loop numbers and the mount table are the machine's: one test at a time.
static MACHINE: Mutex<()> = Mutex::new(());

/// Bytes of every image.
pub const SIZE: u64 = 256 << 20;

/// Runs a command that must succeed.
#[track_caller]
pub fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|e| panic!("{program} is needed for this test: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// An attached loop device over a sparse image, and everything that is done with it.
pub struct Loop {
    pub node: PathBuf,
    pub image: PathBuf,
    undo: Vec<(&'static str, String)>,
    dir: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Loop {
    pub fn blank() -> Self {
        let turn = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
        let uid = std::fs::metadata("/proc/self").unwrap().uid();
        assert_eq!(uid, 0, "this test attaches loop devices and must run as root");
        let dir = tempfile::tempdir().unwrap();
        let image = dir.path().join("backing.img");
        File::create(&image).unwrap().set_len(SIZE).unwrap();
        let node = run("losetup", &["--show", "-f", "-P", image.to_str().unwrap()]);
        Self {
            undo: vec![("losetup", format!("-d {node}"))],
            node: PathBuf::from(node),
            image,
            dir,
            _turn: turn,
        }
    }

    pub fn name(&self) -> &str {
        self.node.to_str().unwrap()
    }

    /// The word by which the device is consented to.
    pub fn word(&self) -> String {
        format!("{}:{SIZE}", self.image.display())
    }

    /// A directory that is removed after the test.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Makes ext4 on the device or its partition.
    pub fn format(&self, node: &str) {
        run("mkfs.ext4", &["-q", "-F", node]);
    }

    pub fn mount(&mut self, node: &str) {
        let point = self.dir.path().join("mnt");
        std::fs::create_dir_all(&point).unwrap();
        run("mount", &[node, point.to_str().unwrap()]);
        self.undo.push(("umount", point.display().to_string()));
    }

    pub fn mount_whole(&mut self) {
        let node = self.name().to_owned();
        self.mount(&node);
    }

    /// Unmounts the whole device, detaches it, attaches the image at the same
    /// number and mounts it where it was.
    pub fn attach_again(&self) {
        let (image, point) = (self.image.to_str().unwrap(), self.dir.path().join("mnt"));
        run("umount", &[point.to_str().unwrap()]);
        run("losetup", &["-d", self.name()]);
        run("losetup", &[self.name(), image]);
        run("mount", &[self.name(), point.to_str().unwrap()]);
    }

    pub fn swap_on(&mut self) {
        run("mkswap", &[self.name()]);
        run("swapon", &[self.name()]);
        self.undo.push(("swapoff", self.name().to_owned()));
    }

    /// A GPT with one partition; gives the partition's node.
    pub fn partition(&self) -> String {
        let table = ["-s", self.name(), "mklabel", "gpt", "mkpart", "a", "1MiB", "200MiB"];
        run("parted", &table);
        format!("{}p1", self.name())
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        while let Some((program, arguments)) = self.undo.pop() {
            let done = Command::new(program).args(arguments.split(' ')).status();
            if !done.is_ok_and(|status| status.success()) && !std::thread::panicking() {
                panic!("left behind: {program} {arguments}");
            }
        }
    }
}
