//! How long fathom takes to start.

use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use fathom_results::{Frame, Phase, RunRecord, SpoolReader};

use super::{Ground, Row};
use crate::bench::figure::median;
use crate::command::{capture, command};

const VERSION_MS_MAX: f64 = 5.0;
const VERSION_RUNS: usize = 50;
const QUICK_MS_MAX: f64 = 300.0;
const QUICK_RUNS: usize = 5;
/// Much longer than the first I/O may take.
const PATIENCE: Duration = Duration::from_secs(2);
const FILE_BYTES: u64 = 64 << 20;

/// The time of `fathom --version`, and the time until the first I/O of `fathom quick` on an existing file.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
    let version = repeated(VERSION_RUNS, || version_ms(ground))?;
    let target = ground.scratch.join("quick.dat");
    let zeros = vec![1; FILE_BYTES as usize];
    std::fs::write(&target, zeros).map_err(|e| format!("{}: {e}", target.display()))?;
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
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let record: serde_json::Value =
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let started = record["started_unix_ns"].as_u64().ok_or("run.json does not say when it started")?;
    let begun = begun.duration_since(SystemTime::UNIX_EPOCH).map_err(|e| e.to_string())?.as_nanos();
    let spool = SpoolReader::open(run).map_err(|e| format!("{}: {e}", run.display()))?;
    let first = spool.into_iter().find_map(|frame| match frame {
        Frame::Phase { phase: Phase::Ramp | Phase::Measure, at_ns, .. } => Some(at_ns),
        _ => None,
    });
    let first = first.ok_or("fathom quick had not begun after two seconds")?;
    Ok((f64::from(u32::try_from((u128::from(started) - begun) / 1000).unwrap_or(u32::MAX))
        + first as f64 / 1e3)
        / 1e3)
}
