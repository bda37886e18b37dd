//! `fathom import`: fio's logs and results, and results of other programs, as a table, a page with charts, JSON or CSV.

use crate::args::{OutputArgs, duration, percentile};
use crate::commands::output::style;
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::misunderstood::is_job_file;
use crate::place::OutputKind;
use crate::terminal::slow_look;
use clap::Args;
use fathom_figures::fio::{FioLogKind, LatencyUnit};
use fathom_figures::metric::{Columns, NamedMetric};
use fathom_report::import;
use fathom_session::import::{ImportTerms, find, read};
use fathom_session::outputs::InUse;
use fathom_text::shell::quoted;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Logs (x_bw.1.log, x_iops.1.log, x_lat.1.log …), JSON, terse output or text of fio; what iostat, mpstat, sar, vmstat, vdbench,
    /// elbencho, HammerDB, CrystalDiskMark or KDiskMark printed; directories, with those below them; patterns
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// What to print: summary, html (a page with charts), json (the statistics) or csv (a line for each figure); default: html
    /// for an output whose name ends in .html, else summary
    #[arg(long, value_name = "FORMAT")]
    pub output_format: Option<ImportFormat>,
    /// Print one JSON document; the same as --output-format json
    #[arg(long, conflicts_with = "output_format")]
    pub json: bool,
    /// Print also what results have beside rates and latencies: samples, processor, depths, batches, latency classes, disks
    #[arg(long)]
    pub details: bool,
    /// What the values of the logs are, if their names do not say it
    #[arg(long, value_name = "KIND")]
    pub kind: Option<KindArg>,
    /// The unit of latencies in logs: ns as fio 3 writes them, us as fio 1 and 2 did
    #[arg(long, value_name = "UNIT", default_value = "ns")]
    pub latency_unit: UnitArg,
    /// Leave out what logs say before this time: 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub from: Option<Duration>,
    /// Leave out what logs say from this time on
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub to: Option<Duration>,
    /// Percentiles of latency in the tables, in place of the usual ones, such as 50,99,99.99; results have those that fio was asked for
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = percentile)]
    pub percentiles: Vec<NamedMetric>,
    /// The title of the page
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub title: String,
    /// Where the output goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The forms of what was imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ImportFormat {
    /// Tables for the terminal.
    Summary,
    /// A page with charts.
    Html,
    /// One JSON document.
    Json,
    /// One line for each figure.
    Csv,
}

/// The kinds of logs, by the words in their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum KindArg {
    /// Bandwidth, KiB/s.
    Bw,
    /// IOPS.
    Iops,
    /// Total latency.
    Lat,
    /// Completion latency.
    Clat,
    /// Submission latency.
    Slat,
}

/// The units of latencies in logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum UnitArg {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
}

impl KindArg {
    fn kind(self) -> FioLogKind {
        match self {
            KindArg::Bw => FioLogKind::Bandwidth,
            KindArg::Iops => FioLogKind::Iops,
            KindArg::Lat => FioLogKind::Latency,
            KindArg::Clat => FioLogKind::Completion,
            KindArg::Slat => FioLogKind::Submission,
        }
    }
}

/// The failure with what may have been meant.
fn not_read(failure: Failure, files: &[PathBuf]) -> Failure {
    let job = files.iter().find(|file| is_job_file(file));
    failure.hints(
        job.map(|job| format!("if it is a job file: fathom run {}", quoted(job))).into_iter().collect(),
    )
}

/// Runs the command.
pub fn run(args: &ImportArgs) -> Result<Exit, Failure> {
    let terms = terms(args)?;
    let in_use = InUse::default();
    let place = args.output.place(OutputKind::Import, &in_use)?;
    let first = &args.files[0];
    let found = slow_look().at(first, || find(&args.files))?;
    let mut imported = read(&found.sources, &terms).map_err(|failure| not_read(failure, &args.files))?;
    imported.unread.splice(0..0, found.unread);
    imported.columns = Columns::new(Vec::new(), args.percentiles.iter().map(|named| named.0).collect());
    let usual = if args.output.names_page() { ImportFormat::Html } else { ImportFormat::Summary };
    let form = if args.json { ImportFormat::Json } else { args.output_format.unwrap_or(usual) };
    let ready = match form {
        ImportFormat::Summary => Ready::painted(&import::summary(&imported, args.details, style(&place))),
        ImportFormat::Html => Ready::text(&fathom_report::html::import::page(&imported)),
        ImportFormat::Json => Ready::document(&import::document(&imported))?,
        ImportFormat::Csv => Ready::text(&import::csv(&imported)),
    };
    place.write(&ready)?;
    // The table and the documents have the notes in them.
    if form == ImportFormat::Csv {
        imported.notes.iter().for_each(|note| say(&format!("note: {note}")));
    }
    // What could be read is printed; what could not is an error all the same.
    imported.unread.iter().for_each(|file| say(&format!("error: {}", file.why)));
    Ok(if imported.unread.is_empty() { Exit::Ok } else { Exit::Incomplete })
}

fn terms(args: &ImportArgs) -> Result<ImportTerms, Failure> {
    let from = args.from.unwrap_or_default();
    if args.to.is_some_and(|to| to <= from) {
        return Err(Failure::new(Exit::Usage, "--to must be later than --from"));
    }
    let latency_unit = match args.latency_unit {
        UnitArg::Ns => LatencyUnit::Nanoseconds,
        UnitArg::Us => LatencyUnit::Microseconds,
    };
    Ok(ImportTerms {
        kind: args.kind.map(KindArg::kind),
        latency_unit,
        from,
        to: args.to,
        title: args.title.clone(),
        has_no_kind: false,
    })
}
