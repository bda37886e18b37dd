//! What no kernel and no engine can do is refused with its number.

use super::*;

#[test]
fn a_block_is_at_most_what_one_call_moves() {
    for (options, option) in [
        ("bs=2g", "bs"),
        ("bs=4k,2147479553", "bs"),
        ("bsrange=4k-8g", "bsrange"),
        ("bssplit=4k/99:4g/1", "bssplit"),
    ] {
        let error = error_of(&format!("ioengine=null size=64g rw=rw {options}"));
        assert_eq!(error.code, "block-too-large", "{options}");
        assert!(error.message.contains(option) && error.message.contains("2147479552"), "{}", error.message);
        assert!(!error.hints.is_empty());
        assert!(error.span.unwrap().text.starts_with(option));
    }
    assert_eq!(one("ioengine=null size=64g bs=2147479552").jobs[0].block_max(), Bytes(0x7fff_f000));
}

#[test]
fn a_job_of_trims_alone_has_blocks_of_any_size() {
    for (options, most) in [
        ("rw=trim bs=4g", 4 << 30),
        ("rw=randtrim bs=4k,8g,2147483650", (2 << 30) + 2),
        ("rw=trim bsrange=1g-8g", 8 << 30),
        ("rw=randtrim norandommap=1 bssplit=4k/50:5g/50", 5 << 30),
        ("rw=trim bs=64m,4g,2147483647", (2 << 30) - 1),
        ("rw=trim bsrange=1m-1g bs_unaligned=1", 1 << 30),
        ("rw=trim bs=40t", 40 << 40),
    ] {
        let plan = one(&format!("ioengine=null size=80t {options}"));
        assert_eq!(
            (plan.jobs[0].block_max(), plan.jobs[0].transfer_max()),
            (Bytes(most), Bytes(0)),
            "{options}"
        );
        assert!(plan.jobs[0].memory < Bytes::mib(1), "a trim needs no buffer: {options}");
    }
}

#[test]
fn what_reads_or_writes_has_no_block_of_2_gib_for_its_trims_either() {
    for options in ["rw=trimwrite bs=4k,4k,4g", "rw=randtrimwrite bs=2g"] {
        let error = error_of(&format!("ioengine=null size=64g {options}"));
        assert_eq!(error.code, "block-too-large", "{options}");
        assert!(error.hints.iter().any(|hint| hint.contains("rw=trim")), "{:?}", error.hints);
    }
    // A size that the job does not use does not limit it.
    assert_eq!(one("ioengine=null size=64g rw=read bs=4k,8g").jobs[0].transfer_max(), Bytes(4096));
    assert_eq!(one("ioengine=null size=64g rw=trimwrite bs=4k,4k,64k").jobs[0].transfer_max(), Bytes(65536));
}

#[test]
fn trims_of_2_gib_and_more_are_even() {
    for (options, rule) in [
        (
            "bs=2147483649",
            "bs of 2147483649 bytes: such trims are multiples of 2 bytes, and 2147483649 is not",
        ),
        ("bs=4k,4k,4294967298", "such trims are multiples of 4 bytes, and 4294967298 is not"),
        ("bsrange=1023-8g", "such trims are multiples of 8 bytes, and 1023 is not"),
        ("bssplit=6/50:4g/50", "such trims are multiples of 4 bytes, and 6 is not"),
        ("bsrange=4k-4g bs_unaligned=1", "bs_unaligned=1 is for trims of less than 2147483648 bytes"),
        ("bs=5000p", "a trim has at most 4611686016279904256 bytes"),
    ] {
        let error = error_of(&format!("ioengine=null size=7000p rw=trim {options}"));
        assert_eq!(error.code, "odd-trim", "{options}");
        assert!(error.message.ends_with(rule), "{}", error.message);
        assert!(!error.hints.is_empty() && error.span.is_some(), "{options}");
    }
}

#[test]
fn the_number_of_files_is_bounded() {
    let error = error_of("directory=/data nrfiles=1000001 filesize=4k bs=4k");
    assert_eq!(error.message, "the clones have 1000001 files together; a plan has at most 1000000");
    // A line holds 8,192 characters; each further one adds to the list.
    let line = format!("filename={}", vec!["x"; 4000].join(":"));
    let lines = vec![line.as_str(); 17].join(" ");
    assert_eq!(one(&format!("size=1g bs=4k {lines}")).jobs[0].files.len(), 68_000);
}

#[test]
fn a_plan_that_would_fill_the_memory_is_not_made() {
    let jobs = |n: usize, options: &str| {
        let sections: String = (0..n).map(|n| format!("[j{n}]\n")).collect();
        try_plan(&format!("[global]\nioengine=null\nsize=64m\nbs=4k\n{options}\n{sections}")).unwrap_err()
    };
    let clones = jobs(25, "numjobs=4096");
    assert_eq!(clones[0].message, "the jobs make 102400 clones together; a plan has at most 100000");
    let files = jobs(17, "nrfiles=60000");
    assert_eq!(files[0].message, "the clones have 1020000 files together; a plan has at most 1000000");
}

#[test]
fn buffers_are_aligned_to_powers_of_two() {
    for bytes in ["3", "12k", "2g", "4097"] {
        let error = error_of(&format!("ioengine=null size=1m bs=4k iomem_align={bytes}"));
        assert_eq!(error.code, "bad-align", "{bytes}");
    }
    for bytes in ["0", "1", "512", "2m", "1g"] {
        one(&format!("ioengine=null size=1m bs=4k iomem_align={bytes}"));
    }
}
