//! `fathom suite run` on NVMe drives: a guide that is killed in the middle and resumed, and several drives together. Emulated drives are
//! slow, so all times are cut.

use crate::array::bench::{Array, SERIALS, drives};
use fathom_lab::{Drive, fathom, wait_until};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const DIR: &str = "/tmp/suite";

fn rounds() -> Vec<String> {
    let entries = fs::read_dir(Path::new(DIR).join("rounds")).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    // A round that begins has a hidden directory until its record is in it.
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

/// V-21, V-22: the jobs in their order, the drive emptied before each that writes; no finished round is measured again after a kill.
#[test]
fn the_jobs_of_a_guide_are_resumed_after_a_kill() {
    let drive = Drive::by_serial("LAB-E");
    drive.blank();
    let _ = fs::remove_dir_all(DIR);
    let words = ["suite", "run", "vsl", "--target", &drive.node, "--scale", "60", "--output-dir", DIR, "-q"];
    let refused = fathom(&words);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let _ = fs::remove_dir_all(DIR);
    let mut child = Command::new("fathom")
        .args(words)
        .args(["--destroy", "LAB-E"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the third round begins", || (rounds().len() >= 3).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    let seal = |name: &str| fs::read(Path::new(DIR).join("rounds").join(name).join("run.json")).unwrap();
    let first = rounds()[0].clone();
    let before = seal(&first);
    let resumed = fathom(&["resume", DIR, "-q", "--destroy", "LAB-E"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(seal(&first), before);
    let report = fathom(&["report", DIR, "--json"]).stdout;
    for name in
        ["01-random-512-write-latency", "05-precondition-sequential-1m-write", "09-random-1m-read-bandwidth"]
    {
        assert!(report.contains(name), "{name}: {report}");
    }
    // Five jobs write, and a purge whose job was killed is done again.
    let purges = report.matches("\"what\": \"purge\"").count();
    assert!(matches!(purges, 5 | 6), "{purges}: {report}");
    let _ = fs::remove_dir_all(DIR);
    drive.blank();
}

/// M-2: one drive, two, three, four; each number of drives has its place in the table.
#[test]
fn several_drives_are_measured_alone_and_together() {
    const FILE: &str = "/tmp/growing.toml";
    let drives = drives();
    let _ = fs::remove_dir_all(DIR);
    let text = "title='t'\nsource='s'\ndevices='1..'\n[[group]]\nname='read'\nwhat='random reads'\nover='growing'\n\
                values=['iops']\njob='''\n[r]\nrw=randread\nbs=8k\niodepth=8\nioengine=libaio\ndirect=1\ntime_based=1\nruntime=1\n'''\n";
    fs::write(FILE, text).unwrap();
    let mut words = vec!["suite", "run", FILE, "--output-dir", DIR, "-q"];
    drives.iter().for_each(|drive| words.extend(["--target", drive.node.as_str()]));
    let run = fathom(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    for said in ["1+2+3+4", "% of the parts"] {
        assert!(run.stdout.contains(said), "{said}: {}", run.stdout);
    }
    assert_eq!(SERIALS.len(), drives.len());
    let _ = fs::remove_dir_all(DIR);
}

/// I-54: one RAID level after the other on the same drives, the second killed and resumed; the tables have a column for each, with
/// the use of all CPUs, in which the threads of the array are.
#[test]
fn raid_levels_are_measured_one_after_the_other_and_put_side_by_side() {
    let drives = drives();
    let mut runs = Vec::new();
    for level in ["0", "5"] {
        let array = Array::of(&drives, &["--level", level, "--chunk", "128k", "--wait"]);
        let dir = format!("{DIR}-{level}");
        let _ = fs::remove_dir_all(&dir);
        let consent = ["--destroy", array.uuid.as_str()];
        let words =
            ["suite", "run", "vroc", "--target", &array.node, "--output-dir", &dir, "-q", "--name", level];
        let short = ["--with", "prepare=600s", "--with", "prepare_ramp=0"];
        let cut = ["--only", "sequential-prepare,sequential", "--repeat", "1", "--scale", "1200"];
        let cut = [&cut[..], &short].concat();
        let all = [&words[..], &cut, &consent].concat();
        match level {
            "0" => assert_eq!(fathom(&all).code, Some(0)),
            _ => {
                let mut child = Command::new("fathom").args(&all).stdout(Stdio::null()).spawn().unwrap();
                let second = Path::new(&dir).join("rounds/0002-sequential-rw-write");
                wait_until("the second round begins", || second.exists().then_some(()));
                child.kill().unwrap();
                child.wait().unwrap();
                let resumed = fathom(&[&["resume", &dir, "-q"], &consent[..]].concat());
                assert_eq!(resumed.code, Some(0), "{resumed:?}");
            }
        }
        array.remove();
        runs.push(dir);
    }
    let tables = fathom(&["suite", "tables", &runs[0], &runs[1]]).stdout;
    for said in ["sequential 128 KiB at depth 128: MB/s", "all CPUs %", "rw=write"] {
        assert!(tables.contains(said), "{said}: {tables}");
    }
    runs.iter().for_each(|dir| fs::remove_dir_all(dir).unwrap());
    drives.iter().for_each(Drive::blank);
}
