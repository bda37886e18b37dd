//! How long `fathom runs` takes with ten thousand runs: with the index, and without it.
//!
//! One small real run is copied with other ids. Only its record differs from run to run, as in a
//! directory of ten thousand runs of one job.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::command::{capture, command};

/// The runs in the directory.
const RUNS: usize = 10_000;

/// Times that a list from the index is measured.
const TIMES: usize = 5;

/// The budgets, seconds: listed and filtered from the index, and from the directories alone.
const LISTED_SECONDS_MAX: f64 = 0.5;
const REBUILT_SECONDS_MAX: f64 = 60.0;

/// Makes the runs, measures, and prints a line for each list.
pub fn run(program: &Path) -> Result<(), String> {
    let work = tempfile::tempdir().map_err(|e| e.to_string())?;
    let kib = make(program, work.path())?;
    println!("{RUNS} runs with records of {kib} KiB");
    let lists: [(&str, &[&str], bool, f64); 6] = [
        ("made from the directories, without an index", &["runs", "--json"], true, REBUILT_SECONDS_MAX),
        ("made again with --rebuild", &["runs", "--rebuild", "--json"], false, REBUILT_SECONDS_MAX),
        ("listed", &["runs"], false, LISTED_SECONDS_MAX),
        ("as JSON", &["runs", "--json"], false, LISTED_SECONDS_MAX),
        (
            "filtered",
            &["runs", "--device", "null", "--tag", "lab", "--since", "7d"],
            false,
            LISTED_SECONDS_MAX,
        ),
        ("one found by its id", &["open", "--print", "u000000000777"], false, LISTED_SECONDS_MAX),
    ];
    for (what, words, without_index, most) in lists {
        let times = if most > 1.0 { 1 } else { TIMES };
        let mut seconds = Vec::new();
        for _ in 0..times {
            seconds.push(one(program, work.path(), words, without_index)?);
        }
        seconds.sort_by(f64::total_cmp);
        let median = seconds[seconds.len() / 2];
        let judged = if median <= most { "within" } else { "OVER" };
        println!("{what:<45} {median:>7.3} s   {judged} {most} s");
    }
    Ok(())
}

/// Seconds of one list.
fn one(program: &Path, work: &Path, words: &[&str], without_index: bool) -> Result<f64, String> {
    let index = index(work);
    if without_index {
        // It may not be there.
        let _ = std::fs::remove_file(&index);
    }
    let mut list = command(&program.to_string_lossy(), words);
    list.current_dir(work).env("FATHOM_INDEX", &index);
    let began = Instant::now();
    capture(&mut list)?;
    Ok(began.elapsed().as_secs_f64())
}

fn index(work: &Path) -> PathBuf {
    work.join("index/runs.jsonl")
}

/// Makes one run and its copies; the size of a record, KiB.
fn make(program: &Path, work: &Path) -> Result<u64, String> {
    let failed = |e: std::io::Error| e.to_string();
    std::fs::write(work.join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=16m\n").map_err(failed)?;
    let words = ["run", "--quiet", "--no-calibrate", "--html", "--tag", "lab", "j.fio"];
    one(program, work, &words, true)?;
    let runs = work.join("fathom-runs");
    let mut entries = std::fs::read_dir(&runs).map_err(failed)?.flatten();
    let is_run = |path: &PathBuf| path.is_dir() && !path.is_symlink();
    let first = entries.find_map(|entry| Some(entry.path()).filter(is_run)).ok_or("no run was saved")?;
    let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (before, id) = name.rsplit_once('-').ok_or("the directory of the run has no id")?;
    let record = std::fs::read_to_string(first.join("run.json")).map_err(failed)?;
    let spool = std::fs::read(first.join("spool")).map_err(failed)?;
    for number in 1..RUNS {
        // No id that fathom makes has the letter u.
        let other = format!("u{number:012}");
        let copy = runs.join(format!("{before}-{other}"));
        std::fs::create_dir(&copy).map_err(failed)?;
        std::fs::write(copy.join("run.json"), record.replace(id, &other)).map_err(failed)?;
        std::fs::write(copy.join("spool"), &spool).map_err(failed)?;
        std::fs::write(copy.join("report.html"), "").map_err(failed)?;
    }
    Ok(record.len() as u64 / 1024)
}
