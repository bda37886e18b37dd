//! `--bandwidth-log`: the bandwidth of all jobs together, a line for each second.

use super::Where;
use super::file::Maker;
use crate::failure::{Exit, Failure};
use crate::place::InUse;
use fathom_job::direction::Direction;
use fathom_results::RunResult;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// fio's names, in the current directory.
const NAMES: [(&str, Direction); 3] = [
    ("agg-read_bw.log", Direction::Read),
    ("agg-write_bw.log", Direction::Write),
    ("agg-trim_bw.log", Direction::Trim),
];

/// Writes the three logs; none over a file in use.
pub fn write(run: &RunResult, in_use: &InUse) -> Result<(), Failure> {
    let maker = Maker::new(Where::Here(in_use));
    let files = NAMES.map(|(name, direction)| (maker.open(Path::new(name)), direction));
    for (file, direction) in files {
        let (path, mut file) = file?.emptied()?;
        let text = lines(run, direction);
        file.write_all(text.as_bytes()).map_err(|e| {
            Failure::new(Exit::Failed, format!("cannot write the log {}: {e}", path.display()))
        })?;
    }
    Ok(())
}

/// fio's columns: time ms, KiB/s, direction, block size and priority, which a sum has
/// not.
fn lines(run: &RunResult, direction: Direction) -> String {
    let mut sums: BTreeMap<u64, f64> = BTreeMap::new();
    for point in run.jobs.iter().flat_map(|job| &job.series) {
        let span_ns = point.end_ns.saturating_sub(point.start_ns);
        // As in fio, what is left behind the last whole interval has no line.
        if span_ns >= SECOND_NS / 2 {
            let end_ms = (point.end_ns + SECOND_NS / 2) / SECOND_NS * 1000;
            let kib = point.bytes[direction] as f64 / 1024.0;
            *sums.entry(end_ms).or_default() += kib * 1e9 / span_ns as f64;
        }
    }
    let column = match direction {
        Direction::Read => 0,
        Direction::Write => 1,
        Direction::Trim => 2,
    };
    let moves = sums.values().any(|rate| *rate > 0.0);
    sums.iter().filter(|_| moves).fold(String::new(), |mut text, (at_ms, rate)| {
        let _ = writeln!(text, "{at_ms}, {rate:.0}, {column}, 0, 0");
        text
    })
}

const SECOND_NS: u64 = 1_000_000_000;
