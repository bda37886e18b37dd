//! Clones and jobs that meet.

use super::*;

fn found(text: &str) -> Vec<(String, String)> {
    let overlaps = |code: &str| code.starts_with("overlap") || code == "V-43";
    let findings = planned(text).findings;
    findings
        .iter()
        .filter(|f| overlaps(&f.code) && f.message.contains(" share "))
        .map(|f| (f.code.clone(), f.hints.join(" ")))
        .collect()
}

fn codes_of(text: &str) -> Vec<String> {
    found(text).into_iter().map(|(code, _)| code).collect()
}

const GLOBAL: &str = "[global]\nfilename=/dev/fioa\nbs=4k\ndirect=1\nrefill_buffers\n";

#[test]
fn sequential_clones_on_one_range_are_warned_of_with_the_cure() {
    let two = found(&format!("{GLOBAL}[t]\nrw=read\nnumjobs=4\n"));
    assert_eq!(two.len(), 1, "once for all clones: {two:?}");
    assert_eq!(two[0].0, "V-43");
    assert!(two[0].1.contains("offset_increment=25%"), "{}", two[0].1);
    let sized = found(&format!("{GLOBAL}[t]\nrw=write\nnumjobs=4\nsize=64m\n"));
    assert!(sized[0].1.contains("offset_increment=64m"), "{}", sized[0].1);
    let cured = codes_of(&format!("{GLOBAL}[t]\nrw=read\nnumjobs=4\nsize=25%\noffset_increment=25%\n"));
    assert!(cured.is_empty(), "{cured:?}");
}

#[test]
fn random_clones_only_get_a_note() {
    for rw in ["randread", "randwrite"] {
        assert_eq!(codes_of(&format!("{GLOBAL}[t]\nrw={rw}\nnumjobs=4\n")), ["overlap-random"]);
    }
}

#[test]
fn jobs_that_run_together_are_compared_and_others_not() {
    let write_and_read =
        |between: &str| codes_of(&format!("{GLOBAL}[w]\nrw=write\n[r]\nrw=randread\n{between}\n"));
    assert_eq!(write_and_read(""), ["overlap-write"]);
    assert!(write_and_read("stonewall").is_empty());
    assert!(write_and_read("wait_for=w").is_empty());
    let apart = "[w]\nbs=4k\nrw=write\nfilename=/dev/fioa\n[r]\nbs=4k\nrw=read\nfilename=/dev/fourk\n";
    assert!(codes_of(apart).is_empty());
    assert_eq!(codes_of(&format!("{GLOBAL}[a]\nrw=read\n[b]\nrw=randread\n")), ["overlap-read"]);
}

#[test]
fn neighbours_do_not_meet() {
    let text = format!(
        "{GLOBAL}[a]\nrw=write\nsize=1m\n[b]\nrw=write\noffset=1m\nsize=1m\n[c]\nrw=write\noffset=1m\nsize=4k\n"
    );
    assert_eq!(codes_of(&text), ["overlap-write"]); // b and c only
}

#[test]
fn null_jobs_share_nothing() {
    assert!(codes_of("[t]\nioengine=null\nsize=1m\nbs=4k\nrw=write\nnumjobs=4\n").is_empty());
}
