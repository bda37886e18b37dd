//! Arguments that several commands share.

use crate::failure::Failure;
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use fathom_guard::Door;
use fathom_job::fio_cli::Eta;
use fathom_session::outputs::InUse;
use fathom_session::{RunDir, SavedAt};
use std::path::PathBuf;
use std::time::Duration;

/// The directory in which runs are saved, if no other is named.
pub const RUNS_DIR: &str = "fathom-runs";

/// What fathom may write to.
#[derive(Clone, Debug, Default, Args)]
pub struct ConsentArgs {
    /// Allow writing to the empty device with this serial (or by-id name, or
    /// BACKING_PATH:SIZE for a device without one)
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub write: Vec<String>,
    /// Allow writing to this device although it holds data, which is lost
    #[arg(long, value_name = "SERIAL", value_parser = carried())]
    pub destroy: Vec<String>,
    /// Allow overwriting this file, although fathom did not create it, or although
    /// --output names it and it holds something else than an output
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
}

/// The directories for results.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Directory in which the run's directory is made
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Exact directory for this run; it must be empty, or not exist yet
    #[arg(long, value_name = "DIR", conflicts_with = "runs_dir")]
    pub output_dir: Option<PathBuf>,
    /// Directory of the record by which fathom knows the files that it created;
    /// default: /var/lib/fathom/files for root, ~/.local/state/fathom/files for
    /// others
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Do not show the progress line
    #[arg(long, short)]
    pub quiet: bool,
}

impl PlaceArgs {
    /// The place in which the run is saved.
    pub fn saved_at(&self) -> SavedAt {
        let dir = match &self.output_dir {
            Some(dir) => RunDir::Exactly(dir.clone()),
            None => RunDir::In(self.runs_dir.clone()),
        };
        SavedAt { dir, state_dir: self.state_dir.clone() }
    }

    /// Whether progress is shown.
    pub fn progress(&self) -> Eta {
        if self.quiet { Eta::Never } else { Eta::Auto }
    }
}

/// The place of an output.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// Write it to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Allow replacing this file, although it holds something else
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
}

impl OutputArgs {
    /// Returns the place for the output, after judging it.
    pub fn place<'a>(&'a self, kind: OutputKind, in_use: &'a InUse) -> Result<OutputPlace<'a>, Failure> {
        let asked = OutputTerms { kind, overwrite: &self.overwrite, door: Door::Native, in_use };
        OutputPlace::of(self.output.as_deref(), asked)
    }
}

/// The forms of a printed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// fathom's summary.
    Summary,
    /// Every latency of every job; also the summary of a run without a verdict.
    Details,
    /// fio's text.
    Normal,
    /// fio's JSON tree.
    Json,
    /// fio's JSON tree with latency bins.
    #[value(name = "json+")]
    JsonPlus,
    /// fio's terse version 3.
    Terse,
    /// An HTML page in one file.
    Html,
}

/// Reads a duration as in a job file: 60, 60s, 500ms, 2m.
pub fn duration(text: &str) -> Result<Duration, String> {
    fathom_job::parse::read_time(text, true).map(|time| Duration::from_nanos(time.0))
}

/// A word of any bytes, as carried text ([`fathom_text::carried`]), because a path or
/// a name may not be UTF-8.
pub fn carried() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(fathom_text::carried::of_os)
}
