//! A procedure in the forms that were asked for: the same for the command that measures it and for `fathom report`.

use crate::args::{Format, ResultArgs};
use crate::commands::output::{NO_DISTRIBUTION, page_not_written, style};
use crate::edge::Ready;
use crate::failure::{Exit, Failure, say};
use crate::place::OutputPlace;
use fathom_figures::metric::Columns;
use fathom_judge::{Claims, datasheet, datasheet_of_rounds};
use fathom_procedures::Repeat;
use fathom_report::export::Exported;
use fathom_report::html::saved_page;
use fathom_report::terminal::{Layout, ProcedureState, procedure};
use fathom_report::{rounds_csv, series_csv_of_rounds, series_of_round};
use fathom_results::procedure::{ProcedureDocument, ProcedureResult, RoundDone};
use fathom_results::{Answer, DeviceSheet, RunRecord, SeriesRecord, write_run_file};
use fathom_session::outputs::InUse;
use fathom_session::procedure::{LackingPercentiles, add_percentiles, standard_report};
use fathom_text::shown;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What is printed of a procedure, and where.
pub struct ProcedureOutput<'a> {
    asked: &'a ResultArgs,
    /// The columns that a person chose.
    pub columns: Columns,
    /// A page is kept in the directory of the procedure, when it is concluded.
    pub keeps_page: bool,
    /// Where it goes.
    pub place: OutputPlace<'a>,
}

impl<'a> ProcedureOutput<'a> {
    /// The output of a procedure of this kind: its name in the table of procedures.
    ///
    /// # Errors
    /// A form that only a run has, claims beside rounds that do not all measure the same, or a place that cannot be written.
    pub fn of(
        asked: &'a ResultArgs,
        kind: &str,
        overwrite: &'a [PathBuf],
        in_use: &'a InUse,
    ) -> Result<Self, Failure> {
        let forms = asked.forms();
        if !forms.iter().all(|form| form.is_of_procedures()) {
            let message = "a procedure is printed as summary, details, html, csv, json, openmetrics, influx, junit, markdown or gnuplot, and \
                 this form is for a run";
            return Err(Failure::new(Exit::Usage, message));
        }
        let has_sheet = forms.iter().any(|form| form.has_datasheet() || *form == Format::Json);
        if asked.datasheet.is_some() && !(kind == Repeat::DEFINITION.name && has_sheet) {
            let message = "--datasheet is for the report of a run, or of rounds that all measure the same (--repeat), \
                        and this has no place for it";
            let hint = "the means of its rounds beside such figures: fathom baseline save NAME --figures …, \
                        then fathom baseline check NAME RUN";
            return Err(Failure::new(Exit::Usage, message).hint(hint));
        }
        let place = asked.place(overwrite, in_use)?;
        Ok(ProcedureOutput { asked, columns: asked.columns.chosen(), keeps_page: false, place })
    }

    /// Is a person shown the result on standard output?
    pub fn is_for_person(&self) -> bool {
        self.asked.is_for_person()
    }

    /// The claims that were given beside the means of the rounds of a procedure, whose files are in `dir`.
    pub fn sheet(&self, saved: &ProcedureResult, dir: &Path) -> Result<Option<DeviceSheet>, Failure> {
        self.asked.datasheet.as_ref().map(|claims| sheet_of_rounds(saved, dir, claims)).transpose()
    }

    /// Prints a procedure as it was saved in `dir`; of one that is concluded also the page that is kept there, if one was asked for.
    pub fn print(
        &self,
        saved: &ProcedureResult,
        dir: &Path,
        state: ProcedureState<'_>,
        is_concluded: bool,
    ) -> Result<Option<PathBuf>, Failure> {
        let saved = &*with_percentiles(Cow::Borrowed(saved), dir, &self.columns);
        let (standard, sheet) = (standard_report(saved, dir, &self.columns), self.sheet(saved, dir)?);
        let state = ProcedureState { standard: standard.as_ref(), sheet: sheet.as_ref(), ..state };
        let page = (self.keeps_page && is_concluded).then(|| keep_page(dir, &self.page(saved, state, None)));
        self.place.write(&self.text(saved, state, (&self.series(saved, saved, dir), None))?)?;
        // The answer is printed before a page that cannot be written is an error.
        page.transpose()
    }

    fn page(&self, saved: &ProcedureResult, state: ProcedureState<'_>, title: Option<&str>) -> Ready {
        Ready::text(&saved_page(saved, ProcedureState { columns: Some(&self.columns), ..state }, title))
    }

    /// Each second of each job, where that is asked for, as [`series`] has them.
    pub fn series(&self, saved: &ProcedureResult, named: &ProcedureResult, dir: &Path) -> Vec<SeriesRecord> {
        if self.asked.series { series(saved, named, dir) } else { Vec::new() }
    }

    /// The form of another program.
    fn exported(
        &self,
        form: Format,
        saved: &ProcedureResult,
        state: ProcedureState<'_>,
        series: &[SeriesRecord],
    ) -> Ready {
        let concluded = saved.record.conclusion.as_ref().and_then(|it| it.answer.as_deref());
        let result = Exported::of_procedure(saved, concluded.or(state.so_far), &self.columns, series);
        form.export().map(|form| Ready::text(&form.write(&result))).unwrap_or_default()
    }

    /// The text, in the forms that were asked for one after the other.
    pub fn text(
        &self,
        saved: &ProcedureResult,
        state: ProcedureState<'_>,
        (series, title): (&[SeriesRecord], Option<&str>),
    ) -> Result<Ready, Failure> {
        let layout = Layout { style: style(&self.place), columns: &self.columns };
        let one = |form: &Format| match form {
            Format::Json | Format::Document => Ready::document(&ProcedureDocument {
                standard_report: state.standard.cloned(),
                datasheet: state.sheet,
                series: self.asked.series.then_some(series),
                ..ProcedureDocument::of(saved, state.damage)
            }),
            Format::Csv if self.asked.series => Ok(Ready::text(&series_csv_of_rounds(&saved.record, series))),
            Format::Csv => Ok(Ready::text(&rounds_csv(saved, &self.columns))),
            Format::Html => Ok(self.page(saved, state, title)),
            form if form.export().is_some() => Ok(self.exported(*form, saved, state, series)),
            form => Ok(Ready::painted(&procedure(saved, state, *form == Format::Details, layout))),
        };
        self.asked.forms().iter().map(one).collect()
    }

    /// The exit code of a procedure that ended with this one otherwise. What is not valid is told on standard error.
    ///
    /// # Errors
    /// `--fail-on` of rounds of which none has an answer.
    pub fn exit(
        &self,
        exit: Exit,
        saved: &ProcedureResult,
        so_far: Option<&Answer>,
    ) -> Result<Exit, Failure> {
        if exit == Exit::NotValid {
            say("note: the result is not valid, so the exit code is 5");
        }
        if saved.rounds().next().is_none() {
            return Ok(exit);
        }
        let answer = saved.record.conclusion.as_ref().and_then(|it| it.answer.as_deref()).or(so_far);
        let of_rounds = saved.rounds().filter_map(|round| round.answer.as_deref());
        self.asked.exit_of_procedure(exit, &answer.into_iter().chain(of_rounds).collect::<Vec<_>>())
    }
}

/// Writes a page into the directory of a procedure.
fn keep_page(dir: &Path, page: &Ready) -> Result<PathBuf, Failure> {
    let path = dir.join(RunRecord::PAGE);
    match write_run_file(dir, RunRecord::PAGE, page.as_str().as_bytes()) {
        Ok(()) => Ok(path),
        Err(e) => Err(page_not_written(&path, &e)),
    }
}

/// Each second of each job of each round that can be read, of a procedure whose files are in `dir`; the damage of the others is
/// told with that of the procedure. Its names are those of `named`: the same procedure, or that without private names.
pub fn series(saved: &ProcedureResult, named: &ProcedureResult, dir: &Path) -> Vec<SeriesRecord> {
    let of_round = |(round, named): (&RoundDone, &RoundDone)| {
        let run = saved.load_round_in(dir, &round.directory).ok()?;
        Some(series_of_round(named, &run))
    };
    saved.rounds().zip(named.rounds()).filter_map(of_round).flatten().collect()
}

/// The rounds as a table, or their seconds.
pub fn table(saved: &ProcedureResult, asked: &ResultArgs) -> Ready {
    Ready::text(&match asked.series {
        true => series_csv_of_rounds(&saved.record, &series(saved, saved, &saved.dir)),
        false => {
            let columns = asked.columns.chosen();
            rounds_csv(&with_percentiles(Cow::Borrowed(saved), &saved.dir, &columns), &columns)
        }
    })
}

/// The procedure in `dir` with the percentiles that a person asked for: those that the figures of a round do not have are of its run.
/// Percentiles that are not known are named on standard error.
pub fn with_percentiles<'a>(
    mut saved: Cow<'a, ProcedureResult>,
    dir: &Path,
    columns: &Columns,
) -> Cow<'a, ProcedureResult> {
    let percents = columns.chosen_percents();
    if percents.is_empty() {
        return saved;
    }
    let unknown = add_percentiles(saved.to_mut(), dir, &percents);
    // The rounds of a procedure measure alike, so the first says it.
    if let Some(first) = unknown.first() {
        let others = match unknown.len() - 1 {
            0 => String::new(),
            more => format!(" (and the same of {more} more)"),
        };
        say(&format!("note: {}{others}", lacking(first)));
    }
    saved
}

/// Which percentiles are not known, why, and which are.
fn lacking(unknown: &LackingPercentiles) -> String {
    let names = |percents: &[f64]| percents.iter().map(|it| format!("p{it}")).collect::<Vec<_>>().join(", ");
    let why = match &unknown.damage {
        Some(damage) => format!("its run cannot be used ({damage})"),
        None => NO_DISTRIBUTION.to_owned(),
    };
    let kept = match unknown.kept.as_slice() {
        [] => "it has no percentile".to_owned(),
        kept => format!("it has {}", names(kept)),
    };
    format!("round {} has no {} of {}: {why}; {kept}", unknown.round, names(&unknown.percents), unknown.job)
}

/// Claims beside the means of the rounds that ended, of a procedure whose files are in `dir`.
///
/// # Errors
/// No round ended, or one cannot be read.
pub fn sheet_of_rounds(saved: &ProcedureResult, dir: &Path, claims: &Claims) -> Result<DeviceSheet, Failure> {
    let whole = saved.rounds().filter(|round| round.failed().is_none());
    let sheets: Result<Vec<DeviceSheet>, Failure> = whole
        .map(|round| {
            let run = saved.load_round_in(dir, &round.directory);
            Ok(datasheet(&run.map_err(|e| Failure::new(Exit::Incomplete, e))?, claims))
        })
        .collect();
    let none = || Failure::new(Exit::Incomplete, format!("{} has no round that ended", shown::path(dir)));
    datasheet_of_rounds(&sheets?).ok_or_else(none)
}
