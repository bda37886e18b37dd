//! The plan reports writes that do not fit (docs/guide-index.md: I-24).

use super::*;
use crate::plan::NO_SPACE;

/// What the plan says of space, if anything. `/data` has 10 GiB free.
fn said(text: &str) -> Option<String> {
    let found = planned(text).findings.into_iter().find(|finding| finding.code == NO_SPACE)?;
    Some(found.message)
}

fn of(options: &str) -> Option<String> {
    said(&format!("[t]\nbs=1m\n{}\n", options.replace(' ', "\n")))
}

#[test]
fn a_write_that_cannot_fit_is_told() {
    let message = of("rw=write filename=/data/new size=900g").unwrap();
    assert!(
        message.contains("/data/new") && message.contains("900 GiB") && message.contains("10 GiB"),
        "{message}"
    );
    for options in [
        "rw=randwrite filename=/data/new size=11g",
        "rw=write filename=/data/new size=11g fallocate=none",
        "rw=write filename=/data/new size=11g runtime=1",
        "rw=write filename=/data/new size=6g offset=6g",
        "rw=write directory=/data nrfiles=4 filesize=3g",
        "rw=write directory=/data size=6g numjobs=2",
        "rw=write filename=/data/mib size=11g",
        "rw=write filename=/data/sparse fallocate=none",
        "rw=randwrite filename=/data/sparse fallocate=none",
        "rw=write filename=/data/new:/data/mib size=22g",
        "rw=read directory=/data size=6g numjobs=2 fallocate=none",
        "rw=randtrim filename=/data/new size=11g",
    ] {
        assert!(of(options).is_some(), "{options}");
    }
    assert!(
        said(
            "[a]\nrw=write\nfilename=/data/x\nsize=6g\n[b]\nstonewall\nrw=write\nfilename=/data/y\nsize=6g\n"
        )
        .is_some()
    );
}

#[test]
fn what_fits_or_may_fit_is_not_told() {
    for options in [
        "rw=write filename=/data/new size=9g",
        "rw=write filename=/data/new size=9g numjobs=4",
        "rw=read filename=/data/sparse",
        "rw=write filename=/data/dense",
        "rw=write filename=/data/sparse size=5g",
        "rw=write filename=/data/sparse io_size=5g",
        "rw=write filename=/data/sparse runtime=1",
        "rw=randwrite filename=/data/sparse norandommap=1 number_ios=10",
        "rw=write filename=/data/dense size=25g",
        "rw=write filename=/dev/fioa",
        "rw=write ioengine=null size=900g",
        "rw=write filename=/data/new size=11g fallocate=none runtime=1",
        "rw=write filename=/data/new size=11g fallocate=truncate time_based=1 runtime=1",
    ] {
        assert_eq!(of(options), None, "{options}");
    }
    // Two file systems, and two names of one file.
    assert_eq!(
        said("[a]\nrw=write\nfilename=/data/x\nsize=6g\n[b]\nrw=write\nfilename=/b/y\nsize=6g\n"),
        None
    );
    assert_eq!(
        said("[a]\nrw=write\nfilename=/data/mib\nsize=6g\n[b]\nrw=write\nfilename=/data/alias\nsize=6g\n"),
        None
    );
}
