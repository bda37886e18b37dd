//! Whether a job runs at the rate that it asks for.

use super::{Ground, Row};
use crate::bench::tool::Tool;

const RATES: &[u64] = &[1_000, 100_000, 300_000, 1_000_000];
/// Name for people, and fio's word for it.
const ARRIVALS: &[(&str, &str)] = &[("constant", "linear"), ("Poisson", "poisson")];
/// How much the achieved rate may differ from the rate that was asked for.
const ERROR_MAX: f64 = 0.001;
/// A Poisson count of n has a deviation of √n. A correct count differs by more than three deviations
/// once in 370 rows.
const DEVIATIONS: f64 = 3.0;

/// Achieved ÷ asked on null, for each rate and arrival process, with fio's ratio in brackets.
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
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
