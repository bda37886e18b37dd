//! What the end-to-end tests use: the binary, loop devices, fio.
//!
//! They need root and Debian's fio, and say so instead of being skipped.
#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod fuse;
pub mod procedure;
pub mod pty;
pub mod throttle;

use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A test that looks at the whole machine, or changes something that the machine has only once, runs alone. Tests that only
/// use a loop device or a mount of their own run side by side. They are in several processes, so the kernel keeps the turns.
const MACHINE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/machine.lock");

/// Who waits for the whole machine has this one, so that no other test begins meanwhile.
const TURN: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/turn.lock");

fn lock_file(path: &str) -> File {
    File::options().create(true).append(true).open(path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn turn() -> File {
    let turn = lock_file(TURN);
    turn.lock().expect("it can be locked");
    turn
}

/// Waits until no other test uses the machine, and reserves it while the file is open.
#[must_use]
pub fn machine() -> File {
    let (_turn, machine) = (turn(), lock_file(MACHINE));
    machine.lock().expect("it can be locked");
    machine
}

/// Waits until no test has the machine for itself, and keeps others from reserving it while the file is open.
#[must_use]
pub fn own_devices() -> File {
    let (_turn, machine) = (turn(), lock_file(MACHINE));
    machine.lock_shared().expect("it can be locked");
    machine
}

/// Runs fathom in a directory that belongs to the test.
pub fn fathom(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    command.current_dir(dir).env("NO_COLOR", "1");
    command
}

/// A copy of the binary in this directory, which other users can run. `cp` makes it: a process that another test starts
/// meanwhile would hold this process's copy open for writing, and a file that is open for writing cannot be executed.
pub fn public_binary(dir: &Path) -> PathBuf {
    let binary = dir.join("fathom");
    must(Command::new("cp").arg(env!("CARGO_BIN_EXE_fathom")).arg(&binary));
    std::fs::set_permissions(&binary, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("the copy is ours");
    binary
}

/// The workspace's root.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Runs a command that must succeed; its standard output.
pub fn must(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command that must finish, whether or not its result is valid (exit code 0 or 5); its standard output.
pub fn finished(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(matches!(output.status.code(), Some(0 | 5)), "{command:?}: {}", text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same, with its lines joined: messages are broken where a terminal ends.
pub fn unwrapped(output: &Output) -> String {
    text(output).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Everything a command said.
pub fn text(output: &Output) -> String {
    format!(
        "{}\n--- stdout\n{}--- stderr\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// A program with words as arguments: `sh("losetup", "-d /dev/loop0")`.
pub fn sh(program: &str, words: &str) -> String {
    must(Command::new(program).args(words.split_whitespace()))
}

/// A loop device over a file; detached when dropped.
pub struct Loop {
    pub device: String,
    pub backing: PathBuf,
    pub size: u64,
}

impl Loop {
    /// A device of `mib` MiB with nothing on it.
    pub fn blank(dir: &Path, mib: u64) -> Loop {
        let backing = dir.join(format!("disk-{mib}.img"));
        let file = File::create(&backing).expect("the backing file can be made");
        file.set_len(mib << 20).expect("it can be that long");
        Loop::over(&backing, mib << 20)
    }

    /// A device over an existing file.
    pub fn over(backing: &Path, size: u64) -> Loop {
        let words = format!("--find --show --partscan {}", backing.display());
        // Two that look for a free device at one moment open the same, and the guard would see the other one in it.
        let control = File::open("/dev/loop-control").expect("the kernel has loop devices");
        control.lock().expect("it can be locked");
        let device = sh("losetup", &words).trim().to_owned();
        drop(control);
        // A loop device keeps its scheduler from its last use.
        let scheduler = format!("/sys/block/{}/queue/scheduler", device.trim_start_matches("/dev/"));
        std::fs::write(&scheduler, "none").unwrap_or_else(|e| panic!("{scheduler}: {e}"));
        remove_lost_claims();
        Loop { device, backing: backing.to_owned(), size }
    }

    /// The word that consents to writing it.
    pub fn consent(&self) -> String {
        format!("{}:{}", self.backing.display(), self.size)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.device]).status();
    }
}

/// Removes the claims that an earlier test left when it failed or was killed: their journals were in a temporary
/// directory that no longer exists. fathom keeps such a claim, and would report it in every later test.
fn remove_lost_claims() {
    let Ok(claims) = std::fs::read_dir("/run/fathom/tuned") else { return };
    for path in claims.map(|claim| claim.unwrap().path()) {
        // Another test may remove it at the same moment.
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Ok(claim) = serde_json::from_slice::<Value>(&bytes) else { continue };
        let journal = Path::new(claim["journal"].as_str().unwrap_or_default());
        if journal.starts_with(std::env::temp_dir()) && !journal.parent().is_some_and(Path::exists) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A mount; taken away when dropped.
pub struct Mount {
    pub path: PathBuf,
}

impl Mount {
    /// Mounts a device on a directory, which is made.
    pub fn on(device: &str, path: &Path) -> Mount {
        std::fs::create_dir_all(path).unwrap();
        sh("mount", &format!("{device} {}", path.display()));
        Mount { path: path.to_owned() }
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        unmount(&self.path, &[]);
    }
}

/// Takes a mount away. The kernel closes the files of a process that was in the
/// middle of I/O some time after it ended: tried again for a while.
pub fn unmount(path: &Path, flags: &[&str]) {
    for _ in 0..100 {
        let tried = Command::new("umount").args(flags).arg(path).output();
        if tried.is_ok_and(|output| output.status.success()) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let _ = Command::new("umount").arg("--lazy").arg(path).status();
}

/// The first JSON document in a text.
pub fn json(text: &str) -> Value {
    let start = text.find('{').unwrap_or_else(|| panic!("no JSON in: {text}"));
    serde_json::from_str(&text[start..]).unwrap_or_else(|e| panic!("{e} in: {text}"))
}

/// The directory of the only run below `dir`.
pub fn only_run(dir: &Path) -> PathBuf {
    let runs: Vec<PathBuf> = std::fs::read_dir(dir.join("fathom-runs"))
        .expect("there are runs")
        .map(|e| e.unwrap().path())
        .filter(|p| !p.is_symlink())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs[0].clone()
}

/// Every path of keys in a JSON value, array elements merged.
pub fn key_paths(value: &Value, prefix: &str, into: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let path = format!("{prefix}/{name}");
                key_paths(field, &path, into);
                into.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| key_paths(item, &format!("{prefix}[]"), into)),
        _ => {}
    }
}
