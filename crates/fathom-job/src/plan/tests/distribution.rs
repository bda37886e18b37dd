//! Plans of jobs whose offsets are not spread evenly.

use super::*;

fn pattern(options: &str) -> String {
    let text = one(&format!("ioengine=null size=1m bs=4k {options}")).explain();
    let from = text.find("\n  pattern").expect("a pattern");
    let to = text.find("\n  blocks").expect("blocks");
    text[from..to].split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_plan_says_how_offsets_are_spread() {
    let zoned = "random_distribution=zoned:60/10:40/90";
    let table = [
        ("rw=randread norandommap", "random read, blocks may repeat"),
        ("rw=randread random_distribution=zipf:1.2", "random read, zipf with theta 1.2, blocks may repeat"),
        (
            "rw=randwrite random_distribution=pareto:0.2:0.25",
            "random write, pareto with h 0.2, hottest at 25 % of the region, blocks may repeat",
        ),
        (
            "rw=randread random_distribution=normal",
            "random read, normal around 50 % of the region with a standard deviation of 8.33 %, blocks may repeat",
        ),
        (
            &format!("rw=randrw {zoned}"),
            "random mix, 50 % reads, 50 % writes, zones: 60 % of the I/Os in the first 10 %, 40 % in the next \
             90 %, blocks may repeat",
        ),
        (
            "rw=randrw random_distribution=zoned_abs:100/64k,100/1m",
            "random mix, 50 % reads, 50 % writes, zones of reads: 100 % of the I/Os in the first 64 KiB; zones of \
             writes: 100 % of the I/Os in the first 1 MiB, blocks may repeat",
        ),
        (&format!("rw=read {zoned}"), "sequential read"),
    ];
    for (options, text) in table {
        assert_eq!(pattern(options), text, "{options}");
    }
}

/// As in fio, these jobs have no random map: they move what one with `norandommap` moves.
#[test]
fn all_but_the_uniform_distribution_draw_without_a_map() {
    for size in ["size=1m", "size=20m", "size=1m io_size=3m", "size=1m bsrange=4k-64k loops=2"] {
        let bytes = |more: &str| {
            let plan = one(&format!("filename=/dev/small rw=randread bs=4k {size} {more}"));
            (plan.jobs[0].end, plan.jobs[0].memory)
        };
        for value in ["zipf:0.9", "pareto", "normal:10", "zoned:50/50:50/50"] {
            assert_eq!(
                bytes(&format!("random_distribution={value}")),
                bytes("norandommap"),
                "{size} {value}"
            );
        }
    }
}

#[test]
fn zones_beyond_the_region_or_without_a_block_are_errors() {
    let table = [
        ("random_distribution=zoned_abs:95/256k:5/2m", "zone-beyond", "zone 2 ends at byte 2359296"),
        ("random_distribution=zoned_abs:95/256k:5/2m size=2m", "zone-beyond", "has 2097152 bytes"),
        ("random_distribution=zoned:50/0.1:50/99.9", "zone-small", "zone 1 of the null target"),
        ("random_distribution=zoned_abs:50/4095:50/64k", "zone-small", "zone 1"),
        ("random_distribution=zoned:100/100,50/0.1:50/1 rw=randrw", "zone-small", "zone 1"),
    ];
    for (options, code, words) in table {
        let error = error_of(&format!("ioengine=null size=1m bs=4k rw=randwrite {options}"));
        assert_eq!(error.code, code, "{options}");
        assert!(error.message.contains(words) && !error.hints.is_empty(), "{options}: {error}");
        assert!(error.span.is_some(), "{options}");
    }
    for options in [
        "random_distribution=zoned_abs:95/256k:5/2304k size=3m",
        "random_distribution=zoned:0/0.1:100/99.9",
        "random_distribution=zoned:100/100,50/0.1:50/1 rw=randread",
        "random_distribution=zoned_abs:50/1g:50/1g rw=read",
    ] {
        one(&format!("ioengine=null size=1m bs=4k rw=randwrite {options}"));
    }
}
