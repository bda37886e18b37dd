//! `steadystate` of a job, as fio 3.33 has it; with the latencies of later versions where they are judged.
//!
//! fio fills a window that was not full with zeros, which are in its means. Here `data` has the values that there are.

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
    data.insert("iops".into(), window.iops.clone().into());
    data.insert("bw".into(), window.bw_bytes.clone().into());
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
