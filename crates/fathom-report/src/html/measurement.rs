//! One measurement: its charts, those of what was asked for first.

use super::asked::asked;
use super::chart;
use super::markup::{element, escape};
use super::percentile_table::percentile_table;
use fathom_figures::{DirectionFigures, LARGE_BLOCK, Row};
use fathom_job::direction::Direction;
use fathom_job::plan::BlockSizes;
use fathom_results::{Finding, JobRecord, RunResult};

/// The charts of one row.
pub(super) fn measurement(run: &RunResult, row: &Row<'_>) -> String {
    let figures: String = charts(run, row).iter().map(|svg| format!("<figure>\n{svg}</figure>\n")).collect();
    let short = match row.grid().steps.iter().any(|step| step.is_whole()) {
        true => "",
        false => "<p class=\"note\">Shorter than one window of a second, so there is no time line.</p>\n",
    };
    format!(
        "<article>\n<h2>{}</h2>\n<p class=\"meta\">{}</p>\n{}{}{short}<div class=\"charts\">\n{figures}</div>\n{}</article>\n",
        escape(&row.first().name),
        escape(&asked(row)),
        if row.asked.description.is_empty() { String::new() } else { element("p", &row.asked.description) },
        care(run, row),
        percentile_table(row)
    )
}

fn charts(run: &RunResult, row: &Row<'_>) -> Vec<String> {
    let moments = chart::moments(run, row);
    let flows = row.flows_apart_or_mixed();
    let rate = [
        shows_iops(row.first()).then(|| chart::iops(row, &moments)),
        shows_bandwidth(row.first()).then(|| chart::bandwidth(row, &moments)),
    ];
    let rate = rate.into_iter().flatten().flatten();
    let latency = [chart::percentiles(row), chart::classes(row)].into_iter().flatten();
    let over_time =
        |flow: &DirectionFigures<'_>| [chart::heat(row, flow, &moments), chart::tail(row, flow, &moments)];
    let over_time: Vec<String> = flows.iter().flat_map(over_time).flatten().collect();
    let depth = chart::depth(row);
    match leads_with_latency(row) {
        true => latency.chain(over_time).chain(rate).chain(depth).collect(),
        false => rate.chain(latency).chain(over_time).chain(depth).collect(),
    }
}

/// Was its latency asked for? One I/O at a time, a rate, or a latency to keep.
pub(super) fn leads_with_latency(row: &Row<'_>) -> bool {
    let job = row.first();
    let is_paced = job.pace.rate.iter().any(|(_, rate)| rate.is_some());
    (row.depth_asked() <= 1 && is_small(job)) || is_paced || job.pace.goal.is_some()
}

/// Are its blocks small, so that IOPS say more than bandwidth?
pub(super) fn is_small(job: &JobRecord) -> bool {
    job.block_max() < LARGE_BLOCK
}

fn shows_iops(job: &JobRecord) -> bool {
    is_small(job) || !is_one_size(job)
}

fn shows_bandwidth(job: &JobRecord) -> bool {
    !is_small(job) || !is_one_size(job)
}

/// Do all I/Os have one size? Then IOPS and bandwidth are the same line.
fn is_one_size(job: &JobRecord) -> bool {
    let used: Vec<&BlockSizes> =
        Direction::ALL.into_iter().filter(|d| job.uses(*d)).map(|d| &job.block[d]).collect();
    used.iter().all(|block| matches!(block, BlockSizes::Fixed(_)))
        && used.windows(2).all(|two| two[0] == two[1])
}

/// The findings about this job, with what of them is about it.
fn care(run: &RunResult, row: &Row<'_>) -> String {
    let item = |finding: &Finding| {
        let words = fathom_words::of_finding(&finding.of_job(row.name())?);
        Some(element("li", &format!("{} ({})", words.claim.whole(), words.evidence)))
    };
    let items: String = run.record.findings.iter().filter_map(item).collect();
    if items.is_empty() { items } else { format!("<ul class=\"care\">{items}</ul>\n") }
}
