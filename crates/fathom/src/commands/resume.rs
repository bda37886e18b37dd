//! `fathom resume`: goes on with a procedure after its last round.

use crate::args::{ConsentArgs, PlaceArgs, RUNS_DIR, ResultArgs, duration};
use crate::commands::tune;
use crate::driven::{Driving, go_on, tell};
use crate::failure::{Exit, Failure};
use crate::labels::LabelArgs;
use crate::procedure_output::ProcedureOutput;
use crate::saved_result;
use crate::terminal::here;
use clap::Args;
use fathom_engine::runner::Patience;
use fathom_results::procedure::{ProcedureResult, load_procedure};
use fathom_session::outputs::InUse;
use fathom_session::procedure::ResumeRequest;
use fathom_tune::STATE_DIR;
use std::path::PathBuf;
use std::time::Duration;

/// What `--help` says after the arguments.
const HELP: &str = "\
What is measured in several rounds is a procedure: `run --repeat`, `quick --repeat`, `compare --run`, \
`try`, `tune try`, `sweep`, `suite run`, `precondition`, `verify` and `pts`. \
Each round is saved as a run when it ends. resume measures the rounds that are left, with the job files as they were \
when it began. A round that was cut short is measured again. Consent is not saved: give --write, --destroy and \
--overwrite again. A quick or a run without --repeat cannot be resumed: `fathom report` prints what was measured until \
then.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ResumeArgs {
    /// Directory of the procedure, its id or the beginning of that, or its name; default: the newest in
    /// fathom-runs that is not finished
    pub procedure: Option<PathBuf>,
    /// Directory that holds the directories of the runs
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub runs_dir: PathBuf,
    /// Go on although the machine, the target or fathom is not as it was
    #[arg(long)]
    pub anyway: bool,
    /// For a procedure that changes a setting of the host: change it again
    #[arg(long)]
    pub yes: bool,
    /// For such a procedure: where journals are kept
    #[arg(long, value_name = "DIR", default_value = STATE_DIR)]
    pub tune_state_dir: PathBuf,
    /// End a round when a target has not answered for this long; 0 sets no limit
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = duration)]
    pub stuck_after: Duration,
    /// What fathom may write to.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Where fathom lists the files that it made
    #[arg(long, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// What is printed, and where, and what is a failure.
    #[command(flatten)]
    pub result: ResultArgs,
    /// Do not show the progress
    #[arg(long, short)]
    pub quiet: bool,
}

pub fn run(args: &ResumeArgs) -> Result<Exit, Failure> {
    let here = here();
    let dir = saved_result::procedure(&args.runs_dir, args.procedure.as_deref())?;
    let known = load_procedure(&dir).ok();
    let kind = known.as_ref().map(|known| known.record.procedure.as_str()).unwrap_or_default();
    let in_use = InUse::default();
    let output = ProcedureOutput::of(&args.result, kind, &args.consent.overwrite, &in_use)?;
    let known = known.as_ref().filter(|known| known.record.conclusion.is_none());
    let tuner_of = |known: &ProcedureResult| tune::tuner_of(&known.record, &args.tune_state_dir, &here);
    let tuner = known.map(tuner_of).transpose()?.flatten();
    if let Some(tuner) = &tuner {
        tuner.show()?;
        if !args.yes {
            let message = format!("{} would be changed and put back again", tuner.knob());
            return Err(Failure::new(Exit::Refused, message).hint("give --yes to go ahead"));
        }
    }
    let tuner = tuner.as_ref().map(|tuner| tuner as &dyn fathom_session::procedure::Tuner);
    let place = PlaceArgs { state_dir: args.state_dir.clone(), quiet: args.quiet, ..PlaceArgs::default() };
    let labels = LabelArgs::default();
    let driving = Driving::of((&labels, &args.consent, &place), &here);
    let terms = Driving { patience: Patience::of(args.stuck_after), tuner, ..driving }.terms()?;
    tell(&go_on(ResumeRequest { dir, anyway: args.anyway, terms }, &here)?, &output)
}
