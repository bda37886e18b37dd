//! The view as one line.

use super::bar::bar;
use super::look::Look;
use super::moment::LiveMoment;
use fathom_job::direction::Direction;
use fathom_text::quantity::{bandwidth, latency, rate};
use fathom_text::style::Style;

/// A part of the line.
struct Part {
    /// Parts of low rank are left out last.
    rank: u8,
    text: String,
    paint: fn(Style, &str) -> String,
}

/// Columns of the bar.
const BAR: usize = 20;
/// Columns of a job's name.
const NAME_MAX: usize = 24;
/// Columns between two parts.
const GAP: usize = 2;

/// The view as one line of a terminal: the parts that matter most, as far as they fit.
pub fn line(moment: &LiveMoment, look: Look) -> String {
    let mut parts = parts(moment, look);
    let width = |parts: &[Part]| -> usize {
        parts.iter().map(|part| console::measure_text_width(&part.text) + GAP).sum::<usize>() - GAP
    };
    while parts.len() > 1 && width(&parts) > look.columns {
        let least = (0..parts.len()).max_by_key(|at| parts[*at].rank).unwrap_or(0);
        parts.remove(least);
    }
    let painted: Vec<String> = parts.iter().map(|part| (part.paint)(look.style, &part.text)).collect();
    look.row(&painted.join(&" ".repeat(GAP)))
}

fn plain(_: Style, text: &str) -> String {
    text.to_owned()
}

/// All parts in the order in which they stand.
fn parts(moment: &LiveMoment, look: Look) -> Vec<Part> {
    let mut parts = vec![Part { rank: 0, text: moment.phase.to_owned(), paint: Style::strong }];
    let mut add = |rank, paint: fn(Style, &str) -> String, text: Option<String>| {
        parts.extend(text.map(|text| Part { rank, text, paint }));
    };
    add(7, plain, moment.round.map(|(round, of)| format!("round {round}/{of}")));
    let running = &moment.running;
    let name = console::truncate_str(&running.name, NAME_MAX, "~");
    add(4, plain, (!name.is_empty()).then(|| format!("{name} {}/{}", running.begun, running.all)));
    add(8, Style::good, moment.share.map(|share| bar(share, BAR, look.style.utf8)));
    let figures = moment.figures.as_ref();
    add(1, plain, figures.map(|now| rate(now.iops())));
    add(6, plain, figures.map(|now| bandwidth(now.bytes_per_second())));
    let percentiles = figures.and_then(|now| now.latency_ns);
    add(9, plain, percentiles.map(|(p50, _)| format!("p50 {}", latency(p50 as f64))));
    add(5, plain, percentiles.map(|(_, p99)| format!("p99 {}", latency(p99 as f64))));
    add(2, plain, Some(moment.left_briefly()));
    add(3, Style::careful, moment.taints.first().map(|taint| format!("! {taint}")));
    parts
}

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
