//! What fio left behind, as figures: its logs, its JSON, its terse lines and its text.
//!
//! Bytes go in and typed figures come out; nothing here opens a file. Nothing is guessed without being told: a line that
//! cannot be read is left out and counted ([`LinesLeftOut`]), and each figure says of what it is the mean ([`LinesAre`]).
//!
//! The memory of a log does not grow with its lines: [`LogTrack`] keeps exact sums, a histogram where each line is one
//! I/O, and a time line whose steps are merged two by two ([`TimeBins`]).

mod against;
mod aggregate;
mod cut_rate;
mod depth;
mod details;
mod format;
mod formats;
mod histogram_log;
mod imported;
mod job_result;
mod json;
mod json_details;
mod json_job;
mod json_value;
mod lines_are;
mod log_figures;
mod log_line;
mod log_name;
mod log_reader;
mod log_track;
mod oddities;
mod oddity;
mod result_details;
mod result_figures;
mod states;
mod terse;
mod terse_details;
mod text;
mod text_check;
mod time_bins;
mod time_line;

pub use against::{LogAgainstResult, LogCause, contradictions};
pub use aggregate::{Aggregate, LatencyWeight};
pub use cut_rate::CutRate;
pub use details::{FioCpu, FioDisk, FioDiskSide, FioShare, FioShares, FioSpread};
pub use format::ResultFormat;
pub use formats::{RESULT_FORMATS, result_format, result_format_of_text};
pub use histogram_log::HistogramLogReader;
pub use imported::{
    Imported, ImportedLog, ImportedResult, JobsTogether, LabelledTrack, UnreadFile, run_in_file,
};
pub use job_result::{FioFlow, FioJob, FioLatency, FioResult, FioResultError, FioTime};
pub use json::fio_json;
pub use lines_are::LinesAre;
pub use log_figures::LogFigures;
pub use log_line::LineFault;
pub use log_name::{FioLogKind, LogName};
pub use log_reader::{
    FioLog, LOG_BINS_MAX, LatencyUnit, LinesLeftOut, LogPart, LogReader, LogTerms, epoch_begin_ms,
};
pub use log_track::{LogTrack, TrailingZeros};
pub use oddity::{FioOddity, LinesPlace};
pub use result_details::FioDetail;
pub use result_figures::FioFigure;
pub use terse::fio_terse;
pub use text::fio_text;
pub use text_check::TextCheck;
pub use time_bins::TimeBins;
pub use time_line::RatePoint;
