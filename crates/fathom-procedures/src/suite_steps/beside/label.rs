//! What runs side by side are called, and the headings of their columns. No two have the same.

use super::super::Suite;
use super::super::tables::targets_named;
use super::{Column, MeasuredGroup, SavedSuite};

/// The name that a person gave; else the targets; the id, too, where that does not tell them apart.
pub fn labels(runs: &[SavedSuite<'_>], suites: &[Suite]) -> Vec<String> {
    let usual = |(run, suite): (&SavedSuite<'_>, &Suite)| match run.record.name == suite.name {
        false => run.record.name.clone(),
        true => {
            let paths = suite.terms.targets.iter().map(|target| target.path.trim_start_matches("/dev/"));
            paths.collect::<Vec<_>>().join("+")
        }
    };
    let ids: Vec<&str> = runs.iter().map(|run| run.record.id.as_str()).collect();
    told_apart(runs.iter().zip(suites).map(usual).collect(), &ids)
}

/// The headings of the columns of a group: the run, and its target where a suite measures each with all groups.
pub fn headings(all: &[MeasuredGroup<'_, '_>]) -> Vec<String> {
    let columns = || all.iter().flat_map(|one| one.sets.iter().map(|set| (one.column, set.as_deref())));
    let ids: Vec<&str> = columns().map(|(column, _)| column.record.id.as_str()).collect();
    told_apart(columns().map(|(column, set)| heading(column, set)).collect(), &ids)
}

fn heading(column: &Column<'_>, set: Option<&str>) -> String {
    let paths = || column.suite.terms.targets.iter().map(|target| target.path.clone()).collect::<Vec<_>>();
    match set {
        Some(set) => format!("{} {}", column.label, targets_named(set, &paths())),
        None => column.label.clone(),
    }
}

/// The names; with the id where one is there twice, and with a number where it is there twice even so.
fn told_apart(names: Vec<String>, ids: &[&str]) -> Vec<String> {
    let is_twice = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    let with_id = |(name, id): (&String, &&str)| match is_twice(name) {
        true => format!("{name} {id}"),
        false => name.clone(),
    };
    let mut told: Vec<String> = Vec::new();
    for name in names.iter().zip(ids).map(with_id) {
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|free| !told.contains(free));
        told.push(free.unwrap_or_default());
    }
    told
}

#[cfg(test)]
mod tests {
    use super::told_apart;

    #[test]
    fn no_two_names_are_the_same() {
        let told = |names: &[&str], ids: &[&str]| {
            told_apart(names.iter().map(|name| (*name).to_owned()).collect(), ids)
        };
        assert_eq!(told(&["a", "b"], &["1", "2"]), ["a", "b"]);
        assert_eq!(told(&["a", "a"], &["1", "2"]), ["a 1", "a 2"]);
        assert_eq!(told(&["a", "a", "a 2"], &["1", "2", "3"]), ["a 1", "a 2", "a 2 (2)"]);
    }
}
