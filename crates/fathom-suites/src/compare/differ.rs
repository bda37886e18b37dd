//! What differs between the subjects.

use super::subject::{Property, Subject};
use fathom_results::{Difference, DifferenceOf};
use std::collections::BTreeMap;

/// The properties that are not the same for all subjects, in the order of their kinds.
pub(super) fn differences(subjects: &[Subject]) -> Vec<Difference> {
    let described: Vec<&Subject> = subjects.iter().filter(|subject| !subject.properties.is_empty()).collect();
    if described.len() < 2 {
        return Vec::new();
    }
    let mut order: Vec<&Property> = Vec::new();
    let mut values: BTreeMap<(_, &str), Vec<Option<&Property>>> = BTreeMap::new();
    for (place, subject) in subjects.iter().enumerate() {
        for property in &subject.properties {
            let known = values.entry((property.of, property.what.as_str())).or_insert_with(|| {
                order.push(property);
                vec![None; subjects.len()]
            });
            known[place] = Some(property);
        }
    }
    order.sort_by_key(|property| property.of);
    let value = |property: &Option<&Property>| property.and_then(|property| property.value.clone());
    let differs = |values: &[Option<&Property>]| {
        let mut of = subjects.iter().zip(values).filter(|(subject, _)| !subject.properties.is_empty());
        let first = of.next().map(|(_, property)| value(property));
        of.any(|(_, property)| Some(value(property)) != first)
    };
    let difference = |property: &&Property| {
        // A job that some do not have is left out as a whole.
        let job = property.what.split_once(" of ").map(|(_, job)| job);
        let is_everywhere = |subject: &&Subject| subject.has_job(job.unwrap_or_default());
        if property.of == DifferenceOf::Job && !described.iter().all(is_everywhere) {
            return None;
        }
        let values = &values[&(property.of, property.what.as_str())];
        differs(values).then(|| Difference {
            of: property.of,
            what: property.what.clone(),
            values: values.iter().map(|it| it.and_then(|it| it.shown()).map(str::to_owned)).collect(),
        })
    };
    joined(order.iter().filter_map(difference))
}

/// Options that differ in the same way in several jobs are one difference: `bs of 6 jobs`.
fn joined(all: impl Iterator<Item = Difference>) -> Vec<Difference> {
    let mut found: Vec<(Difference, usize)> = Vec::new();
    for difference in all {
        let option = |one: &Difference| one.what.split(" of ").next().map(str::to_owned);
        let is_same = |known: &Difference| {
            known.of == DifferenceOf::Job
                && difference.of == DifferenceOf::Job
                && known.values == difference.values
                && option(known) == option(&difference)
        };
        match found.iter_mut().find(|(known, _)| is_same(known)) {
            Some((known, jobs)) => {
                *jobs += 1;
                known.what = format!("{} of {jobs} jobs", option(known).unwrap_or_default());
            }
            None => found.push((difference, 1)),
        }
    }
    found.into_iter().map(|(difference, _)| difference).collect()
}
