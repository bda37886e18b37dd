//! A group in one of the runs that are compared.

use super::super::gathered::{CellRow, best, rows};
use super::super::report;
use super::super::rules::judged;
use super::super::tables::{Field, distinct, has_sets, set_of, workload};
use super::Column;
use crate::suite::{CellGroup, Shown};
use fathom_results::{BestOfRun, ReportRemark};

/// A group in a run.
pub struct MeasuredGroup<'c, 'r> {
    /// The run.
    pub column: &'c Column<'r>,
    /// The set of targets of each of its columns; `None` where all sets are in one column.
    pub sets: Vec<Option<String>>,
    rows: Vec<CellRow<'c>>,
}

impl<'c, 'r> MeasuredGroup<'c, 'r> {
    /// The group at this place.
    pub fn of(column: &'c Column<'r>, place: usize) -> Self {
        let rows = rows(&column.suite, place, &column.history);
        let sets = match column.has_targets() {
            true => distinct(rows.iter().map(|row| Some(set_of(row)))),
            false => vec![None],
        };
        MeasuredGroup { column, sets, rows }
    }

    /// A figure of each of its rows, with its place in the table, in which so many columns are before its own.
    pub fn fields(&self, group: &CellGroup, shown: Shown, before: usize) -> Vec<Field> {
        let names_sets = !self.column.has_targets() && has_sets(&self.rows);
        let place = |row: &CellRow<'_>| {
            self.sets.iter().position(|set| set.as_ref().is_none_or(|set| *set == set_of(row)))
        };
        let field = |row: &CellRow<'_>| {
            Some(Field {
                line: workload(group, row, None, names_sets),
                column: before + place(row)?,
                mean: row.mean(shown),
            })
        };
        self.rows.iter().filter_map(field).collect()
    }

    /// Its best row by the first figure.
    pub fn best(&self, group: &CellGroup) -> BestOfRun {
        let best = best(group, &self.rows).map(|(_, mean)| mean.best(group.values[0]));
        BestOfRun { run: self.column.label.clone(), best }
    }

    /// Why its figures need care: rules that it does not keep, a wide spread, a drift, cells that failed, rounds that are missing.
    pub fn doubts(&self, group: &CellGroup) -> Vec<ReportRemark> {
        let of_rows = report::doubts(&self.column.suite, group, &self.rows);
        self.rules(group).into_iter().chain(of_rows).chain(self.rounds(group)).collect()
    }

    /// What its rules say. Of those that it keeps only the number.
    fn rules(&self, group: &CellGroup) -> Vec<ReportRemark> {
        let judged = judged(&self.column.suite, &self.column.history).into_iter();
        let (kept, others): (Vec<_>, Vec<_>) = judged
            .filter(|one| group.rules.contains(one.rule))
            .partition(|one| one.result.passes == Some(true));
        let (kept, of) = (kept.len() as u64, (kept.len() + others.len()) as u64);
        let kept = (kept > 0).then_some(ReportRemark::LimitsKept { kept, of });
        others.into_iter().map(|one| ReportRemark::Rule(one.result)).chain(kept).collect()
    }

    /// Of how many rounds its figures are, where that is not the same for all.
    fn rounds(&self, group: &CellGroup) -> Option<ReportRemark> {
        let rounds = || self.rows.iter().filter_map(|row| Some(row.mean(group.values[0])?.n as u64));
        let (least, most) = (rounds().min()?, rounds().max()?);
        (least < most).then_some(ReportRemark::RoundsDiffer { least, most })
    }
}
