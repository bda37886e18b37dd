//! Reports of what fio left, its logs and its results, and of results of other programs.
//!
//! [`summary`] for the terminal, [`document`] as JSON, [`csv`] with a line for each figure. The page with the charts of
//! fio2gnuplot (raw, smoothed, trend, all files in one) is in `html::import`.

mod cross;
mod csv;
mod details;
mod document;
mod line;
mod programs;
mod summary;

pub use csv::csv;
pub use document::{ImportDocument, document};
pub use summary::{options, summary};

pub(crate) use cross::{DepthsAndJobs, columns, depths_and_jobs};
pub(crate) use line::{Line, lines};
pub(crate) use programs::{NamedRow, OTHER_HEADINGS, left_out, other_figures, rows};
use summary::block;
pub(crate) use summary::{heading_text, multiple, rates, shown_unit};
