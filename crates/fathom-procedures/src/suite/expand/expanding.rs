//! One group on its way to steps.

use super::per_target::per_target;
use super::{Expanded, SuiteCell, SuiteSpec, SuiteStep, SuiteTerms};
use crate::suite::CellGroup;
use crate::suite::device_sets::set_name;
use crate::suite::order::order;
use crate::suite::text::{asks_for, filled, shortened};

/// More steps than this are a mistake in what varies.
const STEPS_MAX: usize = 100_000;

/// One group on its way to steps.
pub(super) struct Expanding<'a> {
    pub suite: &'a SuiteSpec,
    pub terms: &'a SuiteTerms,
    pub all: &'a mut Expanded,
    pub place: usize,
    /// The one target, of a suite that measures each target with all groups.
    pub only: Option<usize>,
}

impl Expanding<'_> {
    /// Adds the cells and steps of the group.
    pub fn group(&mut self) -> Result<(), String> {
        let group = self.suite.groups[self.place].clone();
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
            group.first.iter().for_each(|before| self.prepare(before, set, &[]));
            for iteration in 0..self.terms.repeat.filter(|_| group.measure).unwrap_or(group.repeat) {
                let seed = self.terms.order_seed.wrapping_add(u64::from(iteration));
                for place in order(combinations.len(), self.suite.order, self.suite.reference_every, seed) {
                    group.before.iter().for_each(|before| self.prepare(before, set, &combinations[place]));
                    self.all.steps.push(SuiteStep::Measure(from + place));
                    if self.all.steps.len() > STEPS_MAX {
                        return Err(wrong(format!("it has more than {STEPS_MAX} steps")));
                    }
                }
            }
        }
        Ok(())
    }

    fn cell(
        &self,
        group: &CellGroup,
        set: &[usize],
        values: &[(String, String)],
        names_set: bool,
    ) -> SuiteCell {
        let paths: Vec<String> = set.iter().map(|place| escaped(&self.terms.targets[*place].path)).collect();
        let job = if group.per_target { per_target(&group.job, &paths) } else { group.job.clone() };
        let text = format!("[global]\n{}\n{job}", self.suite.global);
        let (put, mut options): (Vec<_>, Vec<_>) =
            values.iter().cloned().partition(|(name, _)| asks_for(&text, name));
        let variables = [put, self.variables(set)].concat();
        // `${target}`, `${targets}`, `${target2}`, and the names that stand in each job for its target.
        let names_target = self.terms.own_targets || group.per_target || text.contains("${target");
        let target = (!names_target).then(|| self.target(set, &paths, &mut options)).flatten();
        options.extend(self.terms.set.iter().cloned());
        let mut name = group.name.clone();
        values.iter().for_each(|(what, value)| name += &format!(" {what}={value}"));
        let on = names_set.then(|| set_name(set));
        if let Some(set) = &on {
            name += &format!(" on {set}");
        }
        SuiteCell {
            name,
            group: Some(self.place),
            set: set.to_vec(),
            on,
            values: values.to_vec(),
            // A time may come from a variable.
            text: shortened(&filled(&text, &variables), self.terms.divisor()),
            target,
            options,
        }
    }

    /// The one target; several, and a directory, are options of each job.
    fn target(&self, set: &[usize], paths: &[String], options: &mut Vec<(String, String)>) -> Option<String> {
        let targets: Vec<_> = set.iter().map(|place| &self.terms.targets[*place]).collect();
        match targets.as_slice() {
            [only] if !only.is_directory => return Some(only.path.clone()),
            all if all.iter().all(|target| target.is_directory) => {
                options.push(("directory".to_owned(), paths.join(":")));
            }
            _ => options.push(("filename".to_owned(), paths.join(":"))),
        }
        None
    }

    /// What the texts of jobs can ask for: the targets of the set, what the command line gave, what the suite has.
    pub(super) fn variables(&self, set: &[usize]) -> Vec<(String, String)> {
        let path = |place: &usize| escaped(&self.terms.targets[*place].path);
        let mut all = vec![
            ("targets".to_owned(), set.iter().map(path).collect::<Vec<_>>().join(":")),
            ("target".to_owned(), set.first().map(path).unwrap_or_default()),
            ("disks".to_owned(), set.len().to_string()),
        ];
        all.extend(set.iter().enumerate().map(|(at, place)| (format!("target{}", at + 1), path(place))));
        all.extend(self.terms.variables.iter().cloned());
        all.extend(self.suite.variables.iter().map(|(name, value)| (name.clone(), value.clone())));
        all.extend(UNKNOWN.map(|(name, value)| (name.to_owned(), value.to_owned())));
        all
    }
}

/// What the machine is asked for, where nobody has asked it: no CPU is near, and one must be there.
const UNKNOWN: [(&str, &str); 5] =
    [("near", ""), ("near_policy", ""), ("ncpus", "1"), ("size", "100%"), ("engine", "io_uring")];

/// Each value of everything that varies; the last changes fastest. One combination without a value where nothing varies.
fn combinations(group: &CellGroup) -> Vec<Vec<(String, String)>> {
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

/// A path in a list of paths. The colon after `sim` belongs to the name without an escape.
fn escaped(path: &str) -> String {
    match path.strip_prefix("sim:") {
        Some(model) => format!("sim:{}", model.replace(':', "\\:")),
        None => path.replace(':', "\\:"),
    }
}
