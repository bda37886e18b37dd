//! Verification: what is planned, what cannot be verified, and what a person should know.
//!
//! "fio" marks what fio 3.33 did with the same options on a file of 64 KiB.

use super::*;
use crate::options;
use fathom_verify::{Method, Pattern, PatternPart};

const WRITE: &str = "filename=/data/mib rw=write bs=4k";

fn verify_of(options: &str) -> VerifyPlan {
    let plan = one(options);
    plan.jobs[0].verify.clone().unwrap_or_else(|| panic!("{options}: nothing is verified"))
}

#[test]
fn a_job_without_verify_has_none() {
    for options in ["", " verify=0", " verify=0 verify_pattern=0xab", " do_verify=0", " do_verify=1"] {
        let plan = one(&format!("{WRITE}{options}"));
        let job = &plan.jobs[0];
        assert_eq!((&job.verify, job.verifies()), (&None, false), "{options}");
    }
}

#[test]
fn what_reads_back_is_a_job_of_its_own() {
    let plan = one(&format!(
        "{WRITE} verify=crc32c ioengine=io_uring iodepth=8 rate_iops=100 verify_backlog=4 numjobs=2 \
                             offset_increment=512k size=512k"
    ));
    let of: Vec<_> =
        plan.jobs.iter().map(|job| (job.name.as_str(), job.id, job.reads_back, job.stage)).collect();
    let name = plan.jobs[0].name.clone();
    let back = format!("{name}.verify");
    assert_eq!(
        of,
        [
            (name.as_str(), 0, None, 0),
            (name.as_str(), 1, None, 0),
            (back.as_str(), 2, Some(0), 0),
            (back.as_str(), 3, Some(1), 0),
        ]
    );
    let (writes, reads) = (&plan.jobs[1], &plan.jobs[3]);
    assert!(!reads.writes() && reads.uses(Direction::Read) && reads.group != writes.group);
    assert_eq!(reads.verify.as_ref().and_then(|verify| verify.backlog), None);
    assert!(writes.pace.is_paced() && !reads.pace.is_paced());
    assert_eq!(reads.files, writes.files);
    // The two never run at the same time, and what is to be known of one is said once.
    let codes: Vec<&str> = plan.findings.iter().map(|finding| finding.code.as_ref()).collect();
    assert!(!codes.contains(&"shared-target"), "{codes:?}");
    assert!(plan.findings.iter().all(|finding| !finding.message.contains(".verify")), "{:?}", plan.findings);
}

#[test]
fn each_method_has_its_name() {
    for method in Method::all() {
        let verify = verify_of(&format!("{WRITE} verify={} verify_pattern=0xab", method.name()));
        assert_eq!(verify.method, method);
    }
    assert_eq!(verify_of(&format!("{WRITE} verify=crc32c-intel")).method, Method::Crc32c);
    // fio: a pattern alone is written behind headers with the number of pattern_hdr.
    assert_eq!(verify_of(&format!("{WRITE} verify_pattern=0xab")).method, Method::PatternHdr);
}

#[test]
fn the_defaults_are_those_of_fio() {
    let verify = verify_of(&format!("{WRITE} verify=crc32c"));
    assert_eq!(
        verify,
        VerifyPlan {
            method: Method::Crc32c,
            interval: None,
            header_offset: 0,
            pattern: None,
            pattern_per_interval: false,
            zero_percent: 0,
            reads_back: true,
            only: false,
            checks_reads: false,
            is_fatal: false,
            dumps: false,
            backlog: None,
            each_pass: false,
            threads: 0,
            cpus: None,
            checks_sequence: true,
            checks_seed: true,
            policy: VerifyPolicy::Completed,
            saves_state: true,
            loads_state: false,
            trim: None,
        }
    );
}

/// What is read and checked: by pattern, `do_verify` and `verify_only`; reads back, only, checks reads, writes.
#[test]
fn each_pattern_checks_what_it_can() {
    let table = [
        ("rw=write", [true, false, false, true]),
        ("rw=randwrite do_verify=0", [false, false, false, true]),
        ("rw=randrw", [true, false, false, true]),
        ("rw=trimwrite", [true, false, false, true]),
        ("rw=read", [false, false, true, false]),
        // fio checks what such a job reads, although do_verify=0.
        ("rw=randread do_verify=0", [false, false, true, false]),
        ("rw=write verify_only", [true, true, false, false]),
        ("rw=read verify_only", [false, false, true, false]),
        // fio: a mix of reads alone ends without an error on data that nobody wrote.
        ("rw=randrw rwmixread=100", [false, false, false, false]),
    ];
    for (options, expected) in table {
        let plan = one(&format!("filename=/dev/fioa bs=4k size=1m verify=md5 {options}"));
        let job = &plan.jobs[0];
        let verify = job.verify.as_ref().expect(options);
        let found = [verify.reads_back, verify.only, verify.checks_reads, job.writes()];
        assert_eq!(found, expected, "{options}");
        assert_eq!(job.verifies(), expected[..3].contains(&true), "{options}");
    }
}

/// Options, and the bytes from one header to the next.
#[test]
fn headers_divide_each_block_as_in_fio() {
    let table = [
        ("bs=4k verify_interval=512", Some(512), false),
        ("bs=4k verify_interval=4k", None, false),
        ("bs=4k verify_interval=8k", None, true),
        ("bs=4k verify_interval=1000", None, true),
        ("bs=4k verify_interval=100", None, true),
        ("bs=512 verify_interval=3k", None, true),
        ("bsrange=4k-12k", Some(4096), false),
        ("bsrange=4k-12k verify_interval=512", Some(512), false),
        ("bssplit=4k/50:6k/50", Some(2048), false),
        // fio puts headers 4 KiB apart here, because it never writes 5 KiB.
        ("bssplit=4k/30:5k/30:8k/40", Some(1024), false),
        ("bssplit=8k/50:8k/50", None, false),
        ("bsrange=1k-3k bs_unaligned", None, false),
    ];
    for (options, interval, is_noted) in table {
        let plan = one(&format!("filename=/data/mib rw=write verify=crc32c {options}"));
        assert_eq!(plan.jobs[0].verify.as_ref().and_then(|verify| verify.interval), interval, "{options}");
        assert_eq!(codes(&plan).contains(&"verify-interval"), is_noted, "{options}");
    }
}

#[test]
fn a_backlog_has_a_batch() {
    for (options, expected) in [
        ("verify_backlog=8", Some((8, 8))),
        ("verify_backlog=8 verify_backlog_batch=2", Some((8, 2))),
        ("verify_backlog=8 verify_backlog_batch=20", Some((8, 20))),
        ("verify_backlog_batch=20", None),
        ("verify_backlog=8 do_verify=0", None),
    ] {
        let verify = verify_of(&format!("{WRITE} verify=crc32c {options}"));
        assert_eq!(verify.backlog.map(|it| (it.writes, it.batch)), expected, "{options}");
    }
}

#[test]
fn a_pattern_has_text_numbers_and_the_offset() {
    let parts = |parts: &[PatternPart]| Some(Pattern { parts: parts.to_vec() });
    let bytes = |bytes: &[u8]| PatternPart::Bytes(bytes.to_vec());
    for (text, expected) in [
        ("0xabcd", parts(&[bytes(&[0xab, 0xcd])])),
        ("%o", parts(&[PatternPart::BlockOffset])),
        // fio's manual.
        (
            "0xff%o\"abcd\"-12",
            parts(&[bytes(&[0xff]), PatternPart::BlockOffset, bytes(b"abcd\xf4\xff\xff\xff")]),
        ),
        // fio: what the file holds, again and again.
        ("'/data/pattern'%o", parts(&[bytes(b"a\0b"), PatternPart::BlockOffset])),
    ] {
        let verify =
            verify_of(&format!("{WRITE} verify=pattern verify_pattern={text} buffer_compress_percentage=50"));
        assert_eq!((verify.pattern, verify.zero_percent), (expected, 0), "{text}");
    }
    assert_eq!(verify_of(&format!("{WRITE} verify=md5 buffer_compress_percentage=50")).zero_percent, 50);
}

/// A saved plan is read without the file of its pattern.
#[test]
fn a_plan_that_was_saved_is_the_same() {
    for options in
        ["verify_pattern='/data/pattern'%o0x12", "verify=crc32c verify_interval=512 verify_backlog=3"]
    {
        let plan = one(&format!("{WRITE} {options}"));
        let saved = serde_json::to_string(&plan.jobs[0].clone().with_files(())).expect("a plan can be saved");
        let read: ResolvedJob<()> = serde_json::from_str(&saved).expect(&saved);
        assert_eq!(read.verify, plan.jobs[0].verify, "{options}");
        assert_eq!(read.job.get(&options::VERIFY_PATTERN), plan.jobs[0].job.get(&options::VERIFY_PATTERN));
    }
}

/// Options of the job, the code of the error, and a word of its hint.
#[test]
fn what_cannot_be_verified_is_one_error_with_a_hint() {
    let table = [
        // fio reports success, although nothing was stored.
        ("ioengine=null size=1m rw=write verify=crc32c", "verify-engine", "ioengine=psync"),
        ("filename=sim:nvme-gen4 size=1m rw=write verify=crc32c", "verify-engine", "ioengine=psync"),
        ("filename=/dev/fioa rw=trim verify=crc32c", "verify-trim", "trimwrite"),
        // fio ends with an assertion.
        ("filename=/data/mib rw=write verify=pattern", "verify-pattern", "verify_pattern="),
        ("filename=/data/mib rw=write verify=pattern_hdr", "verify-pattern", "verify_pattern="),
        // fio: "Blocksize too small".
        ("filename=/data/mib rw=write bs=40 verify=crc32c", "verify-size", "44 bytes"),
        ("filename=/data/mib rw=write bs=128 verify=sha512", "verify-size", "larger"),
        // fio writes one header over the other.
        ("filename=/data/mib rw=write bs=4k verify=sha512 verify_interval=128", "verify-size", "intervals"),
        // fio's own check fails.
        (
            "filename=/data/mib rw=write bs=4k verify=crc32c verify_offset=40",
            "verify-offset",
            "from 44 to 4052",
        ),
        (
            "filename=/data/mib rw=write bs=4k verify=crc32c verify_offset=4060",
            "verify-offset",
            "from 44 to 4052",
        ),
        // fio writes behind its buffer, and the kernel ends it.
        (
            "filename=/data/mib rw=write bs=4k verify=crc32c verify_offset=4k",
            "verify-offset",
            "from 44 to 4052",
        ),
        (
            "filename=/data/mib rw=write bs=64 verify=crc32c verify_offset=50",
            "verify-offset",
            "without verify_offset",
        ),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only runtime=9",
            "verify-only",
            "without runtime",
        ),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only ramp_time=9",
            "verify-only",
            "without ramp_time",
        ),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only randrepeat=0",
            "verify-only",
            "randrepeat=1",
        ),
        ("filename=/data/mib rw=write bs=4k verify=md5 verify_state_load=1", "verify-state", "verify_only=1"),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only do_verify=0 verify_state_load=1",
            "verify-state",
            "do_verify=1",
        ),
        ("filename=/data/mib rw=write bs=4k verify_only", "verify-only", "verify="),
        ("filename=/data/mib rw=write bs=4k verify=0 verify_only", "verify-only", "verify_only=0"),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only do_verify=0",
            "verify-only",
            "do_verify=1",
        ),
        (
            "filename=/data/mib rw=write bs=4k verify=md5 verify_only time_based runtime=1s",
            "verify-only",
            "rw=read",
        ),
        (
            "filename=/data/mib rw=read bsrange=1k-3k bs_unaligned verify=md5",
            "verify-unaligned",
            "verify_only",
        ),
        ("filename=/data/new size=1m rw=read bs=4k verify=md5", "verify-missing", "rw=write"),
        ("filename=/data/new size=1m rw=write bs=4k verify=md5 verify_only", "verify-missing", "rw=write"),
        // fio makes it longer, with random bytes.
        ("filename=/data/mib size=2m rw=read bs=4k verify=md5", "verify-missing", "rw=write"),
    ];
    for (options, code, hint) in table {
        let error = error_of(options);
        assert_eq!(error.code, code, "{options}: {error}");
        assert!(error.hints.iter().any(|text| text.contains(hint)), "{options}: {error}");
    }
}

/// fio's last place for a header.
#[test]
fn a_header_may_end_with_its_block() {
    let verify = verify_of("filename=/data/mib rw=write bs=4k verify=crc32c verify_offset=4052");
    assert_eq!(verify.header_offset, 4052);
    assert_eq!(verify_of("filename=/data/mib rw=write bs=44 verify=crc32c").interval, None);
}

/// Options, and the notes about the verification.
#[test]
fn what_a_verification_will_not_do_is_said() {
    let table: [(&str, &[&str]); 11] = [
        ("verify=md5", &[]),
        ("verify=md5 time_based runtime=1s", &["verify-after-time"]),
        ("verify=md5 time_based runtime=1s verify_backlog=4", &[]),
        ("verify=md5 time_based runtime=1s do_verify=0", &[]),
        ("verify=md5 runtime=1s", &[]),
        ("verify=md5 zero_buffers", &["verify-data"]),
        ("verify=md5 buffer_pattern=0xab dedupe_percentage=10", &["verify-data"]),
        ("verify_backlog=4 verify_fatal=1", &["verify-idle"]),
        ("verify=0 verify_pattern=0xab", &["verify-idle"]),
        ("do_verify=0 verify_backlog=0", &[]),
        ("verify=md5 rw=randrw rwmixread=100", &["verify-nothing"]),
    ];
    for (options, expected) in table {
        let rw = if options.contains("rw=") { "" } else { "rw=write " };
        let plan = one(&format!("filename=/data/mib bs=4k {rw}{options}"));
        let found: Vec<&str> = codes(&plan).into_iter().filter(|code| code.starts_with("verify-")).collect();
        assert_eq!(found, expected, "{options}");
    }
}

const TWO: &str = "[global]\nfilename=/dev/fioa\nbs=4k\nverify=crc32c\nrw=randwrite\n";

/// The sections behind `[global]`, and whether one of them verifies what another may write meanwhile.
#[test]
fn several_writers_of_one_region_are_refused_where_one_verifies() {
    let table = [
        ("[a]\nsize=1m\nnumjobs=4\n", true),
        ("[a]\nsize=1m\nnumjobs=4\noffset_increment=1m\n", false),
        ("[a]\nsize=1m\nnumjobs=4\ndo_verify=0\n", false),
        ("[a]\nsize=1m\nnumjobs=4\nrw=randread\n", false),
        ("[a]\nsize=1m\nnumjobs=4\nverify_only\n", true),
        ("[a]\nsize=1m\n[b]\nsize=1m\nverify=0\n", true),
        ("[a]\nsize=1m\n[b]\nsize=1m\nrw=randread\nverify=0\n", false),
        ("[a]\nsize=1m\ndo_verify=0\n[b]\nsize=1m\nrw=randread\n", true),
        ("[a]\nsize=1m\n[b]\nsize=1m\nstonewall\n", false),
        ("[a]\nsize=1m\n[b]\nsize=1m\nwait_for=a\n", false),
        ("[a]\nsize=1m\n[b]\nsize=1m\noffset=1m\n", false),
        ("[a]\nsize=1m\n[b]\nsize=1m\nfilename=/dev/fourk\n", true),
    ];
    // Pairs that verify nothing are many, and the one that does is the last.
    let writers: String = (0..20).map(|n| format!("[w{n}]\nsize=1m\ndo_verify=0\n")).collect();
    let many = format!("{writers}[v]\nsize=4k\noffset=1020k\n[x]\nsize=4k\noffset=1m\n");
    let found = try_plan(&format!("{TWO}{many}")).expect_err("v meets all of them");
    assert!(
        found.iter().all(|error| error.code == "verify-writers" && error.message.contains("v.0")),
        "{found:?}"
    );
    for (sections, is_refused) in table {
        let found = try_plan(&format!("{TWO}{sections}"));
        let errors: Vec<_> = found.err().unwrap_or_default();
        let codes: Vec<&str> = errors.iter().map(|error| error.code.as_str()).collect();
        assert_eq!(codes == ["verify-writers"], is_refused, "{sections}: {errors:?}");
        assert!(errors.iter().all(|error| !error.hints.is_empty()), "{errors:?}");
    }
}

/// The second job reads what the first one will have written.
#[test]
fn a_file_that_a_job_of_the_plan_writes_can_be_verified() {
    let text = "[global]\nfilename=/data/new\nsize=1m\nbs=4k\nverify=md5\n[w]\nrw=write\ndo_verify=0\n[r]\nstonewall\nrw=read\n";
    assert!(planned(text).jobs[1].verifies());
}

#[test]
fn threads_run_on_cpus_of_this_machine() {
    let verify = verify_of(&format!("{WRITE} verify=md5 verify_async=2 verify_async_cpus=6-9"));
    assert_eq!((verify.threads, verify.cpus), (2, Some(vec![6, 7])));
    let error = error_of(&format!("{WRITE} verify=md5 verify_async=2 verify_async_cpus=8-9"));
    assert_eq!(error.code, "verify-cpus");
    assert_eq!(verify_of(&format!("{WRITE} verify=md5 verify_async=0")).threads, 0);
}

#[test]
fn the_plan_says_how_it_verifies() {
    for (options, words) in [
        ("verify=crc32c", "crc32c, read back and checked when all is written"),
        (
            "verify=md5 verify_interval=512 do_verify=0",
            "md5, a header every 512 bytes, not read back (do_verify=0)",
        ),
        ("verify=md5 verify_backlog=9", "md5, read back and checked 9 blocks at a time after each 9 writes"),
        (
            "verify=md5 verify_only verify_fatal=1",
            "md5, nothing is written: checks what an earlier run of this job wrote",
        ),
    ] {
        let text = one(&format!("{WRITE} {options}")).explain();
        let line = text.lines().find(|line| line.starts_with("  verify ")).expect(options);
        assert!(line.trim_start_matches("  verify").trim().starts_with(words), "{line}");
    }
    assert!(!one(WRITE).explain().contains("\n  verify "));
}

/// What a job wrote in a run time or in an order of its own is in its state.
#[test]
fn with_a_state_verify_only_needs_no_order_that_can_be_repeated() {
    for options in ["runtime=9", "time_based runtime=1s", "ramp_time=9", "randrepeat=0"] {
        let job = format!("{WRITE} verify=md5 verify_only verify_state_load=1 {options}");
        let plan = one(&job);
        let verify = plan.jobs[0].verify.as_ref().expect(options);
        assert_eq!((verify.loads_state, plan.jobs[0].writes()), (true, false), "{options}");
    }
}
