//! Direct I/O obeys the device's logical block (docs/guide-index.md: V-44).

use super::*;

#[test]
fn a_block_below_the_logical_block_is_refused_with_both_numbers() {
    let error = error_of("filename=/dev/fourk direct=1 bs=512 rw=randread");
    assert_eq!(error.code, "V-44");
    assert!(
        error.message.contains("/dev/fourk")
            && error.message.contains("4096")
            && error.message.contains("bs gives 512")
    );
    assert_eq!(error.hints[0], "bs=4096 is the next that fits");
    assert_eq!(error.span.as_ref().unwrap().text, "bs=512");
}

/// A hint that named one size for all of them would make another workload.
#[test]
fn an_option_of_several_sizes_keeps_the_others() {
    for (options, told) in [
        ("bssplit=512/4:64k/96", "4096 in the place of 512 in bssplit is the next that fits"),
        ("bsrange=1k-16k", "4096 in the place of 1024 in bsrange is the next that fits"),
    ] {
        assert_eq!(error_of(&format!("filename=/dev/fourk direct=1 {options}")).hints[0], told);
    }
}

#[test]
fn every_option_that_can_break_it_is_named() {
    let cases = [
        ("bssplit=512/50:4k/50", "bssplit"),
        ("bsrange=1k-16k", "bsrange"),
        ("bsrange=4k-16k bs_unaligned", "bsrange"),
        ("bs=4k offset=512", "offset"),
        ("bs=4k numjobs=2 size=100m offset_increment=1000", "offset_increment"),
        ("bs=8k rw=randread ba=6k", "ba"),
        ("bs=4k rw=read:1k", "rw"),
        ("rw=write bs=4k,6k", "bs"),
    ];
    for (options, option) in cases {
        let error = error_of(&format!("filename=/dev/fourk direct=1 {options}"));
        assert_eq!(error.code, "V-44", "{options}");
        assert!(error.message.contains(&format!("but {option} gives")), "{options}: {}", error.message);
    }
}

#[test]
fn what_fits_passes() {
    for options in [
        "direct=1 bs=4k",
        "direct=0 bs=512",
        "buffered=1 bs=512",
        "direct=1 bssplit=4k/50:12k/50",
        "direct=1 bs=4k offset=33%",
        "direct=1 rw=read bs=4k,512", // nothing is written
    ] {
        let file = one(&format!("filename=/dev/fourk {options}")).jobs[0].files[0].clone();
        assert_eq!(file.size.0 % 512, 0, "{options}");
        assert_eq!(file.lba, Bytes(4096));
    }
    assert!(one("filename=/dev/fioa direct=1 bs=512").jobs[0].direct);
}
