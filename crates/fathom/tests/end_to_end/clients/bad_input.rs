//! What clients meet: a volume that is too small, files that are not there, jobs that fail, a signal, a reader that goes away. Where
//! fio prints a result, fathom prints one too, alone on standard output, with fio's exit code and the same jobs failed.

use super::{Tool, tools};
use crate::support::{Loop, Mount, json, key_paths, own_devices, sh, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Each job's name, whether it failed, and whether it did any I/O.
type Outcomes = Vec<(String, bool, bool)>;

fn outcomes(document: &Value) -> Outcomes {
    let jobs = document["jobs"].as_array().unwrap();
    let has_io = |job: &Value| ["read", "write"].iter().any(|side| job[side]["total_ios"].as_u64() > Some(0));
    jobs.iter()
        .map(|job| (job["jobname"].as_str().unwrap().to_owned(), job["error"] != 0, has_io(job)))
        .collect()
}

/// The document of fathom is all that it prints. fio prints messages before its own.
fn document(tool: &Tool, output: &Output) -> Option<Value> {
    let printed = String::from_utf8_lossy(&output.stdout);
    match tool.name {
        "fathom" if printed.is_empty() => None,
        "fathom" => Some(serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{e}: {}", text(output)))),
        _ => printed.contains("{\n").then(|| json(&printed)),
    }
}

/// Another job beside the one that fails, which is reported.
const BESIDE: &str = "--name=beside --ioengine=null --size=64k --bs=4k --rw=read";

/// What both tools make of these words: exit code and outcomes.
fn both(scratch: &Path, volume: &Path, words: &str) -> [(Option<i32>, Option<Outcomes>); 2] {
    tools(scratch).map(|tool| {
        fs::write(tool.dir.join("zeros"), vec![0; 1 << 16]).unwrap();
        let _ = fs::remove_file(volume.join("w"));
        let words =
            format!("fio --output-format=json {}", words.replace("VOLUME", &volume.display().to_string()));
        let output = tool.run(&words.split_whitespace().collect::<Vec<_>>());
        match (tool.name, output.status.success()) {
            ("fathom", true) => assert!(output.stderr.is_empty(), "{}", text(&output)),
            ("fathom", false) => assert!(!output.stderr.is_empty(), "nothing is said: {words}"),
            _ => (),
        }
        let document = document(&tool, &output);
        (output.status.code(), document.as_ref().map(outcomes))
    })
}

#[test]
fn a_job_that_cannot_run_fails_alone_and_with_fio_s_exit_code() {
    let scratch = tempfile::tempdir().unwrap();
    let volume = Mount::on("-t tmpfs -o size=1m tmpfs", &scratch.path().join("volume"));
    let cases = [
        ("--name=full --filename=VOLUME/w --size=4m --rw=write --bs=64k", 1),
        ("--name=laid-out --filename=VOLUME/w --size=4m --rw=read --bs=64k", 1),
        ("--name=made --filename=new/dir/f --size=64k --rw=write --bs=4k", 0),
        ("--name=wrong --filename=zeros --size=64k --bs=4k --rw=read --verify=crc32c", 1),
        ("--name=based --ioengine=null --size=64k --bs=4k --rw=read --time_based", 0),
    ];
    for (n, (words, code)) in cases.into_iter().enumerate() {
        let at = scratch.path().join(n.to_string());
        fs::create_dir(&at).unwrap();
        let [theirs, ours] = both(&at, &volume.path, &format!("{words} {BESIDE}"));
        assert_eq!(ours.0, Some(code), "{words}");
        assert_eq!(ours.0, theirs.0, "{words}");
        let [theirs, ours] =
            [theirs, ours].map(|(_, outcomes)| outcomes.unwrap_or_else(|| panic!("{words}")));
        let failed =
            |of: &[(String, bool, bool)]| of.iter().map(|it| (it.0.clone(), it.1)).collect::<Vec<_>>();
        assert_eq!(failed(&ours), failed(&theirs), "{words}");
        assert!(ours[1].2, "{words}: the job beside it ran");
    }
}

/// fio 3.33 reports a job that may not make its file without an error, and exits with 1.
#[test]
fn a_job_that_may_not_make_its_file_fails_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let words = format!("--name=gone --filename=none --allow_file_create=0 --size=64k --rw=read {BESIDE}");
    let [theirs, ours] = both(scratch.path(), scratch.path(), &words);
    assert_eq!((ours.0, theirs.0), (Some(1), Some(1)));
    let beside = ("beside".to_owned(), false, true);
    assert_eq!(theirs.1.unwrap(), [("gone".to_owned(), false, false), beside.clone()]);
    assert_eq!(ours.1.unwrap(), [("gone".to_owned(), true, false), beside]);
    assert!(!scratch.path().join("none").exists(), "it is not made");
}

#[test]
fn what_is_no_job_is_an_error_with_nothing_on_stdout() {
    let scratch = tempfile::tempdir().unwrap();
    let cases =
        ["none.fio", "--name=a --directory=/none/here --size=4k", "--name=a --size=64k --nosuch=3", ""];
    for (n, words) in cases.into_iter().enumerate() {
        let at = scratch.path().join(n.to_string());
        fs::create_dir(&at).unwrap();
        let [theirs, ours] = both(&at, &at, words);
        assert_eq!((ours, theirs), ((Some(1), None), (Some(1), None)), "{words}");
    }
}

/// The job that kubestr runs where none is given, with shorter times.
const KUBESTR: &str = "[global]\nrandrepeat=0\nverify=0\nioengine=libaio\ndirect=1\ngtod_reduce=1\n\
                       [job1]\nname=read_iops\nbs=4K\niodepth=64\nsize=SIZE\nreadwrite=randread\ntime_based\nramp_time=50ms\nruntime=200ms\n\
                       [job2]\nname=write_iops\nbs=4K\niodepth=64\nsize=SIZE\nreadwrite=randwrite\ntime_based\nramp_time=50ms\nruntime=200ms\n";

/// What the JSON says of a job that began: `latency_depth`, ….
const LATENCY_GOAL: [&str; 4] = ["depth", "target", "percentile", "window"];

/// An operator gives the format behind the job file, and reads what is printed as one document, also where its volume is too small.
#[test]
fn an_operator_s_job_is_one_document_on_a_volume_of_any_size() {
    let _devices = own_devices();
    let scratch = tempfile::tempdir().unwrap();
    let disk = Loop::blank(scratch.path(), 16);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let volume = Mount::on(&disk.device, &scratch.path().join("volume"));
    let at = volume.path.display().to_string();
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        ["2M", "2G"].map(|size| {
            tool.write("job.fio", &KUBESTR.replace("SIZE", size));
            let output = tool.run(&["fio", "--directory", &at, "job.fio", "--output-format=json"]);
            assert!(size == "2G" || output.stderr.is_empty(), "{}", text(&output));
            let document = document(&tool, &output).unwrap_or_else(|| panic!("{}", text(&output)));
            for name in ["job1.0.0", "job2.0.0"] {
                let _ = fs::remove_file(volume.path.join(name));
            }
            let mut keys = BTreeSet::new();
            key_paths(&document["jobs"], "", &mut keys);
            // fio's second job begins and writes until the volume is full; here its reservation fails before it begins.
            if size == "2G" {
                keys.retain(|key| !LATENCY_GOAL.iter().any(|goal| key == &format!("[]/latency_{goal}")));
            }
            let errors: Vec<Value> =
                document["jobs"].as_array().unwrap().iter().map(|job| job["error"].clone()).collect();
            (output.status.code(), keys, errors)
        })
    });
    assert_eq!(ours, theirs);
    assert_eq!((ours[0].0, ours[1].0), (Some(0), Some(2)));
    assert_eq!(ours[1].2, [28, 28]);
}

/// Ctrl-C in the middle of a job: a result of what was done until then, and fio's exit code.
#[test]
fn a_signal_ends_a_run_with_its_result() {
    let scratch = tempfile::tempdir().unwrap();
    for tool in tools(scratch.path()) {
        for signal in ["-INT", "-TERM"] {
            let job = "fio --output-format=json --name=a --ioengine=null --size=1g --time_based --runtime=60 --rate_iops=1000";
            let mut command = tool.command(&job.split(' ').collect::<Vec<_>>());
            let child =
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(900));
            sh("kill", &format!("{signal} {}", child.id()));
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(128), "{}: {}", tool.name, text(&output));
            let document = document(&tool, &output).unwrap_or_else(|| panic!("{}", text(&output)));
            assert_eq!(outcomes(&document), [("a".to_owned(), false, true)]);
            let seconds = document["jobs"][0]["read"]["runtime"].as_f64().unwrap() / 1e3;
            assert!(seconds < 30.0, "{}", text(&output));
        }
    }
}

/// A reader that wants one line ends neither the run nor its log. It has the same line as with fio.
#[test]
fn a_reader_that_goes_away_gets_its_line() {
    let scratch = tempfile::tempdir().unwrap();
    let [theirs, ours] = tools(scratch.path()).map(|tool| {
        let job =
            "fio --name=a --ioengine=null --size=64k --bs=4k --rw=read --write_lat_log=l 2> err | head -1";
        let line = tool.must(&["setsid", "sh", "-c", job]);
        assert_eq!(tool.read("err"), "", "{}", tool.name);
        (line, tool.read("l_lat.1.log").lines().count())
    });
    assert_eq!(ours, theirs);
    assert_eq!(ours.1, 16);
}

/// A log on a full disk: the result is printed all the same, and what is missing is said.
#[test]
fn a_log_on_a_full_disk_leaves_the_result() {
    let scratch = tempfile::tempdir().unwrap();
    let volume = Mount::on("-t tmpfs -o size=64k tmpfs", &scratch.path().join("volume"));
    let [_, tool] = tools(scratch.path());
    let log = format!("--write_lat_log={}/l", volume.path.display());
    let job =
        ["--output-format=json", "--name=a", "--ioengine=null", "--size=64m", "--bs=4k", "--rw=read", &log];
    let output = tool.run(&[&["fio"], &job[..]].concat());
    let document = document(&tool, &output).expect("a document");
    assert_eq!(document["jobs"][0]["read"]["total_ios"], 16384);
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left on device"), "{}", text(&output));
    assert_eq!(output.status.code(), Some(1));
    // A document that has no room is not lost either.
    let full = Command::new("sh")
        .arg("-c")
        .arg("exec \"$@\" > /dev/full")
        .arg("sh")
        .args(["/usr/bin/env", "fio"])
        .args(&job[..6])
        .current_dir(&tool.dir)
        .env("PATH", &tool.path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&full.stderr);
    let kept = said.split("fathom report ").nth(1).unwrap_or_else(|| panic!("{said}")).trim();
    assert!(Path::new(kept).join("run.json").exists(), "{said}");
    fs::remove_dir_all(kept).unwrap();
}
