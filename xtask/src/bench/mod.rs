//! fathom against fio, side by side.
//!
//! The two run in turn on one processor, in the order A B B A, so that a machine that warms up or
//! slows down favours neither. A pair gives one ratio; the pairs give the median and its interval.
//! Absolute IOPS are shown and mean nothing beyond this machine.

mod case;
mod tool;

use self::case::Case;
use self::tool::Tool;
use crate::command::{cargo, run as run_command};
use crate::workspace;

/// What is asked of a comparison.
pub struct Contest {
    /// Pairs of runs for each case; six are the least that give an interval.
    pub pairs: u64,
    /// Measured seconds of each run.
    pub seconds: u64,
    /// Compare fio with itself: the interval must hold 1.
    pub fio_on_both_sides: bool,
}

/// Share of intervals that hold the true ratio.
const CONFIDENCE: f64 = 0.95;
/// Any number; fixed so that the same pairs give the same interval.
const SEED: u64 = 1;

/// Runs every case and prints one table for each.
pub fn run(contest: &Contest) -> Result<(), String> {
    let fio = Tool::fio();
    let candidate = if contest.fio_on_both_sides {
        Tool::fio()
    } else {
        run_command(&mut cargo(&["build", "--release", "--package", "fathom"]))?;
        Tool::fathom(workspace::target().join("release/fathom"))
    };
    let scratch = tempfile::tempdir_in(workspace::target());
    let scratch = scratch.map_err(|e| format!("a place for the job files: {e}"))?;
    for case in case::all(scratch.path(), contest.seconds)? {
        compare(&case, &candidate, &fio, contest.pairs)?;
    }
    Ok(())
}

fn compare(case: &Case, candidate: &Tool, fio: &Tool, pairs: u64) -> Result<(), String> {
    println!("\n{}", case.title);
    println!("{:>4}  {:>14}  {:>14}  {:>6}", "pair", candidate.name, fio.name, "ratio");
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for pair in 1..=pairs {
        let (a, b) = measure(case, candidate, fio, pair % 2 == 1)?;
        println!("{pair:>4}  {a:>9.0} IOPS  {b:>9.0} IOPS  {:>6.3}", a / b);
        ours.push(a);
        theirs.push(b);
    }
    print_ratio(&ours, &theirs);
    Ok(())
}

/// IOPS of the candidate and of fio; which of them runs first alternates from pair to pair.
fn measure(case: &Case, candidate: &Tool, fio: &Tool, candidate_first: bool) -> Result<(f64, f64), String> {
    if candidate_first {
        let a = candidate.iops(&case.job_file)?;
        return Ok((a, fio.iops(&case.job_file)?));
    }
    let b = fio.iops(&case.job_file)?;
    Ok((candidate.iops(&case.job_file)?, b))
}

fn print_ratio(ours: &[f64], theirs: &[f64]) {
    match fathom_stats::median_ratio(theirs, ours, CONFIDENCE, SEED) {
        Some(ratio) => println!(
            "median ratio {:.3}, {:.0} % interval {:.3} to {:.3}, {} pairs",
            ratio.value,
            ratio.confidence * 100.0,
            ratio.low,
            ratio.high,
            ratio.n
        ),
        None => println!("too few pairs for an interval: six are the least"),
    }
}
