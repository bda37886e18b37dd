//! fathom-report: reports from a saved result.
//!
//! Every report is a pure function of a [`RunResult`](fathom_results::RunResult):
//! no I/O, no clock, no terminal. So the report at the end of a run and the one
//! printed from its directory a year later are the same bytes.
//!
//! Two families of reports print the same figures, those of `fathom-figures`. fathom's own, [`terminal`] and [`html`], show
//! each number with its unit, its evidence and the doubts about it. fio's, [`fio_json`], [`terse`]
//! and [`normal`], have exactly fio's format, so that the tools which read fio go on working.
#![forbid(unsafe_code)]

mod column;
mod comparison;
mod configuration;
pub mod datasheet;
mod disk_counts;
pub mod document;
pub mod export;
pub mod fio_json;
pub mod fio_number;
pub mod fio_verify;
mod host_findings;
pub mod html;
pub mod idleness;
pub mod import;
mod latency_classes;
pub mod normal;
mod redact;
mod rounds;
mod rounds_csv;
mod self_check;
mod sysstat;
pub mod terminal;
pub mod terse;
mod text;
mod verified_rounds;
mod written;

pub use comparison::subject as subject_line;
pub use configuration::{configuration_id, configuration_of};
/// The words of findings and answers.
pub use fathom_words as words;
pub use redact::{
    BesideProcedure, NotRedacted, PrivateNames, Redacted, RedactedComparison, RedactedProcedure, redacted,
};
pub use rounds_csv::{
    is_table_heading, rounds_csv, series, series_csv, series_csv_of_rounds, series_of_round,
};
pub use sysstat::{SysstatForm, SysstatSpans, sysstat};
