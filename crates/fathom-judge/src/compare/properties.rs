//! The properties of a run by which it can differ from another one.

use super::subject::Property;
use fathom_figures::reported_jobs;
use fathom_results::SCRATCH;
use fathom_results::{DifferenceOf, RunResult};
use std::collections::BTreeSet;

/// More jobs than this are not compared option by option.
const JOBS_MAX: usize = 200;

/// Options that say nothing about what is measured: the rounds of a procedure have a seed each.
const PASSING_OPTIONS: [&str; 2] = ["description", "randseed"];

/// Facts that differ from run to run without a change of the machine.
const PASSING: [&str; 4] = ["run.", "probe.", "ground.", "network_card."];

/// Everything that is known of what was asked, of the targets, and of the machine.
pub(super) fn properties(run: &RunResult) -> Vec<Property> {
    let mut found = Vec::new();
    for row in reported_jobs(run).iter().take(JOBS_MAX) {
        let job = row.first();
        let settings = job.job.settings().filter(|(name, _)| !PASSING_OPTIONS.contains(name));
        found.extend(settings.map(|(name, setting)| Property {
            of: DifferenceOf::Job,
            job: Some(job.name.clone()),
            target: None,
            what: name.to_owned(),
            value: Some(without_number(&setting.canonical())),
            written: Some(without_number(&setting.text)),
            source: None,
        }));
    }
    found.extend(facts(run));
    found.push(Property {
        of: DifferenceOf::Program,
        job: None,
        target: None,
        what: "version of fathom".to_owned(),
        value: Some(run.record.fathom.clone()),
        written: None,
        source: None,
    });
    found
}

/// Facts of the machine, and of the targets without their paths.
fn facts(run: &RunResult) -> Vec<Property> {
    let targets: Vec<String> =
        run.record.surroundings.targets.iter().map(|target| format!("target.{}.", target.path)).collect();
    let mut given = BTreeSet::new();
    let mut found = Vec::new();
    for fact in &run.record.host {
        let place = targets.iter().position(|target| fact.name.starts_with(target));
        let (of, name) = match place {
            Some(place) => (DifferenceOf::Target, &fact.name[targets[place].len()..]),
            None if fact.name.starts_with("target.") => continue,
            None => (DifferenceOf::Machine, fact.name.as_str()),
        };
        let target = place.filter(|place| *place > 0).map(|place| place as u64 + 1);
        let what = name.replace('_', " ");
        let bare = fact.name.rsplit_once("probe.").map_or(fact.name.as_str(), |_| "probe.");
        let is_passing = PASSING.iter().any(|passing| bare.starts_with(passing));
        if !is_passing && given.insert((target, what.clone())) {
            found.push(Property {
                of,
                job: None,
                target,
                what,
                value: fact.value.as_deref().map(without_number),
                written: None,
                source: Some(fact.source.clone()),
            });
        }
    }
    found
}

/// The text; a scratch file has another number, and often another directory, in each run.
fn without_number(text: &str) -> String {
    if is_scratch(text) { "a scratch file".to_owned() } else { text.to_owned() }
}

/// Is it the path of a file that fathom makes for a run?
pub(super) fn is_scratch(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.starts_with(SCRATCH))
}
