//! A record that was changed after it was saved: no command takes it for what fathom measured.

use crate::support::{fathom, json, must, text};
use std::fs;
use std::path::Path;

const WHY: &str = "run.json was changed after it was saved";

/// It ends in virtual time, and measures long enough for a baseline.
const JOB: &str =
    "[j]\nfilename=sim:datacentre/1024\nrw=randread\nbs=4k\ntime_based=1\nruntime=1\nsize=100%\n";

/// The run `as-saved`, the same with another time in its record as `altered`, and the baselines of the first.
fn altered() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("n.fio"), JOB).unwrap();
    for name in ["as-saved", "altered"] {
        must(fathom(dir.path()).args(["run", "-q", "--no-calibrate", "--output-dir", name, "n.fio"]));
    }
    forge(&dir.path().join("altered/run.json"), "\"elapsed_ns\": ", "\"elapsed_ns\": 9");
    for what in [&["runs", "as-saved"][..], &["figures", "--figures", "read_iops=1"]] {
        must(fathom(dir.path()).args(["baseline", "save", "--baselines-dir", "kept"]).args(what));
    }
    dir
}

fn forge(record: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(record).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(record, text.replace(from, to)).unwrap();
}

/// Ends a command with this code, and returns what it printed.
fn ended(dir: &Path, words: &str, code: i32) -> String {
    let output = fathom(dir).args(words.split(' ')).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words}: {}", text(&output));
    text(&output)
}

#[test]
fn a_run_whose_record_was_changed_is_neither_compared_nor_kept() {
    let dir = altered();
    for words in [
        "compare altered as-saved",
        "compare as-saved altered --json",
        "compare --redact as-saved altered",
        "baseline save s altered --baselines-dir kept",
        "baseline check runs altered --baselines-dir kept",
        "baseline check figures altered --baselines-dir kept",
    ] {
        let said = ended(dir.path(), words, 7);
        assert!(said.contains(&format!("altered cannot be compared: {WHY}")), "{words}: {said}");
    }
    assert!(!dir.path().join("kept/s").exists());
    let said = ended(dir.path(), "compare as-saved as-saved", 2);
    assert!(said.contains("as-saved and as-saved are the same run"), "{said}");
}

#[test]
fn a_run_whose_record_was_changed_is_damaged_on_each_first_screen() {
    let dir = altered();
    let damaged = format!("damage   {WHY}");
    ended(dir.path(), "bundle as-saved -o whole.tar.gz", 0);
    let said = ended(dir.path(), "bundle altered -o a.tar.gz", 0);
    assert!(said.contains(&format!("warning: altered is damaged, and so is its bundle: {WHY}")), "{said}");
    for words in ["report altered", "report --redact altered", "report a.tar.gz"] {
        let said = ended(dir.path(), words, 7);
        assert!(said.contains(" · damaged") && said.contains(&damaged), "{words}: {said}");
    }
    assert!(ended(dir.path(), "report --details altered", 7).contains(&format!("DAMAGED: {WHY}")));
    let page = ended(dir.path(), "report altered --output-format html", 7);
    assert!(page.contains("bad\">damaged</span>") && page.contains(WHY), "{page}");
    let said = ended(dir.path(), "report -o page.html altered", 7);
    assert!(said.contains(WHY), "{said}");
    // What is as it was saved is told as that.
    for words in ["report as-saved", "report whole.tar.gz"] {
        assert!(!ended(dir.path(), words, 0).contains("damage"), "{words}");
    }
}

/// The index knows nothing of it either.
#[test]
fn a_record_that_was_changed_is_damaged_in_a_list() {
    let dir = altered();
    let twice = ["run", "-q", "--no-calibrate", "--repeat", "2", "--output-dir", "twice", "n.fio"];
    must(fathom(dir.path()).args(twice));
    forge(&dir.path().join("twice/procedure.json"), "\"name\": \"n\"", "\"name\": \"m\"");
    let seal = fs::read_to_string(dir.path().join("as-saved/run.json")).unwrap();
    fs::create_dir(dir.path().join("unsealed")).unwrap();
    let (before, _) = seal.rsplit_once(",\n  \"seal\"").unwrap();
    fs::write(dir.path().join("unsealed/run.json"), format!("{before}\n}}\n")).unwrap();
    for _ in 0..2 {
        let listed = json(&must(fathom(dir.path()).args(["runs", "--runs-dir", ".", "--json"])));
        let of = |name: &str| {
            let runs = listed["runs"].as_array().unwrap();
            let run = runs.iter().find(|run| run["directory"] == name).unwrap();
            format!("{} {}", run["state"].as_str().unwrap(), run["why"].as_str().unwrap_or_default())
        };
        assert_eq!(of("as-saved"), "complete ");
        assert_eq!(of("altered"), format!("damaged {WHY}"));
        assert_eq!(of("twice"), "damaged procedure.json was changed after it was saved");
        assert_eq!(of("unsealed"), "damaged run.json has no seal");
    }
}

/// A page that somebody puts there is not named by the run; a procedure has nothing but its rounds.
#[test]
fn a_bundle_has_nothing_that_somebody_else_put_there() {
    let dir = altered();
    fs::write(dir.path().join("as-saved/report.html"), "FORGED").unwrap();
    fs::write(dir.path().join("as-saved/extra.sh"), "rm -rf /\n").unwrap();
    let said = ended(dir.path(), "bundle as-saved -o a.tar.gz", 0);
    assert!(
        said.contains("note: left out of the bundle, as fathom did not save it in as-saved: extra.sh"),
        "{said}"
    );
    let mut tar = std::process::Command::new("tar");
    let listed = must(tar.args(["tzf", "a.tar.gz"]).current_dir(dir.path()));
    assert_eq!(listed, "as-saved/manifest.json\nas-saved/run.json\nas-saved/spool\nas-saved/SHA256SUMS\n");
    assert!(ended(dir.path(), "report a.tar.gz", 0).contains(" · complete"));
}
