//! Why figures of runs side by side need care, with the runs that it is about.

use super::Column;
use super::measured::MeasuredGroup;
use super::said::Said;
use crate::Doubted;
use crate::suite::CellGroup;

/// Why the figures of a group need care.
pub fn of_group(group: &CellGroup, all: &[MeasuredGroup<'_, '_>]) -> Vec<String> {
    let mut said = Said::default();
    for one in all {
        one.doubts(group).into_iter().for_each(|text| said.say(&one.column.label, text));
    }
    said.lines(all.len())
}

/// A reason to doubt rounds of some of the runs.
struct Reason<'c> {
    code: &'c str,
    message: &'c str,
    /// Do the runs say it in other words?
    varies: bool,
    /// In how many rounds, and the runs of which that is true.
    runs: Said<'c>,
}

/// Why rounds are doubted: a line for each reason, `RAID0, RAID5: in 3 of 6 rounds; RAID1: in every round: … [foreign-io]`.
pub fn of_rounds(columns: &[Column<'_>]) -> Vec<String> {
    let mut reasons: Vec<Reason<'_>> = Vec::new();
    for column in columns {
        let rounds = column.history.rounds().count();
        for Doubted { code, message, times } in column.history.doubted() {
            let place = reasons.iter().position(|known| known.code == code).unwrap_or_else(|| {
                reasons.push(Reason { code, message, varies: false, runs: Said::default() });
                reasons.len() - 1
            });
            let reason = &mut reasons[place];
            reason.varies |= reason.message != message;
            reason.runs.say(&column.label, how_often(times, rounds));
        }
    }
    reasons.into_iter().map(|reason| reason.told(columns.len())).collect()
}

fn how_often(times: usize, rounds: usize) -> String {
    if times == rounds { "in every round".to_owned() } else { format!("in {times} of {rounds} rounds") }
}

impl Reason<'_> {
    fn told(self, runs: usize) -> String {
        let such_as = if self.varies { ", such as" } else { "" };
        let each = self.runs.lines(runs).join("; ");
        let each = each.strip_prefix("in ").map_or(each.clone(), |rest| format!("Each run in {rest}"));
        format!("{each}{such_as}: {} [{}]", self.message, self.code)
    }
}
