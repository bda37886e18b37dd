//! `fathom suite tables`: what the tables say beside their figures, and which runs have none.

use crate::support::procedure::suite_run;
use crate::support::{fathom, json, must};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Two jobs of one name, and two groups with a figure each.
const SUITE: &str = "title='two ways'\nsource='s'\n[variables]\nbs='4k'\nleast='1'\n\
    [[group]]\nname='rates'\nwhat='random reads'\nvalues=['iops']\njob='''\n\
    [r]\nrw=randread\nbs=${bs}\nrate_min=${least}\ntime_based=1\nruntime=4s\nsize=100%\n\
    [r]\nrw=randread\nbs=${bs}\niodepth=4\nioengine=io_uring\ntime_based=1\nruntime=2s\nsize=100%\n'''\n\
    [[group]]\nname='speed'\nwhat='sequential reads'\nvalues=['mbps']\njob='''\n\
    [s]\nrw=read\nbs=1m\ntime_based=1\nruntime=2s\nsize=100%\n'''\n";

/// Runs the suite under this name on a simulated drive.
fn run(dir: &Path, name: &str, words: &[&str]) {
    fs::write(dir.join("mine.toml"), SUITE).unwrap();
    let usual = ["mine.toml", "--target", "sim:datacentre/1024", "--name", name];
    suite_run(dir, &[&usual[..], words].concat());
}

fn tables(dir: &Path, words: &[&str]) -> Output {
    fathom(dir).args(["suite", "tables"]).args(words).output().unwrap()
}

/// Is it refused with this code and these words, and with a hint?
fn refused(out: &Output, code: i32, said: &str) {
    let told = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{told}");
    assert!(told.contains(said) && told.contains("hint: "), "{said}: {told}");
    assert!(out.stdout.is_empty(), "{out:?}");
}

#[test]
fn tables_say_their_figure_and_what_differs_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "W1", &[]);
    run(dir.path(), "W2", &["--with", "bs=64k", "--repeat", "3"]);
    let text = must(fathom(dir.path()).args(["suite", "tables", "W1", "W2"]));
    let document = must(fathom(dir.path()).args(["suite", "tables", "W1", "W2", "--json"]));
    must(fathom(dir.path()).args(["suite", "tables", "W1", "W2", "-o", "t.html", "--title", "mine"]));
    let page = fs::read_to_string(dir.path().join("t.html")).unwrap();
    for (form, told) in [("text", &text), ("document", &document), ("page", &page)] {
        let deviations: &[&str] = match form {
            "document" => &["\"runs_differ\"", "\"runs_doubted\"", "\"rounds\": 3"],
            _ => &[
                "W2: bs is 64k, and it was 4k for W1.",
                "W2: repeat is 3, and it was not given for W1.",
                "Each run in every round: the drive is simulated [simulated]",
                "(3 rounds)",
            ],
        };
        for said in ["random reads: IOPS", "sequential reads: MB/s"].iter().chain(deviations) {
            assert!(told.contains(*said), "{form}: {said}: {told}");
        }
    }
    let document = json(&document);
    let rows = document["tables"]["tests"][0]["parts"][0]["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| row[0].as_str().unwrap()).collect();
    assert_eq!(names, ["r", "r (2)"], "{rows:?}");
    // The first figure of each group is drawn: a column for each run and row.
    let chart = &document["tables"]["tests"][0]["parts"][1];
    assert_eq!(
        (&chart["part"], &chart["z_names"]),
        (&"columns".into(), &serde_json::json!(["W1", "W2"])),
        "{chart}"
    );
    for (at, row) in rows.iter().enumerate() {
        assert_eq!((&chart["values"][0][at], &chart["values"][1][at]), (&row[1], &row[3]), "{chart}");
    }
    assert!(page.contains("<figcaption>random reads: IOPS"), "{page}");
    assert_eq!(document["columns"][1]["steps_missing"], 0);
    assert_eq!(document["columns"][1]["label"], "W2");
}

#[test]
fn what_has_no_tables_is_refused_in_words_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "W1", &[]);
    run(dir.path(), "W2", &["--output-dir", "w2"]);
    refused(&tables(dir.path(), &["W1", "W1"]), 2, "was given twice");
    let round = "w2/rounds/0001-rates";
    refused(&tables(dir.path(), &["W1", round]), 2, "is a single run, and not the run of a suite");
    must(Command::new("mkfifo").arg(dir.path().join("pipe")));
    refused(&tables(dir.path(), &["W1", "pipe"]), 2, "pipe is neither a directory nor a file");
    refused(&tables(dir.path(), &["W1", "W2", "--title", "t"]), 2, "--title is the title of the page");
    let words = ["W1", "W2", "--title", "t", "--json", "-o", "t.html"];
    refused(&tables(dir.path(), &words), 2, "--title is the title of the page");
    fs::remove_dir_all(dir.path().join(round)).unwrap();
    let out = tables(dir.path(), &["W1", "w2"]);
    refused(&out, 7, "w2 cannot be compared: round 0001-rates cannot be read");
    let compared = fathom(dir.path()).args(["compare", "W1", "w2"]).output().unwrap();
    assert_eq!(out.stderr, compared.stderr, "a damaged procedure is refused in the same words");
}

/// A run that ended at its first cell has no figure: the tables say so, and the exit code too.
#[test]
fn a_run_that_ended_early_is_not_whole() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), "W1", &[]);
    let early = ["suite", "run", "mine.toml", "--target", "sim:datacentre/1024", "--name", "early"];
    let words = ["--with", "least=900m", "--stop-on-failure", "-q"];
    let out = fathom(dir.path()).args(early).args(words).output().unwrap();
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    let out = tables(dir.path(), &["W1", "early"]);
    let told = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(7), "{told}");
    assert!(told.contains("early: It ended early: 1 of 2 steps were not measured."), "{told}");
    assert!(told.contains("early: Failed, and in no figure: rates."), "{told}");
    let out = tables(dir.path(), &["W1", "early", "--json"]);
    let document = json(&String::from_utf8_lossy(&out.stdout));
    let column = &document["columns"][1];
    assert_eq!((&column["steps_missing"], &column["has_figures"]), (&1.into(), &false.into()), "{column}");
}
