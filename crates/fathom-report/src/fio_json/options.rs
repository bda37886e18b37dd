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
    let given = run.record.globals.iter().map(|(name, text)| (name, text, global_setting(run, name)));
    let mut given: Vec<_> =
        given.filter(|(name, _, set)| set.is_none_or(|set| is_typed(name, set))).collect();
    given.sort_by_key(|(name, ..)| (!UNITS.contains(&name.as_str()), *name == FILENAME));
    let shown = |(name, text, set): (&String, &String, Option<_>)| {
        (set.map_or(name.as_str(), |set| shown_name(name, set)).to_owned(), text.as_str().into())
    };
    given.into_iter().map(shown).collect()
}

/// What the job's own section sets, in the order of the section, file names last; nothing where it sets nothing. A job of the
/// command line begins with its `--name`; a section's header is not an option.
pub(super) fn own(job: &Job) -> Option<Map<String, Value>> {
    let mut own: Vec<_> = job.settings().filter(|(_, s)| s.origin != Origin::Global).collect();
    let is_empty = own.is_empty() && !is_named_by_argument(job);
    own.retain(|(name, s)| is_typed(name, s));
    own.sort_by_key(|(name, s)| (!UNITS.contains(name), *name == FILENAME, s.span.line, s.span.column));
    let header = is_named_by_argument(job).then(|| (NAME.to_owned(), job.name.as_str().into()));
    let options = own.into_iter().map(|(name, s)| (shown_name(name, s).to_owned(), s.text.as_str().into()));
    (!is_empty).then(|| header.into_iter().chain(options).collect())
}

/// fio reads these before the others.
const UNITS: [&str; 2] = [options::KB_BASE.def.name, "unit_base"];

/// fio 3.33 has these as names, and later releases as aliases of other options.
const NAMES_OF_3_33: [&str; 2] = ["log_max_value", "log_unix_epoch"];

/// The name under which fio repeats an option.
fn shown_name<'a>(name: &'a str, setting: &'a OptionSetting) -> &'a str {
    let key = key(setting);
    if NAMES_OF_3_33.contains(&key) { key } else { name }
}

/// The name as it was typed.
fn key(setting: &OptionSetting) -> &str {
    let line = setting.span.text.trim().trim_start_matches('-');
    line.split(['=', ' ', '\t']).next().unwrap_or_default()
}

/// Was the job begun by a `--name`? The command line has no line numbers.
fn is_named_by_argument(job: &Job) -> bool {
    job.span.line == 0 && !job.is_given(&options::NAME)
}

/// Was this option written with a value? A flag that stands alone was not: its text is the parser's
/// `1`. What another option implies (`direct=1` also sets `buffered`) was not either: its place is
/// that option's line.
fn is_typed(name: &str, setting: &OptionSetting) -> bool {
    let line = setting.span.text.trim();
    let implied = options::find(key(setting)).is_some_and(|def| def.name != name);
    let bare = setting.text.is_empty() || (setting.text == "1" && !line.contains('1'));
    !implied && !bare
}

/// Where a global option was set: its place is known only from the jobs below it.
fn global_setting<'a>(run: &'a RunResult, name: &str) -> Option<&'a OptionSetting> {
    let mut settings = run.jobs.iter().flat_map(|job| job.planned.job.settings());
    settings.find(|(n, s)| *n == name && s.origin == Origin::Global).map(|(_, setting)| setting)
}
