//! Arguments that several commands share.

use crate::failure::{Exit, Failure, say};
use crate::live::Progress;
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use crate::terminal::terminal;
use crate::web::Web;
use clap::builder::{
    OsStringValueParser, PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser,
};
use clap::{Arg, Args, Command};
use fathom_device::Goal;
use fathom_figures::metric::{Columns, NamedMetric};
use fathom_guard::Door;
use fathom_judge::{Claims, datasheet};
use fathom_report::export::ExportForm;
use fathom_results::{Answer, RunResult, TrustLevel};
use fathom_session::outputs::InUse;
use fathom_session::{RunDir, RunLabels, SavedAt};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
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
    /// Allow overwriting this file, which fathom did not create. Also needed to replace a
    /// file that is not a result of fathom
    #[arg(long, value_name = "FILE")]
    pub overwrite: Vec<PathBuf>,
}

/// The directories for results.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Directory in which the run's directory is made
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Save this run in this directory; it must be empty, or not exist yet
    #[arg(long, value_name = "DIR", conflicts_with = "runs_dir")]
    pub output_dir: Option<PathBuf>,
    /// Where fathom lists the files that it made;
    /// default: /var/lib/fathom/files for root, ~/.local/state/fathom/files for
    /// others
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Do not show the progress
    #[arg(long, short)]
    pub quiet: bool,
    /// Serve the page during the measurement, on this port of 127.0.0.1 (default: a free one), and print its address, which has a
    /// random part
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0", require_equals = true)]
    pub web: Option<u16>,
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

    /// How much progress is shown.
    pub fn progress(&self) -> Progress {
        Progress::unless_quiet(self.quiet)
    }

    /// Shows what is going to be measured: its progress, and its page if one is served.
    ///
    /// # Errors
    /// The page cannot be served.
    pub fn show(&self) -> Result<(), Failure> {
        terminal().shows(self.progress());
        if let Some(port) = self.web {
            terminal().serves(Web::listen(port)?);
        }
        Ok(())
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
    /// Does the name of the output say that it is a page?
    pub fn names_page(&self) -> bool {
        self.output.as_deref().is_some_and(names_page)
    }

    /// Returns the place for the output, after judging it.
    pub fn place<'a>(&'a self, kind: OutputKind, in_use: &'a InUse) -> Result<OutputPlace<'a>, Failure> {
        let asked = OutputTerms { kind, overwrite: &self.overwrite, door: Door::Native, in_use };
        OutputPlace::of(self.output.as_deref(), asked)
    }
}

/// Does this name ask for a page?
pub fn names_page(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html"))
}

/// Which figures tables have.
#[derive(Clone, Debug, Default, Args)]
pub struct ColumnArgs {
    /// Figures of every table that is printed, in place of the usual ones, such as iops,MB/s,mean,p99.9,max. The forms of fio keep their own
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub columns: Vec<NamedMetric>,
    /// Percentiles of latency in every table that is printed, in place of the usual ones, such as 50,99,99.99. One with fewer than
    /// ten I/Os beyond it has no figure there
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = percentile)]
    pub percentiles: Vec<NamedMetric>,
}

impl ColumnArgs {
    /// The columns that were chosen.
    pub fn chosen(&self) -> Columns {
        let metrics = |named: &[NamedMetric]| named.iter().map(|named| named.0).collect();
        Columns::new(metrics(&self.columns), metrics(&self.percentiles))
    }
}

/// Reads a percentile.
pub fn percentile(text: &str) -> Result<NamedMetric, String> {
    let read = fathom_figures::metric::percentile(text).map(NamedMetric);
    read.ok_or_else(|| "give per cent between 0 and 100, such as 99.9".to_owned())
}

/// How much of a result is printed, and where, and which results are a failure.
#[derive(Clone, Debug, Default, Args)]
pub struct ResultArgs {
    /// What to print; several may be joined by commas; default: html for an output whose name ends in .html, else summary
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', conflicts_with_all = ["details", "json"])]
    pub output_format: Vec<Format>,
    /// Print all figures and the evidence for the answer
    #[arg(long)]
    pub details: bool,
    /// Print one JSON document with the answer, the verdict and all figures (docs/documents.md)
    #[arg(long, conflicts_with = "details")]
    pub json: bool,
    /// What each job did in each second (IOPS, bytes/s, mean and p99 latency of each direction): with --output-format csv in place of
    /// the figures, with --json beside them
    #[arg(long)]
    pub series: bool,
    /// Write the output to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Exit with code 5 if the trust is this level or worse; of several rounds the worst decides
    #[arg(long, value_name = "TRUST")]
    pub fail_on: Option<FailOnTrust>,
    /// What the data sheet of the device promises, to be compared with the result (within 5 % is reached): read_iops, write_iops, read_mbps,
    /// write_mbps (10^6 bytes/s), read_latency_us, write_latency_us
    #[arg(long, value_name = "NAME=VALUE,...", value_parser = Claims::parse)]
    pub datasheet: Option<Claims>,
    /// Which figures are printed.
    #[command(flatten)]
    pub columns: ColumnArgs,
}

/// The results that make a command end with exit code 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOnTrust {
    /// Something else than the disk was measured, or other programs used it
    Severe,
    /// The trust is low
    Low,
    /// The trust is medium
    Medium,
}

impl FailOnTrust {
    /// Is this answer one of those?
    pub fn includes(self, answer: &Answer) -> bool {
        match self {
            FailOnTrust::Severe => answer.instead.is_some(),
            FailOnTrust::Low => answer.trust.level <= TrustLevel::Low,
            FailOnTrust::Medium => answer.trust.level <= TrustLevel::Medium,
        }
    }
}

impl ResultArgs {
    /// The place of the output, after judging it.
    pub fn place<'a>(&self, overwrite: &'a [PathBuf], in_use: &'a InUse) -> Result<OutputPlace<'a>, Failure> {
        self.check_series()?;
        let terms = OutputTerms { kind: OutputKind::Result, overwrite, door: Door::Native, in_use };
        OutputPlace::of(self.output.as_deref(), terms)
    }

    /// # Errors
    /// `--series` with a form that has no place for it.
    pub fn check_series(&self) -> Result<(), Failure> {
        if !self.series || self.forms().iter().all(|form| form.has_series()) {
            return Ok(());
        }
        let message = "--series is printed as csv, document, openmetrics, influx or gnuplot, and this form has no place for it";
        Err(Failure::new(Exit::Usage, message).hint("add --output-format csv, or --json"))
    }

    /// Puts the claims of the data sheet beside a saved result, in place of those that were given with the run.
    pub fn put_datasheet(&self, result: &mut RunResult) {
        let sheet = self.datasheet.as_ref().map(|claims| datasheet(result, claims));
        result.record.datasheet = sheet.or(result.record.datasheet.take());
    }

    /// The labels, with the claims of the data sheet.
    pub fn on(&self, labels: RunLabels) -> RunLabels {
        RunLabels { claims: self.datasheet.clone(), ..labels }
    }

    /// The forms to print.
    pub fn forms(&self) -> Vec<Format> {
        match self.output_format.as_slice() {
            _ if self.details => vec![Format::Details],
            _ if self.json => vec![Format::Document],
            [] if self.output.as_deref().is_some_and(names_page) => vec![Format::Html],
            [] => vec![Format::Summary],
            asked => asked.to_vec(),
        }
    }

    /// Is a person shown the result on standard output, and nothing else there? A document stays one document.
    pub fn is_for_person(&self) -> bool {
        let is_stdout = self.output.as_deref().is_none_or(|path| path == Path::new("-"));
        is_stdout && matches!(self.forms()[..], [Format::Summary | Format::Details])
    }

    /// The exit code of a result, which ended with this one otherwise. An answer that `--fail-on`
    /// names is told on standard error.
    pub fn exit(&self, exit: Exit, answer: Option<&Answer>) -> Exit {
        match (self.fail_on, answer, exit) {
            (Some(limit), Some(answer), Exit::Ok) if limit.includes(answer) => {
                let level = answer.trust.level.name();
                let why = fathom_report::words::instead(answer)
                    .unwrap_or_else(|| fathom_report::words::trust::trust(&answer.trust));
                say(&format!("not valid, by --fail-on: trust is {level}: {why}"));
                Exit::NotValid
            }
            _ => exit,
        }
    }

    /// The same for a procedure, with its answer and those of its rounds: the worst decides.
    ///
    /// # Errors
    /// `--fail-on` of a procedure without any answer.
    pub fn exit_of_procedure(&self, exit: Exit, answers: &[&Answer]) -> Result<Exit, Failure> {
        if self.fail_on.is_some() && answers.is_empty() && exit == Exit::Ok {
            let message = "--fail-on needs a round that says how far it can be trusted, and no round does";
            return Err(Failure::new(Exit::Usage, message)
                .hint("fathom report --fail-on LEVEL ROUND judges one round; the rounds are in the directory rounds"));
        }
        // What was measured instead of the disk is worse than low trust.
        let worst = answers.iter().min_by_key(|answer| (answer.instead.is_none(), answer.trust.level));
        Ok(self.exit(exit, worst.copied()))
    }
}

/// The forms of a printed result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// fathom's summary.
    Summary,
    /// Every latency of every job, with the evidence for the answer.
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
    /// A table with a line for each figure; of several rounds a line for each job of each round.
    Csv,
    /// fathom's document: answer, verdict and all figures; the same as --json.
    Document,
    /// Gauges for Prometheus; with --series also each second with its time.
    #[value(name = "openmetrics")]
    OpenMetrics,
    /// Points for InfluxDB (line protocol); with --series also each second.
    Influx,
    /// Tests for programs that build software: each job, and the trust in the figures.
    Junit,
    /// The answer and a table, for a comment on a change.
    Markdown,
    /// A log of HdrHistogram with the latencies of each job of a run.
    Hdr,
    /// A script of gnuplot with its data: a chart of the rates, with --series of each second.
    Gnuplot,
}

impl Format {
    /// Has it the claims of a data sheet beside the result?
    pub const fn has_datasheet(self) -> bool {
        matches!(self, Format::Summary | Format::Details | Format::Html | Format::Document)
    }

    /// Has it each second of each job, where that is asked for?
    pub const fn has_series(self) -> bool {
        matches!(
            self,
            Format::Csv | Format::Document | Format::OpenMetrics | Format::Influx | Format::Gnuplot
        )
    }

    /// Is it a form of another program?
    pub const fn export(self) -> Option<ExportForm> {
        Some(match self {
            Format::OpenMetrics => ExportForm::OpenMetrics,
            Format::Influx => ExportForm::Influx,
            Format::Junit => ExportForm::Junit,
            Format::Markdown => ExportForm::Markdown,
            Format::Hdr => ExportForm::Hdr,
            Format::Gnuplot => ExportForm::Gnuplot,
            _ => return None,
        })
    }

    /// Can a procedure be printed in it?
    pub const fn is_of_procedures(self) -> bool {
        !matches!(self, Format::Normal | Format::JsonPlus | Format::Terse | Format::Hdr)
    }
}

/// Reads a duration: 60, 60s, 500ms, 2m. A number without a unit is in seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let time = fathom_job::parse::read_time(text, true);
    time.map(|time| Duration::from_nanos(time.0))
        .map_err(|_| "give a time such as 30s, 500ms or 2m".to_owned())
}

/// Reads a goal of the audit or of tuning; the shell completes its name.
pub fn goal() -> impl TypedValueParser<Value = Goal> {
    PossibleValuesParser::new(Goal::ALL.map(Goal::name)).try_map(|name| name.parse::<Goal>())
}

/// Reads `ID` or `ID=VALUE` of a knob; the shell completes the ID. A knob that does not exist is an error of
/// the plan, which knows its nearest name.
#[derive(Clone)]
pub struct KnobParser;

impl TypedValueParser for KnobParser {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(fathom_tune::catalogue().map(|knob| PossibleValue::new(knob.id.as_str()))))
    }
}

/// A word of any bytes, as carried text ([`fathom_text::carried`]), because a path or
/// a name may not be UTF-8.
pub fn carried() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(fathom_text::carried::of_os)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fathom_results::{Instead, Trust};

    #[test]
    fn a_limit_of_trust_is_an_exit_code_only_for_what_it_names() {
        let answer = |level, instead: Option<&str>| Answer {
            instead: instead.map(|_| Instead::default()),
            trust: Trust { level, reasons: Vec::new(), shortest_s: None },
            ..Answer::default()
        };
        use FailOnTrust::{Low, Medium, Severe};
        for (level, instead, not_valid) in [
            (TrustLevel::Low, Some("memory"), &[Severe, Low, Medium][..]),
            (TrustLevel::Low, None, &[Low, Medium]),
            (TrustLevel::Medium, None, &[Medium]),
            (TrustLevel::High, None, &[]),
        ] {
            for limit in [Severe, Low, Medium] {
                let args = ResultArgs { fail_on: Some(limit), ..ResultArgs::default() };
                let expected = if not_valid.contains(&limit) { Exit::NotValid } else { Exit::Ok };
                assert_eq!(
                    args.exit(Exit::Ok, Some(&answer(level, instead))),
                    expected,
                    "{level:?} {limit:?}"
                );
                assert_eq!(args.exit(Exit::Incomplete, Some(&answer(level, instead))), Exit::Incomplete);
            }
        }
    }
}
