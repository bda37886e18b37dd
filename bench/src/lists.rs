//! How long `fathom runs` takes with ten thousand runs: with the index, and without it.
//!
//! One small real run is copied with other ids. Only its record differs from run to run, as in a
//! directory of ten thousand runs of one job.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::meter::{Cost, measure};
use xtask::command::{capture, command};
use xtask::workspace::{at, build_example};

/// The runs in the directory.
const RUNS: usize = 10_000;

/// Times that a list from the index is measured.
const TIMES: usize = 5;

/// The budgets, seconds: listed and filtered from the index, and from the directories alone.
const LISTED_SECONDS_MAX: f64 = 0.5;
const REBUILT_SECONDS_MAX: f64 = 60.0;

/// Makes the runs, measures, and prints a line for each list.
pub fn list_runs(program: &Path) -> Result<(), String> {
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
    let record = std::fs::read_to_string(first.join("list_runs.json")).map_err(failed)?;
    let spool = std::fs::read(first.join("spool")).map_err(failed)?;
    for number in 1..RUNS {
        // No id that fathom makes has the letter u.
        let other = format!("u{number:012}");
        let copy = runs.join(format!("{before}-{other}"));
        std::fs::create_dir(&copy).map_err(failed)?;
        std::fs::write(copy.join("list_runs.json"), record.replace(id, &other)).map_err(failed)?;
        std::fs::write(copy.join("spool"), &spool).map_err(failed)?;
        std::fs::write(copy.join("report.html"), "").map_err(failed)?;
    }
    Ok(record.len() as u64 / 1024)
}

// How long a saved run takes to load: a day of eight jobs, 691,200 windows.
//
// The goal is a second and 200 MB. The spool was written just before, so it is in the page cache.

/// Windows of the run: `crates/fathom-results/examples/day.rs`.
const WINDOWS: f64 = 691_200.0;

/// Loads are repeated, and the fastest counts: what else the machine does only makes them slower.
const LOADS: usize = 5;

/// Saves the run in a directory of its own, loads it, and prints what both cost.
pub fn load_day() -> Result<(), String> {
    let day = build_example("fathom-results", "day")?;
    let scratch = tempfile::tempdir().map_err(|e| format!("a directory for the load_day: {e}"))?;
    let step = |verb: &str| step(&day, verb, scratch.path());
    let written = step("write")?;
    println!("written   {}, {:.0} bytes a window", line(&written), written.saved_kib * 1024.0 / WINDOWS);
    let mut fastest = step("load")?;
    for _ in 1..LOADS {
        let next = step("load")?;
        fastest = if next.seconds < fastest.seconds { next } else { fastest };
    }
    println!("loaded    {}, the fastest of {LOADS}", line(&fastest));
    Ok(())
}

fn step(day: &Path, verb: &str, directory: &Path) -> Result<Cost, String> {
    let mut command = Command::new(day);
    command.arg(verb).arg(directory);
    measure(command, directory)
}

fn line(cost: &Cost) -> String {
    let (seconds, cpu, mib) = (cost.seconds, cost.cpu_seconds, cost.mib);
    format!("{seconds:.2} s, {cpu:.2} s of CPU, {mib:.0} MiB of memory")
}

// How fast a log of ten million I/Os is read, beside the plain loop in Python that fio-plot's parser is.
//
// The goal is 20 times the speed, in CPU time for each line. Python keeps every line in memory, some 500 bytes each, so
// it gets a tenth of the lines.

/// I/Os in the log.
const LINES: u64 = 10_000_000;

/// A tenth of them, for Python.
const LINES_OF_PYTHON: u64 = LINES / 10;

/// The speed that is asked for, as a multiple of Python's.
const GOAL: f64 = 20.0;

/// What fio-plot does with a log: each row of the CSV as a dictionary, then its numbers as integers.
const PYTHON: &str = include_str!("fio_plot.py");

/// Writes both logs, reads them, and prints what each cost.
pub fn import_log(program: &Path) -> Result<(), String> {
    let scratch = tempfile::tempdir().map_err(|e| format!("a directory for the logs: {e}"))?;
    let write = |name: &str, lines| {
        let path = scratch.path().join(name);
        log(&path, lines).map_err(at(&path)).map(|()| path)
    };
    let (whole, tenth) = (write("x_lat.1.log", LINES)?, write("y_lat.1.log", LINES_OF_PYTHON)?);
    let mut fathom = Command::new(program);
    fathom.arg("import").arg(&whole);
    let mut python = Command::new("python3");
    python.args(["-c", PYTHON]).arg(&tenth);
    let ours = measure(fathom, scratch.path())?;
    let theirs = measure(python, scratch.path())?;
    let each = |cost: &Cost, lines: u64| cost.cpu_seconds * 1e9 / lines as f64;
    let (fathom_ns, python_ns) = (each(&ours, LINES), each(&theirs, LINES_OF_PYTHON));
    println!("fathom    {LINES} lines: {}, {fathom_ns:.0} ns a line", cost_line(&ours));
    println!("python    {LINES_OF_PYTHON} lines: {}, {python_ns:.0} ns a line", cost_line(&theirs));
    let times = python_ns / fathom_ns;
    println!("{times:.1} times as fast; the goal is {GOAL} {}", if times >= GOAL { "" } else { "MISSED" });
    Ok(())
}

/// A log of single I/Os as fio 3 writes it, with latencies that differ.
fn log(path: &Path, lines: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for at in 0..lines {
        let latency_ns = 60_000 + at.wrapping_mul(0x9e37_79b9) % 90_000;
        writeln!(out, "{}, {latency_ns}, {}, 4096, {}", at / 100, at % 3 / 2, at * 4096)?;
    }
    out.flush()
}

fn cost_line(cost: &Cost) -> String {
    format!("{:.2} s, {:.2} s of CPU, {:.0} MiB of memory", cost.seconds, cost.cpu_seconds, cost.mib)
}
