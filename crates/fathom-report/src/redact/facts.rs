//! Facts about the machine: their values may be private, and so may the paths in their names; the rest of a name stays,
//! because without it nobody can tell a block size from a scheduler.

use super::host;
use super::kind::Kind;
use super::names::Names;
use fathom_results::ground::{directory, stands_for};
use fathom_results::{Fact, RunRecord};
use std::collections::BTreeSet;

/// Facts that are left out: they are text of the machine's owner.
const LEFT_OUT: [&str; 1] = ["cmdline"];

/// Facts, by the last part of their names, whose value is a name of the machine or of a device.
const NAMED: [(&str, Kind); 5] = [
    ("hostname", Kind::Host),
    ("user", Kind::User),
    ("serial", Kind::Serial),
    ("member_serial", Kind::Serial),
    ("wwid", Kind::Serial),
];

/// The names of facts that have a path in them begin like this.
const TARGET: &str = "target.";
const GROUND: &str = "ground.";

/// Learns the names that facts hold.
pub(super) fn learn(facts: &[Fact], names: &mut Names) {
    for fact in facts {
        match (kind(&fact.name), &fact.value) {
            (Some(Kind::Host), Some(value)) => host::learn_host(value.trim(), names),
            (Some(kind), Some(value)) => drop(names.of(kind, value)),
            _ => {}
        }
        // A path may have blanks, so it is known by its place alone.
        fact.value.iter().filter(|value| value.starts_with('/')).for_each(|path| names.learn_path(path));
        if let Some(place) = fact.name.strip_prefix(GROUND).filter(|place| place.contains('/')) {
            names.learn_directory(place);
            fact.value.iter().for_each(|target| names.learn_path(target));
        }
    }
}

/// What the value of a fact names; `None` where it is no name.
fn kind(name: &str) -> Option<Kind> {
    let last = name.rsplit('.').next().unwrap_or_default();
    NAMED.iter().find(|(name, _)| *name == last).map(|(_, kind)| *kind)
}

/// The facts of a record with stand-ins.
pub(super) fn without_names(record: &RunRecord, names: &mut Names) -> Vec<Fact> {
    let files = || record.plan.jobs.iter().flat_map(|job| &job.files).map(|file| file.path.as_str());
    let grounds = record.grounds();
    let paths = files().map(|path| grounds.of(path)).collect();
    let mut facts = of_targets(&record.host, paths, names);
    // A stand-in has no directory by which its ground could be found.
    let apart: BTreeSet<&str> =
        files().filter(|path| grounds.known(path).is_some() && directory(path) != ".").collect();
    facts.extend(apart.into_iter().map(|path| {
        let target = names.at_its_place(grounds.of(path));
        stands_for(&names.at_its_place(path), &target)
    }));
    facts
}

/// Facts with stand-ins, of which some are about these targets.
pub(super) fn of_targets(facts: &[Fact], paths: BTreeSet<&str>, names: &mut Names) -> Vec<Fact> {
    let mut paths: Vec<&str> = paths.into_iter().collect();
    // The longest first, because a path may be the beginning of another one.
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    facts.iter().map(|it| fact(it, &paths, names)).collect()
}

fn fact(fact: &Fact, paths: &[&str], names: &mut Names) -> Fact {
    let name = name(&fact.name, paths, names);
    match LEFT_OUT.contains(&fact.name.as_str()) {
        true => Fact { name, value: None, source: "left out".to_owned() },
        false => Fact {
            name,
            value: fact.value.as_deref().and_then(|it| value(&fact.name, it, names)),
            source: names.without(&fact.source),
        },
    }
}

/// The value of the fact `name` with stand-ins; `None` where it is left out.
pub(super) fn value(name: &str, value: &str, names: &mut Names) -> Option<String> {
    match kind(name) {
        _ if LEFT_OUT.contains(&name) => None,
        Some(kind) => Some(names.of(kind, value)),
        None if name.starts_with(GROUND) => Some(names.at_its_place(value)),
        None => Some(names.without(value)),
    }
}

/// `target.PATH.NAME` and `ground.PATH` with a stand-in for the path alone.
fn name(name: &str, paths: &[&str], names: &mut Names) -> String {
    if let Some(place) = name.strip_prefix(GROUND) {
        return format!("{GROUND}{}", names.at_its_place(place));
    }
    let Some(rest) = name.strip_prefix(TARGET) else {
        return names.without(name);
    };
    let known = paths.iter().find(|path| rest.strip_prefix(**path).is_some_and(|end| end.starts_with('.')));
    let (path, last) = match known {
        Some(path) => rest.split_at(path.len()),
        None => rest.split_at(rest.rfind('.').unwrap_or(0)),
    };
    format!("{TARGET}{}{}", names.at_its_place(path), names.without(last))
}
