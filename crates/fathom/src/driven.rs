//! A procedure that signals can end, and what is said at its end.

use crate::args::ConsentArgs;
use crate::commands::output::tell_page;
use crate::edge::{Ready, print_document, print_ready};
use crate::failure::{Exit, Failure, say};
use crate::screen::Screen;
use crate::signals::Signals;
use fathom_engine::runner::Patience;
use fathom_figures::metric::Columns;
use fathom_procedures::Procedure;
use fathom_report::terminal::{Layout, ProcedureState, procedure};
use fathom_results::RunResult;
use fathom_results::procedure::{
    HistoryExtent, JobSource, ProcedureDocument, ProcedureResult, load_procedure,
};
use fathom_session::procedure::{
    BrokenOff, DrivenRounds, DriverTerms, Operator, ProcedureRequest, ResumeRequest, Tuner, answer_so_far,
    resume, run_procedure, saved_procedure, standard_report,
};
use fathom_session::{Here, RunDir, RunLabels};
use fathom_text::carried::of_os;
use fathom_text::shell::quoted;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

/// The person at this terminal.
static AT_TERMINAL: AtTerminal = AtTerminal;

/// How a procedure is driven from this terminal.
pub fn terms<'a>(
    consent: &ConsentArgs,
    state_dir: Option<PathBuf>,
    patience: Patience,
    tuner: Option<&'a dyn Tuner>,
) -> Result<DriverTerms<'a>, Failure> {
    let (consent, ender) = (consent.consent()?, Arc::default());
    Ok(DriverTerms { consent, state_dir, patience, tuner, operator: &AT_TERMINAL, ender })
}

/// The request of this command line, whose random numbers come from a new seed. `procedure` is its name in the table and its
/// parameters.
pub fn request<'a>(
    name: impl Into<String>,
    labels: RunLabels,
    (procedure, parameters): (&'static str, Vec<(String, String)>),
    jobs: JobSource,
    dir: RunDir,
    terms: DriverTerms<'a>,
) -> ProcedureRequest<'a> {
    let (name, command) = (name.into(), std::env::args_os().map(of_os).collect());
    ProcedureRequest { name, labels, procedure, parameters, jobs, command, dir, seed: None, terms }
}

/// Runs the procedure. Ctrl-C, SIGTERM and SIGHUP end it, and what was measured is saved.
pub fn run(request: ProcedureRequest<'_>, here: &Here) -> Result<DrivenRounds, Failure> {
    let _signals = Signals::watch(request.terms.ender.clone(), here.slow_look())?;
    run_procedure(request, here)
}

/// Runs a procedure that is one run.
pub fn run_one(
    procedure: &dyn Procedure,
    labels: RunLabels,
    dir: RunDir,
    terms: &DriverTerms<'_>,
    here: &Here,
) -> Result<RunResult, Failure> {
    let _signals = Signals::watch(terms.ender.clone(), here.slow_look())?;
    let command = std::env::args_os().map(of_os).collect();
    fathom_session::procedure::run_one(procedure, command, labels, dir, terms, here)
}

/// Goes on with a procedure.
pub fn go_on(request: ResumeRequest<'_>, here: &Here) -> Result<DrivenRounds, Failure> {
    let _signals = Signals::watch(request.terms.ender.clone(), here.slow_look())?;
    resume(request, here)
}

/// Prints the procedure as `fathom report` prints it: of one that was interrupted, what its rounds say so far, and then how
/// to go on. With `json`: the document of `fathom report --json`. One that could not go on, or could not be saved, is printed
/// as it was measured, and then fails.
pub fn tell(driven: &DrivenRounds, json: bool) -> Result<Exit, Failure> {
    tell_with(driven, json, Columns::USUAL)
}

/// The same, with the columns that a person chose.
pub fn tell_with(driven: &DrivenRounds, json: bool, columns: &Columns) -> Result<Exit, Failure> {
    let (saved, damage) = match &driven.broken_off {
        Some(broken_off) => (measured(driven, broken_off), Vec::new()),
        None if driven.verdict.is_none() || json => saved_procedure(&driven.dir)?,
        // Its rounds were checked when it was concluded.
        None => {
            let saved = load_procedure(&driven.dir).map_err(|e| Failure::new(Exit::Incomplete, e))?;
            (saved, Vec::new())
        }
    };
    if json {
        let standard_report = standard_report(&saved, &driven.dir, columns);
        print_document(&ProcedureDocument { standard_report, ..ProcedureDocument::of(&saved, &damage) })?;
    } else if driven.verdict.is_some() || saved.rounds().next().is_some() {
        let so_far = answer_so_far(&saved);
        let standard = standard_report(&saved, &driven.dir, columns);
        let state = ProcedureState {
            damage: &damage,
            so_far: so_far.as_ref(),
            standard: standard.as_ref(),
            ..ProcedureState::default()
        };
        let layout = Layout { style: Screen::stdout().style, columns };
        print_ready(&Ready::painted(&procedure(&saved, state, false, layout)))?;
        // A script that reads the result needs no advice.
        if driven.verdict.is_some() && driven.broken_off.is_none() && Screen::stdout().is_terminal {
            tell_page(None, &saved.record.id);
        }
    }
    if let Some(broken_off) = &driven.broken_off {
        return Err(broken_off.why.clone());
    }
    if driven.verdict.is_none() {
        let dir = quoted(&driven.dir);
        let consent = match saved.record.consent_options().as_slice() {
            [] => String::new(),
            options => format!(", with {} again: nothing that is saved gives consent", options.join(" and ")),
        };
        say(&format!("interrupted; every round that ended is saved. To go on: fathom resume {dir}{consent}"));
    }
    Ok(driven.exit)
}

/// A procedure as it was measured, whether or not it is saved.
fn measured(driven: &DrivenRounds, of: &BrokenOff) -> ProcedureResult {
    ProcedureResult {
        dir: driven.dir.clone(),
        record: of.record.clone(),
        steps: of.steps.clone(),
        extent: HistoryExtent::default(),
        rest_bytes: 0,
        damage: None,
    }
}

/// Asks on standard error, and reads the answer from standard input.
struct AtTerminal;

impl Operator for AtTerminal {
    fn ask(&self, request: &str) -> Result<String, Failure> {
        if !std::io::stdin().is_terminal() {
            let said = format!("somebody must do something, and nobody is at the terminal: {request}");
            return Err(Failure::new(Exit::Incomplete, said).hint("do it, and then resume at a terminal"));
        }
        say(&format!("{request}. Press Enter when it is done."));
        let mut answer = String::new();
        let read = std::io::stdin().read_line(&mut answer);
        read.map_err(|e| Failure::new(Exit::Failed, format!("cannot read the answer: {e}")))?;
        Ok(answer.trim().to_owned())
    }
}
