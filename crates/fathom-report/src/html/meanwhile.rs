//! What the machine did beside the run: the means of the measured window as text, and charts of what changed.

use super::chart::{MachineLine, USES};
use super::markup::{escape, pairs};
use fathom_figures::sampled::{CountFigures, CpuUse};
use fathom_figures::{Sampled, SampledSpan};
use fathom_results::RunResult;
use fathom_results::sample::kind::PAGE_CACHE;
use fathom_text::number::{significant, whole};
use fathom_text::quantity::percent_with;

/// Disks that are told in words.
const DISKS_MAX: usize = 8;

/// The section; empty where nothing was sampled.
pub(super) fn section(run: &RunResult) -> String {
    let Some(sampled) = Sampled::of(run) else { return String::new() };
    let measured = sampled.measured();
    if measured.seconds <= 0.0 {
        return String::new();
    }
    let line = MachineLine::of(&sampled, &measured);
    let charts = line.iter().flat_map(MachineLine::charts);
    let figures: String = charts.map(|svg| format!("<figure>\n{svg}</figure>\n")).collect();
    let charts =
        if figures.is_empty() { figures } else { format!("<div class=\"charts\">\n{figures}</div>\n") };
    format!(
        "<section class=\"meanwhile\">\n<h2>The machine meanwhile</h2>\n{}{charts}<p class=\"note\">{}</p>\n</section>\n",
        pairs(rows(&sampled, &measured).into_iter()),
        escape(&how(&sampled))
    )
}

/// The means of the measured window.
fn rows(sampled: &Sampled<'_>, span: &SampledSpan<'_>) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut tell =
        |name: &str, value: Option<String>| rows.extend(value.map(|value| (name.to_owned(), value)));
    tell("CPUs", span.all_cpus().map(|all| cpus(&all)));
    for disk in span.disks().iter().take(DISKS_MAX) {
        let words = format!(
            "{} requests/s, {} ms each, {} in the queue, busy {} of the time",
            whole(disk.requests()),
            significant(disk.wait_ms(), 3),
            significant(disk.queued, 3),
            percent_with(disk.busy / 100.0, 0)
        );
        tell(&disk.name, Some(words));
    }
    tell("page cache", page_cache(sampled, span));
    let heat = span.temperatures();
    let heat: Vec<String> = heat.iter().map(|one| format!("{} {:.0} °C", one.name, one.celsius)).collect();
    tell("temperature", (!heat.is_empty()).then(|| heat.join(", ")));
    tell("CPU clock", clock(span));
    let counted = |all: Vec<CountFigures>, name: &str| {
        let each: Vec<String> = all.iter().map(|one| format!("{name} {}: {}", one.name, one.count)).collect();
        (!each.is_empty()).then(|| each.join(", "))
    };
    tell("slowed down by heat", counted(span.throttled(), "CPU"));
    tell("errors of PCIe links", counted(span.link_errors(), "device"));
    rows
}

fn cpus(all: &CpuUse) -> String {
    let uses = USES.iter().map(|(_, name, of)| (*name, of(all))).chain([("idle", all.idle)]);
    let parts = uses
        .filter(|(_, share)| *share >= 0.5)
        .map(|(name, share)| format!("{name} {}", percent_with(share / 100.0, 0)));
    parts.collect::<Vec<_>>().join(", ")
}

fn page_cache(sampled: &Sampled<'_>, span: &SampledSpan<'_>) -> Option<String> {
    let cache = sampled.page_cache(span)?;
    if cache.read_pages <= 0.0 {
        return None;
    }
    Some(match (cache.hit_percent(), sampled.unknown(&PAGE_CACHE)) {
        (Some(percent), _) => percent_with(percent / 100.0, 1) + " of the pages read were found in it",
        (None, Some(why)) => format!("hits and misses are unknown: {why}"),
        (None, None) => return None,
    })
}

fn clock(span: &SampledSpan<'_>) -> Option<String> {
    let clocks = span.clocks();
    let mhz = || clocks.iter().map(|clock| clock.mhz);
    let (low, high) = (mhz().reduce(f64::min)?, mhz().reduce(f64::max)?);
    Some(format!("{low:.0} to {high:.0} MHz"))
}

/// How it was sampled, and at which cost.
fn how(sampled: &Sampled<'_>) -> String {
    let samples = sampled.samples();
    let cost = format!("{} % of one core", significant(100.0 * sampled.cost_share(), 2));
    let seconds = (samples.longest_ns() as f64 / 1e9).round();
    match seconds > 1.0 {
        false => format!("Means of the measured window. Reading the machine each second took {cost}."),
        true => format!(
            "Means of the measured window. The machine was read up to {seconds:.0} s apart, so that it took no more than {cost}."
        ),
    }
}
