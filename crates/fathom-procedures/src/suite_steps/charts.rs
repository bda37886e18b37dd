//! The charts of a group: the first figure over a demand that varies, and over two names that vary.

use super::gathered::{CellRow, OfRounds};
use super::parts::Parts;
use super::set_charts::{VALUES_MIN, of_sets};
use super::tables::HALF;
use crate::suite::{CellGroup, MeanLatency, Shown, Vary, adds_latency, falls_after_knee, knee};
use fathom_job::parse::read_size;
use fathom_results::{
    ReportAxis, ReportColumns, ReportPart, ReportRemark, ReportSeries, ReportTable, TableCell,
};

/// More lines than this cannot be told apart.
const LINES_MAX: usize = 8;

/// Names of demand: more of them means more I/Os in flight.
const DEMANDS: [&str; 2] = [DEPTH, "numjobs"];

/// The option that asks for a queue depth.
const DEPTH: &str = "iodepth";

/// The name of the group that makes an axis, and its numbers: a demand, or else the last name with numbers.
fn axis(group: &CellGroup) -> Option<(&str, Vec<u64>)> {
    let numbers =
        |values: &[String]| values.iter().map(|value| read_size(value).ok()).collect::<Option<Vec<u64>>>();
    let of = |vary: &Vary| numbers(&vary.values).filter(|numbers| numbers.len() >= VALUES_MIN);
    let mut axes = group.vary.iter().rev().filter_map(|vary| Some((vary.name.as_str(), of(vary)?)));
    let last = axes.next()?;
    if DEMANDS.contains(&last.0) {
        return Some(last);
    }
    Some(axes.find(|(name, _)| DEMANDS.contains(name)).unwrap_or(last))
}

/// A line: the rows that differ in the axis only.
struct Line<'r, 'a> {
    name: String,
    points: Vec<(u64, &'r CellRow<'a>)>,
}

fn lines<'r, 'a>(group: &CellGroup, rows: &'r [CellRow<'a>], axis: &str) -> Vec<Line<'r, 'a>> {
    let mut lines: Vec<Line<'r, 'a>> = Vec::new();
    for row in rows.iter().filter(|row| row.is_measured()) {
        let Some(at) = row.cell.value(axis).and_then(|value| read_size(value).ok()) else { continue };
        let others = row.cell.values.iter().filter(|(name, _)| name != axis);
        let mut words: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        words.extend(row.cell.on.as_ref().map(|set| format!("on {set}")));
        words.extend((!row.job.is_empty()).then(|| row.job.to_owned()));
        let name = if words.is_empty() { group.name.clone() } else { words.join(" ") };
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push((at, row)),
            None => lines.push(Line { name, points: vec![(at, row)] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by_key(|(at, _)| *at));
    lines
}

/// The charts.
pub fn charts(group: &CellGroup, rows: &[CellRow<'_>]) -> Vec<ReportPart> {
    let Some(shown) = group.values.first().copied() else { return Vec::new() };
    let over_axis = axis(group).and_then(|(name, values)| over(group, rows, name, &values, shown));
    let matrix = matrices(group, rows, shown);
    let parts = Parts::of(group, rows);
    let sets = parts.as_ref().and_then(|parts| of_sets(group, rows, parts, shown));
    let both = |columns: ReportColumns| [ReportPart::Heat(columns.clone()), ReportPart::Columns(columns)];
    over_axis.into_iter().chain(sets).chain(matrix.into_iter().flat_map(both)).collect()
}

/// Larger tables make columns that hide each other.
const ROWS_MAX: usize = 16;

/// A table whose first column names the rows, and whose other columns are the values of one name, as one column for each field. `across`
/// is what these columns are. `None` where there is nothing to compare, or too much.
pub fn of_crossed(table: &ReportTable, across: &str) -> Option<ReportPart> {
    let is_figure = |(at, name): &(usize, &String)| *at > 0 && *name != HALF;
    let figures: Vec<(usize, &String)> = table.columns.iter().enumerate().filter(is_figure).collect();
    if !(2..=LINES_MAX).contains(&figures.len()) || !(1..=ROWS_MAX).contains(&table.rows.len()) {
        return None;
    }
    let name = |row: &Vec<TableCell>| match row.first() {
        Some(TableCell::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let value = |row: &Vec<TableCell>, at: usize| match row.get(at) {
        Some(TableCell::Number(value)) => Some(*value),
        _ => None,
    };
    let values = |at: usize| table.rows.iter().map(|row| value(row, at)).collect();
    Some(ReportPart::Columns(ReportColumns {
        title: table.title.clone(),
        x: table.columns[0].clone(),
        z: across.to_owned(),
        x_names: table.rows.iter().map(name).collect(),
        z_names: figures.iter().map(|(_, name)| (*name).clone()).collect(),
        values: figures.iter().map(|(at, _)| values(*at)).collect(),
    }))
}

fn over(
    group: &CellGroup,
    rows: &[CellRow<'_>],
    name: &str,
    values: &[u64],
    shown: Shown,
) -> Option<ReportPart> {
    let lines = lines(group, rows, name);
    if lines.is_empty() || lines.len() > LINES_MAX {
        return None;
    }
    let series = |line: &Line<'_, '_>| {
        let points = line.points.iter().filter_map(|(at, row)| Some((*at as f64, row.mean(shown)?.value)));
        ReportSeries::measured(line.name.clone(), points.collect())
    };
    let is_log = values.iter().all(|value| *value > 0)
        && values
            .iter()
            .max()
            .zip(values.iter().min())
            .is_some_and(|(most, least)| most / least.max(&1) >= 16);
    let x = ReportAxis { label: name.to_owned(), is_log };
    let title = format!("{}: {} by {name}", group.what, shown.title());
    let y = ReportAxis::linear(shown.title());
    Some(ReportPart::plot(title, x, y, lines.iter().map(series).collect()))
}

/// Two names that vary, one value of the figure for each pair, for each job.
fn matrices(group: &CellGroup, rows: &[CellRow<'_>], shown: Shown) -> Vec<ReportColumns> {
    let many: Vec<_> = group.vary.iter().filter(|vary| vary.values.len() > 1).collect();
    let ([down, across], Some(first)) = (many.as_slice(), rows.first()) else { return Vec::new() };
    if rows.iter().any(|row| row.cell.set != first.cell.set) {
        return Vec::new();
    }
    let mut jobs: Vec<&str> =
        rows.iter().filter(|row| row.is_measured()).map(|row| row.job.as_str()).collect();
    jobs.sort_unstable();
    jobs.dedup();
    let of_job = |job: &str| {
        let value = |a: &str, b: &str| {
            let is_it = |row: &&CellRow<'_>| {
                row.job == job
                    && row.cell.value(&down.name) == Some(a)
                    && row.cell.value(&across.name) == Some(b)
            };
            rows.iter().find(is_it)?.mean(shown).map(|mean| mean.value)
        };
        let values =
            down.values.iter().map(|a| across.values.iter().map(|b| value(a, b)).collect()).collect();
        let of = if job.is_empty() { String::new() } else { format!(" of {job}") };
        ReportColumns {
            title: format!("{}: {}{of}", group.what, shown.title()),
            x: across.name.clone(),
            z: down.name.clone(),
            x_names: across.values.clone(),
            z_names: down.values.clone(),
            values,
        }
    };
    jobs.into_iter().map(of_job).collect()
}

/// A line over queue depths of which a job could not have all: its points differ by chance.
fn depth_not_reached(line: &Line<'_, '_>) -> Option<ReportRemark> {
    let (asked, unreached) = line.points.iter().find_map(|(at, row)| Some((*at, row.unreached()?)))?;
    let reachable = u64::from(unreached.reachable);
    Some(ReportRemark::DepthNotReached { line: line.name.clone(), asked, reachable })
}

/// Is the mean latency at the end of the line clearly longer than at this place?
fn latency_rises(line: &Line<'_, '_>, place: usize) -> bool {
    let of = |row: &CellRow<'_>| -> Option<MeanLatency> {
        let OfRounds { value, half, .. } = row.mean(Shown::of_id("latency_mean"))?;
        Some((value, half.map(|half| (value * (1.0 - half), value * (1.0 + half)))))
    };
    let ends = line.points.get(place).zip(line.points.last());
    let ends = ends.and_then(|((_, knee), (_, last))| of(knee).zip(of(last)));
    ends.is_some_and(|(knee, last)| adds_latency(knee, last))
}

/// Where each line over a demand has its knee.
pub fn knees(group: &CellGroup, rows: &[CellRow<'_>]) -> Vec<ReportRemark> {
    let Some((name, _)) = axis(group).filter(|(name, _)| DEMANDS.contains(name)) else { return Vec::new() };
    let Some(shown) = group.values.iter().copied().find(|shown| shown.is_rate()) else {
        return Vec::new();
    };
    let of_line = |line: &Line<'_, '_>| {
        if let Some(remark) = depth_not_reached(line).filter(|_| name == DEPTH) {
            return Some(remark);
        }
        let points: Option<Vec<(u64, f64)>> =
            line.points.iter().map(|(at, row)| Some((*at, row.mean(shown)?.value))).collect();
        let points = points?;
        let rates: Vec<f64> = points.iter().map(|(_, rate)| *rate).collect();
        let (most_at, most) = points.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let place = knee(&rates);
        if place.is_none() && rates.iter().all(|rate| *rate <= 0.0) {
            return None;
        }
        Some(ReportRemark::Knee {
            line: line.name.clone(),
            option: name.to_owned(),
            metric: shown.id().to_owned(),
            at: place.map(|place| points[place].0),
            most: shown.in_base_unit(most),
            most_at,
            falls: falls_after_knee(&rates),
            adds_latency: place.is_some_and(|place| latency_rises(line, place)),
        })
    };
    lines(group, rows, name)
        .iter()
        .filter(|line| line.points.len() >= VALUES_MIN)
        .filter_map(of_line)
        .collect()
}
