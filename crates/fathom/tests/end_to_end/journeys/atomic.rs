//! `atomic=1` on targets that promise atomic writes, and on some that do not.

use crate::support::{Loop, Mount, fathom, machine, must, text};
use std::fs;
use std::process::Command;

/// Since Linux 6.16, XFS writes atomically on every disk; a loop device promises nothing.
#[test]
fn atomic_writes_go_where_they_are_promised() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 400);
    let job = "[j]\nioengine=io_uring\nrw=randwrite\nbs=16k\nsize=2m\niodepth=8\natomic=1\n";
    fs::write(dir.path().join("j.fio"), job).unwrap();
    let run = |words: &[&str]| {
        fathom(dir.path()).args(["run", "--no-calibrate", "j.fio"]).args(words).output().unwrap()
    };
    let refused = run(&["--target", &disk.device, "--destroy", &disk.consent()]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    let why = format!("{} promises no atomic writes", disk.device);
    assert!(text(&refused).contains(&why), "{}", text(&refused));

    must(Command::new("mkfs.xfs").args(["-q", "-f", &disk.device]));
    let place = dir.path().join("mnt");
    fs::create_dir(&place).unwrap();
    let _mount = Mount::on(&disk.device, &place);
    let file = place.join("f");
    let file = file.to_str().unwrap();
    let laid = run(&["--target", file, "--set", "atomic=0", "--set", "create_only=1", "--set", "rw=read"]);
    assert_eq!(laid.status.code(), Some(0), "{}", text(&laid));
    for engine in ["ioengine=io_uring", "ioengine=libaio", "ioengine=pvsync2"] {
        let done = run(&["--target", file, "--set", engine]);
        assert_eq!(done.status.code(), Some(0), "{engine}: {}", text(&done));
    }
    let large = run(&["--target", file, "--set", "bs=2m"]);
    assert_eq!(large.status.code(), Some(2), "{}", text(&large));
    assert!(text(&large).contains("takes atomic writes of 4096 to"), "{}", text(&large));
}
