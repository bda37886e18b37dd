//! What fio left behind, as figures: its logs, its JSON and its terse lines.
//!
//! Bytes go in and typed figures come out; nothing here opens a file. Nothing is guessed without being told: a line that
//! cannot be read is left out and counted ([`LinesLeftOut`]), and each figure says of what it is the mean ([`LinesAre`]).
//!
//! The memory of a log does not grow with its lines: [`LogTrack`] keeps exact sums, a histogram where each line is one
//! I/O, and a time line whose steps are merged two by two ([`TimeBins`]).

mod aggregate;
mod depth;
mod imported;
mod job_result;
mod json;
mod lines_are;
mod log_figures;
mod log_line;
mod log_name;
mod log_reader;
mod log_track;
mod result_figures;
mod terse;
mod time_bins;
mod time_line;

pub use aggregate::{Aggregate, LatencyWeight};
pub use imported::{Imported, ImportedLog, ImportedResult, JobsTogether, LabelledTrack};
pub use job_result::{FioFlow, FioJob, FioLatency, FioResult, FioResultError};
pub use json::fio_json;
pub use lines_are::LinesAre;
pub use log_figures::LogFigures;
pub use log_line::LineFault;
pub use log_name::{FioLogKind, LogName};
pub use log_reader::{FioLog, LatencyUnit, LinesLeftOut, LogPart, LogReader, LogTerms};
pub use log_track::LogTrack;
pub use result_figures::FioFigure;
pub use terse::{fio_terse, is_terse};
pub use time_bins::TimeBins;
pub use time_line::RatePoint;
