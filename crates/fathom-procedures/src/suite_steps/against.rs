//! A group beside another one: how many times the figure of that one its own is.

use super::Suite;
use super::gathered::{CellRow, row_or_group, rows};
use crate::History;
use crate::suite::{CellGroup, Shown};
use fathom_results::ReportRemark;
use fathom_results::answer::TimesOf;

/// A group with that many rows or fewer has its ratios in remarks, too.
const REMARKS_MAX: usize = 6;

/// The rows with which those of a group are compared.
pub struct AgainstAlone<'a> {
    name: &'a str,
    rows: Vec<CellRow<'a>>,
    /// They are those of the group itself, and its first row is the base.
    is_own: bool,
    shown: Shown,
}

impl<'a> AgainstAlone<'a> {
    /// `None` where the group is compared with nothing, or with what was not measured.
    pub fn of(suite: &'a Suite, group: &'a CellGroup, history: &History<'a>) -> Option<AgainstAlone<'a>> {
        let name = group.against.as_deref()?;
        let place = suite.file.groups.iter().position(|other| other.name == name)?;
        let rows = rows(suite, place, history);
        Some(AgainstAlone { name, rows, is_own: name == group.name, shown: *group.values.first()? })
    }

    /// The title of the column.
    pub fn title(&self) -> String {
        if self.is_own { "÷ first".to_owned() } else { format!("÷ {}", self.name) }
    }

    /// The ratio of a row in an answer; nothing of the base itself.
    pub fn times(&self, row: &CellRow<'_>) -> Option<TimesOf> {
        let is_base = self.is_own && self.base(row).is_some_and(|base| base.cell.name == row.cell.name);
        let times = self.ratio(row).filter(|_| !is_base)?;
        Some(TimesOf { times, group: (!self.is_own).then(|| self.name.to_owned()) })
    }

    /// The row with which this one is compared: of the same job, where both have names, with the same value of all that varies
    /// in both.
    fn base(&self, row: &CellRow<'_>) -> Option<&CellRow<'a>> {
        if self.is_own {
            return self.rows.iter().find(|base| base.job == row.job);
        }
        let is_like = |base: &&CellRow<'a>| {
            let values = base.cell.values.iter();
            let same = |(name, value): &(String, String)| row.cell.value(name).is_none_or(|own| own == value);
            values.clone().all(same) && base.job_name() == row.job_name()
        };
        self.rows.iter().find(is_like)
    }

    /// How many times the figure of its base the first figure of this row is.
    pub fn ratio(&self, row: &CellRow<'_>) -> Option<f64> {
        let base = self.base(row)?.mean(self.shown)?.value;
        Some(row.mean(self.shown)?.value / base).filter(|ratio| ratio.is_finite())
    }

    /// The ratios, where there are few.
    pub fn remarks(&self, group: &CellGroup, rows: &[CellRow<'_>]) -> Vec<ReportRemark> {
        let of_row = |row: &CellRow<'_>| {
            Some(ReportRemark::Times {
                row: row_or_group(row, group),
                metric: self.shown.id().to_owned(),
                times: self.ratio(row)?,
                group: (!self.is_own).then(|| self.name.to_owned()),
            })
        };
        // A row beside itself says nothing.
        let others = rows.iter().skip(usize::from(self.is_own));
        let all: Vec<ReportRemark> = others.filter_map(of_row).collect();
        if all.len() > REMARKS_MAX { Vec::new() } else { all }
    }
}
