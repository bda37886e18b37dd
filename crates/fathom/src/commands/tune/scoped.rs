//! `fathom run --tune`: a plan in force for as long as a run takes.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use fathom_device::Goal;
use fathom_job::plan::Plan;
use fathom_tune::{self as tune, ApplyOptions, STATE_DIR, Scope, Select, Session, State};

use super::failure::failure;
use super::text;
use super::watched_process::options;
use crate::args::{KnobParser, goal};
use crate::failure::{Exit, Failure, say, say_block, tell};
use crate::put_back;
use crate::screen::Screen;
use fathom_session::{Here, Tuned};

/// Tuning of a run.
#[derive(Clone, Debug, Default, Args)]
pub struct RunTuneArgs {
    /// Tune the host for the run, and put everything back at its end; without a goal,
    /// for repeatability
    #[arg(long, value_name = "GOAL", num_args = 0..=1, require_equals = true,
          default_missing_value = "repeatability", value_parser = goal())]
    tune: Option<Goal>,
    /// With --tune: also change this knob, whatever its risk; may be repeated
    #[arg(long, value_name = "ID[=VALUE]", requires = "tune", value_parser = KnobParser,
          hide_possible_values = true)]
    tune_knob: Vec<String>,
    /// With --tune: change only the knobs that are named
    #[arg(long, requires = "tune_knob")]
    tune_only: bool,
    /// With --tune: where the journal is kept
    #[arg(long, value_name = "DIR", default_value = STATE_DIR, requires = "tune")]
    tune_state_dir: PathBuf,
}

impl RunTuneArgs {
    /// Plans, shows and applies, if it was asked for.
    pub fn begin(&self, plan: &Plan, here: &Here) -> Result<Option<Arc<Tuned>>, Failure> {
        let Some(tuning) = self.show(plan, here)? else { return Ok(None) };
        let named = self.select().names_only();
        let options = options(&tuning, named, super::place(&self.tune_state_dir));
        let options = ApplyOptions { holds: true, ..options };
        let session = Session::apply(here.root(), &tuning, options).map_err(failure)?;
        self.tell_refused(&session)?;
        Ok(Some(Arc::new(Tuned::new(session))))
    }

    /// Says what the kernel refused. Without a knob that was named, the run is
    /// not the one that was asked for; what was applied is put back.
    fn tell_refused(&self, session: &Session) -> Result<(), Failure> {
        let named = self.select().names_only();
        for record in session.applied().filter(|record| record.state == State::Failed) {
            let reason = record.note.as_deref().unwrap_or("it gave no reason");
            let message = format!("the kernel refused {} at {}: {reason}", record.id, record.path);
            if named.contains(&record.id) {
                return Err(
                    Failure::new(Exit::Failed, message).hint("give the knob another value, or leave it out")
                );
            }
            say(&format!("note: {message}"));
        }
        Ok(())
    }

    /// Plans and shows it, if it was asked for.
    pub fn show(&self, plan: &Plan, here: &Here) -> Result<Option<tune::TunePlan>, Failure> {
        let Some(goal) = self.tune else { return Ok(None) };
        let targets = targets(plan, here);
        tune::after_guardian(&super::place(&self.tune_state_dir));
        let tuning = tune::plan(here.root(), &targets, goal, &self.select()).map_err(failure)?;
        say_block(text::plan(&tuning, false, Screen::stderr().style.width).trim_end());
        Ok(Some(tuning))
    }

    fn select(&self) -> Select {
        Select { only_named: self.tune_only, ..Select::with(&self.tune_knob) }
    }
}

/// Puts everything back, however the run ended, and returns how the command ends.
/// If the run failed, that is its failure, also if putting back fails too.
pub fn end(tuned: Option<Arc<Tuned>>, run: Result<Exit, Failure>) -> Result<Exit, Failure> {
    let Some(tuned) = tuned else { return run };
    let holds = tuned.has_held();
    match (run, tuned.put_back().map(|back| put_back::tell(&back)).map_err(failure)) {
        (Ok(Exit::Ok), Ok(is_back)) if !(holds && is_back) => Ok(Exit::NotValid),
        (Ok(_), Err(not_back)) => Err(not_back),
        (Err(run), Err(not_back)) => {
            tell(&not_back);
            Err(run)
        }
        (run, Ok(_)) => run,
    }
}

/// The targets that have a disk; what has none (memory, a network) has no
/// settings of its own.
fn targets(plan: &Plan, here: &Here) -> Vec<PathBuf> {
    let mut paths = super::targets(plan);
    paths.retain(|path| match Scope::of(here.root(), std::slice::from_ref(path)) {
        Ok(_) => true,
        Err(e) => {
            say(&format!("note: {e}"));
            false
        }
    });
    paths
}
