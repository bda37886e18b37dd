//! From a suite and its targets to steps.

mod expanding;
mod per_target;
mod preparing;
#[cfg(test)]
mod tests;

use super::device_sets::SUBSETS_OF_MAX;
use super::{Before, CellGroup, Over, SuiteCell, SuiteSpec, SuiteStep, SuiteTerms};
use expanding::Expanding;
use fathom_results::Prescribed;
use fathom_results::answer::Deviation;
use fathom_text::words::counted;

/// The steps of a suite for its targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expanded {
    /// Every cell once.
    pub cells: Vec<SuiteCell>,
    /// What is done, in order.
    pub steps: Vec<SuiteStep>,
    /// What the suite asks for and these targets or the command line prevent, one sentence each.
    pub deviations: Vec<Deviation>,
}

/// Makes the steps.
///
/// # Errors
/// One sentence: the suite takes another number of targets, it has no such group, or it has too many cells.
pub fn expand(suite: &SuiteSpec, terms: &SuiteTerms) -> Result<Expanded, String> {
    let (count, given) = (suite.devices, terms.targets.len());
    if given < count.least || given > count.most {
        let given = counted(given, "target");
        return Err(format!("this suite takes {}, not {given}", count.text()));
    }
    if let Some(unknown) =
        terms.only.iter().find(|only| suite.groups.iter().all(|group| group.name != **only))
    {
        let known: Vec<&str> = suite.groups.iter().map(|group| group.name.as_str()).collect();
        return Err(format!("it has no group {unknown:?}; its groups are {}", known.join(", ")));
    }
    is_unambiguous(suite, terms)?;
    let mut all = Expanded { deviations: deviations(suite, terms), ..Expanded::default() };
    // `None`: each group says on which targets it runs.
    let sets: Vec<Option<usize>> =
        if suite.each_target { (0..given).map(Some).collect() } else { vec![None] };
    for only in sets {
        for place in (0..suite.groups.len()).filter(|place| terms.measures(&suite.groups[*place])) {
            Expanding { suite, terms, all: &mut all, place, only }.group()?;
        }
    }
    if all.steps.is_empty() {
        return Err("nothing is left to measure".to_owned());
    }
    Ok(all)
}

/// Each name varies once, each value is there once, nothing that varies is set otherwise, and each target is given once.
fn is_unambiguous(suite: &SuiteSpec, terms: &SuiteTerms) -> Result<(), String> {
    for group in &suite.groups {
        for (at, vary) in group.vary.iter().enumerate() {
            let name = &vary.name;
            if group.vary[..at].iter().any(|other| other.name == *name) {
                return Err(format!("group {:?}: {name} varies twice", group.name));
            }
            if let Some(twice) =
                vary.values.iter().enumerate().find(|(at, value)| vary.values[..*at].contains(value))
            {
                return Err(format!("group {:?}: {name} has the value {} twice", group.name, twice.1));
            }
            if terms.set.iter().any(|(set, _)| set == name) {
                return Err(format!("{name} varies, so it cannot be set for every job"));
            }
        }
    }
    let paths: Vec<&str> = terms.targets.iter().map(|target| target.path.as_str()).collect();
    match paths.iter().enumerate().find(|(at, path)| paths[..*at].contains(path)) {
        Some((_, path)) => Err(format!("the target {path} is given twice")),
        None => Ok(()),
    }
}

impl SuiteTerms {
    /// Is this group measured: asked for, and possible with so many targets?
    fn measures(&self, group: &CellGroup) -> bool {
        self.wants(group) && !self.has_too_many_for(group)
    }

    fn wants(&self, group: &CellGroup) -> bool {
        self.only.is_empty() || self.only.contains(&group.name)
    }

    fn has_too_many_for(&self, group: &CellGroup) -> bool {
        group.over == Over::Subsets && self.targets.len() > SUBSETS_OF_MAX
    }
}

/// What is not as the suite has it.
fn deviations(suite: &SuiteSpec, terms: &SuiteTerms) -> Vec<Deviation> {
    let mut all = Vec::new();
    let groups = || suite.groups.iter().filter(|group| terms.measures(group));
    let names = |of: Vec<&CellGroup>| of.iter().map(|group| group.name.clone()).collect::<Vec<_>>();
    let befores = || groups().flat_map(|group| group.first.iter().chain(&group.before));
    let left: Vec<&CellGroup> = suite.groups.iter().filter(|group| !terms.wants(group)).collect();
    if !left.is_empty() {
        all.push(Deviation::GroupsLeftOut { groups: names(left) });
    }
    let many: Vec<&CellGroup> =
        suite.groups.iter().filter(|group| terms.wants(group) && terms.has_too_many_for(group)).collect();
    if !many.is_empty() {
        let (targets, most) = (terms.targets.len() as u64, SUBSETS_OF_MAX as u64);
        all.push(Deviation::TooManySubsets { targets, most, groups: names(many) });
    }
    if befores().any(|before| *before == Before::Purge) {
        if terms.keeps_content {
            all.push(Deviation::NotEmptied);
        } else if terms.targets.iter().any(|target| !target.can_purge) {
            all.push(Deviation::FileNotEmptied);
        }
    }
    let is_filled = befores().any(|before| matches!(before, Before::Fill(_) | Before::FillRandom(_)));
    if is_filled && terms.targets.iter().any(|target| target.is_directory) {
        all.push(Deviation::DirectoryNotFilled);
    }
    if terms.divisor() > 1 {
        let divisor = terms.divisor();
        all.push(Deviation::TimesDivided { divisor, of: Prescribed::Suite });
    }
    if terms.is_simulated() {
        all.push(Deviation::Simulated { scale: 1 });
        if befores().any(|before| matches!(before, Before::Format(_))) {
            all.push(Deviation::NotFormatted);
        }
    }
    all
}
