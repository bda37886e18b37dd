//! Runs of suites compared as wholes: what is not whole is said and ends a check, and a suite beside a run is compared cell by cell.

use crate::support::procedure::{half_of, suite_run};
use crate::support::{fathom, must, text};
use std::fs;
use std::path::Path;
use std::process::Output;

const SUITE: &str = "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='reads'\nvary=['iodepth=1,2,4,8']\nvalues=['iops']\n\
    job='''\n[j]\nrw=randread\nbs=4k\nioengine=io_uring\ntime_based=1\nruntime=5\nsize=100%\n'''\n";

fn run_suite(dir: &Path, file: &str, name: &str) {
    fs::write(dir.join(file), SUITE).unwrap();
    suite_run(dir, &[file, "--target", "sim:datacentre/64", "--name", name]);
}

fn told(dir: &Path, words: &[&str]) -> Output {
    fathom(dir).args(words).output().unwrap()
}

#[test]
fn a_suite_that_is_not_finished_passes_no_check() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    run_suite(dir, "mine.toml", "whole");
    let whole = fs::canonicalize(dir.join("fathom-runs/latest")).unwrap();
    half_of(&whole, &dir.join("half"));
    let kept = ["--baselines-dir", "kept"];
    must(fathom(dir).args(["baseline", "save", "new"]).arg(&whole).args(kept));
    let same = told(dir, &[&["baseline", "check", "new"][..], &[whole.to_str().unwrap()], &kept].concat());
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(text(&same).contains("4 cells, 1 run each"), "{}", text(&same));
    let half = told(dir, &[&["baseline", "check", "new", "half"][..], &kept].concat());
    let said = text(&half);
    assert_eq!(half.status.code(), Some(7), "{said}");
    assert!(said.contains("not finished: 2 of 4 rounds ended"), "{said}");
    assert!(said.contains("cells that were not measured: g iodepth=4, g iodepth=8"), "{said}");
    let compared = text(&told(dir, &["compare", whole.to_str().unwrap(), "half"]));
    assert!(compared.contains("is incomplete: not finished"), "{compared}");
    let saved = told(dir, &[&["baseline", "save", "cut", "half"][..], &kept].concat());
    assert!(saved.status.success(), "{}", text(&saved));
    assert!(text(&saved).contains("the baseline cut is incomplete: not finished"), "{}", text(&saved));
}

#[test]
fn a_run_beside_a_suite_is_compared_with_each_of_its_cells() {
    let dir = tempfile::tempdir().unwrap();
    run_suite(dir.path(), "mine.toml", "four");
    fs::write(
        dir.path().join("r.fio"),
        "[r]\nioengine=io_uring\nfilename=sim:datacentre/64\nrw=randread\nbs=4k\niodepth=4\ntime_based=1\nruntime=5\nsize=100%\n",
    )
    .unwrap();
    must(fathom(dir.path()).args(["run", "-q", "r.fio", "--name", "one"]));
    let compared = text(&told(dir.path(), &["compare", "one", "four"]));
    assert!(
        compared.contains("B (four, g iodepth=1)") && compared.contains("E (four, g iodepth=8)"),
        "{compared}"
    );
}

#[test]
fn nothing_of_a_suite_that_a_user_wrote_is_in_a_redacted_report() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let own = [
        ("title='t'", "title='Zorilla title'\nabout='For the  zorilla.'"),
        ("source='s'", "source='Zorilla, its source'"),
        ("what='reads'", "what='reads for the zorilla'"),
        ("name='g'", "name='zorilla.4k'"),
    ];
    let suite = own.iter().fold(SUITE.to_owned(), |text, (usual, own)| text.replace(usual, own));
    fs::write(dir.join("SecretCorp.toml"), suite).unwrap();
    for name in ["okapi", "quagga"] {
        suite_run(dir, &["SecretCorp.toml", "--target", "sim:datacentre/64", "--name", name]);
    }
    let shown = text(&told(dir, &["report", "okapi", "--details"]));
    assert!(shown.matches("orilla").count() > 4, "{shown}");
    let open = text(&told(dir, &["compare", "okapi", "quagga"]));
    assert!(open.contains("4 cells of the suite SecretCorp"), "{open}");
    for words in [
        &["compare", "okapi", "quagga"][..],
        &["compare", "okapi", "quagga", "--json"],
        &["compare", "okapi", "quagga", "--html"],
        &["report", "okapi"],
        &["report", "okapi", "--details"],
        &["report", "okapi", "--json"],
        &["report", "okapi", "--output-format", "html"],
    ] {
        let output = told(dir, &[words, &["--redact"]].concat());
        let said = text(&output);
        assert!(output.status.success() && said.contains("file-"), "{words:?}: {said}");
        assert!(
            !said.contains("SecretCorp") && !said.to_lowercase().contains("zorilla"),
            "{words:?}: {said}"
        );
    }
}
