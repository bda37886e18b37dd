//! Why figures of runs side by side need care, with the runs that it is about.

use super::Column;
use super::measured::MeasuredGroup;
use super::of_runs::OfRuns;
use crate::suite::CellGroup;
use fathom_results::answer::{Deviation, DoubtedRuns, ReportDeviation};
use fathom_results::{Finding, ReportRemark, RoundsPart};

/// Why the figures of a group need care.
pub fn of_group(group: &CellGroup, all: &[MeasuredGroup<'_, '_>]) -> Vec<ReportRemark> {
    let mut doubts = OfRuns::default();
    for one in all {
        one.doubts(group).into_iter().for_each(|remark| doubts.add(&one.column.label, remark));
    }
    let of_some = |(remark, runs): (ReportRemark, Vec<String>)| match runs.is_empty() {
        true => remark,
        false => ReportRemark::OfRuns { runs, of: Box::new(remark) },
    };
    doubts.labelled(all.len()).map(of_some).collect()
}

/// A reason to doubt rounds of some of the runs.
struct Doubted<'c> {
    /// Once for each of the runs that have other numbers in it.
    findings: Vec<Finding>,
    /// In how many rounds, and the runs of which that is true; `None` is every round.
    runs: OfRuns<'c, Option<RoundsPart>>,
}

/// Why rounds are doubted.
pub fn of_rounds(columns: &[Column<'_>]) -> Vec<ReportDeviation> {
    let mut reasons: Vec<Doubted<'_>> = Vec::new();
    for column in columns {
        for doubt in column.history.doubts() {
            let (Some(finding), Some(part)) = (doubt.finding(), doubt.rounds) else { continue };
            let is_same = |known: &Doubted<'_>| known.findings[0].code() == finding.code();
            let place = reasons.iter().position(is_same).unwrap_or_else(|| {
                reasons.push(Doubted { findings: vec![finding.clone()], runs: OfRuns::default() });
                reasons.len() - 1
            });
            let reason = &mut reasons[place];
            if !reason.findings.contains(finding) {
                reason.findings.push(finding.clone());
            }
            reason.runs.add(&column.label, (part.times < part.of).then_some(part));
        }
    }
    let deviation = |reason: Doubted<'_>| {
        let runs = reason.runs.labelled(columns.len()).map(|(rounds, runs)| DoubtedRuns { rounds, runs });
        Deviation::RunsDoubted { runs: runs.collect(), findings: reason.findings }
    };
    reasons.into_iter().map(|reason| deviation(reason).into()).collect()
}
