//! How fast I/Os are logged, with one line for each.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use super::{Ground, Row, job};
use crate::bench::figure::median;
use crate::bench::job_file;
use crate::command::{capture, command};

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
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
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
    let job_file = job_file::write(scratch, &text)?;
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
