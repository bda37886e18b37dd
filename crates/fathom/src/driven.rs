//! What all commands that measure are told, a procedure that signals can end, and what is said at its end.

use crate::args::{ConsentArgs, PlaceArgs, ResultArgs};
use crate::commands::output::tell_page;
use crate::failure::{Exit, Failure, print, say};
use crate::labels::LabelArgs;
use crate::procedure_output::ProcedureOutput;
use crate::rehearsal::Rehearsal;
use crate::screen::Screen;
use crate::signals::Signals;
use clap::Args;
use fathom_engine::runner::Patience;
use fathom_procedures::{Procedure, Round};
use fathom_report::terminal::ProcedureState;
use fathom_results::RunResult;
use fathom_results::procedure::{HistoryExtent, JobSource, ProcedureResult, load_procedure};
use fathom_session::outputs::InUse;
use fathom_session::procedure::{
    BrokenOff, DrivenRounds, DriverTerms, ProcedureRequest, ResumeRequest, Tuner, answer_so_far,
    purge_refusals, refusals_of, resume, run_procedure, saved_procedure,
};
use fathom_session::{Here, RunDir, RunLabels};
use fathom_text::carried::{of_os, to_path};
use fathom_text::shell::quoted;
use std::sync::Arc;

/// What every command that measures is told beside what it measures.
#[derive(Clone, Debug, Default, Args)]
pub struct MeasureArgs {
    /// What is printed, and what is a failure.
    #[command(flatten)]
    pub result: ResultArgs,
    /// What is written on the run.
    #[command(flatten)]
    pub labels: LabelArgs,
    /// What fathom may write to.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Where results go.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// How a procedure is driven, as the command line has it.
pub struct Driving<'a> {
    /// What is written on the run.
    pub labels: &'a LabelArgs,
    /// What fathom may write to.
    pub consent: &'a ConsentArgs,
    /// Where results go.
    pub place: &'a PlaceArgs,
    /// All random numbers come from this one; without it from a new one.
    pub seed: Option<u64>,
    /// How long a target may not answer.
    pub patience: Patience,
    /// A page of all rounds is kept in the directory of the procedure.
    pub keeps_page: bool,
    /// Who changes a setting of the host.
    pub tuner: Option<&'a dyn Tuner>,
    /// The machine.
    pub here: &'a Here,
}

/// A procedure: its name in the table, and its parameters.
pub type NamedProcedure = (&'static str, Vec<(String, String)>);

impl MeasureArgs {
    /// How a procedure is driven with these.
    pub fn driving<'a>(&'a self, here: &'a Here) -> Driving<'a> {
        Driving::of((&self.labels, &self.consent, &self.place), here)
    }
}

impl<'a> Driving<'a> {
    /// With what all procedures have.
    pub fn of(
        (labels, consent, place): (&'a LabelArgs, &'a ConsentArgs, &'a PlaceArgs),
        here: &'a Here,
    ) -> Self {
        Driving {
            labels,
            consent,
            place,
            seed: None,
            patience: Patience::USUAL,
            keeps_page: false,
            tuner: None,
            here,
        }
    }

    /// What would be refused of these rounds. What is purged needs the consent of a purge, whatever its jobs need.
    pub fn refused<'t>(
        &self,
        purged: impl IntoIterator<Item = &'t str>,
        rounds: Vec<(Round, u32)>,
        jobs: &JobSource,
    ) -> Result<Vec<Failure>, Failure> {
        let consent = self.consent.consent()?;
        match purge_refusals(purged, &consent, self.here) {
            refused if refused.is_empty() => {
                refusals_of(rounds, (jobs, &consent, &self.place.saved_at()), self.here)
            }
            refused => Ok(refused),
        }
    }

    /// How the rounds are driven.
    pub fn terms(&self) -> Result<DriverTerms<'a>, Failure> {
        self.place.show()?;
        Ok(DriverTerms {
            consent: self.consent.consent()?,
            state_dir: self.place.state_dir.clone(),
            patience: self.patience,
            tuner: self.tuner,
            ender: Arc::default(),
        })
    }

    /// Runs a procedure. Ctrl-C, SIGTERM and SIGHUP end it, and what was measured is saved.
    pub fn run(
        &self,
        name: impl Into<String>,
        (procedure, parameters): NamedProcedure,
        jobs: JobSource,
    ) -> Result<DrivenRounds, Failure> {
        let (name, command) = (name.into(), std::env::args_os().map(of_os).collect());
        let (labels, dir, seed) = (self.labels.labels(), self.place.saved_at().dir, self.seed);
        let terms = self.terms()?;
        let _signals = Signals::watch(terms.ender.clone(), self.here.slow_look())?;
        let request =
            ProcedureRequest { name, labels, procedure, parameters, jobs, command, dir, seed, terms };
        run_procedure(request, self.here)
    }

    /// Runs a procedure, and prints it as `fathom report` does: also how it came out, for its exit code.
    pub fn run_and_print(
        &self,
        result: &ResultArgs,
        name: impl Into<String>,
        procedure: NamedProcedure,
        jobs: JobSource,
        rehearsal: Option<&Rehearsal>,
    ) -> Result<(DrivenRounds, Exit), Failure> {
        let mut in_use = InUse::default();
        self.here.job_files().into_iter().for_each(|file| in_use.add(file, "a job file of this run"));
        jobs.target.iter().for_each(|target| in_use.add(to_path(target), "a target of this run"));
        // A place that cannot be written is an error before anything is measured.
        let mut output = ProcedureOutput::of(result, procedure.0, &self.consent.overwrite, &in_use)?;
        output.keeps_page = self.keeps_page;
        let driven = self.run(name, procedure, jobs)?;
        let exit = tell(&driven, &output)?;
        if let Some(rehearsal) = rehearsal.filter(|_| output.is_for_person()) {
            print(&rehearsal.of_procedure(&driven.dir)?)?;
        }
        Ok((driven, exit))
    }
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
/// to go on. One that could not go on, or could not be saved, is printed as it was measured, and then fails.
pub fn tell(driven: &DrivenRounds, output: &ProcedureOutput<'_>) -> Result<Exit, Failure> {
    let is_for_person = output.is_for_person();
    let (saved, damage) = match &driven.broken_off {
        Some(broken_off) => (measured(driven, broken_off), Vec::new()),
        None if driven.verdict.is_none() || !is_for_person => saved_procedure(&driven.dir)?,
        // Its rounds were checked when it was concluded.
        None => {
            let saved = load_procedure(&driven.dir).map_err(|e| Failure::new(Exit::Incomplete, e))?;
            (saved, Vec::new())
        }
    };
    if !is_for_person || driven.verdict.is_some() || saved.rounds().next().is_some() {
        let so_far = answer_so_far(&saved);
        let state = ProcedureState { damage: &damage, so_far: so_far.as_ref(), ..ProcedureState::default() };
        let is_concluded = driven.verdict.is_some() && driven.broken_off.is_none();
        let page = output.print(&saved, &driven.dir, state, is_concluded)?;
        // A script that reads the result needs no advice.
        if page.is_some() || is_for_person && is_concluded && Screen::stdout().is_terminal {
            tell_page(page.as_deref(), &saved.record.id);
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
    match &driven.verdict {
        Some(_) => output.exit(driven.exit, &saved, None),
        None => Ok(driven.exit),
    }
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
