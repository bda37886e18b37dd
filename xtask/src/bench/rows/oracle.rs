//! How exactly fathom measures latencies in real time, tested with an engine whose delays are known.
//!
//! The tests prove the same in virtual time, to the nanosecond. Here the machine adds delays (a
//! wake-up, a lost processor), which are in the tail.

use serde_json::Value;

use super::{Ground, Row};

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
pub fn measure(ground: &Ground) -> Result<Vec<Row>, String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_fio_s_names() {
        let latency = serde_json::json!({"mean": 7.5, "percentile": {"99.900000": 12}});
        assert_eq!(shown(&latency, "mean"), Ok(7.5));
        assert_eq!(shown(&latency, "99.9"), Ok(12.0));
        assert!(shown(&latency, "50").is_err());
    }
}
