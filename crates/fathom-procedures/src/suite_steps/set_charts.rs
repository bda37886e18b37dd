//! The charts of sets of targets: the rate over their number, and a map of all subsets.

use super::gathered::CellRow;
use super::parts::{Parts, SHARE};
use crate::suite::{CellGroup, Over, Shown, set_name};
use fathom_results::{ReportAxis, ReportColumns, ReportPart, ReportSeries};

/// An axis has at least so many values.
pub const VALUES_MIN: usize = 3;

/// The rate over the number of targets beside the sum of what each reaches alone (contract M-2); of all subsets, a map of
/// each beside its members, coloured by the share of that sum (contract M-6).
pub fn of_sets(
    group: &CellGroup,
    rows: &[CellRow<'_>],
    parts: &Parts<'_>,
    shown: Shown,
) -> Option<ReportPart> {
    match group.over {
        Over::Growing => growth(group, rows, parts, shown),
        Over::Subsets => map_of_sets(group, rows, parts),
        _ => None,
    }
}

fn growth(group: &CellGroup, rows: &[CellRow<'_>], parts: &Parts<'_>, shown: Shown) -> Option<ReportPart> {
    // The first alone, and all that begin with it.
    let is_grown = |row: &&CellRow<'_>| row.cell.set.first() == Some(&0);
    let points: Vec<(f64, f64, f64)> = rows
        .iter()
        .filter(is_grown)
        .filter_map(|row| {
            let (rate, share) = (row.mean(shown)?.value, parts.share(row)?);
            Some((row.cell.set.len() as f64, rate, rate / share.of_sum))
        })
        .collect();
    let series = |of: fn(&(f64, f64, f64)) -> (f64, f64)| points.iter().map(of).collect();
    (points.len() >= VALUES_MIN && group.vary.is_empty()).then(|| {
        ReportPart::plot(
            format!("{}: {}", group.what, shown.title()),
            "targets",
            ReportAxis::linear(shown.title()),
            vec![
                ReportSeries::measured("together", series(|(count, rate, _)| (*count, *rate))),
                ReportSeries::guide("sum of each alone", series(|(count, _, sum)| (*count, *sum))),
            ],
        )
    })
}

fn map_of_sets(group: &CellGroup, rows: &[CellRow<'_>], parts: &Parts<'_>) -> Option<ReportPart> {
    let several: Vec<&CellRow<'_>> = rows.iter().filter(|row| row.cell.set.len() > 1).collect();
    let targets = several.iter().flat_map(|row| &row.cell.set).max()? + 1;
    let name = |target: usize| (target + 1).to_string();
    let line = |row: &&CellRow<'_>| {
        let share = parts.share(row).map(|share| 100.0 * share.of_sum);
        (0..targets).map(|target| share.filter(|_| row.cell.set.contains(&target))).collect()
    };
    group.vary.is_empty().then(|| {
        ReportPart::Heat(ReportColumns {
            title: format!("{}: {SHARE}", group.what),
            x: "target".to_owned(),
            z: "together".to_owned(),
            x_names: (0..targets).map(name).collect(),
            z_names: several.iter().map(|row| set_name(&row.cell.set)).collect(),
            values: several.iter().map(line).collect(),
        })
    })
}
