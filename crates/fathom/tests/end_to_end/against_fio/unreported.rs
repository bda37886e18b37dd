//! `stats=0`: the job runs, and neither tool reports it.

use crate::support::{fathom, json, must, text};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names and I/Os of the jobs of a document. fio 3.33 ends its list with an entry without a name for each job that it leaves out.
fn reported(document: &str) -> Vec<(String, u64)> {
    let jobs = json(document)["jobs"].as_array().unwrap().clone();
    let named = jobs.iter().filter_map(|job| Some((job["jobname"].as_str()?.to_owned(), job)));
    named.map(|(name, job)| (name, job["write"]["total_ios"].as_u64().unwrap())).collect()
}

#[test]
fn a_job_with_stats_0_runs_and_is_in_no_sum() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = scratch.path();
    for (group, wanted) in [("", vec![("a", 64), ("c", 128)]), ("group_reporting\n", vec![("a", 192)])] {
        let job = format!(
            "[global]\nioengine=psync\nrw=write\nbs=4k\nsize=256k\n{group}[a]\n[b]\nstats=0\nnumjobs=2\nsize=1m\n[c]\nsize=512k\n"
        );
        fs::write(dir.join("j.fio"), job).unwrap();
        let run = |tool: &mut Command| {
            reported(&must(tool.current_dir(dir).args(["--output-format=json", "j.fio"])))
        };
        let wanted: Vec<_> = wanted.into_iter().map(|(name, ios)| (name.to_owned(), ios)).collect();
        assert_eq!(run(&mut Command::new("fio")), wanted, "fio");
        remove_files(dir);
        assert_eq!(run(fathom(dir).arg("fio")), wanted, "fathom");
        assert_eq!(fs::metadata(dir.join("b.1.0")).unwrap().len(), 1 << 20, "it ran");
        remove_files(dir);
    }
    let run =
        |words: &[&str]| fathom(dir).args(["run", "--no-calibrate", "j.fio"]).args(words).output().unwrap();
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let words = text(&output).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("b ran and is not reported (stats=0)"), "{words}");
    remove_files(dir);
    // Its failure is one of the run.
    fs::write(dir.join("blank"), [0; 4096]).unwrap();
    let check = "[a]\nioengine=null\nrw=read\nbs=4k\nsize=64k\n[b]\nstats=0\nrw=read\nbs=4k\nfilename=blank\nverify=crc32c\n";
    fs::write(dir.join("j.fio"), check).unwrap();
    let failed = run(&[]);
    assert_eq!(failed.status.code(), Some(4), "{}", text(&failed));
    let none = run(&["--set", "stats=0"]);
    assert_eq!(none.status.code(), Some(2), "{}", text(&none));
}

fn remove_files(dir: &Path) {
    for name in ["a.0.0", "b.0.0", "b.1.0", "c.0.0"] {
        let _ = fs::remove_file(dir.join(name));
    }
}
