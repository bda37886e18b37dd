//! What of the data of a job a target must store (docs/guide-index.md: V-50).

use super::*;
use crate::plan::stored_share;

/// Options of the data; shares that are left block by block, of equal blocks, and anywhere.
#[test]
fn each_setting_has_its_shares() {
    let table = [
        ("", 1.0 - 7.0 * 16.0 / 4096.0, 1.0, 16.0 / 4096.0),
        ("scramble_chunk=4k", 1.0, 1.0, 16.0 / 4096.0),
        ("scramble_buffers=0", 1.0, 0.0, 0.0),
        ("refill_buffers", 1.0, 1.0, 1.0),
        ("zero_buffers", 0.0, 0.0, 0.0),
        ("buffer_pattern=0xaa", 1.0 / 4096.0, 0.0, 0.0),
        ("buffer_compress_percentage=25", 0.75, 1.0, 0.75),
        ("dedupe_percentage=40", 1.0, 0.6, 0.6),
        ("buffer_compress_percentage=50 dedupe_percentage=50", 0.5, 0.5, 0.25),
    ];
    for (options, compressed, unique, anywhere) in table {
        let plan = one(format!("filename=/dev/fioa bs=4k rw=write {options}").trim_end());
        let stored = stored_share(&plan.jobs[0].job, Bytes::kib(4));
        let expected = [compressed, unique, anywhere];
        let found = [stored.compressed, stored.unique, stored.anywhere];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{options}: {stored:?}");
        }
    }
}

/// The guide's fill: it looks random to a drive that compresses block by block, and not to one that finds repeats.
#[test]
fn the_plan_says_what_of_the_fill_is_random() {
    let fill = include_str!("../../../../../examples/vsl/05-precondition-sequential-1m-write.fio");
    let text = planned(fill).explain();
    let data = text
        .lines()
        .skip_while(|line| !line.starts_with("  data "))
        .take(3)
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    for words in [
        "the same buffer again, 16 bytes in each 512 changed",
        "97 % if it compresses blocks",
        "less than 0.1 % if it finds repeats anywhere",
    ] {
        assert!(data.contains(words), "{words}: {data}");
    }
    let reads = planned("[r]\nfilename=/dev/fioa\nbs=4k\nrw=read\n").explain();
    assert!(!reads.contains("  data "), "{reads}");
    assert!(!one("ioengine=null size=1g bs=4k rw=write").explain().contains("  data "));
}
