//! Finds the saved run or procedure that a person meant.

use crate::failure::{Exit, Failure};
use crate::misunderstood::is_job_file;
use crate::reach::is_there;
use crate::signals::RemovedAtSignal;
use crate::terminal::slow_look;
use fathom_job::options::nearest_of;
use fathom_results::procedure::{ROUNDS, is_procedure};
use fathom_results::{PowerCutResult, RunRecord};
use fathom_session::bundle::{self, OpenedBundle, TemporaryDirectory};
use fathom_session::runs::{self, LATEST, ListSource, RunIndex, SavedRun};
use fathom_text::calendar::Moment;
use fathom_text::shell::quoted;
use fathom_text::{carried, shown};
use std::path::{Path, PathBuf};

/// How many runs are named where several were meant.
const NAMES_SHOWN: usize = 5;

/// A saved run or procedure that can be read: in its directory, or unpacked from a bundle.
#[derive(Debug)]
pub struct FoundRun {
    /// The directory of its files.
    pub dir: PathBuf,
    /// The bundle from which the files come; they are removed with this value.
    bundle: Option<(PathBuf, OpenedBundle)>,
    /// Removes them when a signal ends fathom.
    _removal: Option<RemovedAtSignal>,
}

impl FoundRun {
    /// What a person knows it by: its directory, or the file of the bundle.
    pub fn place(&self) -> &Path {
        self.bundle.as_ref().map_or(&self.dir, |(file, _)| file)
    }
}

/// The run that was meant, in the ways of [`run`], or by the file of a bundle, which is verified.
pub fn readable(dir: &Path, named: Option<&Path>) -> Result<FoundRun, Failure> {
    opened(named, || run(dir, named))
}

/// The same; it may be a check of a power cut ([`PowerCutResult::is_in`]).
pub fn readable_or_check(dir: &Path, named: Option<&Path>) -> Result<FoundRun, Failure> {
    opened(named, || run_or_check(dir, named))
}

/// The bundle of that name, or else the directory that `find` finds.
fn opened(
    named: Option<&Path>,
    find: impl FnOnce() -> Result<PathBuf, Failure>,
) -> Result<FoundRun, Failure> {
    match named.filter(|named| slow_look().at(named, || named.is_file())) {
        None => Ok(FoundRun { dir: find()?, bundle: None, _removal: None }),
        Some(file) if !is_called_bundle(file) && !slow_look().at(file, || bundle::is_bundle(file))? => {
            Err(no_bundle(file))
        }
        Some(file) => {
            let (place, removal) = RemovedAtSignal::make(|| bundle::place(file), TemporaryDirectory::path)?;
            let opened = bundle::open(file, place)?;
            Ok(FoundRun {
                dir: opened.dir(),
                bundle: Some((file.to_owned(), opened)),
                _removal: Some(removal),
            })
        }
    }
}

/// Does its name say that it is a bundle? Then it was one, and is damaged.
fn is_called_bundle(file: &Path) -> bool {
    carried::of_os(file).ends_with(".tar.gz")
}

/// A file was named, and it is no run.
fn no_bundle(file: &Path) -> Failure {
    if !file.is_file() {
        let message =
            format!("{} is neither a directory nor a file, so no run is saved in it", shown::path(file));
        return Failure::new(Exit::Usage, message).hint("to list the saved runs: fathom runs");
    }
    let message = format!("{} is a file, but no bundle of a saved run", shown::path(file));
    let failure = Failure::new(Exit::Usage, message);
    match is_job_file(file) {
        true => failure.hint(format!("it is a job file: fathom run {}", quoted(file))),
        false => failure
            .hint(format!("if it is a log or a result of fio: fathom import {}", quoted(file)))
            .hint("to make a bundle of a run: fathom bundle RUN"),
    }
}

/// A directory without a run.
fn no_run_in(dir: &Path) -> Option<Failure> {
    let has = |name: &str| dir.join(name).exists();
    let is_run = has(RunRecord::FILE) || has("spool") || is_procedure(dir) || PowerCutResult::is_in(dir);
    if !dir.is_dir() || is_run {
        return None;
    }
    let message = format!("{} is a directory, but no run is saved in it itself", shown::path(dir));
    let failure = Failure::new(Exit::Usage, message);
    Some(match runs::newest(dir) {
        Some(_) => failure.hint(format!("to list the runs below it: fathom runs --runs-dir {}", quoted(dir))),
        None => failure.hint(format!("to measure the disk under it: fathom quick {}", quoted(dir))),
    })
}

/// The directory that was meant: a path, an id or its beginning, a name or `latest`; without a word, the
/// newest run in `dir`. A check of a power cut is no run.
pub fn run(dir: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let found =
        named.map_or_else(|| runs::newest(dir).ok_or_else(|| no_run(dir)), |named| one(dir, named))?;
    if !slow_look().at(&found, || PowerCutResult::is_in(&found)) {
        return Ok(found);
    }
    let message = format!("{} is a check of a power cut, and has no figures of a run", shown::path(&found));
    Err(Failure::new(Exit::Usage, message).hint(format!("to print it: fathom report {}", quoted(&found))))
}

/// The directory that was meant, in the same ways, which may be a check of a power cut; without a word and for `latest` the newest of
/// both.
fn run_or_check(dir: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    match named.filter(|named| *named != Path::new(LATEST)) {
        Some(named) => one(dir, named),
        None => runs::newest_result(dir).map_or_else(|| run(dir, named), Ok),
    }
}

/// The directory that was meant, named in the same ways; without a word, the newest procedure in `dir` that is
/// not finished.
pub fn procedure(dir: &Path, named: Option<&Path>) -> Result<PathBuf, Failure> {
    let none = || {
        let message = format!("no interrupted procedure is saved in {}", shown::path(dir));
        Failure::new(Exit::Usage, message).hints(vec![
            "to print what was measured: fathom report".to_owned(),
            "to measure again: fathom quick".to_owned(),
            "if it is saved in another directory: fathom resume --runs-dir DIR".to_owned(),
        ])
    };
    named.map_or_else(|| runs::newest_unfinished(dir).ok_or_else(none), |named| one(dir, named))
}

/// What to do where no run is saved.
pub fn no_run_hints() -> Vec<String> {
    vec![
        "to measure the disk under this directory and save a run: fathom quick".to_owned(),
        "if the runs are in another directory: --runs-dir DIR".to_owned(),
    ]
}

fn no_run(dir: &Path) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("no run is saved in {}", shown::path(dir)));
    failure.hints(no_run_hints()).hint("to list the runs of all directories: fathom runs --all")
}

fn one(dir: &Path, named: &Path) -> Result<PathBuf, Failure> {
    let text = carried::of_os(named);
    if slow_look().at(named, || bundle::is_bundle(named))? {
        let message = format!("{} is a bundle, and a directory is needed here", shown::path(named));
        return Err(Failure::new(Exit::Usage, message)
            .hint(format!("to print it: fathom report {}", quoted(named)))
            .hint(format!("to unpack it: tar xzf {}", quoted(named))));
    }
    if is_there(named)? {
        if slow_look().at(named, || !named.is_dir()) {
            return Err(no_bundle(named));
        }
        return slow_look().at(named, || no_run_in(named)).map_or_else(|| Ok(named.to_owned()), Err);
    }
    if let Some(round) = slow_look().at(named, || round(named)) {
        let message = format!("there is no {}; rounds are in the directory {ROUNDS}", shown::path(named));
        return Err(
            Failure::new(Exit::Usage, message).hint(format!("the round of that name: {}", quoted(round)))
        );
    }
    if text.contains('/') {
        let message = format!("{} does not exist", shown::path(named));
        return Err(
            Failure::new(Exit::Usage, message).hint("to list the runs of all directories: fathom runs --all")
        );
    }
    let found = slow_look().at(dir, || runs::named(dir, &text, &RunIndex::usual()))?;
    match found.as_slice() {
        [one] => Ok(one.path.clone()),
        [] if text == LATEST => Err(no_run(dir)),
        [] => {
            let message = format!("{text} is neither a directory nor the id or the name of a saved run");
            Err(Failure::new(Exit::Usage, message)
                .hints(near(dir, &text))
                .hint("to list the runs of all directories: fathom runs --all"))
        }
        several => Err(ambiguous(&text, several)),
    }
}

/// What may be meant: several runs that are joined by commas, or a run whose name is almost the same.
fn near(dir: &Path, text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split(',').filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 {
        let words: Vec<String> = parts.iter().map(|part| quoted(Path::new(part))).collect();
        return vec![format!("blanks separate several runs: {}", words.join(" "))];
    }
    let listed = runs::list(dir, ListSource::Index, &RunIndex::usual()).unwrap_or_default();
    let names: Vec<String> = listed.runs.into_iter().filter_map(|run| Some(run.head.ok()?.name)).collect();
    let nearest = nearest_of(text, names.iter().map(String::as_str));
    nearest.map(|near| format!("did you mean {}?", shown::line(near))).into_iter().collect()
}

/// The round of a procedure that was meant by the directory of the procedure and the name of the round.
fn round(named: &Path) -> Option<PathBuf> {
    let round = named.parent()?.join(ROUNDS).join(named.file_name()?);
    round.is_dir().then_some(round)
}

fn ambiguous(text: &str, runs: &[SavedRun]) -> Failure {
    let message =
        format!("{text} fits {} runs: it is the name or the beginning of the id of each", runs.len());
    let hints = runs.iter().take(NAMES_SHOWN).map(line);
    let more = runs.len().checked_sub(NAMES_SHOWN).filter(|more| *more > 0);
    let more = more.map(|more| format!("and {more} more; to list them all: fathom runs --all"));
    Failure::new(Exit::Usage, message).hints(hints.chain(more).collect())
}

/// Id, time, name and target of a run; of one that cannot be read, its directory.
fn line(run: &SavedRun) -> String {
    match &run.head {
        Err(_) => format!("{}  {}", run.id().unwrap_or("-"), shown::path(&run.path)),
        Ok(head) => {
            let time = Moment::of_unix_ns(head.started_unix_ns).to_string();
            let target = head.target.as_ref().or(head.engine.as_ref()).map_or("", String::as_str);
            format!("{}  {}  {}  {target}", head.id, time.trim_end_matches(" UTC"), head.name)
        }
    }
}
