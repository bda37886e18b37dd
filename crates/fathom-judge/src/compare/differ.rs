//! What differs between the subjects.

use super::subject::{Property, Subject};
use fathom_job::option::OptionRelation;
use fathom_job::{options, parse};
use fathom_results::{Difference, DifferenceOf};
use std::collections::BTreeMap;

/// The properties that are not the same for all subjects, in the order of their kinds. Options that differ in the same
/// way in several jobs are one difference: `bs of 6 jobs`.
pub(super) fn differences(subjects: &[Subject]) -> Vec<Difference> {
    let described: Vec<&Subject> =
        subjects.iter().filter(|subject| is_described(subject, subjects)).collect();
    if described.len() < 2 {
        return Vec::new();
    }
    let mut all: Vec<Differing<'_>> = Vec::new();
    for known in by_property(subjects) {
        // A job that some do not have is left out as a whole.
        let has_job = |subject: &&Subject| known.jobs.iter().all(|job| subject.has_job(job));
        if !described.iter().all(has_job) || !known.differs(subjects) {
            continue;
        }
        match all.iter_mut().find(|other| other.is_same_change(&known)) {
            Some(other) => other.jobs.extend(known.jobs),
            None => all.push(known),
        }
    }
    let of_first = all.iter().filter(|differing| differing.target.is_none());
    let whats: Vec<&str> = of_first.map(|differing| differing.what).collect();
    all.sort_by_key(|differing| (differing.of, differing.leader(&whats).is_some()));
    all.iter().map(|differing| differing.difference(&whats)).collect()
}

/// Can its properties be compared with those of the others? Those of a file of fio can only with those of another one.
fn is_described(subject: &Subject, all: &[Subject]) -> bool {
    let is_alike = !subject.is_imported || all.iter().all(|other| other.is_imported);
    is_alike && !subject.properties.is_empty()
}

/// Settings that the kernel sets again when another one is changed (Linux, Documentation/block/switching-sched.rst and
/// block/elevator.c: the scheduler's own depth, and the throttling of buffered writes).
const FOLLOWERS: [(&str, &str); 2] = [("nr requests", "scheduler"), ("wbt lat usec", "scheduler")];

/// The property with which this one changes, if it is one of `all`.
pub(super) fn follows(what: &str, all: &[&str]) -> Option<&'static str> {
    let leaders = FOLLOWERS.iter().filter(|(follower, _)| *follower == what).map(|(_, leader)| *leader);
    leaders.into_iter().find(|leader| all.contains(leader))
}

/// The option that this one is the opposite of, which a job sets with it: `direct` of `buffered`. Of the two it is the one that has
/// the earlier row in the table of options, so that only one of them follows.
fn opposite(what: &str) -> Option<&'static str> {
    let OptionRelation::Opposite(other) = options::find(what)?.relation else { return None };
    let first = options::all().find(|row| row.name == what || row.name == other)?;
    (first.name == other).then_some(other)
}

/// A property, and what it is for each subject.
struct Differing<'a> {
    of: DifferenceOf,
    what: &'a str,
    /// The jobs whose option it is.
    jobs: Vec<&'a str>,
    /// The number of the target that it is of, where it is not the first.
    target: Option<u64>,
    values: Vec<Option<&'a Property>>,
}

/// All properties, in the order in which the subjects have them.
fn by_property(subjects: &[Subject]) -> Vec<Differing<'_>> {
    let mut places = BTreeMap::new();
    let mut all: Vec<Differing<'_>> = Vec::new();
    for (of_subject, subject) in subjects.iter().enumerate() {
        for property in &subject.properties {
            let Property { of, job, target, what, .. } = property;
            let (of, job, target, what) = (*of, job.as_deref(), *target, what.as_str());
            let place = *places.entry((of, job, target, what)).or_insert_with(|| {
                let values = vec![None; subjects.len()];
                all.push(Differing { of, what, jobs: job.into_iter().collect(), target, values });
                all.len() - 1
            });
            all[place].values[of_subject] = Some(property);
        }
    }
    all
}

impl Differing<'_> {
    /// Do the subjects whose properties are known differ in it?
    fn differs(&self, subjects: &[Subject]) -> bool {
        let described =
            subjects.iter().zip(&self.values).filter(|(subject, _)| is_described(subject, subjects));
        // A job has the usual value of an option that it does not set.
        let usual = Some(self.what).filter(|_| self.of == DifferenceOf::Job).and_then(options::find);
        let usual = usual.and_then(parse::default_text);
        let mut values =
            described.map(|(_, property)| property.and_then(|it| it.value.as_deref()).or(usual.as_deref()));
        let first = values.next();
        values.any(|value| Some(value) != first)
    }

    fn is_same_change(&self, other: &Differing<'_>) -> bool {
        !self.jobs.is_empty()
            && !other.jobs.is_empty()
            && self.what == other.what
            && self.shown().eq(other.shown())
    }

    fn shown(&self) -> impl Iterator<Item = Option<&str>> {
        self.values.iter().map(|property| property.and_then(Property::shown))
    }

    /// The property with which it changes, if that is one of those that differ.
    fn leader(&self, all: &[&str]) -> Option<&'static str> {
        if self.of == DifferenceOf::Job {
            return opposite(self.what).filter(|leader| all.contains(leader));
        }
        self.target.is_none().then(|| follows(self.what, all)).flatten()
    }

    /// The difference; `all` differ.
    fn difference(&self, all: &[&str]) -> Difference {
        Difference {
            of: self.of,
            what: self.what.to_owned(),
            jobs: self.jobs.iter().map(|job| (*job).to_owned()).collect(),
            target: self.target,
            values: self.shown().map(|value| value.map(str::to_owned)).collect(),
            follows: self.leader(all).map(str::to_owned),
        }
    }
}
