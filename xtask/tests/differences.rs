//! Every option that fathom honours differently from fio is explained in docs/differences.md.

use std::path::Path;

use fathom_job::option::OptionStatus;
use fathom_job::options;

#[test]
fn every_option_with_a_difference_is_explained() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/differences.md");
    let page = std::fs::read_to_string(&page).expect("docs/differences.md is there");
    let different = options::all().filter(|row| matches!(row.status, OptionStatus::Differently(_)));
    let missing: Vec<&str> = different
        .map(|row| row.name)
        .filter(|name| !page.contains(&format!("`{name}`")) && !page.contains(&format!("`{name}=")))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}
