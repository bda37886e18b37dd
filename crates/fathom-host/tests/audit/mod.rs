//! Every check of the catalogue against its fixtures.

mod bios;
mod catalogue;
mod explained;
mod fixture;
mod live;
mod stacks;
mod text;

use std::panic::catch_unwind;
use std::path::PathBuf;

use fathom_device::Goal;
use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_host::audit::{Audit, Earlier, Examined, Grade, Scene, checks};

use fixture::{Case, Kind};

/// The result of the check in a case.
fn examine(case: &Case) -> Examined {
    let root = Root::held(&case.tree());
    let earlier = Earlier::recorded(&root, checks::counters());
    let scene = Scene::new(&root, &case.targets, case.job.clone(), earlier);
    let check = checks::find(&case.check).unwrap();
    let mut observations = check.observe(&scene);
    assert!(!observations.is_empty(), "{case}: says nothing");
    if let Some(subject) = &case.subject {
        observations.retain(|seen| seen.subject == *subject);
        assert!(!observations.is_empty(), "{case}: nothing about {subject}");
    }
    Examined { check, observations }
}

fn check(case: &Case) {
    let examined = examine(case);
    let seen = &examined.observations;
    for goal in Goal::ALL {
        let verdict = examined.verdict(goal);
        if let Some(expected) = case.verdict(goal) {
            assert_eq!(verdict, expected, "{case}, for {goal}: {seen:#?}");
        }
        match case.kind {
            Kind::Positive => {}
            Kind::Negative => assert!(verdict < Grade::Warn, "{case}, for {goal}: {seen:#?}"),
            Kind::Missing | Kind::Garbage => {
                assert_eq!(verdict, Grade::NotApplicable, "{case}, for {goal}: {seen:#?}");
            }
        }
    }
    let worst = Goal::ALL.into_iter().map(|goal| examined.verdict(goal)).max();
    if case.kind == Kind::Positive {
        assert!(worst >= Some(Grade::Info), "{case} finds nothing: {seen:#?}");
        assert!(seen.iter().any(|seen| !seen.evidence.is_empty()), "{case} shows no evidence: {seen:#?}");
    }
    for seen in seen.iter().filter(|seen| seen.verdicts.worst() > Grade::NotApplicable) {
        assert!(!seen.evidence.is_empty(), "{case} judges without evidence: {seen:#?}");
    }
    for words in &case.says {
        assert!(seen.iter().any(|seen| seen.says.contains(words)), "{case} never says {words:?}: {seen:#?}");
    }
}

#[test]
fn every_fixture_comes_out_as_it_says() {
    let cases = fixture::all();
    assert!(cases.len() >= 4 * checks::catalogue().count() - 4, "only {} cases", cases.len());
    // We collect all failures, so that one run shows everything that a change breaks.
    let failed: Vec<String> =
        cases.iter().filter(|case| catch_unwind(|| check(case)).is_err()).map(Case::to_string).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// A check that was never tried on a missing and on a garbled file may call a
/// host fit that it could not read.
#[test]
fn every_check_has_a_positive_a_negative_a_missing_and_a_garbled_case() {
    let cases = fixture::all();
    let lacking: Vec<String> = checks::catalogue()
        .flat_map(|check| Kind::ALL.map(|kind| (check.id, kind)))
        .filter(|(id, kind)| !cases.iter().any(|case| case.check == *id && case.kind == *kind))
        .map(|(id, kind)| format!("{id}: {kind:?}"))
        .collect();
    assert!(lacking.is_empty(), "{lacking:#?}");
}

#[test]
fn no_fixture_is_of_a_check_that_is_gone() {
    let gone: Vec<_> =
        fixture::all().into_iter().filter(|case| checks::find(&case.check).is_none()).collect();
    assert!(gone.is_empty(), "{gone:#?}");
}

/// If nothing is known about a machine, no check may return ok.
#[test]
fn nothing_is_ok_about_an_empty_tree() {
    let root = Root::held(&Tree::default());
    let audit = Audit::take(&Scene::new(&root, &[] as &[PathBuf], Default::default(), None));
    for examined in &audit.examined {
        assert!(!examined.observations.is_empty(), "{}", examined.check.id);
        for goal in Goal::ALL {
            let verdict = examined.verdict(goal);
            assert_eq!(verdict, Grade::NotApplicable, "{}: {:#?}", examined.check.id, examined.observations);
        }
    }
}

/// The base of the fixtures is a host without findings, so that each case
/// differs from it in one thing.
#[test]
fn nothing_is_wrong_with_the_server() {
    let root = Root::held(&fixture::base("server"));
    let earlier = Earlier::recorded(&root, checks::counters());
    let audit = Audit::take(&Scene::new(&root, &[] as &[PathBuf], Default::default(), earlier));
    let grave = audit.examined.iter().flat_map(|examined| &examined.observations);
    let grave: Vec<_> = grave.filter(|seen| seen.verdicts.worst() >= Grade::Warn).collect();
    assert!(grave.is_empty(), "{grave:#?}");
}
