//! A procedure as one JSON document: what `--json` prints of it.

use super::done::StepRecord;
use super::load::ProcedureResult;
use super::record::ProcedureRecord;
use crate::datasheet::DeviceSheet;
use crate::document::SeriesRecord;
use crate::record::Verdict;
use crate::standard_report::StandardReport;
use serde::Serialize;

/// Version of the document. Added fields do not change it.
const DOCUMENT_FORMAT: u32 = 1;

/// A procedure with what it found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProcedureDocument<'a> {
    /// Version of the document: 1. Added fields do not change it.
    pub format: u32,
    /// The verdict; null while the procedure is not finished.
    pub verdict: Option<&'a Verdict>,
    /// `procedure.json`.
    pub record: &'a ProcedureRecord,
    /// The steps that ended, in order.
    pub steps: &'a [StepRecord],
    /// What is missing, cut or not as it was saved, one sentence each.
    pub damage: &'a [String],
    /// The tables and plots that a standard asks for; absent of a procedure that follows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_report: Option<StandardReport>,
    /// The means of the rounds beside figures that others measured; absent where nobody asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datasheet: Option<&'a DeviceSheet>,
    /// Each second of each job of each round; absent where nobody asked for it (`--series`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<&'a [SeriesRecord]>,
}

impl<'a> ProcedureDocument<'a> {
    /// The document of a procedure with this damage.
    pub fn of(saved: &'a ProcedureResult, damage: &'a [String]) -> Self {
        let verdict = saved.record.conclusion.as_ref().map(|conclusion| &conclusion.verdict);
        let (record, steps) = (&saved.record, saved.steps.as_slice());
        ProcedureDocument {
            format: DOCUMENT_FORMAT,
            verdict,
            record,
            steps,
            damage,
            standard_report: None,
            datasheet: None,
            series: None,
        }
    }
}
