//! `steadystate` of a job, as fio 3.33 has it; with the latencies of later versions where they are judged.
//!
//! fio fills a window that was not full with zeros, which are in its means. Here `data` has the values that there are; only one
//! without any value, whose means are 0, has fio's zeros, because readers divide by the number of values.

use fathom_figures::SteadyFigures;
use fathom_job::steady::SteadyFigure;
use serde_json::{Map, Value, json};

pub(super) fn object(steady: &SteadyFigures<'_>) -> Value {
    let window = steady.window;
    let percent = if window.is_percent { "%" } else { "" };
    let word = steady.rule.split(':').next().unwrap_or_default();
    let measured = window.measured.unwrap_or(0.0);
    let (deviation, slope) = if window.is_slope { (0.0, measured) } else { (measured, 0.0) };
    let mut data = Map::new();
    data.insert("bw_mean".into(), steady.bw_mean.into());
    data.insert("iops_mean".into(), steady.iops_mean.into());
    if window.figure == SteadyFigure::Lat {
        data.insert("lat_mean".into(), steady.lat_mean.into());
        data.insert("lat_ns".into(), window.lat_ns.clone().into());
    }
    let zeros = || vec![0; window.window_s as usize];
    let filled = |values: &[u64]| if values.is_empty() { zeros() } else { values.to_vec() };
    data.insert("iops".into(), filled(&window.iops).into());
    data.insert("bw".into(), filled(&window.bw_bytes).into());
    json!({
        "ss": format!("{word}:{:.6}{percent}", window.limit),
        "duration": window.window_s,
        "attained": u8::from(steady.attained_after_s.is_some()),
        "criterion": format!("{:.6}{percent}", window.criterion.unwrap_or(0.0)),
        "max_deviation": deviation,
        "slope": slope,
        "data": data,
    })
}
