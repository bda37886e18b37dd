//! What a person named in the parameters of a procedure, which a redacted report replaces.

use super::definition::Parameters;
use super::{Search, Suite, Tried};
use crate::suite::SuiteSpec;
use fathom_results::procedure::{OwnWords, ProcedureRecord};

/// The names and values that a person chose. A procedure whose parameters cannot be read has none that are known.
pub fn own_words(record: &ProcedureRecord) -> OwnWords {
    let parameters = Parameters(&record.parameters);
    let lines = |name: &str| parameters.get::<String>(name).unwrap_or_default();
    match record.procedure.as_str() {
        name if name == Suite::DEFINITION.name => of_suite(record),
        name if name == Tried::DEFINITION.name => {
            OwnWords { settings: lines("settings").lines().filter_map(pair).collect(), ..OwnWords::default() }
        }
        name if name == Search::DEFINITION.name => {
            let option = lines("option");
            let settings = lines("values").lines().map(|value| (option.clone(), value.to_owned())).collect();
            OwnWords { settings, ..OwnWords::default() }
        }
        _ => OwnWords::default(),
    }
}

fn pair(line: &str) -> Option<(String, String)> {
    line.split_once('=').map(|(option, value)| (option.to_owned(), value.to_owned()))
}

fn of_suite(record: &ProcedureRecord) -> OwnWords {
    let own = Suite::own_name(record).map(str::to_owned);
    let Ok(suite) = Suite::saved(record) else { return OwnWords { suite: own, ..OwnWords::default() } };
    let groups = &suite.file().groups;
    let each = groups.iter().flat_map(|group| &group.vary).flat_map(|vary| {
        vary.values.iter().map(|value| (vary.name.clone(), value.clone())).collect::<Vec<_>>()
    });
    let mut files: Vec<String> = suite.job_files.iter().map(|(path, _)| path.clone()).collect();
    // A sweep has one source: the job files, as they were typed.
    if suite.name == Suite::SWEEP {
        files.push(suite.file().source.clone());
        files.extend(suite.file().source.split(", ").map(str::to_owned));
    }
    let (texts, names) = if own.is_some() { texts(suite.file()) } else { Default::default() };
    let (is_of_fathom, settings) = (own.is_none() && suite.name != Suite::SWEEP, each.collect());
    OwnWords {
        suite: own,
        texts,
        groups: names,
        files: if is_of_fathom { Vec::new() } else { files },
        settings,
        variables: suite.terms.variables.iter().map(|(_, value)| value.clone()).collect(),
    }
}

/// The sentences of a suite as reports print them, and the names of its groups.
fn texts(suite: &SuiteSpec) -> (Vec<String>, Vec<String>) {
    let about = suite.about.split_whitespace().collect::<Vec<_>>().join(" ");
    let whats = suite.groups.iter().map(|group| group.what.clone());
    let texts = [suite.title.clone(), suite.source.clone(), about].into_iter().chain(whats);
    (
        texts.filter(|text| !text.trim().is_empty()).collect(),
        suite.groups.iter().map(|it| it.name.clone()).collect(),
    )
}
