//! The view as a small panel on a terminal.

use super::bar::{bar, sparkline};
use super::figures::Figures;
use super::look::Look;
use super::moment::LiveMoment;
use fathom_job::direction::Direction;
use fathom_text::quantity::{bandwidth, iops, latency, percent_with};

/// Most columns of the bar: a longer one says no more.
const BAR_MAX: usize = 60;
/// Columns of the labels.
const LABEL: usize = 13;

/// The view as the rows of a panel; on a terminal that is not higher, the first of them.
pub fn panel(moment: &LiveMoment, look: Look) -> Vec<String> {
    let mut rows = vec![heading(moment, look), progress(moment, look)];
    rows.extend(figures(moment, look));
    rows.extend(taints(moment, look));
    // The cursor stays below the rows.
    rows.truncate(look.rows.saturating_sub(1).max(1));
    rows.iter().map(|row| look.row(row)).collect()
}

fn heading(moment: &LiveMoment, look: Look) -> String {
    let mut text = look.style.strong(moment.phase);
    if !moment.running.name.is_empty() {
        text += &format!("  {}", moment.running.label());
    }
    if moment.running.workers > 1 {
        text += &format!(", {} workers", moment.running.workers);
    }
    match moment.round {
        Some((round, of)) => format!("round {round} of {of}  {text}"),
        None => text,
    }
}

fn progress(moment: &LiveMoment, look: Look) -> String {
    let left = moment.left();
    let Some(share) = moment.share else { return left };
    let after = format!("  {:>5}  {left}", percent_with(share, 0));
    let columns = look.columns.saturating_sub(after.chars().count()).min(BAR_MAX);
    look.style.good(&bar(share, columns, look.style.utf8)) + &after
}

/// The last second. Before the first window the rows are there as well, so that the panel keeps its
/// height.
fn figures(moment: &LiveMoment, look: Look) -> [String; 4] {
    let label = |label: &str| look.style.faint(&format!("{label:<LABEL$}"));
    let figures = moment.figures.as_ref();
    let ios = figures.map(|now| each(now, iops(now.iops()), &|d| iops(now.ios[d])));
    let bytes = figures.map(|now| each(now, bandwidth(now.bytes_per_second()), &|d| bandwidth(now.bytes[d])));
    let latency = figures.and_then(|now| now.latency_ns).map(|(p50, p99)| {
        let p50 = format!("p50 {}", latency(p50 as f64));
        format!("{p50:<LABEL$}p99 {}", latency(p99 as f64))
    });
    let shown = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let room = look.columns.saturating_sub(LABEL);
    let rates = moment.history.iter().copied().skip(moment.history.len().saturating_sub(room));
    [
        label("IOPS") + &shown(ios),
        label("bandwidth") + &shown(bytes),
        label("latency") + &shown(latency),
        label("each second") + &sparkline(rates, look.style.utf8),
    ]
}

/// The sum over all directions, and each of them if there are several.
fn each(now: &Figures, all: String, of: &dyn Fn(Direction) -> String) -> String {
    let used: Vec<Direction> = Direction::ALL.into_iter().filter(|d| now.ios[*d] > 0.0).collect();
    let each: Vec<String> = used.iter().map(|d| format!("{} {}", d.name(), of(*d))).collect();
    if each.len() > 1 { format!("{all:<LABEL$}{}", each.join(", ")) } else { all }
}

fn taints(moment: &LiveMoment, look: Look) -> Option<String> {
    let (first, more) = moment.taints.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!("; {}", more.join("; ")) };
    Some(look.style.careful(&format!("! {first}{more}")))
}
