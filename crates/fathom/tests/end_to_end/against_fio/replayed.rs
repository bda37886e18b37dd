//! Recordings and replays: what fio records, fathom replays, and the other way round.

use super::work::{self, Work};
use crate::support::{fathom, text};
use std::path::Path;
use std::process::Command;

fn run(tool: &mut Command, dir: &Path, args: &[&str]) -> Work {
    let output = tool.current_dir(dir).args(args).arg("--output-format=json").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", text(&output));
    work::of(&String::from_utf8_lossy(&output.stdout))
}

/// The I/Os of a recording in their order: file, action, offset and length. The offset of a sync means nothing.
fn ios(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).unwrap();
    assert_eq!(text.lines().next(), Some("fio version 3 iolog"));
    let io = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [_, file, action, offset, len] = words[..] else { return None };
        Some(format!("{file} {action} {} {len}", if action == "sync" { "0" } else { offset }))
    };
    text.lines().filter_map(io).collect()
}

const JOB: [&str; 8] = [
    "--name=j",
    "--size=1m",
    "--rw=randrw",
    "--bsrange=4k-16k",
    "--number_ios=120",
    "--fsync=7",
    "--nrfiles=3",
    "--ioengine=psync",
];

#[test]
fn what_fio_records_fathom_replays_in_the_same_order() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    let recorded = run(&mut Command::new("fio"), dir, &[&JOB[..], &["--write_iolog=fio.log"]].concat());
    let replay = ["--name=r", "--ioengine=psync", "--read_iolog=fio.log", "--write_iolog=ours.log"];
    let replayed = run(fathom(dir).arg("fio"), dir, &replay);
    assert_eq!(replayed, recorded);
    let theirs = ios(&dir.join("fio.log"));
    assert!(theirs.len() > 120, "{}", theirs.len());
    assert_eq!(ios(&dir.join("ours.log")), theirs);
}

#[test]
fn what_fathom_records_both_replay() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    let recorded = run(fathom(dir).arg("fio"), dir, &[&JOB[..], &["--write_iolog=ours.log"]].concat());
    let replay = ["--name=r", "--ioengine=psync", "--read_iolog=ours.log"];
    assert_eq!(run(&mut Command::new("fio"), dir, &replay), recorded, "fio");
    assert_eq!(
        run(fathom(dir).arg("fio"), dir, &[&replay[..], &["--write_iolog=again.log"]].concat()),
        recorded
    );
    assert_eq!(ios(&dir.join("again.log")), ios(&dir.join("ours.log")));
}

#[test]
fn jobs_of_one_recording_get_one_each() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    let args =
        ["--name=j", "--size=64k", "--rw=write", "--ioengine=psync", "--numjobs=2", "--write_iolog=x.log"];
    run(fathom(dir).arg("fio"), dir, &args);
    assert!(!dir.join("x.log").exists());
    assert_eq!([1, 2].map(|job| ios(&dir.join(format!("x.log.{job}"))).len()), [16, 16]);
}
