//! What fathom cannot see is told as that, and not as missing: directories that are closed to a user, no `/sys`, no `/proc`.

use crate::support::{Loop, fathom, own_devices, text};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Runs fathom where one of the kernel's file systems is hidden.
fn without(hidden: &str, dir: &Path, words: &[&str]) -> Output {
    let script = format!("mount -t tmpfs none {hidden} && exec \"$@\"");
    let fathom = fathom(dir);
    let mut command = Command::new("unshare");
    command
        .args(["--mount", "--propagation", "private", "sh", "-c", &script, "sh"])
        .arg(fathom.get_program());
    command.args(words).current_dir(dir).env("NO_COLOR", "1").output().unwrap()
}

#[test]
fn without_proc_no_file_stays_that_was_created() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(
        dir.path().join("u.fio"),
        "[j]\nioengine=psync\nrw=write\nfilename=scratch\nsize=1m\nunlink=1\n",
    )
    .unwrap();
    fs::create_dir(dir.path().join("q")).unwrap();
    for words in
        [&["run", "u.fio"][..], &["fio", "u.fio"], &["quick", "q", "--seconds", "1", "--size", "16m"]]
    {
        let output = without("/proc", dir.path(), words);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(": /proc is not mounted, and fathom opens files through it"), "{said}");
        let left = ["", "q"].map(|sub| fs::read_dir(dir.path().join(sub)).unwrap().flatten());
        let names: Vec<_> = left.into_iter().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(
            names.iter().filter(|name| name.to_string_lossy().contains("scratch")).count(),
            0,
            "{names:?}"
        );
    }
}

#[test]
fn without_sys_a_device_is_not_said_to_be_missing_or_empty() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 20);
    let device = disk.device.as_str();
    for words in [
        &["quick", device][..],
        &["precondition", device],
        &["pts", "iops", "--target", device, "--plan"],
        &["purge", device, "--plan"],
        &["devices", device],
        &["topology", device],
        &["doctor", device],
        &["tune", "plan", device],
    ] {
        let output = without("/sys", dir.path(), words);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        let why = format!("error: cannot find out what {device} is: there is no /sys/dev/block/7:");
        assert!(said.contains(&why) && said.contains("hint: /sys is not mounted here"), "{words:?}: {said}");
    }
}

#[test]
fn what_is_in_a_closed_directory_is_not_said_to_be_missing() {
    let dir = tempfile::tempdir().unwrap();
    let mode = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(dir.path(), 0o755);
    let (closed, open) = (dir.path().join("closed"), dir.path().join("open"));
    fs::create_dir(&closed).unwrap();
    fs::create_dir(&open).unwrap();
    mode(&closed, 0o700);
    mode(&open, 0o777);
    let file = closed.join("f");
    fs::write(&file, "").unwrap();
    fs::write(dir.path().join("r.fio"), format!("[j]\nrw=read\nfilename={}\nsize=1m\n", file.display()))
        .unwrap();
    let program = dir.path().join("fathom");
    fs::copy(env!("CARGO_BIN_EXE_fathom"), &program).unwrap();
    let (file, jobs) = (file.to_str().unwrap(), "../r.fio");
    for words in [
        &["quick", file][..],
        &["run", jobs],
        &["run", "--plan", jobs],
        &["sweep", jobs, "--vary", "bs=4k", "--plan"],
        &["report", file],
        &["compare", file, file],
        &["resume", file],
        &["bundle", file],
        &["doctor", file],
        &["tune", "plan", file],
        &["precondition", file],
        &["purge", file],
        &["pts", "iops", "--target", file],
        &["devices", file],
        &["topology", file],
        &["suite", "check", file, "--target", jobs],
        &["suite", "check", "flash", "--target", file],
    ] {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(words);
        let output = command.current_dir(&open).env("NO_COLOR", "1").env("HOME", &open).output().unwrap();
        let said = text(&output);
        assert!(
            !output.status.success() && said.contains(&format!("cannot look at {file}: ")),
            "{words:?}: {said}"
        );
        assert!(!said.contains("not exist") && !said.contains("no such"), "{words:?}: {said}");
    }
}
