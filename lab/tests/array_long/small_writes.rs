//! A small write of a RAID 5 reads old blocks and writes data and parity: four I/Os of the members.

use fathom_lab::fathom;
use std::fs;

use crate::array::bench::{Array, assert_apart, drives};

const DIR: &str = "/tmp/array-run";
const JOB: &str = "/tmp/small.fio";

#[test]
fn a_write_of_raid_5_costs_two_reads_and_two_writes() {
    let drives = drives();
    let array = Array::of(&drives, &["--level", "5", "--chunk", "64k", "--wait"]);
    let job = "[small]\nrw=randwrite\nbs=4k\niodepth=1\nioengine=psync\ndirect=1\nruntime=4\ntime_based\n";
    fs::write(JOB, format!("{job}filename={}\n", array.node)).unwrap();
    let _ = fs::remove_dir_all(DIR);
    let words =
        ["run", JOB, "--no-calibrate", "-q", "--details", "--destroy", &array.uuid, "--output-dir", DIR];
    let run = fathom(&words);
    assert_eq!(run.code, Some(0), "{run:?}");
    let told = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let number = |before: &str, after: &str| -> f64 {
        let text = told.split(before).nth(1).unwrap_or_else(|| panic!("no {before:?}: {told}"));
        text.split(after).next().unwrap().parse().unwrap_or_else(|e| panic!("{e}: {text}"))
    };
    let (reads, writes) =
        (number("each write cost ", " reads and "), number(" reads and ", " writes of its"));
    assert!((1.9..=2.1).contains(&reads) && (1.9..=2.1).contains(&writes), "{reads} {writes}: {told}");
    let _ = fs::remove_dir_all(DIR);
    array.remove();
    assert_apart(&drives);
}
