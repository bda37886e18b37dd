//! `fathom compare`: runs, procedures and typed values, beside each other.

mod csv;
mod ending;
mod fio_results;
mod measured;
mod private;
mod saved_subject;
mod typed;

use crate::args::{ColumnArgs, ConsentArgs, PlaceArgs, carried};
use crate::edge::Ready;
use crate::failure::{Exit, Failure};
use crate::labels::LabelArgs;
use crate::place::{OutputKind, OutputPlace, OutputTerms};
use clap::Args;
use fathom_guard::Door;
use fathom_judge::Again;
use fathom_judge::compare::{Subject, Tolerances, compare};
use fathom_report::export::{ExportForm, Exported};
use fathom_results::{Comparison, ComparisonStep, LeftOutReason, SeriesRecord, StepPurpose};
use fathom_session::compared;
use fathom_session::outputs::InUse;
use fathom_text::carried::of_os;
use fathom_words::comparison::left_out;
pub(super) use measured::whole;
pub(super) use private::{Private, of_procedure};
use std::path::{Path, PathBuf};

/// The heading of the options that only --run uses.
const WITH_RUN: &str = "With --run";

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Runs: ids, directories, names, bundles, or fio's JSON, terse output or text; several results of fio under one name:
    /// OLD=a.json,b.json NEW=DIR. The first is the baseline
    pub runs: Vec<PathBuf>,
    /// The names are job files: measure them in turn (A B, B A, …), and compare them
    #[arg(long, conflicts_with_all = ["values", "csv"])]
    pub run: bool,
    /// How often each job file is measured
    #[arg(long, value_name = "N", default_value = "5", help_heading = WITH_RUN, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: u32,
    /// Use this target in place of every filename
    #[arg(long, requires = "run", help_heading = WITH_RUN, value_parser = carried())]
    pub target: Option<String>,
    /// Values of something that fathom did not measure; the same figure of several names is compared
    #[arg(long, value_name = "NAME:FIGURE=V1,V2,...", value_parser = carried())]
    pub values: Vec<String>,
    /// A table with the columns name, figure and value, with a line for each value
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Of typed values, a smaller one is better
    #[arg(long)]
    pub less_is_better: bool,
    /// Differences of rates, means and typed values up to this count as none
    #[arg(long, value_name = "PERCENT", default_value = "3", value_parser = percent, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Differences of percentiles of latency up to this count as none
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent, allow_negative_numbers = true)]
    pub tail_tolerance: f64,
    /// End with exit code 6 if a figure is worse by more than this and it is not chance, and with 7 if a run after the first
    /// is not finished, or has no figures of a job or cell of the first
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    pub fail_if_worse: Option<f64>,
    /// End with exit code 5 if there is no clear answer: some figure of a run is unclear and none is better or worse, or another cause
    /// can explain or hide a difference
    #[arg(long)]
    pub fail_if_unclear: bool,
    /// How it is shown.
    #[command(flatten)]
    pub shown: ShownArgs,
    /// Which figures are compared.
    #[command(flatten)]
    pub columns: ColumnArgs,
    /// Write the output to this file instead of standard output (`-`)
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// What is written on the runs of --run.
    #[command(flatten, next_help_heading = WITH_RUN)]
    pub labels: LabelArgs,
    /// What fathom may write to, with --run.
    #[command(flatten, next_help_heading = WITH_RUN)]
    pub consent: ConsentArgs,
    /// Where runs are, and where new ones go.
    #[command(flatten, next_help_heading = None)]
    pub place: PlaceArgs,
}

/// How a comparison is shown.
#[derive(Debug, Args)]
pub struct ShownArgs {
    /// Show everything that differs and that is left out
    #[arg(long)]
    pub details: bool,
    /// Print one JSON document
    #[arg(long, conflicts_with = "html")]
    pub json: bool,
    /// Print an HTML page in one file; default for an output whose name ends in .html
    #[arg(long)]
    pub html: bool,
    /// What to print; junit has a test for each figure, which fails where it is worse, and markdown is for a comment on a change
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["json", "html", "details"])]
    pub output_format: Option<ComparisonFormat>,
    /// For somebody else: replace the names of hosts, users, runs and job files, paths, serial numbers, addresses and the
    /// names of other programs. Names of jobs and of typed figures stay
    #[arg(long)]
    pub redact: bool,
}

/// The forms of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ComparisonFormat {
    /// The answer and the figures.
    Summary,
    /// The same, with everything that differs and that is left out.
    Details,
    /// One JSON document.
    Json,
    /// An HTML page in one file.
    Html,
    /// A test for each figure, for programs that build software.
    Junit,
    /// A table, for a comment on a change.
    Markdown,
}

impl ShownArgs {
    /// Is a page written? It was asked for, or the name of the output ends in .html.
    pub(super) fn is_page(&self, output: Option<&Path>) -> bool {
        match self.output_format {
            Some(form) => form == ComparisonFormat::Html,
            None => self.html || !self.json && output.is_some_and(crate::args::names_page),
        }
    }

    /// Is it a JSON document?
    pub(super) fn is_json(&self) -> bool {
        self.json || self.output_format == Some(ComparisonFormat::Json)
    }

    /// Is everything shown that differs and that is left out?
    pub(super) fn has_details(&self) -> bool {
        self.details || self.output_format == Some(ComparisonFormat::Details)
    }

    /// Is it a form of another program?
    pub(super) fn export(&self) -> Option<ExportForm> {
        match self.output_format? {
            ComparisonFormat::Junit => Some(ExportForm::Junit),
            ComparisonFormat::Markdown => Some(ExportForm::Markdown),
            _ => None,
        }
    }
}

/// Reads a percentage as a share: 3, 3%, 0.5.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.trim().trim_end_matches('%').trim().parse().map_err(|_| HINT.to_owned())?;
    (0.0..=1000.0).contains(&number).then_some(number / 100.0).ok_or_else(|| HINT.to_owned())
}

const HINT: &str = "give a percentage from 0 to 1000, such as 3 or 0.5";

pub fn run(args: &CompareArgs) -> Result<Exit, Failure> {
    let in_use = InUse::default();
    let terms = OutputTerms {
        kind: OutputKind::Comparison,
        overwrite: &args.consent.overwrite,
        door: Door::Native,
        in_use: &in_use,
    };
    // A place that cannot be written is an error before anything is measured.
    let place = OutputPlace::of(args.output.as_deref(), terms)?;
    let mut private = Private::of(args.shown.redact);
    let subjects = subjects(args, &mut private)?;
    if subjects.len() < 2 {
        return Err(too_few(args, &subjects));
    }
    let asked = Asked {
        tolerances: Tolerances { rate: args.tolerance, percentile: args.tail_tolerance },
        fail_if_worse: args.fail_if_worse,
        fail_if_unclear: args.fail_if_unclear,
        shown: &args.shown,
        is_page: args.shown.is_page(args.output.as_deref()),
        private,
        is_measured: args.run,
        instead: None,
        series: None,
    };
    print_comparison(subjects, asked, place)
}

/// How a comparison is made and told.
pub(super) struct Asked<'a> {
    /// Differences that count as none.
    pub tolerances: Tolerances,
    /// Exit code 6 for a figure that is worse by more than this, and 7 for what cannot be checked.
    pub fail_if_worse: Option<f64>,
    /// Exit code 5 where there is no clear answer.
    pub fail_if_unclear: bool,
    pub shown: &'a ShownArgs,
    /// A page is written.
    pub is_page: bool,
    /// The names that a redacted comparison does not have.
    pub private: Private,
    /// The command measures, so another command shows it again.
    pub is_measured: bool,
    /// What is printed in place of the comparison.
    pub instead: Option<Ready>,
    /// Each second of each job of each round, where that was asked for.
    pub series: Option<Vec<SeriesRecord>>,
}

/// Compares the subjects, and tells the result.
pub(super) fn print_comparison(
    subjects: Vec<Subject>,
    asked: Asked<'_>,
    place: OutputPlace<'_>,
) -> Result<Exit, Failure> {
    let mut comparison = compare(subjects, &asked.tolerances);
    comparison.series = asked.series;
    if comparison.figures.is_empty() {
        // What a check asks for cannot be checked then: that is 7, as where only a part of it cannot.
        let exit = if asked.fail_if_worse.is_some() { Exit::Incomplete } else { Exit::Usage };
        return Err(nothing_in_common(&comparison, exit));
    }
    if comparison.next.is_none() && !asked.is_page {
        comparison.next = page_of(&comparison, asked.is_measured);
    }
    let style = super::output::style(&place);
    let shown = asked.shown;
    let text = |of: &Comparison| match (shown.export(), shown.is_json(), asked.is_page) {
        (Some(form), ..) => Ok(Ready::text(&form.write(&Exported::of_comparison(of)))),
        (_, true, _) => Ready::document(of),
        (.., true) => Ok(Ready::text(&fathom_report::html::comparison_page(of))),
        _ => Ok(Ready::painted(&fathom_report::terminal::comparison(of, shown.has_details(), style))),
    };
    place.write(&asked.instead.map_or_else(|| asked.private.without(&comparison, text), Ok)?)?;
    let checked = asked.fail_if_worse.map_or(Exit::Ok, |limit| ending::exit(&comparison, limit));
    let is_unclear = checked == Exit::Ok && asked.fail_if_unclear && ending::is_unclear(&comparison);
    Ok(if is_unclear { Exit::NotValid } else { checked })
}

/// The file of the page that is advised.
const PAGE: &str = "comparison.html";

/// The command that makes the page of a comparison.
fn page_of(comparison: &Comparison, is_measured: bool) -> Option<ComparisonStep> {
    let typed: Vec<String> = std::env::args_os().map(|word| of_os(&word)).collect();
    let again = match comparison.subjects.first().and_then(|subject| subject.id.as_deref()) {
        Some(id) if is_measured => Again::of(&["fathom", "compare", id].map(str::to_owned), "compare"),
        _ => ["compare", "baseline"].iter().find_map(|command| Again::of(&typed, command)),
    };
    let again = again?.without_flags(&["--json", "--details"]).and(&["--html", "-o", PAGE]);
    let purpose = StepPurpose::MakePage;
    Some(ComparisonStep { command: again.text(), purpose, asks_for_consent: false })
}

fn subjects(args: &CompareArgs, private: &mut Private) -> Result<Vec<Subject>, Failure> {
    if args.run {
        let dir = measured::measured(args)?;
        private.learn(&dir)?;
        return compared::subjects(&dir, &args.columns.chosen());
    }
    let columns = args.columns.chosen();
    let mut subjects = saved_subject::subjects(&args.place.runs_dir, &args.runs, &columns, private)?;
    subjects.extend(typed::subjects(&args.values, !args.less_is_better)?);
    if let Some(file) = &args.csv {
        subjects.extend(csv::subjects(file, !args.less_is_better)?);
    }
    Ok(subjects)
}

fn too_few(args: &CompareArgs, subjects: &[Subject]) -> Failure {
    let named = |path: &PathBuf| path.display().to_string();
    let message = match (subjects.len(), args.runs.first().map(named)) {
        (1, Some(run)) => format!("{run} alone cannot be compared: name at least two runs"),
        (1, None) => "one set of values cannot be compared: give two".to_owned(),
        _ => "nothing to compare: name at least two runs".to_owned(),
    };
    Failure::new(Exit::Usage, message).hints(vec![
        "to list the saved runs: fathom runs".to_owned(),
        "to compare the two newest: fathom compare ID ID".to_owned(),
        "to compare your own figures: fathom compare --values old:TPM=100,102,99 --values new:TPM=110,112,109"
            .to_owned(),
    ])
}

fn nothing_in_common(comparison: &Comparison, exit: Exit) -> Failure {
    let why = comparison.left_out.iter().take(3).map(left_out);
    let any = |is_so: fn(&LeftOutReason) -> bool| comparison.left_out.iter().any(|left| is_so(&left.reason));
    let is_of_blocks = any(|reason| matches!(reason, LeftOutReason::OtherBlocks { .. }));
    let is_not_steady = any(|reason| matches!(reason, LeftOutReason::NotSteady { .. }));
    let need = match (is_of_blocks, is_not_steady) {
        (true, _) => "to measure block sizes against each other, in turn: fathom try bs=4k,64k -- JOBFILE",
        (_, true) => {
            "a test of the specification is compared where both reached its steady state, with more rounds perhaps"
        }
        _ => "both need jobs with the same names, or one job each that does the same I/O",
    };
    Failure::new(exit, "these runs have no figure that can be compared")
        .hints(why.chain([need.to_owned()]).collect())
}
