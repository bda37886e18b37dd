//! Latencies by priority, beside Debian's fio.

use crate::support::{fathom, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Reads and writes of a file, with these options of libaio; group reporting is on.
fn job(options: &str) -> String {
    format!(
        "[global]\nioengine=libaio\niodepth=4\nfilename=data\nsize=4m\ngroup_reporting\nbs=4k\nrw=randrw\n[j]\n{options}\n"
    )
}

fn output(tool: &mut Command, at: &Path, job: &str, format: &str) -> String {
    std::fs::write(at.join("j.fio"), job).unwrap();
    let output = tool.current_dir(at).args([&format!("--output-format={format}"), "j.fio"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn fathom_fio(at: &Path) -> Command {
    let mut tool = fathom(at);
    tool.arg("fio");
    tool
}

/// The directions of the first job.
fn directions(json: &str) -> Vec<(&'static str, Value)> {
    let document: Value = serde_json::from_str(&json[json.find("{\n").unwrap()..]).unwrap();
    let each = ["read", "write", "trim", "mixed"];
    each.into_iter().filter_map(|name| Some((name, document["jobs"][0].get(name)?.clone()))).collect()
}

/// All keys and priorities, in their order, without the numbers that differ from run to run.
fn shape(json: &str) -> String {
    let mut shape = String::new();
    for (name, direction) in directions(json) {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
        shape += &format!("{name}: {}\n", keys(&direction));
        for of_priority in direction.get("prios").and_then(Value::as_array).into_iter().flatten() {
            shape += &format!("  {} {}: ", of_priority["prioclass"], of_priority["prio"]);
            let (key, latency) = of_priority.as_object().unwrap().iter().next_back().unwrap();
            let percentiles = latency.get("percentile").map(keys);
            shape += &format!("{key} {} {percentiles:?}\n", keys(latency));
        }
    }
    shape
}

#[test]
fn the_priorities_and_the_keys_are_those_of_fio() {
    let dir = tempfile::tempdir().unwrap();
    for options in [
        "cmdprio_percentage=50\ncmdprio_class=2\ncmdprio=3",
        "cmdprio_percentage=50,0\nlat_percentiles=1\nprio=3",
        "cmdprio_percentage=50\nlat_percentiles=1\nclat_percentiles=0\nprioclass=3",
        "cmdprio_percentage=50\nclat_percentiles=0",
        "cmdprio_percentage=50\ndisable_clat=1",
        "cmdprio_percentage=50\ndisable_lat=1\nlat_percentiles=1",
        // One priority alone.
        "cmdprio_percentage=100",
        "cmdprio_percentage=50\ncmdprio_class=2\ncmdprio=3\nprioclass=2\nprio=3",
        // The one of the job is first; the others follow in the order of the sizes, and then of the option.
        "bssplit=4k/50:8k/50\ncmdprio_bssplit=8k/20/3/0:4k/30/2/7:4k/50/1/2\nprioclass=2\nprio=5",
        "cmdprio_percentage=50\nunified_rw_reporting=mixed",
        "cmdprio_percentage=50\nunified_rw_reporting=both",
        "cmdprio_percentage=50\nnumjobs=2",
        // Jobs of a group, with and without priorities of single I/Os.
        "cmdprio_percentage=30\nprio=3\ncmdprio_class=3\n[k]\ncmdprio_percentage=50\nprio=2",
        "prio=3\n[k]\ncmdprio_percentage=50\nprio=2",
        "prio=3\n[k]\nprio=2",
        "prio=3\n[k]\nprio=3",
    ] {
        let theirs = shape(&output(&mut Command::new("fio"), dir.path(), &job(options), "json"));
        let ours = shape(&output(&mut fathom_fio(dir.path()), dir.path(), &job(options), "json"));
        assert_eq!(theirs, ours, "{options}");
    }
}

/// The words of the lines by priority, without their numbers and units.
fn words(output: &str) -> Vec<String> {
    let lines = output.lines().filter(|line| line.contains(" prio "));
    let before =
        |line: &str| line.split_once(if line.contains('%') { "% of" } else { "=" }).unwrap().0.to_owned();
    let masked = |line: String| line.replace("usec", "nsec").replace("msec", "nsec");
    let cut = |line: String| match line.rfind('(') {
        // The share of the I/Os differs from run to run.
        Some(at) if !line.contains("sec") => line[..at].to_owned(),
        _ => line,
    };
    lines.map(|line| cut(masked(before(line)))).collect()
}

#[test]
fn the_lines_are_those_of_fio() {
    let dir = tempfile::tempdir().unwrap();
    for options in ["", "lat_percentiles=1\nclat_percentiles=0", "clat_percentiles=0"] {
        let job = job(&format!("cmdprio_percentage=50\ncmdprio_class=2\ncmdprio=3\nprioclass=3\n{options}"));
        let theirs = words(&output(&mut Command::new("fio"), dir.path(), &job, "normal"));
        let ours = words(&output(&mut fathom_fio(dir.path()), dir.path(), &job, "normal"));
        assert!(ours.len() >= 4, "{ours:?}");
        assert_eq!(theirs, ours, "{options}");
    }
}

/// Every I/O of 8 KiB has a priority of its own, and no other: in the list, and in each line of the log, also where the data
/// is verified.
#[test]
fn each_priority_has_the_ios_that_it_was_given_to() {
    let dir = tempfile::tempdir().unwrap();
    for engine in ["libaio", "io_uring"] {
        for verify in ["", "verify=crc32c\ndo_verify=0\n"] {
            let options =
                "bssplit=4k/50:8k/50\ncmdprio_bssplit=8k/100/3/2:4k/0\nprio=6\nlog_prio=1\nwrite_lat_log=l";
            let job = job(&format!("{options}\n{verify}rw=randwrite\nioengine={engine}"));
            let json = output(&mut fathom_fio(dir.path()), dir.path(), &job, "json");
            let (_, write) = directions(&json).swap_remove(1);
            let (ios, bytes) = (write["total_ios"].as_u64().unwrap(), write["io_bytes"].as_u64().unwrap());
            let long = bytes / 4096 - ios;
            assert!(long > 0 && long < ios);
            let n = |at: usize| {
                let one = &write["prios"][at];
                let number = |key: &str| one[key].as_u64().unwrap();
                (number("prioclass"), number("prio"), one["clat_ns"]["N"].as_u64().unwrap())
            };
            assert_eq!([n(0), n(1)], [(2, 6, ios - long), (3, 2, long)], "{engine} {verify}");
            let log = std::fs::read_to_string(dir.path().join("l_clat.1.log")).unwrap();
            let lines = |end: &str| log.lines().filter(|line| line.ends_with(end)).count() as u64;
            let counted = (lines("8192, 0x6002"), lines("4096, 0x4006"), log.lines().count() as u64);
            assert_eq!(counted, (long, ios - long, ios), "{engine} {verify}");
        }
    }
}
