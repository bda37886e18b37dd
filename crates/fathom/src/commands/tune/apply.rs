//! `fathom tune apply`: shows a plan; with `--yes` puts it in force.

use std::path::Path;

use fathom_device::Root;
use fathom_device::bounded;
use fathom_tune::{Session, State, TuneChanges, TuneError, TunePlan, TunedSession, revert_command};

use super::failure::failure;
use super::signals::Watch;
use super::watched_process::options;
use super::{ApplyArgs, revert, text};
use crate::edge::print_document;
use crate::failure::{Exit, Failure, print, say};
use crate::screen::Screen;

pub(super) fn run(args: &ApplyArgs, dir: &Path) -> Result<Exit, Failure> {
    let plan = read(&args.plan)?;
    if !args.yes {
        match args.json {
            true => print_document(&plan)?,
            false => print(&text::plan(&plan, false, Screen::stdout().style.width))?,
        }
        say(&format!("nothing was changed; to do it: {}", text::command(&plan, &args.plan)));
        return Ok(Exit::Ok);
    }
    let mut signals = Watch::begin()?;
    let mut options = options(&plan, args.knob.clone(), dir.to_owned());
    options.hash = args.hash.clone().unwrap_or(options.hash);
    (options.holds, options.all_or_nothing) = (args.hold, args.all_or_nothing);
    say(&format!("applying plan {}", plan.hash));
    let session = Session::apply(&Root::live(), &plan, options).map_err(failure)?;
    if !args.json {
        tell(&session)?;
    }
    if let Some(exit) = signals.came() {
        return revert::end(session, args.json).map(|_| exit);
    }
    match args.hold {
        true => hold(session, &mut signals),
        false => leave(session, args.json),
    }
}

fn read(path: &Path) -> Result<TunePlan, Failure> {
    let bad = |reason: String| failure(TuneError::PlanFile { path: path.to_owned(), reason });
    let text = bounded::file(path, bounded::SETTINGS_MAX_BYTES).map_err(|e| bad(e.to_string()))?;
    serde_json::from_slice(&text).map_err(|e| bad(e.to_string()))
}

/// What was done, and what could not be.
pub(super) fn tell(session: &Session) -> Result<(), Failure> {
    print(&text::records(session.applied()))?;
    for held in session.held() {
        print(&format!("  held         {:<20} {} at {}\n", held.id, held.path.display(), held.value))?;
    }
    for (line, reason) in session.not_held() {
        print(&format!("  not held     {:<20} {}: {reason}\n", line.knob, line.path))?;
    }
    Ok(())
}

fn hold(session: Session, signals: &mut Watch) -> Result<Exit, Failure> {
    say("in force until Ctrl-C, then everything is put back");
    let exit = signals.wait();
    match revert::end(session, false)? {
        true => Ok(exit),
        false => Ok(Exit::NotValid),
    }
}

fn leave(session: Session, json: bool) -> Result<Exit, Failure> {
    let refused = session.applied().any(|record| record.state == State::Failed);
    if json {
        print_document(&TuneChanges::of(!refused, vec![TunedSession::applied(&session)], &[]))?;
    }
    let journal = session.leave().map_err(failure)?;
    if journal.extension().is_some_and(|end| end == "journal") {
        say(&format!("in force until: {}", revert_command(&journal)));
    } else {
        say("fathom has changed no setting");
    }
    Ok(if refused { Exit::Failed } else { Exit::Ok })
}
