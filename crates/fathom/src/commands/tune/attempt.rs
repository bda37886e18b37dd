//! `fathom tune try`: jobs with and without a knob, in turn, as a procedure.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_device::{Goal, Root};
use fathom_host::audit::checks;
use fathom_job::parse::Adjust;
use fathom_procedures::{Procedure, TuneTry};
use fathom_results::answer::JudgedFigure;
use fathom_results::procedure::ProcedureRecord;
use fathom_session::procedure::{Tuner, forecast, read_jobs, saved_plan};
use fathom_session::{Here, Tuned};
use fathom_text::carried::to_path;
use fathom_tune::{self as tune, ApplyOptions, STATE_DIR, Select, Session, State, TunePlan};

use super::failure::failure;
use super::watched_process::options;
use super::{TryArgs, targets, text};
use crate::args::PlaceArgs;
use crate::commands::attempt::AttemptArgs;
use crate::commands::run::planned;
use crate::driven::{Driving, MeasureArgs};
use crate::failure::{Exit, Failure, print, say_block};
use crate::screen::Screen;
use crate::steps;
use crate::terminal::here;

/// A knob with this value, as `fathom try` asks for it.
///
/// `None` where the knob has this value already, and there is nothing to compare.
pub fn try_knob(knob: String, asked: &AttemptArgs) -> Result<Option<Exit>, Failure> {
    let MeasureArgs { result, labels, consent, place } = asked.measure.clone();
    let args = TryArgs {
        knob,
        files: asked.files.clone(),
        goal: Goal::Iops,
        pairs: asked.rounds.max(PAIRS_MIN),
        target: asked.target.clone(),
        yes: asked.yes,
        plan: asked.plan,
        runs_dir: place.runs_dir.clone(),
        labels,
        consent,
        result,
    };
    compare(&args, &place, Path::new(STATE_DIR))
}

/// Fewer pairs have no 95 % interval of their median.
const PAIRS_MIN: u32 = 6;

pub(super) fn run(args: &TryArgs, dir: &Path) -> Result<Exit, Failure> {
    let place = PlaceArgs { runs_dir: args.runs_dir.clone(), ..PlaceArgs::default() };
    match compare(args, &place, dir)? {
        Some(exit) => Ok(exit),
        None => Err(Failure::new(Exit::Usage, format!("{} is set already", args.knob))
            .hint("a value is compared with the one that is set: give another")),
    }
}

/// `None` where the knob has this value already.
fn compare(args: &TryArgs, place: &PlaceArgs, dir: &Path) -> Result<Option<Exit>, Failure> {
    let here = here();
    let adjust = Adjust { target: args.target.clone(), ..Adjust::default() };
    let (jobs, source) = read_jobs(&args.files, &adjust, &here)?;
    let tuner = KnobTuner {
        root: here.root().clone(),
        targets: targets(&planned(&jobs, &here)?),
        goal: args.goal,
        knob: args.knob.clone(),
        dir: dir.to_owned(),
    };
    let first = tuner.plan()?;
    if first.lines.is_empty() && first.left.is_empty() && args.knob.contains('=') {
        return Ok(None);
    }
    if first.lines.is_empty() {
        let message = nothing_to_change(&args.knob, &first);
        let hint = match first.left.is_empty() {
            true => "give it a value: ID=VALUE".to_owned(),
            false => format!("what it needs, and what to do instead: {}", explained(&args.knob)),
        };
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    }
    let compared = compared(args.goal);
    let driving = Driving { tuner: Some(&tuner), ..Driving::of((&args.labels, &args.consent, place), &here) };
    let procedure = TuneTry { pairs: args.pairs, compared, knob: args.knob.clone() };
    if args.plan {
        let expected = forecast(&procedure, &source, &here)?;
        let refused = driving.refused([], procedure.expected(), &source)?;
        let change = text::plan(&first, false, Screen::stdout().style.width);
        print(&format!("{change}try: {}\n", steps::forecast(&expected)))?;
        return steps::judged("trial", refused).map(Some);
    }
    say_block(text::plan(&first, false, Screen::stderr().style.width).trim_end());
    if !args.yes {
        let message = format!("{} would be changed and put back {} times", args.knob, args.pairs);
        return Err(Failure::new(Exit::Refused, message).hint("give --yes to go ahead"));
    }
    let mut parameters = procedure.parameters();
    parameters.extend(tuner.parameters());
    let procedure = (TuneTry::DEFINITION.name, parameters);
    driving.run_and_print(&args.result, "try", procedure, source, None).map(|(_, exit)| Some(exit))
}

/// Why a plan changes nothing, as far as it says.
fn nothing_to_change(knob: &str, plan: &TunePlan) -> String {
    let reasons: Vec<&str> = plan.left.iter().map(|left| left.reason.as_str()).collect();
    let sentence = format!("{knob} would change nothing here: {}", reasons.join("; "));
    sentence.trim_end_matches([':', ' ']).to_owned()
}

/// The command that explains the knob: its check, which also says what to do by hand, or else the knob itself.
fn explained(knob: &str) -> String {
    match id(knob) {
        id if checks::find(id).is_some() => format!("fathom doctor --explain {id}"),
        id => format!("fathom tune knobs {id}"),
    }
}

/// The knob without the value that was given with it.
fn id(knob: &str) -> &str {
    knob.split('=').next().unwrap_or(knob)
}

/// What is compared for a goal.
fn compared(goal: Goal) -> JudgedFigure {
    match goal {
        Goal::Latency => JudgedFigure::Latency,
        Goal::Bandwidth => JudgedFigure::Bandwidth,
        Goal::Iops | Goal::Repeatability => JudgedFigure::Iops,
    }
}

/// Puts one knob in force.
pub struct KnobTuner {
    root: Root,
    targets: Vec<PathBuf>,
    goal: Goal,
    knob: String,
    /// Where journals are kept.
    dir: PathBuf,
}

impl KnobTuner {
    /// One that changes this knob of a target, where there is something to change.
    pub fn for_target(
        (target, goal, knob): (&Path, Goal, &str),
        dir: &Path,
        here: &Here,
    ) -> Result<Option<KnobTuner>, Failure> {
        let (root, targets) = (here.root().clone(), vec![target.to_owned()]);
        let tuner = KnobTuner { root, targets, goal, knob: knob.to_owned(), dir: dir.to_owned() };
        Ok(Some(tuner).filter(|tuner| tuner.plan().is_ok_and(|plan| !plan.lines.is_empty())))
    }

    /// The tuner of a procedure that was saved; `None` if it tunes nothing. The targets are those of
    /// its jobs, and journals are kept in `dir`: the file decides neither.
    pub fn of(record: &ProcedureRecord, dir: &Path, here: &Here) -> Result<Option<KnobTuner>, Failure> {
        let parameter = |name: &str| {
            let found = record.parameters.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str())
        };
        let (Some(goal), Some(knob)) = (parameter("goal"), parameter("knob")) else { return Ok(None) };
        let wrong = || Failure::new(Exit::Refused, format!("{goal} is no goal that this fathom knows"));
        let targets = match (parameter("target"), record.jobs.files.is_empty()) {
            // Such a procedure writes its jobs itself.
            (Some(target), true) => vec![to_path(target)],
            _ => targets(&saved_plan(&record.jobs, here)?),
        };
        Ok(Some(KnobTuner {
            root: here.root().clone(),
            targets,
            goal: goal.parse().map_err(|_| wrong())?,
            knob: knob.to_owned(),
            dir: dir.to_owned(),
        }))
    }

    /// What [`KnobTuner::of`] needs.
    pub fn parameters(&self) -> [(String, String); 1] {
        [("goal".to_owned(), self.goal.to_string())]
    }

    /// Shows what it changes.
    pub fn show(&self) -> Result<(), Failure> {
        say_block(text::plan(&self.plan()?, false, Screen::stderr().style.width).trim_end());
        Ok(())
    }

    /// The knob that it changes, as typed.
    pub fn knob(&self) -> &str {
        &self.knob
    }

    fn select(&self) -> Select {
        Select::only([&self.knob])
    }

    fn plan(&self) -> Result<TunePlan, Failure> {
        tune::after_guardian(&self.dir);
        tune::plan(&self.root, &self.targets, self.goal, &self.select()).map_err(failure)
    }
}

impl Tuner for KnobTuner {
    fn apply(&self) -> Result<Arc<Tuned>, Failure> {
        let plan = self.plan()?;
        if plan.lines.is_empty() {
            let message = nothing_to_change(&self.knob, &plan);
            return Err(Failure::new(Exit::NotValid, message)
                .hint("set the value that this machine had when the procedure began, then resume it"));
        }
        let options = options(&plan, self.select().names_only(), self.dir.clone());
        let options = ApplyOptions { holds: true, all_or_nothing: true, ..options };
        let session = Session::apply(&self.root, &plan, options).map_err(failure)?;
        let in_force = session.applied().any(|record| record.state == State::Done);
        if in_force || !session.held().is_empty() {
            return Ok(Arc::new(Tuned::new(session)));
        }
        let notes: Vec<&str> = session.applied().filter_map(|record| record.note.as_deref()).collect();
        let message = format!("the kernel refused {}: {}", self.knob, notes.join("; "));
        Err(Failure::new(Exit::Failed, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_knob_is_explained_by_a_command_that_knows_it() {
        for knob in tune::catalogue() {
            let command = explained(&format!("{}=1", knob.id));
            let has_check = checks::find(&knob.id).is_some();
            assert_eq!(command.starts_with("fathom doctor --explain "), has_check, "{command}");
            assert!(command.ends_with(&format!(" {}", knob.id)), "{command}");
        }
        assert_eq!(explained("scsi.alpm=max_performance"), "fathom tune knobs scsi.alpm");
        assert_eq!(explained("blk.nr_requests"), "fathom doctor --explain blk.nr_requests");
    }
}
