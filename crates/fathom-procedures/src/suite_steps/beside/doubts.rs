//! Why figures of runs side by side need care, with the runs that it is about.

use super::Column;
use super::measured::MeasuredGroup;
use super::said::Said;
use crate::suite::CellGroup;
use fathom_results::{Finding, RoundsPart};

/// Why the figures of a group need care.
pub fn of_group(group: &CellGroup, all: &[MeasuredGroup<'_, '_>]) -> Vec<String> {
    let mut said = Said::default();
    for one in all {
        one.doubts(group).into_iter().for_each(|text| said.say(&one.column.label, text));
    }
    said.lines(all.len())
}

/// A reason to doubt rounds of some of the runs.
struct DoubtedRuns<'c> {
    finding: Finding,
    /// Did the runs see other numbers?
    varies: bool,
    /// In how many rounds, and the runs of which that is true.
    runs: Said<'c>,
}

/// Why rounds are doubted: a line for each reason, `RAID0, RAID5: in 3 of 6 rounds; RAID1: in every round: … [foreign-io]`.
pub fn of_rounds(columns: &[Column<'_>]) -> Vec<String> {
    let mut reasons: Vec<DoubtedRuns<'_>> = Vec::new();
    for column in columns {
        for doubt in column.history.doubts() {
            let (Some(finding), Some(part)) = (doubt.finding(), doubt.rounds) else { continue };
            let is_same = |known: &DoubtedRuns<'_>| known.finding.code() == finding.code();
            let place = reasons.iter().position(is_same).unwrap_or_else(|| {
                let finding = finding.clone();
                reasons.push(DoubtedRuns { finding, varies: false, runs: Said::default() });
                reasons.len() - 1
            });
            let reason = &mut reasons[place];
            reason.varies |= claim(&reason.finding) != claim(finding);
            reason.runs.say(&column.label, how_often(part));
        }
    }
    reasons.into_iter().map(|reason| reason.told(columns.len())).collect()
}

fn claim(finding: &Finding) -> String {
    fathom_words::of_finding(finding).claim
}

fn how_often(RoundsPart { times, of }: RoundsPart) -> String {
    if times == of { "in every round".to_owned() } else { format!("in {times} of {of} rounds") }
}

impl DoubtedRuns<'_> {
    fn told(self, runs: usize) -> String {
        let such_as = if self.varies { ", such as" } else { "" };
        let each = self.runs.lines(runs).join("; ");
        let each = each.strip_prefix("in ").map_or(each.clone(), |rest| format!("Each run in {rest}"));
        format!("{each}{such_as}: {} [{}]", claim(&self.finding), self.finding.code())
    }
}
