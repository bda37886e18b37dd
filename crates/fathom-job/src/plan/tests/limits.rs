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
