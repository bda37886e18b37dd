//! fio's manners at fio's door: what programs that call fio rely on.

mod support;

use std::path::Path;
use std::process::Output;
use support::{fathom, json, text};

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
    let said = ours["said"].to_string();
    assert!(said.contains("max-jobs") && said.contains("page-cache"), "{ours:#}");
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

/// Scripts check job files for machines that they are not on.
#[test]
fn parsing_alone_looks_at_no_target() {
    let dir = tempfile::tempdir().unwrap();
    let words =
        ["--parse-only", "--name=j", "--rw=randread", "--filename=/dev/nvme77n1", "--ioengine=libaio"];
    let output = fio(dir.path(), &words);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output));
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
    assert!(said(&["--enghelp=libaio"]).contains("libaio: "));
    assert!(said(&["-i"]).contains("\tio_uring\n"));
    assert!(said(&["--enghelp=io_uring,sqthread_poll"]).contains("sqthread_poll"));
    assert!(!fio(dir.path(), &["--enghelp=rados"]).status.success());
    // Fields of fio 3.33 for one job on its null engine.
    for (version, fields) in [("2", 161), ("3", 121), ("4", 162), ("5", 180)] {
        let job = ["--name=j", "--ioengine=null", "--size=1m", "--debug=io", "--aux-path=/tmp", "--minimal"];
        let line = said(&[&job[..], &["--terse-version", version]].concat());
        assert_eq!(line.split(';').count(), fields, "{line}");
        assert!(line.starts_with(&format!("{version};")), "{line}");
    }
}
