//! What goes with `zonemode=strided`, and what does not.

use super::*;
use crate::plan::{StridePlan, strides};

#[test]
fn zones_need_their_mode_and_their_size_and_nothing_else_that_places_io() {
    for (options, code) in [
        ("rw=read zonemode=strided", "zones-incomplete"),
        ("rw=read zonesize=16k", "zones-incomplete"),
        ("rw=read:4k zonemode=strided zonesize=16k", "zones-with"),
        ("rw=randread zonemode=strided zonesize=16k percentage_random=50", "zones-with"),
        ("rw=randread zonemode=strided zonesize=16k random_distribution=zipf", "zones-with"),
        ("rw=randread zonemode=strided zonesize=16k bsrange=4k-8k", "zones-with"),
        ("rw=write zonemode=strided zonesize=16k verify=crc32c", "zones-with"),
    ] {
        assert_eq!(error_of(&format!("ioengine=psync size=1m {options}")).code, code, "{options}");
    }
}

#[test]
fn zones_are_apart_by_their_range_and_what_is_skipped() {
    let zones = |options: &str| {
        let plan = one(&format!("ioengine=null size=1m rw=read zonemode=strided zonesize=16k {options}"));
        strides(&plan.jobs[0].job).map(|StridePlan { range, step, .. }| (range.0 >> 10, step.0 >> 10))
    };
    assert_eq!(zones(""), Some((16, 16)));
    assert_eq!(zones("zonerange=64k"), Some((64, 64)));
    assert_eq!(zones("zonerange=64k zoneskip=8k"), Some((64, 72)));
    assert_eq!(zones("zonerange=64k zoneskip=2z"), Some((64, 96)));
    assert_eq!(strides(&one("ioengine=null size=1m rw=read").jobs[0].job), None);
}

#[test]
fn a_write_in_zones_does_not_write_all_of_its_region() {
    let writes_all =
        |options: &str| one(&format!("ioengine=null size=1m rw=write {options}")).jobs[0].writes_all();
    assert!(writes_all("") && !writes_all("zonemode=strided zonesize=16k zonerange=64k"));
}
