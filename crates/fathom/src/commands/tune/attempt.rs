//! `fathom tune try`: a job with and without a knob, in turn.
//!
//! The order swaps from pair to pair (without, with, with, without), so that a
//! machine that drifts one way favours neither.

use std::path::{Path, PathBuf};

use fathom_device::Root;
use fathom_job::fio_cli::Eta;
use fathom_job::parse::{self, Adjust, JobSet};
use fathom_job::plan::Plan;
use fathom_results::RunResult;
use fathom_tune::{self as tune, ApplyOptions, Select, Session, State, TunePlan};

use super::apart::options;
use super::failure::failure;
use super::{TryArgs, evidence, targets, text};
use crate::commands::run::planned;
use crate::failure::{Exit, Failure, print, say, say_block};
use crate::put_back::tell_open;
use crate::terminal::{here, terminal};
use crate::told;
use crate::watched;
use fathom_session::{Here, SavedAt, exit_of};

pub(super) fn run(args: &TryArgs, dir: &Path) -> Result<Exit, Failure> {
    let here = here();
    let adjust = Adjust { target: args.target.clone(), ..Adjust::default() };
    let jobs = parse::load(&args.files, &adjust, &here).map_err(|e| Failure::job(&e))?;
    let plan = planned(&jobs, &here)?;
    let select = Select::only([&args.knob]);
    let targets = targets(&plan);
    let first = tune::plan(here.root(), &targets, args.goal, &select).map_err(failure)?;
    if first.lines.is_empty() {
        let reasons: Vec<&str> = first.left.iter().map(|left| left.reason.as_str()).collect();
        let said = format!("{} would change nothing here: {}", args.knob, reasons.join("; "));
        return Err(
            Failure::new(Exit::Usage, said.trim_end_matches([':', ' '])).hint("give it a value: ID=VALUE")
        );
    }
    say_block(text::plan(&first).trim_end());
    if !args.yes {
        let said = format!("{} would be changed and put back {} times", args.knob, args.pairs);
        return Err(Failure::new(Exit::Refused, said).hint("give --yes to go ahead"));
    }
    let trial = Trial { args, here, jobs, plan, targets, select, dir };
    let (without, with) = match trial.pairs()? {
        Pairs::Whole(without, with) => (without, with),
        Pairs::Cut(exit) => return Ok(exit),
    };
    print(&format!("{}: {}\n", args.knob, evidence::verdict(&without, &with, args.goal)))?;
    Ok(Exit::Ok)
}

struct Trial<'a> {
    args: &'a TryArgs,
    here: Here,
    jobs: JobSet,
    plan: Plan,
    targets: Vec<PathBuf>,
    select: Select,
    dir: &'a Path,
}

/// The figures without and with the knob, or the exit code of a run that failed.
enum Pairs {
    Whole(Vec<f64>, Vec<f64>),
    Cut(Exit),
}

impl Trial<'_> {
    fn pairs(&self) -> Result<Pairs, Failure> {
        let (mut without, mut with) = (Vec::new(), Vec::new());
        for pair in 0..self.args.pairs {
            for tuned in [pair % 2 == 1, pair % 2 == 0] {
                let figure = match self.one(tuned)? {
                    Ok(figure) => figure,
                    Err(exit) => return Ok(Pairs::Cut(exit)),
                };
                if tuned { with.push(figure) } else { without.push(figure) }
            }
            let (a, b) = (without[pair as usize], with[pair as usize]);
            let quantity = evidence::quantity(self.args.goal);
            say(&format!("pair {} of {}: without {a:.0}, with {b:.0} {quantity}", pair + 1, self.args.pairs));
        }
        Ok(Pairs::Whole(without, with))
    }

    /// One run. Its result is a figure, or the exit code of a run that failed.
    fn one(&self, tuned: bool) -> Result<Result<f64, Exit>, Failure> {
        let session = if tuned { Some(self.apply()?) } else { None };
        let result = self.measure();
        if !session.map_or(Ok(true), put_back)? {
            return Err(Failure::new(
                Exit::NotValid,
                "the knob could not be put back, or somebody changed it",
            )
            .hint("fathom tune status shows its state"));
        }
        let result = result?;
        match exit_of(&result) {
            Exit::Ok => Ok(Ok(evidence::figure(&result, self.args.goal).unwrap_or(0.0))),
            exit => {
                told::failures(&result);
                Ok(Err(exit))
            }
        }
    }

    fn apply(&self) -> Result<Session, Failure> {
        let root: &Root = self.here.root();
        let plan: TunePlan =
            tune::plan(root, &self.targets, self.args.goal, &self.select).map_err(failure)?;
        let options = options(&plan, self.select.names_only(), self.dir.to_owned());
        let options = ApplyOptions { holds: true, all_or_nothing: true, ..options };
        let session = Session::apply(root, &plan, options).map_err(failure)?;
        let in_force = session.applied().any(|record| record.state == State::Done);
        match in_force || !session.held().is_empty() {
            true => Ok(session),
            false => {
                let notes: Vec<&str> =
                    session.applied().filter_map(|record| record.note.as_deref()).collect();
                Err(Failure::new(
                    Exit::Failed,
                    format!("the kernel refused {}: {}", self.args.knob, notes.join("; ")),
                ))
            }
        }
    }

    fn measure(&self) -> Result<RunResult, Failure> {
        let scratch = tempfile::tempdir().map_err(|e| Failure::new(Exit::Failed, e))?;
        terminal().shows(Eta::Never);
        let saved = SavedAt::exactly(scratch.path().join("run"));
        let consent = self.args.consent.consent()?;
        let request = watched::request("try", self.plan.clone(), &self.jobs, consent, saved);
        watched::run(request, &self.here)
    }
}

/// Puts the knob back, and returns whether that succeeded.
fn put_back(session: Session) -> Result<bool, Failure> {
    let journal = session.journal().to_owned();
    Ok(tell_open(&session.revert().map_err(failure)?, &journal))
}
