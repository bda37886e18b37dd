//! The other budgets of the design: figures that need no second tool.
//!
//! One function each, one line in [`ROWS`]. The absence of allocations is not here: a counting allocator
//! proves it in the engine's own tests.

mod process;

use std::path::Path;

use super::side;
use super::side::{Length, Run, Tool};
use super::syscalls::Tracing;
use super::target::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One budget, measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its unit; empty for a ratio.
    pub unit: String,
    /// What is allowed, in words.
    pub budget: String,
    /// Whether the figure is within it.
    pub met: bool,
}

/// What is there for measuring a row.
pub struct Ground<'a> {
    /// The binary.
    pub program: &'a Path,
    /// fathom on its processor.
    pub fathom: &'a Tool,
    /// fio on the same processor.
    pub fio: &'a Tool,
    /// A directory on a disk.
    pub scratch: &'a Path,
    /// Length of a timed run.
    pub seconds: u64,
}

type Measure = fn(&Ground) -> Result<Vec<Row>, String>;

/// Every row by the name that `--case` takes.
pub const ROWS: &[(&str, Measure)] = &[
    ("start-up", process::start_up),
    ("faults", process::faults),
    ("memory", process::resident),
    ("binary", process::binary),
    ("pacing", pacing),
    ("log", process::log),
    ("compat", compat),
    ("oracle", oracle),
];

impl Row {
    /// A figure that must not be above `most`.
    fn at_most(what: &str, value: f64, most: f64, unit: &str) -> Self {
        let budget = format!("≤ {most} {unit}").trim_end().to_owned();
        Self { what: what.to_owned(), value, unit: unit.to_owned(), budget, met: value <= most }
    }

    /// A figure that must not be below `least`.
    fn at_least(what: &str, value: f64, least: f64, unit: &str) -> Self {
        let budget = format!("≥ {least} {unit}").trim_end().to_owned();
        Self { what: what.to_owned(), value, unit: unit.to_owned(), budget, met: value >= least }
    }

    /// A ratio that must be 1, with at most this error.
    fn near_one(what: String, value: f64, error_max: f64) -> Self {
        let budget = format!("1 ± {error_max:.4}");
        Self { what, value, unit: String::new(), budget, met: (value - 1.0).abs() <= error_max }
    }

    /// One line of the terminal.
    pub fn print(&self) {
        let verdict = if self.met { "met" } else { "NOT MET" };
        let figure = format!("{:.4} {}", self.value, self.unit);
        println!("  {:<72}{figure:>14}  budget {}: {verdict}", self.what, self.budget);
    }
}

impl Ground<'_> {
    /// Runs a job of these lines.
    fn run(&self, tool: &Tool, lines: &[&str]) -> Result<Run, String> {
        tool.run(&side::write(self.scratch, &job(lines))?, None)
    }
}

/// A job without the lines that only a comparison needs.
fn job(lines: &[&str]) -> String {
    let shared = "bs=4k\nnorandommap=1\nrandrepeat=0\nthread=1\nclocksource=cpu";
    format!("[row]\n{shared}\n{}\n", lines.join("\n"))
}

// Whether a job runs at the rate that it asks for.

const RATES: &[u64] = &[1_000, 100_000, 300_000, 1_000_000];
/// Name for people, and fio's word for it.
const ARRIVALS: &[(&str, &str)] = &[("constant", "linear"), ("Poisson", "poisson")];
/// How much the achieved rate may differ from the rate that was asked for.
const ERROR_MAX: f64 = 0.001;
/// A Poisson count of n has a deviation of √n. A correct count differs by more than three deviations
/// once in 370 rows.
const DEVIATIONS: f64 = 3.0;

/// Achieved ÷ asked on null, for each rate and arrival process, with fio's ratio in brackets.
pub fn pacing(ground: &Ground) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (name, process) in ARRIVALS {
        for &rate in RATES {
            let ours = achieved(ground, ground.fathom, rate, process)?;
            let theirs = achieved(ground, ground.fio, rate, process)?;
            let asked_ios = (rate * ground.seconds) as f64;
            // Evenly spaced I/Os are counted at both ends of the run: one more than spaces.
            let sampling = if *process == "poisson" { DEVIATIONS * asked_ios.sqrt() } else { 1.0 };
            let what = format!("achieved ÷ asked, {name} {rate} IOPS (fio: {theirs:.4})");
            rows.push(Row::near_one(what, ours, ERROR_MAX + sampling / asked_ios));
        }
    }
    Ok(rows)
}

fn achieved(ground: &Ground, tool: &Tool, rate: u64, process: &str) -> Result<f64, String> {
    let run = ground.run(
        tool,
        &[
            "rw=randread",
            "ioengine=null",
            "size=1g",
            "iodepth=32",
            "time_based=1",
            &format!("runtime={}", ground.seconds),
            &format!("rate_iops={rate}"),
            &format!("rate_process={process}"),
        ],
    )?;
    Ok(run.iops / rate as f64)
}

// How exactly fathom measures latencies in real time, tested with an engine whose delays are known.
//
// The tests prove the same in virtual time, to the nanosecond. Here the machine adds delays (a
// wake-up, a lost processor), which are in the tail.

/// The latency of each I/O, and the value that each figure must have, ns. For a mixture only its parts
/// are known beforehand, not how often each was drawn, so there is no mean.
const CASES: &[(&str, &[(&str, f64)])] = &[
    ("constant:100us", &[("mean", 100_000.0), ("50", 100_000.0), ("99", 100_000.0), ("99.9", 100_000.0)]),
    (
        "bimodal:100us:2ms:5%",
        &[("50", 100_000.0), ("90", 100_000.0), ("99", 2_000_000.0), ("99.9", 2_000_000.0)],
    ),
];

/// 1 % and 200 ns: the design's budget.
fn error_max_ns(exact_ns: f64) -> f64 {
    exact_ns * 0.01 + 200.0
}

/// The error of each figure.
pub fn oracle(ground: &Ground) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for (spec, figures) in CASES {
        let latency = format!("oracle_latency={spec}");
        let seconds = format!("runtime={}", ground.seconds.max(2));
        let lines = [
            "ioengine=oracle",
            "rw=randread",
            "size=1g",
            "iodepth=1",
            "time_based=1",
            "lat_percentiles=1",
            &seconds,
            &latency,
        ];
        let job = ground.run(ground.fathom, &lines)?.job;
        for (figure, exact_ns) in *figures {
            let shown_ns = shown(&job["read"]["lat_ns"], figure)?;
            let what = format!("latency oracle, {spec}: error of {} {figure}", kind(figure));
            rows.push(Row::at_most(&what, (shown_ns - exact_ns).abs(), error_max_ns(*exact_ns), "ns"));
        }
    }
    Ok(rows)
}

fn kind(figure: &str) -> &'static str {
    if figure == "mean" { "the" } else { "percentile" }
}

/// A figure of fio's JSON by its name: `mean`, or a percentile, which has six decimals there.
fn shown(latency: &Value, figure: &str) -> Result<f64, String> {
    let found = match figure.parse::<f64>() {
        Ok(percent) => &latency["percentile"][format!("{percent:.6}")],
        Err(_) => &latency[figure],
    };
    found.as_f64().ok_or_else(|| format!("the JSON has no {figure} of lat_ns"))
}

// With `compat=fio`, fathom makes as many system calls as fio does.

/// Jobs on engines with a queue, where fio submits one I/O at a time by default, or batches.
const JOBS: &[(&str, &[&str])] = &[
    ("io_uring", &["ioengine=io_uring", "iodepth=32"]),
    ("io_uring in batches of 16", &["ioengine=io_uring", "iodepth=32", BATCH, COMPLETE]),
    ("libaio", &["ioengine=libaio", "iodepth=32", DIRECT]),
    ("libaio in batches of 16", &["ioengine=libaio", "iodepth=32", BATCH, COMPLETE, DIRECT]),
    ("libaio, buffered, in batches of 16", &["ioengine=libaio", "iodepth=32", BATCH, COMPLETE]),
];
const BATCH: &str = "iodepth_batch=16";
const COMPLETE: &str = "iodepth_batch_complete_min=16";
/// Without it libaio does each I/O inside the call that submits it.
const DIRECT: &str = "direct=1";
/// The difference that the first and the last batch make in 10,000 I/Os.
const CALLS_ERROR_MAX: f64 = 0.01;

/// System calls per I/O of fathom divided by fio's, on a file that is in the page cache.
pub fn compat(ground: &Ground) -> Result<Vec<Row>, String> {
    let tracing = Tracing::open()?;
    let made = Target::CachedFile.make(ground.scratch)?;
    let rows = JOBS.iter().map(|(title, lines)| {
        let calls = |tool: &Tool, own: &str| {
            let text = |length: Length| {
                let length = length.lines();
                // The last of two that disagree counts: the target's direct=0 comes first.
                let mut all = vec!["rw=randread", "invalidate=0", made.lines.trim(), length.trim(), own];
                all.extend(*lines);
                job(&all)
            };
            tracing.per_io(tool, text, ground.scratch)
        };
        let (ours, theirs) = (calls(ground.fathom, "compat=fio")?, calls(ground.fio, "")?);
        let what = format!("compat=fio, system calls ÷ fio's: {title} ({ours:.3} : {theirs:.3})");
        Ok(Row::near_one(what, ours / theirs, CALLS_ERROR_MAX))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_itself_is_within_the_budget() {
        assert!(Row::at_most("a", 5.0, 5.0, "ms").met);
        assert!(!Row::at_most("a", 5.1, 5.0, "ms").met);
        assert_eq!(Row::at_most("a", 0.0, 0.0, "").budget, "≤ 0");
        assert!(Row::at_least("a", 5.0, 5.0, "").met);
        assert!(!Row::at_least("a", 4.9, 5.0, "").met);
    }

    #[test]
    fn too_many_is_as_wrong_as_too_few() {
        for (value, met) in [(1.0, true), (1.0009, true), (0.9991, true), (1.002, false), (0.998, false)] {
            assert_eq!(Row::near_one(String::new(), value, 0.001).met, met, "{value}");
        }
        assert!(!Row::near_one(String::new(), f64::NAN, 0.001).met);
    }

    #[test]
    fn figures_are_found_by_fio_s_names() {
        let latency = serde_json::json!({"mean": 7.5, "percentile": {"99.900000": 12}});
        assert_eq!(shown(&latency, "mean"), Ok(7.5));
        assert_eq!(shown(&latency, "99.9"), Ok(12.0));
        assert!(shown(&latency, "50").is_err());
    }
}
