//! Several targets against what each of them reaches alone (contract M-2, M-5 to M-7, V-56).
//!
//! There are two explanations for a rate below the sum of the parts. The load is spread evenly, so all wait for the slowest, and N
//! targets give N times its rate; or something that they share is full.

use super::gathered::CellRow;
use crate::suite::{CellGroup, Over, Shown, set_name};
use fathom_results::answer::{GroupFigure, GroupHeadline};
use fathom_results::{PartsCause, ReportRemark};

/// The title of the column with the share of the sum of the parts.
pub const SHARE: &str = "% of the parts";

/// The title of the column with the share of what an even spread can give.
pub const BOUND: &str = "% of N × slowest";

/// A prediction that differs from the measurement by less than this share explains it. The sums of M-6 that the even spread
/// explains differ by less, all others by 24 % and more; `fathom calc additivity` judges by the same share.
const EXPLAINED_WITHIN: f64 = 0.05;

/// The rate of each target alone.
pub struct Parts<'g> {
    group: &'g CellGroup,
    alone: Vec<Alone>,
    /// The members of an array, also those whose cell failed.
    members: Vec<usize>,
    shown: Shown,
}

/// The rate of one target alone.
struct Alone {
    target: usize,
    job: String,
    values: Vec<(String, String)>,
    rate: f64,
}

/// A rate of several targets beside those of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartsShare {
    /// How many parts.
    pub count: usize,
    /// The rate together, as a share of the sum of the parts.
    pub of_sum: f64,
    /// The same, as a share of the count times the slowest part.
    pub of_slowest: f64,
    /// The slowest part, as a place in the list of targets.
    pub slowest: usize,
}

impl<'g> Parts<'g> {
    /// `None` where no target was measured alone, or the first figure is no rate.
    pub fn of(group: &'g CellGroup, rows: &[CellRow<'_>]) -> Option<Parts<'g>> {
        let shown = *group.values.first().filter(|shown| !shown.is_better_low())?;
        let alone = |row: &CellRow<'_>| match row.cell.set.as_slice() {
            [target] => {
                let rate = row.mean(shown)?.value;
                Some(Alone {
                    target: *target,
                    job: row.job.to_owned(),
                    values: row.cell.values.clone(),
                    rate,
                })
            }
            _ => None,
        };
        let alone: Vec<Alone> = rows.iter().filter_map(alone).collect();
        let mut members: Vec<usize> =
            rows.iter().filter(|row| row.cell.set.len() == 1).map(|row| row.cell.set[0]).collect();
        members.retain(|target| *target != 0);
        members.sort_unstable();
        members.dedup();
        (group.over != Over::Together && !alone.is_empty()).then_some(Parts { group, alone, members, shown })
    }

    /// The parts of a row: its targets, or the members of the array.
    fn parts(&self, row: &CellRow<'_>) -> Vec<usize> {
        match (self.group.over, row.cell.set.as_slice()) {
            (Over::ArrayAndMembers, [0]) => self.members.clone(),
            (_, set) => set.to_vec(),
        }
    }

    /// The rate of a row beside its parts; `None` where one of them was not measured alone.
    pub fn share(&self, row: &CellRow<'_>) -> Option<PartsShare> {
        let rate = |target: usize| {
            let is_it = |alone: &&Alone| {
                (alone.target, alone.job.as_str()) == (target, row.job.as_str())
                    && alone.values == row.cell.values
            };
            let rate = self.alone.iter().find(is_it)?.rate;
            (rate > 0.0).then_some((target, rate))
        };
        let rates: Vec<(usize, f64)> = self.parts(row).into_iter().map(rate).collect::<Option<_>>()?;
        let (slowest, least) = rates.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
        let together = row.mean(self.shown)?.value;
        Some(PartsShare {
            count: rates.len(),
            of_sum: together / rates.iter().map(|(_, rate)| rate).sum::<f64>(),
            of_slowest: together / (least * rates.len() as f64),
            slowest,
        })
    }

    /// What the largest sets of targets reach, and which explanation fits.
    pub fn remarks(&self, rows: &[CellRow<'_>]) -> Vec<ReportRemark> {
        let is_array = |row: &&CellRow<'_>| self.group.over == Over::ArrayAndMembers && row.cell.set == [0];
        let arrays = rows.iter().filter(is_array).filter_map(|row| self.of_array(row));
        let most = rows.iter().map(|row| row.cell.set.len()).max().unwrap_or(0);
        let largest = rows.iter().filter(|row| most > 1 && row.cell.set.len() == most);
        arrays.chain(largest.filter_map(|row| self.of_set(row))).collect()
    }

    /// The most important of them for the first screen.
    pub fn headline(&self, rows: &[CellRow<'_>]) -> Option<GroupHeadline> {
        let rate = |row: &CellRow<'_>| row.mean(self.shown).map_or(0.0, |mean| mean.value);
        let of = |row: &CellRow<'_>, of: GroupFigure| GroupHeadline {
            group: self.group.what.clone(),
            metric: self.shown.id().to_owned(),
            value: self.shown.in_base_unit(rate(row)),
            half_share: None,
            of,
        };
        if self.group.over == Over::ArrayAndMembers {
            let array = rows.iter().find(|row| row.cell.set == [0])?;
            return Some(of(array, GroupFigure::Array { share: self.share(array)?.of_sum }));
        }
        let several = || rows.iter().filter(|row| row.cell.set.len() > 1);
        let row = match self.group.over {
            Over::Subsets => several().max_by(|a, b| rate(a).total_cmp(&rate(b)))?,
            _ => several().max_by_key(|row| row.cell.set.len())?,
        };
        let share = self.share(row)?.of_sum;
        Some(match self.group.over {
            Over::Subsets => of(row, GroupFigure::MostOf { targets: set_name(&row.cell.set), share }),
            _ => of(row, GroupFigure::Together { targets: row.cell.set.len() as u64, share }),
        })
    }

    fn of_array(&self, row: &CellRow<'_>) -> Option<ReportRemark> {
        let share = self.share(row)?;
        let (values, members) = (values_of(row), share.count as u64);
        Some(ReportRemark::OfMembers { values, share: share.of_sum, members })
    }

    fn of_set(&self, row: &CellRow<'_>) -> Option<ReportRemark> {
        let share = self.share(row)?;
        Some(ReportRemark::OfParts {
            values: values_of(row),
            share: share.of_sum,
            targets: share.count as u64,
            are_members: self.group.over == Over::ArrayAndMembers,
            because: share.cause(),
        })
    }
}

impl PartsShare {
    /// Which explanation fits.
    pub fn cause(&self) -> PartsCause {
        if self.of_sum >= 1.0 - EXPLAINED_WITHIN {
            PartsCause::AddUp
        } else if (self.of_slowest - 1.0).abs() <= EXPLAINED_WITHIN {
            PartsCause::Slowest { share: self.of_slowest, target: self.slowest as u64 + 1 }
        } else {
            PartsCause::Shared
        }
    }
}

/// `rw=randread bs=8k`; `None` where nothing varies.
fn values_of(row: &CellRow<'_>) -> Option<String> {
    let values: Vec<String> = row.cell.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    (!values.is_empty()).then(|| values.join(" "))
}
