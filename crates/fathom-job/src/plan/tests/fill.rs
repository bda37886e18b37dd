//! Jobs that write until no space is left. The byte counts of `tests/end_to_end/against_fio/fills.rs` show that fio does the same.

use super::*;

const FILL: &str = "rw=write bs=64k fill_device=1 ";

fn filled(options: &str) -> Plan {
    one(&format!("{FILL}{options}"))
}

#[test]
fn a_file_without_a_size_ends_with_the_space() {
    let plan = filled("filename=/data/new");
    let job = &plan.jobs[0];
    assert!(job.files[0].is_until_full() && job.end.when_full);
    assert_eq!((job.files[0].needs, job.files[0].layout), (Bytes(0), Bytes(0)), "nothing is reserved");
    assert_eq!((job.end.bytes, job.end.passes.is_some()), (None, true));
    assert_eq!(job.expected.bytes, Some(Bytes::gib(10)), "all that is free");
    let again = filled("filename=/data/mib").jobs[0].expected.bytes;
    assert_eq!(again, Some(Bytes(Bytes::gib(10).0 + (1 << 20))), "what is there is written again");
    let text = plan.explain();
    for line in ["ends        when no space is left (fill_device)", "all free space", "10 GiB"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let warned =
        "job t may write until no space is left on the file system of /data/new, where 10 GiB is free now";
    let found = plan.findings.iter().find(|finding| finding.code == "fills-file-system").expect("it is told");
    assert_eq!(found.message, warned);
}

#[test]
fn a_limit_ends_it_earlier() {
    for (options, bytes, words) in [
        ("filename=/data/new size=8m", Some(8 << 20), "8 MiB (8388608 bytes), or when no space is left"),
        ("filename=/data/new size=100g", Some(100 << 30), "or when no space is left"),
        ("filename=/data/new io_size=4m", Some(4 << 20), "or when no space is left"),
        ("filename=/data/new number_ios=10", None, "10 I/Os, or when no space is left"),
        ("filename=/data/new runtime=1", None, "1 s, or when no space is left"),
        ("filename=/data/new time_based=1 runtime=2", None, "or until no space is left"),
    ] {
        let plan = filled(options);
        let job = &plan.jobs[0];
        assert_eq!(job.end.bytes.map(|bytes| bytes.0), bytes, "{options}");
        assert!(job.end.when_full && job.files[0].needs == Bytes(0), "{options}");
        let text = plan.explain().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(words), "{options}: {text}");
        assert!(!codes(&plan).contains(&NO_SPACE), "{options}: too little space is not an error");
    }
}

#[test]
fn clones_share_what_is_free() {
    let plan = filled("directory=/data numjobs=2 nrfiles=4");
    assert_eq!(plan.jobs.iter().map(|job| job.expected.bytes).collect::<Vec<_>>(), [Some(Bytes::gib(5)); 2]);
    let all: u64 = plan.jobs[0].files.iter().map(|file| file.size.0).sum();
    assert_eq!(all, 4 << 60, "the regions of a job can be added up");
}

#[test]
fn a_device_has_an_end_of_its_own() {
    let (with, without) = (filled("filename=/dev/fioa"), one("rw=write bs=64k filename=/dev/fioa"));
    assert_eq!((with.jobs[0].end.bytes, with.jobs[0].files[0].size), (Some(Bytes::gib(1)), Bytes::gib(1)));
    assert_eq!(with.jobs[0].files[0], without.jobs[0].files[0]);
    assert!(!codes(&with).contains(&"fills-file-system"));
    for rw in ["read", "randwrite", "randread"] {
        one(&format!("rw={rw} bs=64k fill_device=1 filename=/dev/fioa"));
    }
}

#[test]
fn what_cannot_be_filled_is_refused() {
    for (options, why) in [
        ("rw=read filename=/data/new", "does nothing but write"),
        ("rw=rw filename=/data/mib", "does nothing but write"),
        ("rw=randread size=1m filename=/data/mib", "does nothing but write"),
        ("rw=write overwrite=1 filename=/data/new", "overwrite=1"),
        ("rw=write ioengine=mmap filename=/data/new", "mapped"),
        ("rw=randwrite filename=/data/new", "random writes need a range"),
    ] {
        let error = error_of(&format!("{options} fill_fs=1"));
        assert!(error.message.contains(why) && !error.hints.is_empty(), "{options}: {error:?}");
    }
    one("rw=randwrite size=1m filename=/data/new fill_device=1");
}
