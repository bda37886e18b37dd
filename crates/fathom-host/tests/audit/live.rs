//! The catalogue on the machine that runs the tests.

use fathom_device::Root;
use fathom_host::audit::{Audit, Earlier, JobNeeds, Scene, checks};

#[test]
fn every_check_says_something_about_this_machine() {
    let root = Root::live();
    let earlier = Earlier::take(&root, checks::counters());
    let audit = Audit::take(&Scene::new(&root, &[], JobNeeds::default(), Some(earlier)));
    assert_eq!(audit.examined.len(), checks::catalogue().count());
    for examined in &audit.examined {
        assert!(!examined.observations.is_empty(), "{} says nothing", examined.check.id);
        for seen in &examined.observations {
            let id = examined.check.id;
            assert!(!seen.says.is_empty() && !seen.says.ends_with('.'), "{id}: {seen:#?}");
            assert!(!seen.subject.is_empty(), "{id}: {seen:#?}");
        }
    }
}

#[test]
fn every_check_says_something_about_a_file_of_this_machine() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let root = Root::live();
    let audit = Audit::take(&Scene::new(&root, &[file.path().to_path_buf()], JobNeeds::default(), None));
    for examined in &audit.examined {
        assert!(!examined.observations.is_empty(), "{} says nothing", examined.check.id);
        let of_host = examined.observations.iter().all(|seen| !seen.subject.is_empty());
        assert!(of_host, "{}: {:#?}", examined.check.id, examined.observations);
    }
}
