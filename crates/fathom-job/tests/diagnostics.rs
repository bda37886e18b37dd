//! What findings look like: place, underline, hint, and all of them at once.

use crate::world::{listed, load};

#[test]
fn all_that_is_wrong_is_shown_with_its_place() {
    let text = "\
[global]
iodpeth=32
bs=4k,1.5k   ; second
[job]
  runtime = 10sec
	rw=randraed
lockmem=2
direct=yes
ioengine=libaio
fixedbufs=1
description=ünïcode
create_serialize=0
bssplit=4k/60:8k/50
[open
";
    let found = load(text).expect_err("wrong");
    insta::assert_snapshot!("findings", listed(&found));
}

#[test]
fn replaced_text_is_shown_and_the_whole_value_marked() {
    let found = load("[job]\nbs=$pagesize+1.5\nsize=${NOTHING}\n").expect_err("wrong");
    insta::assert_snapshot!("replaced", listed(&found));
}

/// The hints of the errors of one option in a section.
fn hints(option: &str) -> Vec<String> {
    let found = load(&format!("[job]\n{option}\n")).expect_err(option);
    found.into_iter().flat_map(|found| found.hints).collect()
}

#[test]
fn a_name_that_is_none_leads_to_what_is_meant() {
    for (option, hint) in [
        ("read_bw_log=x", "did you mean write_bw_log?"),
        ("queue-depth=4", "did you mean iodepth?"),
        ("--bs=8k", "in a job file an option has no dashes: bs=…"),
        ("-rw=read", "in a job file an option has no dashes: rw=…"),
        ("output=x", "remove it here, and give --output to the command: fathom fio --output… JOBFILE"),
        ("--output-format=json", "remove it here, and give --output-format to the command"),
        ("eta=never", "remove it here, and give --eta to the command"),
        ("rbdname=x", "map the image with `rbd map POOL/IMAGE`"),
        ("pool=x\nioengine=rados", "rados bench measures objects"),
        ("size=/dev/sda", "a file or device belongs to filename: filename=/dev/sda"),
        ("iodepth=./x", "a file or device belongs to filename: filename=./x"),
        ("runtime=/tmp/x", "a file or device belongs to filename: filename=/tmp/x"),
        ("hipri=1\nioengine=libaio", "remove it, or ioengine=io_uring"),
    ] {
        let hints = hints(option);
        assert!(hints.iter().any(|told| told.starts_with(hint)), "{option}: {hints:?}");
    }
}

#[test]
fn a_comment_that_cuts_a_list_of_files_leads_to_the_colon() {
    let hints = |line: &str| -> Vec<String> {
        let warnings = load(&format!("[job]\n{line}\n")).expect(line).warnings;
        warnings
            .into_iter()
            .filter(|finding| finding.code == "comment-in-value")
            .flat_map(|finding| finding.hints)
            .collect()
    };
    assert_eq!(hints("filename=/dev/sda;/dev/sdb"), ["`:` separates the names of filename"]);
    assert!(hints("size=1m;2m").is_empty() && hints("filename=a ; b").is_empty());
}

/// The engine is what is wrong: the planner names it, and nothing is said of options that it might have.
#[test]
fn options_of_an_engine_that_does_not_exist_are_not_judged() {
    assert!(load("[job]\nioengine=libaoi\nhipri=1\nsqthread_poll=1\n").is_ok());
    let found = load("[job]\nioengine=libaio\nhipri=1\nsqthread_poll=1\n").expect_err("two");
    assert_eq!(found.iter().map(|found| found.code.as_str()).collect::<Vec<_>>(), ["engine-option"; 2]);
}

#[test]
fn a_value_that_a_later_line_replaces_is_told() {
    let told = |options: &str| {
        let set = load(&format!("[global]\nbs=16k\n[job]\n{options}\n")).expect(options);
        set.warnings
            .into_iter()
            .filter(|finding| finding.code == "given-twice")
            .map(|finding| finding.message)
            .collect::<Vec<_>>()
    };
    let none: Vec<String> = Vec::new();
    assert_eq!(
        told("rwmixread=75\nrwmixwrite=75"),
        ["rwmixwrite is set again here, so `rwmixread=75` in line 4 has no effect"]
    );
    assert_eq!(
        told("direct=1\nbuffered=1"),
        ["buffered is set again here, so `direct=1` in line 4 has no effect"]
    );
    assert_eq!(told("bs=4k\niodepth=4\nbs=8k").len(), 1);
    for quiet in
        ["bs=4k", "bs=4k\nbs=4096", "rwmixread=75\nrwmixwrite=25", "filename=a\nfilename=b", "bs=4k\nbs=,8k"]
    {
        assert_eq!(told(quiet), none, "{quiet}");
    }
}

#[test]
fn findings_end_somewhere() {
    let text: String =
        std::iter::once("[a]\n".to_owned()).chain((0..500).map(|i| format!("nonsense{i}=1\n"))).collect();
    let found = load(&text).expect_err("wrong");
    assert_eq!(found.len(), 51);
    assert_eq!(found[50].code, "too-many-errors");
    assert!(found[50].message.starts_with("450 "), "{}", found[50].message);
}
