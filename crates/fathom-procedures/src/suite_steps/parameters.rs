//! The parameters of a suite as they are saved, and read again by `resume` and `report`.

use super::Suite;
use crate::definition::Parameters;
use crate::suite::{SettledWithin, Shown, SuiteTarget, SuiteTerms};
use fathom_figures::metric::Columns;

/// What separates the entries of a list. No path has it.
const SEPARATOR: char = '\n';

/// Begins the name of a parameter that holds a job file.
const JOB_FILE: &str = "job-file ";

/// The figures of the tables that a person chose.
const VALUES: &str = "values";

/// In the place of the figures that were chosen when it ran.
pub fn choose(parameters: &mut Vec<(String, String)>, columns: &Columns) {
    parameters.retain(|(name, _)| name != VALUES);
    let names = Shown::chosen(columns).into_iter().map(Shown::name);
    parameters.push((VALUES.to_owned(), listed(names)));
}

/// Words for what a target is.
const SIMULATED: &str = "simulated";
const DRIVE: &str = "drive";
const FILE: &str = "file";
const DIRECTORY: &str = "directory";

/// As they are saved.
pub fn saved(suite: &Suite) -> Vec<(String, String)> {
    let terms = &suite.terms;
    let kind = |target: &SuiteTarget| match target {
        SuiteTarget { is_simulated: true, .. } => SIMULATED,
        SuiteTarget { is_directory: true, .. } => DIRECTORY,
        SuiteTarget { can_purge: true, .. } => DRIVE,
        _ => FILE,
    };
    let targets = terms.targets.iter().map(|target| format!("{} {}", kind(target), target.path));
    let pairs = |all: &[(String, String)]| listed(all.iter().map(|(name, value)| format!("{name}={value}")));
    let mut all: Vec<(String, String)> = [
        ("suite", suite.name.clone()),
        ("text", suite.text.clone()),
        ("targets", listed(targets)),
        ("own_targets", terms.own_targets.to_string()),
        ("keeps_content", terms.keeps_content.to_string()),
        ("time_divisor", terms.time_divisor.to_string()),
        ("repeat", terms.repeat.unwrap_or(0).to_string()),
        ("variables", pairs(&terms.variables)),
        ("set", pairs(&terms.set)),
        ("until", terms.until.map_or(0.0, SettledWithin::value).to_string()),
        ("only", listed(terms.only.iter().cloned())),
        ("order_seed", terms.order_seed.to_string()),
        (VALUES, listed(terms.values.iter().map(|shown| shown.name()))),
        ("stops", suite.stops.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    all.extend(suite.job_files.iter().map(|(path, text)| (format!("{JOB_FILE}{path}"), text.clone())));
    all
}

/// From what was saved.
pub fn open(parameters: &Parameters<'_>) -> Result<Suite, String> {
    let get = |name: &str| parameters.get::<String>(name);
    let pairs = |name: &str| -> Result<Vec<(String, String)>, String> {
        let pair = |text: &str| {
            let pair =
                text.split_once('=').ok_or_else(|| format!("the parameter {name} has no value: {text}"))?;
            Ok((pair.0.to_owned(), pair.1.to_owned()))
        };
        entries(&get(name)?).map(pair).collect()
    };
    let targets = get("targets")?;
    let target = |text: &str| {
        let (kind, path) =
            text.split_once(' ').ok_or_else(|| format!("the parameter targets has no path: {text}"))?;
        Ok::<_, String>(SuiteTarget {
            path: path.to_owned(),
            can_purge: kind != FILE && kind != DIRECTORY,
            is_simulated: kind == SIMULATED,
            is_directory: kind == DIRECTORY,
        })
    };
    let terms = SuiteTerms {
        targets: entries(&targets).map(target).collect::<Result<_, _>>()?,
        own_targets: parameters.get("own_targets")?,
        keeps_content: parameters.get("keeps_content")?,
        time_divisor: parameters.get("time_divisor")?,
        repeat: Some(parameters.get("repeat")?).filter(|repeat| *repeat > 0),
        variables: pairs("variables")?,
        set: pairs("set")?,
        until: Some(SettledWithin::of(parameters.get("until")?)).filter(|share| share.value() > 0.0),
        only: entries(&get("only")?).map(str::to_owned).collect(),
        order_seed: parameters.get("order_seed")?,
        // Absent where nobody chose figures.
        values: entries(&get(VALUES).unwrap_or_default()).filter_map(Shown::of_name).collect(),
    };
    let of_file =
        |(name, text): &(String, String)| Some((name.strip_prefix(JOB_FILE)?.to_owned(), text.clone()));
    let job_files = parameters.all().iter().filter_map(of_file).collect();
    Suite::new(get("suite")?, get("text")?, job_files, terms, parameters.get("stops")?)
}

fn listed(entries: impl Iterator<Item = String>) -> String {
    entries.collect::<Vec<_>>().join(&SEPARATOR.to_string())
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    text.split(SEPARATOR).filter(|entry| !entry.is_empty())
}
