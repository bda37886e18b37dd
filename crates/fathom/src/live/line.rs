//! The view as a line of a log.

use super::moment::LiveMoment;
use fathom_job::direction::Direction;
use fathom_text::quantity::{bandwidth, latency, rate};

/// The view as a line of a log, which is not cut: jobs that have ended, what runs, the rates of each
/// direction, and the time that is left.
pub fn log_line(moment: &LiveMoment) -> String {
    let running = &moment.running;
    let mut text = format!("[{}/{} jobs done]", running.ended, running.all);
    if let Some((round, of)) = moment.round {
        text = format!("[round {round}/{of}] {text}");
    }
    if !running.name.is_empty() {
        text = format!("{text} {}", running.name);
    }
    text = format!("{text} {}", moment.phase);
    if running.workers > 1 {
        text += &format!(" ({} workers)", running.workers);
    }
    if let Some(now) = &moment.figures {
        for direction in Direction::ALL.into_iter().filter(|d| now.ios[*d] > 0.0) {
            let letter = &direction.name()[..1];
            let (ios, bytes) = (rate(now.ios[direction]), bandwidth(now.bytes[direction]));
            text += &format!("  {letter}: {ios} {bytes}");
        }
        if let Some((_, p99)) = now.latency_ns {
            text += &format!("  p99 {}", latency(p99 as f64));
        }
    }
    let taints = moment.taints.iter().map(|taint| format!("  ! {taint}"));
    text + "  " + &moment.left() + &taints.collect::<String>()
}
