//! Suites on a loop device and a file system: what the page cache, the window of reading ahead and the file system do to the
//! requests that reach the disk.

use crate::support::procedure::suite_run;
use crate::support::{Loop, Mount, fathom, machine, sh, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the device keeps its window of reading ahead, in KiB.
fn window_of(disk: &Loop) -> PathBuf {
    Path::new("/sys/block").join(disk.device.trim_start_matches("/dev/")).join("queue/read_ahead_kb")
}

/// The rows of the first table of a group, each as pairs of column and number.
fn rows(document: &Value, group: &str) -> Vec<Vec<(String, f64)>> {
    let tests = document["standard_report"]["tests"].as_array().unwrap();
    let test = tests.iter().find(|test| test["name"] == group).unwrap_or_else(|| panic!("no {group}"));
    let table = &test["parts"][0];
    let columns: Vec<&str> =
        table["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let row = |row: &Value| {
        let pairs = columns.iter().zip(row.as_array().unwrap());
        pairs.filter_map(|(column, cell)| Some(((*column).to_owned(), cell.as_f64()?))).collect()
    };
    table["rows"].as_array().unwrap().iter().map(row).collect()
}

fn value(row: &[(String, f64)], column: &str) -> f64 {
    row.iter().find(|(name, _)| name == column).unwrap_or_else(|| panic!("no {column}: {row:?}")).1
}

/// T-45, T-46: 4096 reads of 4 KiB. Without a window each is a request; with one, many are one request; with twice the window,
/// fewer. Past the page cache there is no window.
#[test]
fn a_window_of_reading_ahead_makes_few_requests_of_many_reads() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    fs::write(window_of(&disk), "64").unwrap();
    let words = ["readahead", "--target", &disk.device, "--with", "size=16m", "--scale", "10"];
    let document = suite_run(dir.path(), &words);
    let of = |group: &str| -> Vec<f64> {
        rows(&document, group).iter().map(|row| value(row, "device I/Os")).collect()
    };
    let [none, window, twice] = of("buffered")[..] else { panic!("{document}") };
    assert_eq!(none, 4096.0);
    // Several windows of 64 KiB may become one request: in the article 182 KiB on average.
    assert!((64.0..=280.0).contains(&window), "{window} requests");
    let ratio = twice / window;
    assert!((0.4..0.7).contains(&ratio), "{window} and {twice}");
    assert_eq!(of("direct"), [4096.0]);
}

/// T-45: windows of the device are compared by one command, and the window that the device had is put back.
#[test]
fn windows_of_a_device_are_tried_in_turn_and_put_back() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    let window = || fs::read_to_string(window_of(&disk)).unwrap();
    let before = window();
    let job = format!("[r]\nioengine=psync\nfilename={}\nrw=read\nbs=4k\nsize=16m\n", disk.device);
    fs::write(dir.path().join("r.fio"), job).unwrap();
    let setting = format!("blk.read_ahead={},0", before.trim());
    let words = ["try", &setting, "--yes", "-q", "--", "r.fio"];
    let output = fathom(dir.path()).args(words).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    for said in ["is set already: the other values are compared with it", "95 % interval"] {
        assert!(text(&output).contains(said), "{said}: {}", text(&output));
    }
    assert_eq!(window(), before);
}

/// T-53: the same data through the page cache, past it, and without the file system.
#[test]
fn a_file_and_its_device_are_compared_through_and_past_the_page_cache() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 128);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mount = Mount::on(&disk.device, &dir.path().join("fs"));
    let file = mount.path.join("data");
    // So small that 0.3 s are enough to read each block once, also on a busy machine.
    fs::write(&file, vec![7; 2 << 20]).unwrap();
    sh("sync", "");
    let words = [
        "direct-vs-buffered-vs-raw",
        "--target",
        file.to_str().unwrap(),
        "--target",
        &disk.device,
        "--scale",
        "100",
    ];
    let document = suite_run(dir.path(), &words);
    let share = |group: &str| value(&rows(&document, group)[0], "cache %");
    assert!(share("buffered-warm") > 99.0, "every page was read before");
    for group in ["direct", "raw", "direct-deep", "raw-deep"] {
        assert_eq!(share(group), 0.0, "{group}");
    }
    let rate = |group: &str| value(&rows(&document, group)[0], "IOPS");
    assert!(rate("buffered-warm") > 2.0 * rate("direct"), "memory is faster than a disk");
}
