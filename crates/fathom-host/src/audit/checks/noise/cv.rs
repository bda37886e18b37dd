//! `noise.cv`: do equal probes give equal rates?

use crate::audit::{Check, Needs, Observation, Observe, Observed};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "noise.cv",
    title: "Spread of short probes",
    reads: "the rates of three or more short probes that were made before the run",
    why: "All other checks look for causes; this one looks at the effect. If three equal probes of a few seconds \
          differ by more than 5 % (standard deviation over mean), something changes: the drive's own state, a \
          neighbour, the clock. A difference of 3 % between two settings then means nothing. An old rule of drive \
          manufacturers requires at least three runs within 5 %.",
    judged: "More than 5 % warns for repeatability; less is ok. A trend (each probe slower than the last) is reported, \
             because it has another cause: a drive that leaves its fresh state or becomes warm. Without three probes: \
             n-a.",
    remedy: "Run the job for a few seconds, three times, and compare the rates; fathom doctor itself does no I/O. See \
             the other noise checks, precondition the drive (write all of it in sequence, then with the job's own \
             pattern until the rate no longer changes), and measure longer: the mean of n runs spreads less by the \
             square root of n.",
    needs: Needs::Job,
    kernels: "all",
    sources: &["I-27", "I-50"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("probes", judge(&scene.job.probe_iops))]),
};

/// Fewer probes say nothing about their spread.
const PROBES_MIN: usize = 3;
/// The largest spread that is ok, in per cent (I-27, I-50).
const CV_MAX_PERCENT: f64 = 5.0;

fn judge(rates: &[u64]) -> Observed {
    if rates.len() < PROBES_MIN {
        let reason =
            format!("it takes {PROBES_MIN} probes, there are {}: repeat the run, and compare", rates.len());
        return Err(Unknown::new("probes", reason));
    }
    if rates.contains(&0) {
        return Err(Unknown::new("probes", "one of them did no I/O at all"));
    }
    let words: Vec<String> = rates.iter().map(u64::to_string).collect();
    let seen = Observation::on("probes").with("probes", words.join(" "));
    let cv = cv_percent(rates);
    if cv <= CV_MAX_PERCENT {
        return Ok(seen.ok(format!("{} probes spread by {cv:.1} %", rates.len())));
    }
    let falls = rates.windows(2).all(|pair| pair[1] < pair[0]);
    let trend = if falls { ", each slower than the last" } else { "" };
    Ok(seen.warn_for(&[Repeatability], format!("{} probes spread by {cv:.1} %{trend}", rates.len())))
}

/// Sample standard deviation over mean.
fn cv_percent(rates: &[u64]) -> f64 {
    let count = rates.len() as f64;
    let mean = rates.iter().map(|rate| *rate as f64).sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (*rate as f64 - mean).powi(2)).sum();
    (squares / (count - 1.0)).sqrt() / mean * 100.0
}
