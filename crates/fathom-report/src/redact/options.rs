//! Options of jobs whose values name a file, a directory, a command or something else that the user chose.
//!
//! The option table says which values are free text; those that are words of the job language are listed here. So an option
//! that is new in the table is private.

use super::names::Names;
use fathom_job::option::Kind;
use fathom_job::options::find;
use fathom_results::RunRecord;
use serde_json::Value;

/// Options with free text that stays: names and descriptions of jobs, and words of the job language.
const OPEN: [&str; 14] = [
    "cmdprio_bssplit",
    "description",
    "dp_scheme",
    "ioengine",
    "ioscheduler",
    "name",
    "oracle_latency",
    "oracle_stall",
    "plids",
    "profile",
    "replay_skip",
    "steadystate",
    "trace_columns",
    "wait_for",
];

/// The kind of an option whose value may be private; `None` where no value of it is.
fn private_kind(option: &str) -> Option<&'static Kind> {
    let def = find(option)?;
    let is_text = matches!(def.kind, Kind::Text | Kind::OptionalText | Kind::List);
    (is_text && !OPEN.contains(&def.name)).then_some(&def.kind)
}

/// May a value of this option be private?
pub(super) fn is_private(option: &str) -> bool {
    private_kind(option).is_some()
}

/// Learns the paths that are values of options.
pub(super) fn learn(record: &RunRecord, names: &mut Names) {
    let jobs = record.plan.jobs.iter();
    let settings = jobs.flat_map(|job| job.job.settings().map(|(name, it)| (name, it.text.as_str())));
    let globals = record.globals.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    for (option, text) in settings.chain(globals) {
        learn_paths(option, text, names);
    }
}

/// Learns the paths in the value of an option.
pub(super) fn learn_paths(option: &str, text: &str, names: &mut Names) {
    match private_kind(option) {
        Some(Kind::List) if option == "directory" => listed(text).for_each(|it| names.learn_directory(it)),
        Some(Kind::List) => listed(text).for_each(|it| names.learn_path(it)),
        // A command or a format has other words too: it is replaced as a whole.
        Some(_) if text.contains('/') && !text.contains(char::is_whitespace) => names.learn_path(text),
        _ => files_of_pattern(option, text).for_each(|path| names.learn_path(path)),
    }
}

/// The files that a pattern names, as in `verify_pattern='/etc/pattern'`.
fn files_of_pattern<'t>(option: &str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let is_pattern = find(option).is_some_and(|def| matches!(def.kind, Kind::Pattern | Kind::VerifyPattern));
    text.split('\'').skip(1).step_by(2).filter(move |_| is_pattern)
}

/// A pattern with stand-ins for the names of its files; `None` where it names none.
fn open_pattern(option: &str, text: &str, names: &mut Names) -> Option<String> {
    let open =
        |open: String, path: &str| open.replace(&format!("'{path}'"), &format!("'{}'", names.of_value(path)));
    let files: Vec<&str> = files_of_pattern(option, text).collect();
    (!files.is_empty()).then(|| files.into_iter().fold(text.to_owned(), open))
}

/// Learns the value of an option that is in the names of what was measured, as a value that is tried does.
pub(super) fn learn_value(option: &str, text: &str, names: &mut Names) {
    match private_kind(option) {
        Some(Kind::List) => listed(text).for_each(|it| names.learn_path(it)),
        Some(_) => drop(names.of(super::Kind::Text, text)),
        None => {}
    }
}

/// Is it the name of a cell that has options of jobs alone, `iodepth=4 bs=4k`?
pub(super) fn is_cell(name: &str) -> bool {
    let is_setting = |word: &str| word.split_once('=').is_some_and(|(option, _)| find(option).is_some());
    !name.is_empty() && name.split_whitespace().all(is_setting)
}

/// Learns what is private in the name of a cell, `reads iodepth=4`: the name of its group, and values of options.
pub(super) fn learn_cell(cell: &str, names: &mut Names) {
    for word in cell.split_whitespace() {
        match word.split_once('=').filter(|(option, _)| find(option).is_some()) {
            Some((option, value)) => learn_value(option, value, names),
            None => drop(names.of(super::Kind::Group, word)),
        }
    }
}

/// The names of a list: colons separate them; one in a name has a backslash before it.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let whole = rest?;
        let ends = |(at, _): &(usize, &str)| !whole[..*at].ends_with('\\');
        let end = whole.match_indices(':').find(ends).map(|(at, _)| at);
        rest = end.map(|at| &whole[at + 1..]);
        Some(&whole[..end.unwrap_or(whole.len())])
    })
}

/// The value of this option with stand-ins; `None` where no value of it is private.
pub(super) fn open_value(option: &str, text: &str, names: &mut Names) -> Option<String> {
    private_kind(option).map(|kind| value(option, kind, text, names))
}

/// A value with stand-ins.
fn value(option: &str, kind: &Kind, text: &str, names: &mut Names) -> String {
    match kind {
        Kind::List => listed(text).map(|it| names.of_file_value(it)).collect::<Vec<_>>().join(":"),
        // Of options with such a value all name logs.
        Kind::OptionalText => names.of_file_value(text),
        _ if option == "filename_format" => names.of_file_value(text),
        _ => names.of_value(text),
    }
}

/// The options of `[global]` with stand-ins.
pub(super) fn replace_globals(globals: &mut [(String, String)], names: &mut Names) {
    for (option, text) in globals {
        if let Some(open) = open_value(option, text, names).or_else(|| open_pattern(option, text, names)) {
            *text = open;
        }
    }
}

/// Replaces the value of an option of a job, which is saved with its text and its place in the job file.
pub(super) fn replace(option: &str, setting: &mut Value, names: &mut Names) {
    let Some(Value::String(text)) = setting.get("text") else { return };
    // The value of a pattern holds the bytes of its files and no name.
    if let Some(told) = open_pattern(option, text, names) {
        for (place, text) in [("/span/text", format!("{option}={told}")), ("/text", told)] {
            if let Some(place) = setting.pointer_mut(place) {
                *place = text.into();
            }
        }
        return;
    }
    let Some(told) = open_value(option, text, names) else { return };
    for (place, text) in
        [("/text", told.clone()), ("/value", told.clone()), ("/span/text", format!("{option}={told}"))]
    {
        if let Some(place) = setting.pointer_mut(place) {
            *place = text.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_user_chose_are_private() {
        for option in ["filename", "directory", "filename_format", "write_lat_log", "exec_prerun", "cgroup"] {
            assert!(private_kind(option).is_some(), "{option}");
        }
        for option in ["rw", "bs", "ioscheduler", "ioengine", "description", "runtime", "verify"] {
            assert!(private_kind(option).is_none(), "{option}");
        }
        assert!(OPEN.iter().all(|name| find(name).is_some()), "the table has them all");
    }

    #[test]
    fn a_colon_separates_names_and_one_with_a_backslash_does_not() {
        assert_eq!(listed("/a:b\\:c:d").collect::<Vec<_>>(), ["/a", "b\\:c", "d"]);
    }

    #[test]
    fn the_file_of_a_pattern_has_a_stand_in_and_its_bytes_stay() {
        let mut names = Names::default();
        let mut setting = serde_json::json!({
            "text": "0xff'/home/acme'%o", "value": "0xff6162%o", "span": { "text": "verify_pattern=0xff'/home/acme'%o" }
        });
        learn_paths("verify_pattern", "0xff'/home/acme'%o", &mut names);
        replace("verify_pattern", &mut setting, &mut names);
        assert!(!setting.to_string().contains("acme"), "{setting}");
        assert_eq!(setting["value"], "0xff6162%o");
        let mut plain =
            serde_json::json!({ "text": "0xff", "value": "0xff", "span": { "text": "verify_pattern=0xff" } });
        let before = plain.clone();
        replace("verify_pattern", &mut plain, &mut names);
        assert_eq!(plain, before);
    }

    #[test]
    fn a_setting_has_its_stand_in_everywhere() {
        let mut names = Names::default();
        let mut setting = serde_json::json!({
            "text": "acme lat", "value": "acme lat", "origin": "section", "span": { "text": "write_lat_log=acme lat" }
        });
        replace("write_lat_log", &mut setting, &mut names);
        let told = |place| setting.pointer(place).and_then(Value::as_str);
        assert_eq!(
            [told("/text"), told("/value"), told("/span/text")],
            [Some("text-1"), Some("text-1"), Some("write_lat_log=text-1")]
        );
        assert_eq!(names.without("the lat of acme"), "the lat of acme", "they are words of other sentences");
    }
}
