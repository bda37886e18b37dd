//! `--bandwidth-log`: the bandwidth of all jobs together, a line for each second.

use super::Where;
use super::file::{LogFile, Maker};
use crate::exit::{Exit, Failure};
use crate::outputs::InUse;
use fathom_job::direction::Direction;
use fathom_results::{Phase, RunResult, SeriesPoint};
use fathom_text::carried::to_path;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// fio's names, in the current directory, and the number of the direction in a line.
const NAMES: [(&str, Direction, u32); 3] = [
    ("agg-read_bw.log", Direction::Read, 0),
    ("agg-write_bw.log", Direction::Write, 1),
    ("agg-trim_bw.log", Direction::Trim, 2),
];

const SECOND_NS: u64 = 1_000_000_000;

/// The three logs, open, with what they held before.
pub struct AggregateLogs(Vec<LogFile>);

impl AggregateLogs {
    /// Opens them before anything is measured, and adds them to the files in use.
    ///
    /// # Errors
    /// One of them cannot be written, or is a file in use.
    pub fn open(in_use: &mut InUse) -> Result<Self, Failure> {
        let maker = Maker::new(Where::Here(in_use));
        let open = |name| maker.open(Path::new(name)).map_err(|e| e.hint("--bandwidth-log makes this file"));
        let files = NAMES.iter().map(|(name, ..)| open(*name)).collect::<Result<_, _>>()?;
        drop(maker);
        NAMES.iter().for_each(|(name, ..)| in_use.add(to_path(name), "a log of --bandwidth-log"));
        Ok(AggregateLogs(files))
    }

    /// Writes the lines of what the run has measured.
    pub fn write(self, run: &RunResult) -> Result<(), Failure> {
        for (file, (_, direction, number)) in self.0.into_iter().zip(NAMES) {
            let (path, mut file) = file.emptied()?;
            file.write_all(lines(run, direction, number).as_bytes()).map_err(|e| {
                Failure::new(Exit::Failed, format!("cannot write the log {}: {e}", path.display()))
            })?;
        }
        Ok(())
    }
}

/// fio's columns: time in ms, KiB/s, direction, and zeros for block size and priority,
/// which a sum does not have. Seconds count from the first measured I/O. As in fio, the
/// part after the last whole second has no line, and a direction without I/O has no lines.
fn lines(run: &RunResult, direction: Direction, number: u32) -> String {
    let points = run.jobs.iter().flat_map(|job| &job.series).filter(|point| point.phase != Phase::Ramp);
    let points: Vec<&SeriesPoint> = points.collect();
    let start_ns = points.iter().map(|point| point.start_ns).min().unwrap_or(0);
    let end_ns = points.iter().map(|point| point.end_ns).max().unwrap_or(0);
    let mut bytes = vec![0.0; ((end_ns - start_ns) / SECOND_NS) as usize];
    for point in points {
        spread(&mut bytes, (point.start_ns - start_ns, point.end_ns - start_ns), point.bytes[direction]);
    }
    let moves = bytes.iter().any(|bytes| *bytes > 0.0);
    bytes.iter().enumerate().filter(|_| moves).fold(String::new(), |mut text, (second, bytes)| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}, {:.0}, {number}, 0, 0", (second + 1) * 1000, bytes / 1024.0);
        text
    })
}

/// Divides the bytes that were moved between two times among the seconds between them,
/// in proportion to the time.
fn spread(seconds: &mut [f64], (from_ns, to_ns): (u64, u64), moved: u64) {
    let span_ns = to_ns.saturating_sub(from_ns);
    for (second, bytes) in seconds.iter_mut().enumerate().skip((from_ns / SECOND_NS) as usize) {
        let (start_ns, end_ns) = (second as u64 * SECOND_NS, (second as u64 + 1) * SECOND_NS);
        if start_ns >= to_ns || span_ns == 0 {
            return;
        }
        let part_ns = to_ns.min(end_ns) - from_ns.max(start_ns);
        *bytes += moved as f64 * part_ns as f64 / span_ns as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn what_is_moved_across_seconds_belongs_to_each_in_proportion() {
        let mut seconds = [0.0; 3];
        spread(&mut seconds, (500_000_000, 1_500_000_000), 1000);
        spread(&mut seconds, (1_500_000_000, 2_000_000_000), 500);
        spread(&mut seconds, (2_000_000_000, 3_600_000_000), 1600);
        assert_eq!(seconds, [500.0, 1000.0, 1000.0]);
    }
}
