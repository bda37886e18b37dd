//! What programs that call fio rely on, tested with `fathom fio`.

use crate::support::{fathom, json, text};
use std::path::Path;
use std::process::Output;

fn fio(dir: &Path, words: &[&str]) -> Output {
    fathom(dir).arg("fio").args(words).output().unwrap()
}

/// A job for which there is a note (of the flag), a warning (of the plan) and
/// taints.
const JOB: &[&str] = &[
    "--name=j",
    "--rw=read",
    "--size=64k",
    "--ioengine=psync",
    "--filename=f",
    "--max-jobs=16",
    "--iodepth=8",
];

#[test]
fn standard_error_stays_empty_where_all_is_well() {
    let dir = tempfile::tempdir().unwrap();
    let output = fio(dir.path(), &[JOB, &["--output-format=json"]].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
    let ours = &json(&String::from_utf8(output.stdout).unwrap())["fathom"];
    let messages = ours["messages"].to_string();
    assert!(messages.contains("max-jobs") && messages.contains("depth-unreachable"), "{ours:#}");
    assert!(ours["distrust"].as_array().is_some_and(|taints| !taints.is_empty()), "{ours:#}");
    for words in [&["--parse-only"][..], &["--showcmd"], &["--version"], &["-v"], &["--help"]] {
        let output = fio(dir.path(), &[JOB, words].concat());
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {}", text(&output));
    }
}

#[test]
fn what_was_held_is_told_when_the_run_fails() {
    let dir = tempfile::tempdir().unwrap();
    let output = fio(dir.path(), &[JOB, &["--filename=f/g"]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{}", text(&output));
    assert!(said.contains("max-jobs") && said.contains("error: "), "{said}");
}

/// Scripts check job files that are meant for other machines.
#[test]
fn parsing_alone_looks_at_no_target() {
    let dir = tempfile::tempdir().unwrap();
    let words =
        ["--parse-only", "--name=j", "--rw=randread", "--filename=/dev/nvme77n1", "--ioengine=libaio"];
    let output = fio(dir.path(), &words);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
    let output = fio(dir.path(), &["--parse-only", "--name=j", "--ioengine=libaoi"]);
    assert!(!output.status.success() && text(&output).contains("did you mean"), "{}", text(&output));
}

/// `fio --enghelp` and `fio --terse-version` as scripts use them.
#[test]
fn flags_of_fios_help_that_only_ask_or_print_work() {
    let dir = tempfile::tempdir().unwrap();
    let said = |words: &[&str]| {
        let output = fio(dir.path(), words);
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let engines = said(&["--enghelp"]);
    assert!(engines.starts_with("Available IO engines:\n") && engines.contains("\tlibaio\n"), "{engines}");
    assert!(said(&["--enghelp=libaio"]).starts_with("nowait                  : "));
    assert!(said(&["--enghelp=sync"]).contains("no options"));
    assert!(said(&["-i"]).contains("\tio_uring\n"));
    assert!(said(&["--enghelp=io_uring,sqthread_poll"]).contains("sqthread_poll"));
    assert!(!fio(dir.path(), &["--enghelp=rados"]).status.success());
    let speeds = said(&["--crctest=crc32c,sha1"]);
    assert!(
        speeds.starts_with("crc32c:\t") && speeds.contains("sha1:\t") && speeds.lines().count() == 2,
        "{speeds}"
    );
    assert!(said(&["--crctest=help"]).lines().any(|name| name == "xxhash"));
    // Fields of fio 3.33 for one job on its null engine.
    for (version, fields) in [("2", 161), ("3", 121), ("4", 162), ("5", 180)] {
        let job = ["--name=j", "--ioengine=null", "--size=1m", "--debug=io", "--aux-path=/tmp", "--minimal"];
        let line = said(&[&job[..], &["--terse-version", version]].concat());
        assert_eq!(line.split(';').count(), fields, "{line}");
        assert!(line.starts_with(&format!("{version};")), "{line}");
    }
}

/// A job that takes no time.
const NULL: &[&str] = &["--name=j", "--ioengine=null", "--size=1m", "--rw=rw"];

/// Each flag of `fio --help` with a value that means something.
const LINES: &[(&str, &str)] = &[
    ("debug", "=io"),
    ("parse-only", ""),
    ("merge-blktrace-only", ""),
    ("output", "=result.txt"),
    ("bandwidth-log", ""),
    ("minimal", ""),
    ("output-format", "=json+"),
    ("terse-version", "=5"),
    ("version", ""),
    ("help", ""),
    ("cpuclock-test", ""),
    ("crctest", "=crc32"),
    ("cmdhelp", "=bs"),
    ("enghelp", "=libaio"),
    ("showcmd", ""),
    ("eta", "=never"),
    ("eta-newline", "=1"),
    ("status-interval", "=1"),
    ("readonly", ""),
    ("section", "=j"),
    ("alloc-size", "=1024"),
    ("warnings-fatal", ""),
    ("max-jobs", "=16"),
    ("idle-prof", "=percpu"),
    ("inflate-log", "=a.log"),
    ("aux-path", "=."),
    ("trigger-file", "=absent"),
    ("trigger-timeout", "=1h"),
    ("trigger", "=true"),
    ("trigger-remote", "=true"),
];

/// What fathom refuses, as docs/differences.md says.
const REFUSED: &[&str] = &["server", "client", "remote-config", "daemonize"];

#[test]
fn every_line_of_fios_help_works_or_is_refused_for_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.log"), "1, 2, 0, 4096, 0\n").unwrap();
    let help = std::process::Command::new("fio").arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
    let names: Vec<&str> = flags.map(|line| line.split(['=', '\t', ' ']).next().unwrap()).collect();
    assert!(names.len() >= 34, "{names:?}");
    for name in names {
        let line = LINES.iter().find(|(known, _)| *known == name);
        let flag = format!("--{name}{}", line.map_or("=x", |(_, value)| *value));
        let job = if name == "readonly" { &NULL[..3] } else { NULL };
        let output = fio(dir.path(), &[job, &[&flag]].concat());
        if REFUSED.contains(&name) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains("[refused-flag]"), "{flag}: {}", text(&output));
            continue;
        }
        assert!(line.is_some(), "{name} is not known here");
        assert!(output.status.success() && output.stderr.is_empty(), "{flag}: {}", text(&output));
    }
}

/// All jobs end at once, the command runs, and what was measured is the result. The
/// file is removed, unless it is not a regular file.
#[test]
fn a_trigger_ends_the_jobs_and_runs_its_command() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let day = ["--time_based", "--runtime=1d", "--output-format=json", "--trigger=echo fired >> fired"];
    std::fs::create_dir_all(at("stays")).unwrap();
    for trigger in ["--trigger-timeout=1", "--trigger-file=appears", "--trigger-file=stays"] {
        let makes = (trigger == "--trigger-file=appears").then(|| {
            let file = at("appears");
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_secs(1));
                std::fs::write(file, "").unwrap();
            })
        });
        if trigger == "--trigger-file=stays" {
            std::fs::remove_dir(at("stays")).unwrap();
            let made = at("stays");
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_secs(1));
                std::fs::create_dir(made).unwrap();
            });
        }
        let output = fio(dir.path(), &[NULL, &day, &[trigger]].concat());
        assert!(output.status.success() && output.stderr.is_empty(), "{trigger}: {}", text(&output));
        assert!(json(&String::from_utf8_lossy(&output.stdout))["jobs"][0]["read"]["runtime"].is_u64());
        let _ = makes.map(std::thread::JoinHandle::join);
    }
    assert_eq!(std::fs::read_to_string(at("fired")).unwrap(), "fired\n".repeat(3));
    assert!(!at("appears").exists() && at("stays").is_dir());
    let output = fio(dir.path(), &[NULL, &["--trigger-timeout=0", "--output-format=json"]].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "zero is no trigger: {}", text(&output));
}

/// The file of a trigger is removed when it appears, so it is no other file of the run.
#[test]
fn a_file_of_the_run_is_no_trigger() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("target"), [1; 8192]).unwrap();
    let target = ["--name=j", "--filename=target", "--rw=read", "--trigger-file=target"];
    let log = [NULL, &["--write_bw_log=x", "--trigger-file=x_bw.1.log"]].concat();
    std::fs::write(dir.path().join("kept"), "mine").unwrap();
    let kept = [NULL, &["--trigger-file=kept"]].concat();
    let refused = [
        (&target[..], "a target of this run"),
        (&log, "a log of this run"),
        (&kept, "a file that holds data already"),
    ];
    for (words, what) in refused {
        let output = fio(dir.path(), words);
        assert!(!output.status.success() && text(&output).contains(what), "{}", text(&output));
    }
    assert_eq!(std::fs::read(dir.path().join("target")).unwrap(), [1; 8192]);
    assert_eq!(std::fs::read(dir.path().join("kept")).unwrap(), b"mine");
}

/// A command that goes on after the jobs does not hold up the result.
#[test]
fn the_result_is_printed_before_the_command_of_a_trigger_has_ended() {
    let dir = tempfile::tempdir().unwrap();
    let words = ["--time_based", "--runtime=1d", "--trigger-timeout=1", "--output=out"];
    let wait = "--trigger=while [ ! -s out ]; do sleep 0.1; done; echo seen > seen";
    let output = fio(dir.path(), &[NULL, &words, &[wait]].concat());
    assert!(output.status.success(), "{}", text(&output));
    assert!(dir.path().join("seen").exists());
}

/// Nothing is measured if the result could not be saved.
#[test]
fn a_bandwidth_log_that_cannot_be_written_is_told_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| fio(dir.path(), &[NULL, words, &["--bandwidth-log", "--output=out"]].concat());
    std::fs::create_dir(dir.path().join("agg-trim_bw.log")).unwrap();
    let output = run(&["--time_based", "--runtime=1d"]);
    assert!(!output.status.success() && !dir.path().join("out").exists(), "{}", text(&output));
    std::fs::remove_dir(dir.path().join("agg-trim_bw.log")).unwrap();
    let output = run(&["--write_bw_log=agg-read", "--per_job_logs=0"]);
    assert!(!output.status.success() && text(&output).contains("--bandwidth-log"), "{}", text(&output));
}

/// A program that asks for progress gets it where fio writes it.
#[test]
fn progress_is_shown_where_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let output = fio(dir.path(), &[NULL, &["--time_based", "--runtime=2", "--eta=always"]].concat());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
    assert!(printed.starts_with("Jobs: 1 (f=1)"), "{printed}");
}

#[test]
fn what_is_asked_beside_the_result_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let flags =
        ["--time_based", "--runtime=3", "--status-interval=1", "--bandwidth-log", "--idle-prof=percpu"];
    let output = fio(dir.path(), &[NULL, &flags, &["--output-format=terse,json", "--output=out"]].concat());
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
    let out = std::fs::read_to_string(dir.path().join("out")).unwrap();
    // Two or three on the way, and the result.
    let written: Vec<u64> = out
        .lines()
        .filter(|line| line.starts_with("3;fio-"))
        .map(|line| line.split(';').nth(5).unwrap().parse().unwrap())
        .collect();
    assert!(
        written.len() >= 3 && written.is_sorted() && written[0] < written[written.len() - 1],
        "{written:?}"
    );
    let last = &out[out.rfind("\n{").unwrap()..];
    let idle = json(last)["cpu_idleness"].clone();
    assert!(idle["system"].as_f64().is_some() && idle["cpu-0"].as_f64().is_some(), "{idle}");
    let log = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let read = log("agg-read_bw.log");
    assert!(read.lines().count() >= 2 && read.starts_with("1000, "), "{read}");
    assert!(log("agg-write_bw.log").lines().all(|line| line.ends_with(", 1, 0, 0")));
    assert_eq!(log("agg-trim_bw.log"), "");
}

/// One status for the file, one for the signal, which does not end the run, and the result.
#[test]
fn a_file_and_a_signal_ask_for_a_status() {
    let dir = tempfile::tempdir().unwrap();
    let asking = dir.path().join("fio-dump-status");
    std::fs::write(&asking, "").unwrap();
    let flags = ["--time_based", "--runtime=60", "--output-format=json", "--output=out"];
    let mut command = fathom(dir.path());
    command.env("TMPDIR", dir.path());
    let mut run = command.arg("fio").args(NULL).args(flags).current_dir(dir.path()).spawn().unwrap();
    let documents = || {
        let text = std::fs::read_to_string(dir.path().join("out")).unwrap_or_default();
        serde_json::Deserializer::from_str(&text)
            .into_iter::<serde_json::Value>()
            .filter(Result::is_ok)
            .count()
    };
    let mut wait_for = |count| {
        while documents() < count && run.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        assert!(documents() == count && run.try_wait().unwrap().is_none(), "{count} while it runs");
        run.id().to_string()
    };
    let signal = |name: &str, id: &str| {
        assert!(std::process::Command::new("kill").args([name, id]).status().unwrap().success());
    };
    let id = wait_for(1);
    assert!(!asking.exists());
    signal("-USR1", &id);
    wait_for(2);
    signal("-INT", &id);
    run.wait().unwrap();
    assert_eq!(documents(), 3);
}

/// fio's order, whatever the order of the list; json+ takes the place of json.
#[test]
fn forms_are_printed_in_fios_order() {
    let dir = tempfile::tempdir().unwrap();
    let output = fio(
        dir.path(),
        &["--name=j", "--ioengine=null", "--size=64k", "--output-format=json,normal,terse,json+"],
    );
    let out = String::from_utf8(output.stdout).unwrap();
    let places = ["j: (g=0): rw=read", "\n3;fio-3.33", "\n{\n", "\"bins\"", "\n}\n", "\nj: (groupid=0"]
        .map(|part| out.find(part).unwrap_or_else(|| panic!("no {part:?} in {out}")));
    assert!(places.is_sorted(), "{places:?} in {out}");
    assert_eq!(out.matches("\n{\n").count(), 1);
}

/// A state is in the file when it is due, so a kill leaves all that was written.
#[test]
fn states_are_in_the_file_before_the_end_and_survive_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let flags =
        ["--time_based", "--runtime=60", "--status-interval=1", "--output-format=json", "--output=out"];
    let mut command = fathom(dir.path());
    let mut run = command.arg("fio").args(NULL).args(flags).current_dir(dir.path()).spawn().unwrap();
    let states = || {
        let text = std::fs::read_to_string(dir.path().join("out")).unwrap_or_default();
        serde_json::Deserializer::from_str(&text)
            .into_iter::<serde_json::Value>()
            .map(|state| state.expect("each is whole")["jobs"][0]["read"]["total_ios"].as_u64().unwrap())
            .collect::<Vec<_>>()
    };
    while states().len() < 2 && run.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let before = states();
    assert!(run.try_wait().unwrap().is_none(), "they are there before the end");
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(before.len() >= 2 && before[0] > 0 && before.is_sorted(), "{before:?}");
    assert!(states().starts_with(&before), "nothing is lost");
}
