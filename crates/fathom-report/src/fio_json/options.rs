//! The options of a run as fio repeats them: canonical name, text as typed.
//!
//! fio keeps no text for a flag that stands alone (`time_based`), so it is not
//! in its output; with a value (`time_based=1`) it is.

use fathom_job::job::{Job, OptionSetting, Origin};
use fathom_job::options;
use fathom_results::RunResult;
use serde_json::{Map, Value};

const FILENAME: &str = options::FILENAME.def.name;
const NAME: &str = options::NAME.def.name;

/// What `[global]` sections set; as in fio, file names last.
pub(super) fn global(run: &RunResult) -> Map<String, Value> {
    let mut given: Vec<_> = run.record.globals.iter().filter(|(name, _)| is_typed_in(run, name)).collect();
    given.sort_by_key(|(name, _)| name == FILENAME);
    given.into_iter().map(|(name, text)| (name.clone(), text.as_str().into())).collect()
}

/// What the job's own section sets, in the order of the section, file names last. A job of the
/// command line begins with its `--name`; a section's header is not an option.
pub(super) fn own(job: &Job) -> Map<String, Value> {
    let given = job.settings().filter(|(name, s)| s.origin != Origin::Global && is_typed(name, s));
    let mut own: Vec<_> = given.collect();
    own.sort_by_key(|(name, s)| (*name == FILENAME, s.span.line, s.span.column));
    let header = is_named_by_argument(job).then(|| (NAME.to_owned(), job.name.as_str().into()));
    let options = own.into_iter().map(|(name, s)| (name.to_owned(), s.text.as_str().into()));
    header.into_iter().chain(options).collect()
}

/// Was the job begun by a `--name`? The command line has no line numbers.
fn is_named_by_argument(job: &Job) -> bool {
    job.span.line == 0 && !job.is_given(&options::NAME)
}

/// Was this option written with a value? A flag that stands alone was not: its text is the parser's
/// `1`. What another option implies (`direct=1` also sets `buffered`) was not either: its place is
/// that option's line.
fn is_typed(name: &str, setting: &OptionSetting) -> bool {
    let line = setting.span.text.trim().trim_start_matches('-');
    let key = line.split(['=', ' ', '\t']).next().unwrap_or_default();
    let implied = options::find(key).is_some_and(|def| def.name != name);
    let bare = setting.text.is_empty() || (setting.text == "1" && !line.contains('1'));
    !implied && !bare
}

/// The same for a global option, whose place is known only from the jobs below it.
fn is_typed_in(run: &RunResult, name: &str) -> bool {
    let settings = run.jobs.iter().flat_map(|job| job.planned.job.settings());
    let mut global = settings.filter(|(n, s)| *n == name && s.origin == Origin::Global);
    global.next().is_none_or(|(_, setting)| is_typed(name, setting))
}
