//! One element of `jobs`.

use super::{direction, elapsed_ns, has_run, options, steady};
use crate::fio_number::errno;
use fathom_figures::latency_classes::{Classes, MILLISECONDS, UNITS, depth_shares};
use fathom_figures::{DirectionFigures, Groups, LatencyGoalFigures, Row, SteadyFigures};
use fathom_results::RunResult;
use serde_json::{Map, Value};

const DEPTHS: [&str; 7] = ["1", "2", "4", "8", "16", "32", ">=64"];
const BATCHES: [&str; 7] = ["0", "4", "8", "16", "32", "64", ">=64"];

pub(super) fn object(run: &RunResult, groups: &Groups, row: &Row<'_>, plus: bool) -> Value {
    let mut job = Map::new();
    job.insert("jobname".into(), row.first().name.as_str().into());
    job.insert("groupid".into(), row.first().group.into());
    job.insert("error".into(), errno(row.told_error()).into());
    job.insert("eta".into(), seconds_left(run, row).into());
    job.insert("elapsed".into(), elapsed_ns(run).div_ceil(1_000_000_000).into());
    if let Some(own) = options::own(&row.first().job) {
        job.insert("job options".into(), own.into());
    }
    add_directions(&mut job, groups, row, plus);
    add_usage(&mut job, row);
    add_depths(&mut job, row);
    add_classes(&mut job, row);
    add_tail(&mut job, row);
    if let Some(steady) = SteadyFigures::of(run, row) {
        job.insert("steadystate".into(), steady::object(&steady));
    }
    Value::Object(job)
}

/// Seconds to the end of a job that still runs when its result is printed (`--status-interval`): 0 of a job that has ended, and
/// [`UNKNOWN_ETA`] where nothing says when it ends.
fn seconds_left(run: &RunResult, row: &Row<'_>) -> u64 {
    let has_ended = run.record.finish.is_some() || row.members.iter().all(|member| member.outcome.is_some());
    if has_ended {
        return 0;
    }
    let (planned, elapsed) = (row.first(), elapsed_ns(run) as f64);
    let by_time = planned.end.time.map(|time| (planned.ramp.0 + time.0) as f64 - elapsed);
    let asked = planned.end.bytes.filter(|_| !planned.end.time_based);
    let by_bytes = asked.and_then(|bytes| {
        let done = row.flows().map(|(_, flow)| flow.bytes).sum::<u64>() as f64;
        let left = bytes.0 as f64 * row.members.len() as f64 - done;
        (done > 0.0).then_some(elapsed * left / done)
    });
    let left = by_time.into_iter().chain(by_bytes).reduce(f64::min);
    left.map_or(UNKNOWN_ETA, |ns| (ns.max(0.0) / 1e9).ceil() as u64)
}

/// What fio writes where it does not know: its largest int.
const UNKNOWN_ETA: u64 = i32::MAX as u64;

fn add_directions(job: &mut Map<String, Value>, groups: &Groups, row: &Row<'_>, plus: bool) {
    let asked = &row.asked;
    let mut add = |flow: &DirectionFigures<'_>| {
        let agg = groups.percent(row, flow);
        job.insert(flow.name.into(), direction::object(flow, asked, agg, plus));
    };
    let apart = row.flows_apart();
    apart.iter().for_each(&mut add);
    // A mixed report has one block and no sync; its readers expect that.
    if !apart.is_empty() {
        job.insert("sync".into(), direction::sync_object(&row.totals.sync, asked, plus));
    }
    if let Some(mixed) = row.flow_mixed() {
        let agg = groups.percent(row, &mixed);
        job.insert("mixed".into(), direction::object(&mixed, asked, agg, plus));
    }
}

fn add_usage(job: &mut Map<String, Value>, row: &Row<'_>) {
    let usage = row.usage();
    job.insert("job_runtime".into(), (row.worker_ns() / 1_000_000).into());
    job.insert("usr_cpu".into(), row.user_percent().unwrap_or(0.0).into());
    job.insert("sys_cpu".into(), row.system_percent().unwrap_or(0.0).into());
    job.insert("ctx".into(), row.switches().into());
    job.insert("majf".into(), usage.faults_major.into());
    job.insert("minf".into(), usage.faults_minor.into());
}

fn add_depths(job: &mut Map<String, Value>, row: &Row<'_>) {
    let maps = &row.totals.maps;
    let all = [
        ("iodepth_level", DEPTHS, &maps.depth),
        ("iodepth_submit", BATCHES, &maps.submit),
        ("iodepth_complete", BATCHES, &maps.complete),
    ];
    for (key, names, counts) in all {
        job.insert(key.into(), named(names, depth_shares(counts)));
    }
}

fn add_classes(job: &mut Map<String, Value>, row: &Row<'_>) {
    let classes = Classes::of_row(row);
    let units = UNITS.map(|unit| unit.to_string());
    job.insert("latency_ns".into(), named(units.each_ref().map(String::as_str), classes.ns));
    job.insert("latency_us".into(), named(units.each_ref().map(String::as_str), classes.us));
    job.insert("latency_ms".into(), named(MILLISECONDS, classes.ms));
}

fn add_tail(job: &mut Map<String, Value>, row: &Row<'_>) {
    if row.asked.counts_errors {
        job.insert("total_err".into(), row.outlived_errors().into());
        job.insert("first_error".into(), errno(row.first_error()).into());
    }
    if has_run(row) {
        let goal = LatencyGoalFigures::of(row);
        job.insert("latency_depth".into(), goal.depth.into());
        job.insert("latency_target".into(), goal.target_ns.into());
        job.insert("latency_percentile".into(), goal.percentile.into());
        job.insert("latency_window".into(), goal.window_us.into());
    }
    if !row.asked.description.is_empty() {
        job.insert("desc".into(), row.asked.description.as_str().into());
    }
}

fn named<const N: usize>(names: [&str; N], shares: [f64; N]) -> Value {
    let entries = names.into_iter().zip(shares);
    Value::Object(entries.map(|(name, share)| (name.to_owned(), share.into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fixture::{DirectionLoad, RunBuilder};
    use fathom_figures::rows;

    #[test]
    fn a_job_that_runs_says_how_long_it_needs() {
        let left = |options: &str, has_ended: bool| {
            let job = format!("rw=read bs=4k ioengine=psync filename=/data/f {options}");
            let reads = [DirectionLoad::reads(100, 4096, 100_000)];
            let mut run = RunBuilder::of(&job).seconds(0, 4, &reads).run();
            if !has_ended {
                (run.record.finish, run.jobs[0].outcome, run.reaches_ns) = (None, None, 4_000_000_000);
            }
            seconds_left(&run, &rows(&run)[0])
        };
        assert_eq!(left("time_based=1 runtime=10", true), 0);
        assert_eq!(left("time_based=1 runtime=10", false), 6);
        assert_eq!(left("time_based=1 runtime=3", false), 0);
        // 400 of 1,000 blocks in 4 s.
        assert_eq!(left("size=4096000", false), 6);
        assert_eq!(left("size=4096000 runtime=5", false), 1);
    }
}
