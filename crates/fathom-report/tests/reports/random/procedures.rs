//! Random procedures of every kind: what they concluded, what their rounds said, and the tables of a standard or a suite.

use super::answers::{answer, code, finding};
use super::values::Chance;
use crate::repeated::repeated;
use fathom_results::procedure::{ProcedureResult, RoundDone, StepDone};
use fathom_results::{Answer, Finding, Reason, ReportPart, StandardReport, TableCell, Verdict};

/// Every procedure, and whether its report has tables of its own.
pub const KINDS: [(&str, bool); 9] = [
    ("repeat", false),
    ("in-turn", false),
    ("sweep", false),
    ("search", false),
    ("try", false),
    ("tune-try", false),
    ("precondition", false),
    ("suite", true),
    ("pts", true),
];

/// A procedure with what is printed beside it.
pub struct Made {
    pub procedure: ProcedureResult,
    pub standard: Option<StandardReport>,
    pub so_far: Option<Answer>,
    pub damage: Vec<String>,
}

/// A procedure of the n-th kind, of which the first finding is that of the n-th rule.
pub fn procedure(chance: &mut Chance, n: u64) -> Made {
    let (kind, has_tables) = KINDS[n as usize % KINDS.len()];
    let findings: Vec<Finding> =
        (0..1 + chance.below(3)).map(|at| finding(chance, &code(n + at as u64))).collect();
    let together = answer(chance, &findings, true);
    let mut procedure = repeated();
    let record = &mut procedure.record;
    kind.clone_into(&mut record.procedure);
    (record.note, record.tags) = (Some(chance.text()), vec![chance.name()]);
    record.shared.audit = vec![chance.of_type()];
    let mut so_far = None;
    if chance.once_in(4) {
        (record.conclusion, so_far) = (None, Some(together));
    } else if let Some(conclusion) = &mut record.conclusion {
        conclusion.verdict = verdict(chance, &together);
        conclusion.answer = (!chance.once_in(4)).then(|| Box::new(together));
    }
    procedure.steps.iter_mut().for_each(|step| {
        if let StepDone::Round(round) = &mut step.did {
            words_of_round(chance, round);
        }
    });
    let damage = if chance.once_in(8) { vec![chance.text()] } else { Vec::new() };
    Made { procedure, standard: has_tables.then(|| standard(chance)), so_far, damage }
}

fn verdict(chance: &mut Chance, together: &Answer) -> Verdict {
    Verdict {
        headline: chance.of_type(),
        distrust: together
            .trust
            .reasons
            .iter()
            .skip(1)
            .cloned()
            .chain([Reason::deviation(chance.of_type())])
            .collect(),
    }
}

/// What a round can say without other figures.
fn words_of_round(chance: &mut Chance, round: &mut RoundDone) {
    let found = [finding(chance, &code(chance_code(&round.directory)))];
    round.answer = Some(Box::new(answer(chance, &found, false)));
    round.workload = chance.text();
}

/// A number of a round's directory: `0003-repeat` is 3.
fn chance_code(directory: &str) -> u64 {
    directory.split('-').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Tables and plots whose rows are as long as their columns.
pub fn standard(chance: &mut Chance) -> StandardReport {
    let mut report: StandardReport = chance.of_type();
    for part in report.tests.iter_mut().flat_map(|test| &mut test.parts) {
        match part {
            ReportPart::Table(table) => {
                let columns = table.columns.len();
                table.rows.iter_mut().for_each(|row| row.resize(columns, TableCell::Number(1.0)));
            }
            ReportPart::Columns(of) | ReportPart::Heat(of) => {
                of.values.resize(of.z_names.len(), Vec::new());
                of.values.iter_mut().for_each(|row| row.resize(of.x_names.len(), Some(1.0)));
            }
            ReportPart::Plot(_) => {}
        }
    }
    report
}
