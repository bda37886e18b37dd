//! Jobs for both sector sizes, and how they are run in two parts (docs/guide-index.md: V-24).

use super::*;
use crate::parse::{self, Adjust};
use crate::plan::fixture::{self, ENGINES, MACHINE};

fn vsl() -> String {
    // As several files would be: each its own jobs, in stages.
    ["512", "1M"].iter().zip(["iops", "bandwidth"]).fold(String::new(), |all, (bs, name)| {
        all + &format!("[{name}]\nstonewall\nfilename=/dev/fioa\nrw=randwrite\nbs={bs}\ndirect=1\nrefill_buffers\nruntime=30\ntime_based\nrandrepeat=0\nnorandommap\n")
    })
}

fn split(text: &str) -> Option<crate::diagnostic::Diagnostic> {
    planned(text).findings.into_iter().find(|finding| finding.code == "V-24")
}

#[test]
fn jobs_of_both_sizes_are_split_with_a_format_between() {
    let found = split(&vsl()).expect("a finding");
    assert!(
        found.message.starts_with(
            "1 job below 4 KiB and 1 job from 4 KiB on use /dev/fioa, which has sectors of 512 bytes"
        ),
        "{found}"
    );
    assert_eq!(
        found.hints,
        [
            "fathom run test.fio --section iops",
            "fathom purge /dev/fioa --lba 4096 --destroy SERIAL",
            "fathom run test.fio --section bandwidth",
        ]
    );
}

/// On a drive with large sectors, the jobs for them come first, and small direct blocks are an error that says how
/// to look for the other format.
#[test]
fn a_drive_with_large_sectors_refuses_small_blocks_and_says_how_to_format_it() {
    let errors = try_plan(&vsl().replace("/dev/fioa", "/dev/fourk")).unwrap_err();
    let error = errors.iter().find(|error| error.code == "V-44").expect("V-44");
    assert!(
        error.hints.iter().any(|hint| hint.starts_with("fathom purge /dev/fourk --plan says")),
        "{error}"
    );
}

#[test]
fn one_size_alone_is_not_split() {
    for text in [
        vsl().replace("bs=1M", "bs=512"),
        vsl().replace("bs=512", "bs=4k"),
        vsl().replace("direct=1", "direct=0"),
        vsl().replacen("/dev/fioa", "/dev/purged", 1),
        vsl().replace("filename=/dev/fioa", "filename=/data/new\nsize=1m"),
    ] {
        assert!(split(&text).is_none(), "{text}");
    }
}

/// Several files: each part names its own files, and what the command line set.
#[test]
fn the_commands_have_the_files_and_what_was_set() {
    let jobs = |name: &str, bs: &str| {
        let text = format!("[j]\nfilename=/dev/x\nrw=randread\nbs={bs}\ndirect=1\nruntime=30\ntime_based\n");
        let set = vec![("runtime".to_owned(), "9".to_owned())];
        let adjust = Adjust { set, target: Some("/dev/fioa".to_owned()), ..Adjust::default() };
        parse::load_text(name, &text, &adjust, &fixture::Nothing).unwrap().jobs
    };
    let mut both = jobs("06 latency.fio", "512");
    both.extend(jobs("09.fio", "1m"));
    let plan = plan(&both, ENGINES, &MACHINE, &fixture::Targets).unwrap();
    let found = plan.findings.iter().find(|finding| finding.code == "V-24").unwrap();
    assert_eq!(found.hints[0], "fathom run '06 latency.fio' --target /dev/fioa --set runtime=9");
    assert_eq!(found.hints[2], "fathom run 09.fio --target /dev/fioa --set runtime=9");
}
