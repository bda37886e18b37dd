//! fio's terse output: one line of `;`-separated fields per row.
//!
//! | version | layout |
//! |---|---|
//! | 2 | no fio version; read, write, trim; no disks; description on a line of its own |
//! | 3 | fio version; read, write; disks |
//! | 4 | as 3, with trim |
//! | 5 | as 4, and each direction ends with bandwidth samples and the spread of IOPS |
//!
//! The line has no escape for `;`, so a name or description that holds one is
//! written with `,` in its place: a shifted record would be read as wrong
//! numbers. With `lat_percentiles=1` the percentiles are those of total latency.

use crate::fio_json::version;
use crate::fio_number::errno;
use fathom_figures::disk::{busy_percent, shown};
use fathom_figures::latency_classes::{Classes, depth_shares};
use fathom_figures::{DirectionFigures, Groups, Row, StatisticsOptions, as_fio, rows_as_fio};
use fathom_results::{DiskDelta, Latency, RunResult};

/// fio keeps room for this many percentiles.
const PERCENTILES_MAX: usize = 20;

/// A layout of the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the numbers; the table above is the meaning")]
pub enum TerseVersion {
    V2 = 2,
    #[default]
    V3 = 3,
    V4 = 4,
    V5 = 5,
}

impl TerseVersion {
    /// The version of that number, if fio has one.
    pub fn of(number: u32) -> Option<Self> {
        [Self::V2, Self::V3, Self::V4, Self::V5].into_iter().find(|v| *v as u32 == number)
    }
}

/// The whole output: a line per row, each ended by a newline.
pub fn terse(run: &RunResult, version: TerseVersion) -> String {
    let as_fio = as_fio(run);
    let run = as_fio.as_ref().unwrap_or(run);
    let rows = rows_as_fio(run);
    let (groups, disks) = (Groups::of(&rows), shown(run, &rows));
    let disks = if version > TerseVersion::V2 { disks } else { &[] };
    rows.iter().map(|row| line(run, &groups, disks, row, version)).collect()
}

fn line(
    run: &RunResult,
    groups: &Groups,
    disks: &[DiskDelta],
    row: &Row<'_>,
    layout: TerseVersion,
) -> String {
    let mut fields = vec![(layout as u32).to_string()];
    if layout > TerseVersion::V2 {
        fields.push(version(run));
    }
    fields.extend([
        plain(&row.first().name),
        row.first().group.to_string(),
        errno(row.told_error()).to_string(),
    ]);
    for flow in flows(row, layout) {
        add_flow(&mut fields, &flow, &row.asked, groups.percent(row, &flow), layout);
    }
    add_usage(&mut fields, row);
    add_distributions(&mut fields, row);
    disks.iter().for_each(|disk| add_disk(&mut fields, disk));
    if row.asked.counts_errors {
        fields.extend([row.outlived_errors().to_string(), errno(row.first_error()).to_string()]);
    }
    let description = match (row.asked.description.as_str(), layout) {
        ("", _) => String::new(),
        (text, TerseVersion::V2) => format!("\n;{}", plain(text)),
        (text, _) => format!(";{}", plain(text)),
    };
    format!("{}{description}\n", fields.join(";"))
}

/// The direction blocks of a line: trim only from version 4 on (and in 2).
fn flows<'a>(row: &'a Row<'_>, layout: TerseVersion) -> Vec<DirectionFigures<'a>> {
    let apart = row.flows_apart().into_iter();
    let shown = apart.filter(|f| f.name != "trim" || layout != TerseVersion::V3);
    shown.chain(row.flow_mixed()).collect()
}

fn add_flow(
    fields: &mut Vec<String>,
    flow: &DirectionFigures<'_>,
    asked: &StatisticsOptions,
    agg: f64,
    layout: TerseVersion,
) {
    let totals = &flow.totals;
    fields.push((totals.bytes >> 10).to_string());
    fields.push((flow.bytes_per_second() as u64 / 1024).to_string());
    fields.push((flow.iops() as u64).to_string());
    fields.push(flow.runtime_ms().to_string());
    add_latency(fields, asked.submission, &flow.submission());
    add_latency(fields, asked.completion, &totals.completion);
    add_percentiles(fields, flow, asked);
    add_latency(fields, asked.total, &totals.total);
    let (bw, iops) = (flow.bandwidth_spread_kib(), flow.iops_spread());
    fields.extend([
        format!("{}", bw.min.round() as u64),
        format!("{}", bw.max.round() as u64),
        format!("{agg:.6}%"),
    ]);
    fields.extend([format!("{:.6}", bw.mean), format!("{:.6}", bw.stddev)]);
    if layout == TerseVersion::V5 {
        fields.extend([
            bw.samples.to_string(),
            format!("{}", iops.min.round() as u64),
            format!("{}", iops.max.round() as u64),
        ]);
        fields.extend([format!("{:.6}", iops.mean), format!("{:.6}", iops.stddev), iops.samples.to_string()]);
    }
}

/// Minimum, maximum, mean and deviation, µs.
fn add_latency(fields: &mut Vec<String>, shown: bool, latency: &Latency) {
    let nothing = Latency::default();
    let moments = if shown { latency.moments } else { nothing.moments };
    fields.push((moments.min().unwrap_or(0) / 1000).to_string());
    fields.push((moments.max().unwrap_or(0) / 1000).to_string());
    fields.push(format!("{:.6}", moments.mean().unwrap_or(0.0) / 1e3));
    fields.push(format!("{:.6}", moments.stddev().unwrap_or(0.0) / 1e3));
}

/// Twenty fields `percent%=µs`, the unused ones `0%=0`.
fn add_percentiles(fields: &mut Vec<String>, flow: &DirectionFigures<'_>, asked: &StatisticsOptions) {
    let kept =
        match (asked.total_percentiles && asked.total, asked.completion_percentiles && asked.completion) {
            (true, _) => Some(&flow.totals.total),
            (_, true) => Some(&flow.totals.completion),
            _ => None,
        };
    let listed = if kept.is_some() { asked.percentiles.as_slice() } else { &[] };
    for at in 0..PERCENTILES_MAX {
        let field = listed.get(at).map(|p| {
            let ns = kept.and_then(|l| l.histogram.as_ref()).and_then(|h| h.quantile(p / 100.0));
            format!("{p:.6}%={}", ns.unwrap_or(0) / 1000)
        });
        fields.push(field.unwrap_or_else(|| "0%=0".to_owned()));
    }
}

fn add_usage(fields: &mut Vec<String>, row: &Row<'_>) {
    let usage = row.usage();
    let shares = [row.user_percent(), row.system_percent()];
    fields.extend(shares.map(|share| format!("{:.6}%", share.unwrap_or(0.0))));
    fields.push(row.switches().to_string());
    fields.extend([usage.faults_major.to_string(), usage.faults_minor.to_string()]);
}

/// Depths, then latency classes; all below 1 µs counts in the first µs class.
fn add_distributions(fields: &mut Vec<String>, row: &Row<'_>) {
    fields.extend(depth_shares(&row.totals.maps.depth).map(|share| format!("{share:.1}%")));
    let mut classes = Classes::of_row(row).rounded();
    classes.us[0] += classes.below_us();
    fields.extend(classes.us.iter().chain(&classes.ms).map(|share| format!("{share:.2}%")));
}

fn add_disk(fields: &mut Vec<String>, disk: &DiskDelta) {
    fields.push(disk.disk.clone());
    let counts =
        [disk.ios, disk.merges, disk.ticks_ms].into_iter().flat_map(|[read, write, _]| [read, write]);
    fields.extend(counts.map(|count| count.to_string()));
    fields.extend([disk.queue_ms.to_string(), format!("{:.2}%", busy_percent(disk))]);
}

fn plain(text: &str) -> String {
    text.replace(';', ",").replace('\n', " ")
}
