//! From a suite and its targets to steps.

use super::device_sets::set_name;
use super::order::order;
use super::text::{asks_for, filled, shortened};
use super::{Before, Group, SuiteCell, SuiteSpec, SuiteStep, SuiteTerms};
use fathom_results::procedure::Preparation;

/// More steps than this are a mistake in what varies.
const STEPS_MAX: usize = 100_000;

/// The steps of a suite for its targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expanded {
    /// Every cell once.
    pub cells: Vec<SuiteCell>,
    /// What is done, in order.
    pub steps: Vec<SuiteStep>,
    /// What the suite asks for and these targets or the command line prevent, one sentence each.
    pub deviations: Vec<String>,
}

/// Makes the steps.
///
/// # Errors
/// One sentence: the suite takes another number of targets, or it has too many cells.
pub fn expand(suite: &SuiteSpec, terms: &SuiteTerms) -> Result<Expanded, String> {
    let (count, given) = (suite.devices, terms.targets.len());
    if given < count.least || given > count.most {
        let given = fathom_text::words::counted(given, "target");
        return Err(format!("this suite takes {}, and {given} were given", count.told()));
    }
    let mut all = Expanded { deviations: deviations(suite, terms), ..Expanded::default() };
    // `None`: each group says on which targets it runs.
    let sets: Vec<Option<usize>> =
        if suite.each_target { (0..given).map(Some).collect() } else { vec![None] };
    for only in sets {
        for place in 0..suite.groups.len() {
            Expanding { suite, terms, all: &mut all, place, only }.group()?;
        }
    }
    Ok(all)
}

/// What is not as the suite has it.
fn deviations(suite: &SuiteSpec, terms: &SuiteTerms) -> Vec<String> {
    let mut said = Vec::new();
    let befores = || suite.groups.iter().flat_map(|group| group.first.iter().chain(&group.before));
    if befores().any(|before| *before == Before::Purge) {
        if terms.keeps_content {
            said.push(
                "The targets were not emptied before the cells that the suite empties them for.".to_owned(),
            );
        } else if terms.targets.iter().any(|target| !target.can_purge) {
            said.push(
                "A file cannot be emptied as a drive can: cells that begin on an empty drive did not."
                    .to_owned(),
            );
        }
    }
    if terms.divisor() > 1 {
        said.push(format!(
            "All times are divided by {}: the figures are not those of the full suite.",
            terms.divisor()
        ));
    }
    if terms.is_simulated() {
        said.push("The drive is simulated: no figure is that of a real drive.".to_owned());
        if befores().any(|before| matches!(before, Before::Format(_))) {
            said.push("A simulated drive has blocks of 512 bytes and is not formatted to others.".to_owned());
        }
    }
    said
}

/// One group on its way to steps.
struct Expanding<'a> {
    suite: &'a SuiteSpec,
    terms: &'a SuiteTerms,
    all: &'a mut Expanded,
    place: usize,
    /// The one target, of a suite that measures each target with all groups.
    only: Option<usize>,
}

impl Expanding<'_> {
    fn named(&self) -> &Group {
        &self.suite.groups[self.place]
    }

    fn group(&mut self) -> Result<(), String> {
        let group = self.named().clone();
        let wrong = |why: String| format!("group {:?}: {why}", group.name);
        let targets = self.terms.targets.len();
        let sets =
            self.only.map_or_else(|| group.over.sets(targets), |only| Ok(vec![vec![only]])).map_err(wrong)?;
        let names_sets = if self.only.is_some() { targets > 1 } else { sets.len() > 1 };
        let combinations = combinations(&group);
        for set in &sets {
            let from = self.all.cells.len();
            for values in &combinations {
                let cell = self.cell(&group, set, values, names_sets);
                self.all.cells.push(cell);
            }
            group.first.iter().for_each(|before| self.prepare(before, set));
            for iteration in 0..self.terms.repeat.filter(|_| group.measure).unwrap_or(group.repeat) {
                let seed = self.terms.order_seed.wrapping_add(u64::from(iteration));
                for place in order(combinations.len(), self.suite.order, self.suite.reference_every, seed) {
                    group.before.iter().for_each(|before| self.prepare(before, set));
                    self.all.steps.push(SuiteStep::Measure(from + place));
                    if self.all.steps.len() > STEPS_MAX {
                        return Err(wrong(format!("it has more than {STEPS_MAX} steps")));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the steps of a preparation.
    fn prepare(&mut self, before: &Before, set: &[usize]) {
        let divisor = self.terms.divisor();
        let targets: Vec<_> = set.iter().map(|place| self.terms.targets[*place].clone()).collect();
        let real = || targets.iter().filter(|target| !target.is_simulated);
        let steps: Vec<SuiteStep> = match before {
            Before::Purge if self.terms.keeps_content => Vec::new(),
            Before::Purge => {
                let empties = targets.iter().filter(|target| target.can_purge);
                empties
                    .map(|target| SuiteStep::Prepare(Preparation::Purge { target: target.path.clone() }))
                    .collect()
            }
            Before::Format(bytes) => {
                let format =
                    |path: &String| Preparation::Format { target: path.clone(), block_bytes: *bytes };
                real()
                    .filter(|target| target.can_purge)
                    .map(|target| SuiteStep::Prepare(format(&target.path)))
                    .collect()
            }
            Before::Fill(passes) => self.fill(set, *passes),
            Before::DropCaches if real().next().is_some() => {
                vec![SuiteStep::Prepare(Preparation::DropCaches)]
            }
            Before::Wait(ms) if real().next().is_some() => vec![SuiteStep::Wait(ms.div_ceil(divisor))],
            Before::Idle(seconds) if real().next().is_some() => vec![SuiteStep::Idle(*seconds)],
            Before::Built if real().next().is_some() => vec![SuiteStep::Built],
            Before::DropCaches | Before::Wait(_) | Before::Idle(_) | Before::Built => Vec::new(),
        };
        self.all.steps.extend(steps);
    }

    /// A pass over each target is a round of its own, so a crash costs one of them.
    fn fill(&mut self, set: &[usize], passes: u32) -> Vec<SuiteStep> {
        let mut steps = Vec::new();
        for place in set {
            let target = self.terms.targets[*place].path.clone();
            let name = format!("fill {}", set_name(&[*place]));
            let known = self.all.cells.iter().position(|cell| cell.name == name);
            let at = known.unwrap_or(self.all.cells.len());
            if known.is_none() {
                let text = filled(FILL, &self.variables(set));
                let (set, target) = (vec![*place], Some(target));
                self.all.cells.push(SuiteCell { name, set, text, target, ..SuiteCell::default() });
            }
            steps.extend((0..passes).map(|_| SuiteStep::Measure(at)));
        }
        steps
    }

    fn cell(&self, group: &Group, set: &[usize], values: &[(String, String)], names_set: bool) -> SuiteCell {
        let text = format!("[global]\n{}\n{}", self.suite.global, group.job);
        let text = shortened(&text, self.terms.divisor());
        let (put, set_in_jobs): (Vec<_>, Vec<_>) =
            values.iter().cloned().partition(|(name, _)| asks_for(&text, name));
        let mut variables = put;
        variables.extend(self.variables(set));
        // `${target}`, `${targets}`, `${target2}`.
        let names_target = self.terms.own_targets || text.contains("${target");
        let paths: Vec<&str> = set.iter().map(|place| self.terms.targets[*place].path.as_str()).collect();
        let target = (!names_target && paths.len() == 1).then(|| paths[0].to_owned());
        let mut options = set_in_jobs;
        if !names_target && paths.len() > 1 {
            options.push(("filename".to_owned(), listed(&paths)));
        }
        options.extend(self.terms.set.iter().cloned());
        let mut name = group.name.clone();
        values.iter().for_each(|(what, value)| name += &format!(" {what}={value}"));
        if names_set {
            name += &format!(" on {}", set_name(set));
        }
        let text = filled(&text, &variables);
        SuiteCell {
            name,
            group: Some(self.place),
            set: set.to_vec(),
            values: values.to_vec(),
            text,
            target,
            options,
        }
    }

    /// What the texts of jobs can ask for: the targets of the set, what the command line gave, what the suite has.
    fn variables(&self, set: &[usize]) -> Vec<(String, String)> {
        let path = |place: &usize| escaped(&self.terms.targets[*place].path);
        let mut all = vec![
            ("targets".to_owned(), set.iter().map(path).collect::<Vec<_>>().join(":")),
            ("target".to_owned(), set.first().map(path).unwrap_or_default()),
        ];
        all.extend(set.iter().enumerate().map(|(at, place)| (format!("target{}", at + 1), path(place))));
        all.extend(self.terms.variables.iter().cloned());
        all.extend(self.suite.variables.iter().map(|(name, value)| (name.clone(), value.clone())));
        all.extend(UNKNOWN.map(|(name, value)| (name.to_owned(), value.to_owned())));
        all
    }
}

/// What the machine is asked for, where nobody has asked it: no CPU is near, and one must be there.
const UNKNOWN: [(&str, &str); 4] = [("near", ""), ("near_policy", ""), ("ncpus", "1"), ("size", "100%")];

/// Writes a whole target in order with data that nothing compresses.
const FILL: &str = "[fill]\nrw=write\nbs=1m\niodepth=32\ndirect=1\nrefill_buffers=1\nsize=${size}\n";

/// Each value of everything that varies; the last changes fastest. One combination without a value where nothing varies.
fn combinations(group: &Group) -> Vec<Vec<(String, String)>> {
    group.vary.iter().fold(vec![Vec::new()], |all, vary| {
        let with = |before: &Vec<(String, String)>| {
            let before = before.clone();
            vary.values.iter().map(move |value| {
                let mut values = before.clone();
                values.push((vary.name.clone(), value.clone()));
                values
            })
        };
        all.iter().flat_map(with).collect()
    })
}

/// Paths as the value of `filename`.
fn listed(paths: &[&str]) -> String {
    paths.iter().map(|path| escaped(path)).collect::<Vec<_>>().join(":")
}

/// A path in a list of paths. The colon after `sim` belongs to the name without an escape.
fn escaped(path: &str) -> String {
    match path.strip_prefix("sim:") {
        Some(model) => format!("sim:{}", model.replace(':', "\\:")),
        None => path.replace(':', "\\:"),
    }
}

#[cfg(test)]
mod tests;
