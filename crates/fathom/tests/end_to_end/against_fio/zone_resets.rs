//! Zones that a job resets for its writes are counted as fio counts them.

use crate::support::{fathom, text};
use std::path::Path;
use std::process::Command;

const JOB: [&str; 9] = [
    "--name=z",
    "--filename=f",
    "--ioengine=psync",
    "--zonemode=zbd",
    "--zonesize=64k",
    "--bs=16k",
    "--rw=write",
    "--size=256k",
    "--io_size=640k",
];

fn resets(tool: &mut Command, dir: &Path, options: &[&str]) -> String {
    std::fs::write(dir.join("f"), vec![0; 256 << 10]).unwrap();
    let output = tool.current_dir(dir).args(JOB).args(options).output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    let line = said.lines().find(|line| line.contains("zone resets")).expect("a line of writes");
    line.rsplit("; ").next().unwrap().to_owned()
}

/// Four zones are written two and a half times, and then half of them once.
#[test]
fn resets_are_counted() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    let theirs = resets(&mut Command::new("fio"), dir, &[]);
    assert_eq!(theirs, "6 zone resets");
    assert_eq!(resets(fathom(dir).arg("fio"), dir, &[]), theirs);
    let once = ["--io_size=128k"];
    assert_eq!(resets(fathom(dir).arg("fio"), dir, &once), resets(&mut Command::new("fio"), dir, &once));
}
