//! Recordings and replays: what fio records, fathom replays, and the other way round.

use super::work::{self, Work};
use crate::support::{Loop, fathom, text};
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

/// Files of an engine without targets have the names that the job gives them.
#[test]
fn a_recording_of_an_engine_without_targets_names_its_files() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    let job = ["--name=n", "--ioengine=null", "--size=64k", "--rw=write"];
    for more in
        [&["--filename=x:y"][..], &["--directory=.", "--filename=x:y"], &["--directory=.", "--nrfiles=2"]]
    {
        let theirs =
            run(&mut Command::new("fio"), dir, &[&job[..], more, &["--write_iolog=fio.log"]].concat());
        let ours = run(fathom(dir).arg("fio"), dir, &[&job[..], more, &["--write_iolog=ours.log"]].concat());
        assert_eq!(ours, theirs);
        let recorded = ios(&dir.join("ours.log"));
        assert_eq!((recorded.len(), &recorded), (16, &ios(&dir.join("fio.log"))), "{more:?}");
        // fio appends to what is there.
        std::fs::remove_file(dir.join("fio.log")).unwrap();
    }
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

/// A recording of blktrace of this device (linux/blktrace_api.h) with I/Os that were queued: time in µs, category, sector and bytes.
fn record(path: &Path, device: u32, ios: &[(u64, u32, u64, u32)]) {
    let mut bytes = Vec::new();
    for (number, (us, category, sector, len)) in ios.iter().enumerate() {
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend((number as u32).to_le_bytes());
        bytes.extend((us * 1000).to_le_bytes());
        bytes.extend(sector.to_le_bytes());
        [*len, category << 16 | 1, 1, device, 0, 0].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    }
    std::fs::write(path, bytes).unwrap();
}

const READ: u32 = 1;
const WRITE: u32 = 2;
const FLUSH: u32 = 4 | 2;

const IOS: [(u64, u32, u64, u32); 5] = [
    (100, WRITE, 8, 4096),
    (300, READ, 16, 8192),
    (500, FLUSH, 0, 0),
    (20_000, READ, 9, 512),
    (31_000, WRITE, 2040, 4096),
];

#[test]
fn recordings_of_blktrace_are_replayed_as_fio_replays_them() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    record(&dir.join("t"), 7 << 20, &IOS);
    std::fs::write(dir.join("f"), vec![0; 2 << 20]).unwrap();
    for option in ["--replay_skip=write", "--replay_scale=3", "--replay_align=4k", "--replay_no_stall=1"] {
        let replay = ["--name=r", "--ioengine=psync", "--read_iolog=t", "--replay_redirect=f", option];
        let (ours, theirs) =
            (run(fathom(dir).arg("fio"), dir, &replay), run(&mut Command::new("fio"), dir, &replay));
        assert_eq!(ours, theirs, "{option}");
    }
}

/// fio 3.33 writes an empty file; the one of fathom has what fio replays.
#[test]
fn a_merged_recording_is_one_that_fio_replays() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = dir.path();
    record(&dir.join("a"), 7 << 20, &IOS);
    record(&dir.join("b"), 7 << 20 | 1, &IOS[..2]);
    std::fs::write(dir.join("f"), vec![0; 2 << 20]).unwrap();
    let common = ["--name=r", "--ioengine=psync", "--replay_redirect=f"];
    let merge = ["--read_iolog=a:b", "--merge_blktrace_file=m", "--merge_blktrace_iters=1:2"];
    let merged = run(fathom(dir).arg("fio"), dir, &[&common[..], &merge].concat());
    assert_eq!(std::fs::metadata(dir.join("m")).unwrap().len(), 9 * 48);
    assert_eq!(run(&mut Command::new("fio"), dir, &[&common[..], &["--read_iolog=m"]].concat()), merged);
}

/// A trace is refused before anything runs where its I/Os could not all be done: by an engine of names, in zones with write pointers.
#[test]
fn a_trace_is_refused_where_its_ios_cannot_be_done() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let lines = ["fio version 2 iolog", "f add", "f open", "f write 8192 4096", "f read 0 8192", "f close"];
    std::fs::write(dir.join("t"), lines.join("\n") + "\n").unwrap();
    std::fs::write(dir.join("f"), [7; 8192]).unwrap();
    let zoned = "--replay_redirect=sim:smr,size=1g,zone=16m,open=8";
    for (options, code) in [
        (&["--ioengine=filedelete"][..], "replay-excludes"),
        (&["--ioengine=filestat"][..], "replay-excludes"),
        (&["--zonemode=zbd", "--zonesize=4k"][..], "zones-with"),
        (&[zoned][..], "zoned-target"),
    ] {
        let job = ["fio", "--name=a", "--read_iolog=t"];
        let output = fathom(dir).args(job).args(options).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert!(said.contains(code) && said.contains("hint:"), "{options:?}: {said}");
        assert_eq!(std::fs::read(dir.join("f")).unwrap(), [7; 8192], "{options:?}");
    }
    std::fs::write(dir.join("j.fio"), "[a]\nread_iolog=t\nzonemode=strided\nzonesize=4k\n").unwrap();
    let plan = text(&fathom(dir).args(["run", "--plan", "j.fio"]).output().unwrap());
    assert!(plan.contains("replay-decides") && plan.contains("so zonemode"), "{plan}");
}

/// The numbers of a device are those of this machine, and what is written there needs consent.
#[test]
fn a_recording_writes_its_device_only_with_consent() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Its backing file is not below /dev, where a path gives no consent.
    let device = Loop::blank(dir, 16);
    let number: u32 = device.device.trim_start_matches("/dev/loop").parse().unwrap();
    record(&dir.join("t"), 7 << 20 | number, &[(0, WRITE, 8, 4096), (9, READ, 8, 4096)]);
    std::fs::write(dir.join("j.fio"), "[j]\nioengine=psync\nread_iolog=t\n").unwrap();
    let refused = fathom(dir).args(["run", "-q", "j.fio"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert!(std::fs::read(&device.backing).unwrap().iter().all(|byte| *byte == 0));
    let done = fathom(dir).args(["run", "-q", "--destroy", &device.consent(), "j.fio"]).output().unwrap();
    assert!(matches!(done.status.code(), Some(0 | 5)), "{}", text(&done));
    let written = std::fs::read(&device.backing).unwrap();
    assert!(
        written[4096..8192].iter().any(|byte| *byte != 0) && written[8192..].iter().all(|byte| *byte == 0)
    );
    record(&dir.join("t"), 4000 << 20, &[(0, WRITE, 8, 4096)]);
    let missing = fathom(dir).args(["run", "-q", "j.fio"]).output().unwrap();
    assert!(text(&missing).contains("event 1: there is no device 4000:0 here"), "{}", text(&missing));
}
