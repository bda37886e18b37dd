//! The size of the program, the memory of sixteen workers, and page faults while they measure.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use super::{Ground, Row, job};
use crate::figure::median;
use crate::target::Target;
use crate::{meter, side};
use fathom_results::{Frame, Phase, RunRecord, SpoolReader};
use xtask::command::{capture, command};
use xtask::workspace::{at, read_text, write_file};

const WORKERS: u64 = 16;
const DEPTH: u64 = 32;
const BLOCK: u64 = 4096;
/// The limit without the I/O buffers.
const MIB_MAX: f64 = 32.0;
const SECONDS: u64 = 3;

/// The peak of resident memory, minus the buffers that the job asked for.
pub fn resident(ground: &Ground) -> Result<Vec<Row>, String> {
    let text = job(&[
        "rw=randread",
        "ioengine=null",
        "size=1g",
        "time_based=1",
        &format!("runtime={SECONDS}"),
        &format!("numjobs={WORKERS}"),
        &format!("iodepth={DEPTH}"),
    ]);
    let mut fathom = ground.fathom.command(&side::write(ground.scratch, &text)?);
    let child = fathom.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|e| format!("fathom: {e}"))?;
    let (ended, kib) = meter::watch(&mut child).map_err(|e| format!("fathom: {e}"))?;
    if !ended.success() {
        return Err(format!("fathom: {ended}"));
    }
    let mib = kib as f64 / 1024.0 - (WORKERS * DEPTH * BLOCK) as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("most resident memory of 16 workers, less their buffers", mib, MIB_MAX, "MiB")])
}

/// One job for each way to do I/O: without the kernel, in the calling thread, through a ring.
const JOBS: &[(&str, Target, &[&str])] = &[
    ("null, QD32", Target::Nothing, &["ioengine=null", "iodepth=32"]),
    ("psync, page-cached file", Target::CachedFile, &["ioengine=psync", "invalidate=0"]),
    (
        "io_uring, page-cached file, QD32",
        Target::CachedFile,
        &["ioengine=io_uring", "iodepth=32", "invalidate=0"],
    ),
];

/// Page faults of the worker after the ramp. Memory is touched before the first I/O, because a fault in the measured time
/// would count as latency of the device.
pub fn faults(ground: &Ground) -> Result<Vec<Row>, String> {
    let rows = JOBS.iter().map(|(title, target, lines)| {
        let made = target.make(ground.scratch)?;
        let mut lines = lines.to_vec();
        lines.extend(["rw=randread", "time_based=1", "ramp_time=1", "runtime=1", made.lines.trim()]);
        let job = ground.run(ground.fathom, &lines)?.job;
        let count = |key: &str| job[key].as_f64().ok_or_else(|| format!("the JSON has no {key}"));
        let what = format!("page faults after the ramp: {title}");
        Ok(Row::at_most(&what, count("minf")? + count("majf")?, 0.0, ""))
    });
    rows.collect()
}

const BINARY_MIB_MAX: f64 = 15.0;

/// The size of the binary: one file that must be quick to copy.
pub fn binary(ground: &Ground) -> Result<Vec<Row>, String> {
    let bytes = ground.program.metadata();
    let bytes = bytes.map_err(at(ground.program))?.len();
    let mib = bytes as f64 / f64::from(1 << 20);
    Ok(vec![Row::at_most("size of the binary", mib, BINARY_MIB_MAX, "MiB")])
}

// How long fathom takes to start.

const VERSION_MS_MAX: f64 = 5.0;
const VERSION_RUNS: usize = 50;
const QUICK_MS_MAX: f64 = 300.0;
const QUICK_RUNS: usize = 5;
/// Much longer than the first I/O may take.
const PATIENCE: Duration = Duration::from_secs(2);
const FILE_BYTES: u64 = 64 << 20;

/// The time of `fathom --version`, and the time until the first I/O of `fathom quick` on an existing file.
pub fn start_up(ground: &Ground) -> Result<Vec<Row>, String> {
    let version = repeated(VERSION_RUNS, || version_ms(ground))?;
    let target = ground.scratch.join("quick.dat");
    let zeros = vec![1; FILE_BYTES as usize];
    write_file(&target, zeros)?;
    let quick = repeated(QUICK_RUNS, || quick_ms(ground))?;
    Ok(vec![
        Row::at_most("fathom --version, median of 50", version, VERSION_MS_MAX, "ms"),
        Row::at_most("fathom quick FILE until its first I/O, median of 5", quick, QUICK_MS_MAX, "ms"),
    ])
}

fn repeated(times: usize, mut one: impl FnMut() -> Result<f64, String>) -> Result<f64, String> {
    let values: Result<Vec<f64>, String> = (0..times).map(|_| one()).collect();
    median(&values?).ok_or_else(|| "nothing was measured".to_owned())
}

fn version_ms(ground: &Ground) -> Result<f64, String> {
    let begun = Instant::now();
    capture(&mut command(&ground.program.to_string_lossy(), &["--version"]))?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

/// Starts a run that reads, kills it when its first I/O must have begun, and reads from the saved
/// run when that was. The kill also tests that a killed run can be read.
fn quick_ms(ground: &Ground) -> Result<f64, String> {
    let kept = tempfile::tempdir_in(ground.scratch).map_err(|e| format!("a place for the run: {e}"))?;
    let kept_name = kept.path().to_string_lossy();
    let words = ["quick", "--seconds", "2", "--output-dir", kept_name.as_ref(), "quick.dat"];
    let mut quick = command(&ground.program.to_string_lossy(), &words);
    quick.current_dir(ground.scratch).stdout(Stdio::null()).stderr(Stdio::null());
    let begun = SystemTime::now();
    let mut child = quick.spawn().map_err(|e| format!("fathom quick: {e}"))?;
    std::thread::sleep(PATIENCE);
    let stopped = child.kill().and_then(|()| child.wait());
    stopped.map_err(|e| format!("fathom quick: {e}"))?;
    first_io_ms(kept.path(), begun)
}

fn first_io_ms(run: &std::path::Path, begun: SystemTime) -> Result<f64, String> {
    let path = run.join(RunRecord::FILE);
    let text = read_text(&path)?;
    let record: serde_json::Value = serde_json::from_str(&text).map_err(at(&path))?;
    let started = record["started_unix_ns"].as_u64().ok_or("run.json does not say when it started")?;
    let begun = begun.duration_since(SystemTime::UNIX_EPOCH).map_err(|e| e.to_string())?.as_nanos();
    let spool = SpoolReader::open(run).map_err(at(run))?;
    let first = spool.into_iter().find_map(|frame| match frame {
        Frame::Phase { phase: Phase::Ramp | Phase::Measure, at_ns, .. } => Some(at_ns),
        _ => None,
    });
    let first = first.ok_or("fathom quick had not begun after two seconds")?;
    Ok((f64::from(u32::try_from((u128::from(started) - begun) / 1000).unwrap_or(u32::MAX))
        + first as f64 / 1e3)
        / 1e3)
}

// How fast I/Os are logged, with one line for each.

/// The number of I/Os that each run logs: fathom needs two seconds for them, and fio, which keeps
/// them in memory until its end, less than 2 GB.
const IOS: u64 = 10_000_000;
const RUNS: usize = 5;
/// On two processors: one makes the I/Os, the other writes the log.
const MILLIONS_A_SECOND_MIN: f64 = 4.0;
/// The name of the log, to which fio adds the number of the job.
const LOG: &str = "row_lat.1.log";

/// I/Os of one worker on null whose submission, completion and total latency are logged, each in a
/// line of its file. The clock runs from the start of the process to its end, so that no tool gains
/// by writing its logs afterwards; no tool is bound to a processor.
pub fn log(ground: &Ground) -> Result<Vec<Row>, String> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(millions_a_second(ground.scratch, &[&ground.program.to_string_lossy(), "fio"])?);
        theirs.push(millions_a_second(ground.scratch, &["fio"])?);
    }
    let middle = |runs: &[f64]| median(runs).ok_or("nothing was measured");
    let what = format!("I/Os logged, median of {RUNS} (fio: {:.2} million/s)", middle(&theirs)?);
    Ok(vec![Row::at_least(&what, middle(&ours)?, MILLIONS_A_SECOND_MIN, "million/s")])
}

fn millions_a_second(scratch: &Path, words: &[&str]) -> Result<f64, String> {
    let lines = ["rw=randread", "ioengine=null", "size=1t", "write_lat_log=row", "iodepth=32"];
    let text = job(&[&lines[..], &[&format!("number_ios={IOS}")]].concat());
    let job_file = side::write(scratch, &text)?;
    let job_file = job_file.to_string_lossy();
    let mut tool = command(words[0], &[&words[1..], &["--output-format=json", &job_file]].concat());
    let begun = Instant::now();
    capture(tool.current_dir(scratch))?;
    let took_s = begun.elapsed().as_secs_f64();
    match lines_of(&scratch.join(LOG))? {
        IOS => Ok(IOS as f64 / 1e6 / took_s),
        lines => Err(format!("{}: {IOS} I/Os have {lines} lines in {LOG}", words.join(" "))),
    }
}

fn lines_of(path: &Path) -> Result<u64, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut log = BufReader::with_capacity(1 << 20, File::open(path).map_err(failed)?);
    let mut lines = 0;
    loop {
        let seen = log.fill_buf().map_err(failed)?;
        if seen.is_empty() {
            return Ok(lines);
        }
        lines += seen.iter().filter(|byte| **byte == b'\n').count() as u64;
        let length = seen.len();
        log.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "0, 70, 0, 4096, 0\n0, 71, 0, 4096, 0\n").unwrap();
        assert_eq!(lines_of(file.path()), Ok(2));
    }
}
