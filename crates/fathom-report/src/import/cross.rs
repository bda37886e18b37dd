//! Results that differ in depth and in the number of jobs: IOPS as a table over both.

use fathom_figures::fio::{FioJob, Imported};
use fathom_text::number::cell;
use fathom_text::style::Style;
use fathom_text::table::Table;
use fathom_text::words::counted;
use std::collections::{BTreeMap, BTreeSet};

/// From so many results on, a table over both says more than their list.
const RESULTS_MIN: usize = 3;

/// IOPS of the results that have one direction, `rw` and size of an I/O, by depth and number of jobs.
pub(crate) struct DepthsAndJobs {
    /// `IOPS over depth and jobs: randread, read, 4k`.
    pub(crate) title: String,
    /// The depths, ascending.
    pub(crate) depths: Vec<u64>,
    /// The numbers of jobs, ascending.
    pub(crate) jobs: Vec<u64>,
    /// The IOPS of each depth, by number of jobs; `None` where nothing was measured.
    pub(crate) iops: Vec<Vec<Option<f64>>>,
}

/// What the results of one table have in common: direction, `rw` and bytes of an I/O.
type Common = (&'static str, String, u64);

/// IOPS by depth and number of jobs.
type Cells = BTreeMap<(u64, u64), f64>;

/// The tables for the terminal; empty where the results do not differ in depth or in the number of jobs.
pub(super) fn tables(imported: &Imported, style: Style) -> String {
    let told = |of: &DepthsAndJobs| format!("{}\n{}", style.strong(&of.title), table(of).render(style));
    depths_and_jobs(imported).iter().map(told).collect::<Vec<_>>().join("\n")
}

/// The tables; none where the results do not differ in depth or in the number of jobs.
pub(crate) fn depths_and_jobs(imported: &Imported) -> Vec<DepthsAndJobs> {
    let of = |(common, cells): (Common, Option<Cells>)| {
        let cells = cells.filter(|cells| cells.len() >= RESULTS_MIN)?;
        let (direction, rw, bytes) = common;
        let rw = if rw.is_empty() { direction.to_owned() } else { format!("{rw}, {direction}") };
        let sorted = |of: fn(&(u64, u64)) -> u64| {
            cells.keys().map(of).collect::<BTreeSet<u64>>().into_iter().collect::<Vec<u64>>()
        };
        let (depths, jobs) = (sorted(|place| place.0), sorted(|place| place.1));
        let at = |depth: &u64| jobs.iter().map(|jobs| cells.get(&(*depth, *jobs)).copied()).collect();
        let iops = depths.iter().map(at).collect();
        let title = format!("IOPS over depth and jobs: {rw}, {}", super::block(bytes as f64));
        Some(DepthsAndJobs { title, depths, jobs, iops })
    };
    grouped(imported).into_iter().filter_map(of).collect()
}

/// The results with their depths and numbers of jobs; `None` for those of which two have the same ones.
fn grouped(imported: &Imported) -> BTreeMap<Common, Option<Cells>> {
    let mut groups: BTreeMap<Common, Option<Cells>> = BTreeMap::new();
    for job in imported.results.iter().flat_map(|of| &of.result.jobs) {
        let Some((depth, jobs)) = depth(job).zip(job.jobs) else { continue };
        for flow in job.flows.iter().filter(|flow| flow.unrated().is_none()) {
            let rw = job.direction.clone().unwrap_or_default();
            let common = (flow.direction, rw, job.block_bytes.unwrap_or(0.0).round() as u64);
            let group = groups.entry(common).or_insert_with(|| Some(Cells::new()));
            let Some(iops) = flow.iops else { continue };
            let is_new = |cells: &mut Cells| cells.insert((depth, jobs), iops).is_none();
            if !group.as_mut().is_some_and(is_new) {
                *group = None;
            }
        }
    }
    groups
}

fn depth(job: &FioJob) -> Option<u64> {
    job.depth.or(job.depth_is_assumed.then_some(1))
}

/// `1 job`, `4 jobs`: the headings of the columns.
pub(crate) fn columns(of: &DepthsAndJobs) -> Vec<String> {
    of.jobs.iter().map(|jobs| counted(*jobs, "job")).collect()
}

fn table(of: &DepthsAndJobs) -> Table {
    let mut rows = vec![std::iter::once(String::new()).chain(columns(of)).collect::<Vec<_>>()];
    for (depth, iops) in of.depths.iter().zip(&of.iops) {
        let each = iops.iter().map(|iops| iops.map_or("-".to_owned(), cell));
        rows.push(std::iter::once(format!("depth {depth}")).chain(each).collect());
    }
    Table { rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_figures::fio::{FioFlow, FioResult, ImportedResult};

    fn result(depth: Option<u64>, jobs: u64, iops: f64) -> ImportedResult {
        let flow = FioFlow { direction: "read", ios: Some(10), iops: Some(iops), ..FioFlow::default() };
        let job = FioJob {
            depth,
            depth_is_assumed: depth.is_none(),
            jobs: Some(jobs),
            direction: Some("randread".to_owned()),
            block_bytes: Some(4096.0),
            flows: vec![flow],
            ..FioJob::default()
        };
        ImportedResult {
            file: String::new(),
            run: None,
            result: FioResult { jobs: vec![job], ..FioResult::default() },
        }
    }

    #[test]
    fn results_are_a_table_over_depth_and_jobs() {
        let results = vec![
            result(None, 1, 100.0),
            result(Some(8), 1, 800.0),
            result(None, 4, 400.0),
            result(Some(32), 4, 900.0),
        ];
        let mut imported = Imported { results, ..Imported::default() };
        let expected = "IOPS over depth and jobs: randread, read, 4k\n               1 job  4 jobs\n  depth 1        100     400\n  depth 8        800       -\n  depth 32         -     900\n";
        assert_eq!(tables(&imported, Style::PLAIN), expected);
        // Two results of one depth and number of jobs differ in something else.
        imported.results.push(result(Some(8), 1, 700.0));
        assert_eq!(tables(&imported, Style::PLAIN), "");
    }
}
