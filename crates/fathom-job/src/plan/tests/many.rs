//! Ten thousand jobs: what is counted grows with their number, not with its
//! square.

use super::*;
use crate::diagnostic::{SAME_MAX, bounded};
use crate::plan::fixture::{ENGINES, MACHINE, Targets, jobs};
use crate::plan::overlap::{PAIRS_MAX, Reach, meetings, sharing};
use crate::plan::{TargetFacts, TargetLookup};
use std::cell::Cell;

/// Sections that differ in their names and in the options after each name.
fn sections(n: usize, global: &str, each: impl Fn(usize) -> String) -> String {
    let jobs: String = (0..n).map(|i| format!("[j{i}]\n{}\n", each(i))).collect();
    format!("[global]\nioengine=psync\nbs=4k\nsize=1m\n{global}\n{jobs}")
}

fn shared(plan: &Plan) -> Vec<Reach<'_>> {
    plan.jobs.iter().map(|planned| Reach { planned, file: &planned.files[0] }).collect()
}

#[test]
fn jobs_on_one_file_are_compared_a_bounded_number_of_times() {
    for (global, each) in [("rw=randread", ""), ("rw=randwrite", ""), ("rw=randread", "wait")] {
        let looks = |n: usize| {
            let text = sections(n, &format!("filename=/dev/fioa\n{global}"), |i| match (each, i) {
                ("wait", 1..) => format!("wait_for=j{}", i - 1),
                _ => String::new(),
            });
            let plan = planned(&text);
            let found = meetings(shared(&plan));
            assert!(found.is_cut && found.pairs.len() <= 2 * PAIRS_MAX, "{n} {global}");
            assert_eq!(sharing(&shared(&plan)), n);
            found.looks
        };
        let (some, many) = (looks(200), looks(1_000));
        assert!(many <= 6 * some, "{global} {each}: {some} for 200 jobs, {many} for 1,000");
    }
}

#[test]
fn regions_that_have_ended_are_not_looked_at_again() {
    let text = sections(200, "filename=/dev/fioa\nrw=write", |i| format!("offset={i}m"));
    let plan = planned(&text);
    let found = meetings(shared(&plan));
    assert_eq!((found.looks, found.pairs.len(), found.is_cut), (0, 0, false));
}

#[test]
fn a_writer_among_readers_is_found_even_if_it_is_the_last() {
    let text =
        sections(100, "filename=/dev/fioa", |i| if i == 99 { "rw=write" } else { "rw=randread" }.to_owned());
    let plan = planned(&text);
    assert!(plan.findings.iter().any(|finding| finding.code == "overlap-write"), "{:?}", codes(&plan));
    let more =
        plan.findings.iter().find(|finding| finding.code == "overlap-more").expect("not all are reported");
    assert!(more.message.starts_with("100 jobs share bytes of /dev/fioa"), "{}", more.message);
}

/// Counts the lookups.
struct Counted(Cell<usize>);

impl TargetLookup for Counted {
    fn look_up(&self, path: &str) -> TargetFacts {
        self.0.set(self.0.get() + 1);
        Targets.look_up(path)
    }
}

#[test]
fn each_path_is_looked_at_once_and_findings_are_few_to_read() {
    let count = |text: &str| {
        let counted = Counted(Cell::new(0));
        let plan = plan(&jobs(text), ENGINES, &MACHINE, &counted).unwrap();
        let kinds: std::collections::BTreeSet<&str> = codes(&plan).into_iter().collect();
        assert!(bounded(&plan.findings).len() <= kinds.len() * (SAME_MAX + 1));
        assert!(plan.explain().contains(" more like those above"));
        counted.0.get()
    };
    let one = count(&sections(500, "filename=/dev/fioa\nrw=randread", |_| String::new()));
    assert_eq!(one, 1);
    let own = count(&sections(500, "rw=randwrite", |i| format!("filename=/data/{i}")));
    assert_eq!(own, 501, "the files, and their directory");
}

#[test]
fn what_earlier_stages_filled_is_known_without_asking_each() {
    let text = "[global]\nioengine=psync\nbs=4k\nfilename=/dev/fioa\ndirect=1\nstonewall\n\
                [a]\nrw=write\nsize=1m\n[b]\nrw=write\nsize=4m\noffset=1m\n[c]\nrw=write\nsize=2m\noffset=1m\n";
    for (region, is_unwritten) in [
        ("size=1m", false),
        ("size=2m\noffset=2m", false),
        ("size=2m", true),
        ("size=4m\noffset=2m", true),
        ("size=1m\noffset=8m", true),
    ] {
        let plan = planned(&format!("{text}[r]\nrw=read\n{region}\n"));
        assert_eq!(codes(&plan).contains(&"V-23"), is_unwritten, "{region}");
    }
}
