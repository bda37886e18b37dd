//! Trims of 2 GiB and more, whichever way their places and sizes are drawn.

use super::*;

const GIB: u64 = 1 << 30;

/// A job of trims on 64 GiB of nothing.
fn trims(options: &str) -> PlannedJob {
    planned(&format!("[j]\nioengine=null\nsize=64g\n{options}")).jobs.remove(0)
}

/// Offsets and lengths, by offset.
fn ranges(made: &[Desc]) -> Vec<(u64, u64)> {
    assert!(made.iter().all(|desc| desc.op() == Op::Trim), "{made:?}");
    let mut ranges: Vec<(u64, u64)> = made.iter().map(|desc| (desc.offset, desc.bytes())).collect();
    ranges.sort_unstable();
    ranges
}

#[test]
fn one_size_covers_the_region_once_on_both_paths() {
    for options in ["rw=trim\nbs=4g\n", "rw=randtrim\nbs=4k,4k,4g\n"] {
        for is_tight in [true, false] {
            let mut source = source(&trims(options), 1);
            assert!(source.tight, "{options}");
            source.tight = is_tight;
            let expected: Vec<_> = (0..16).map(|n| (n * 4 * GIB, 4 * GIB)).collect();
            assert_eq!(ranges(&drawn(&mut source, 100)), expected, "{options}");
        }
    }
}

#[test]
fn sizes_that_vary_cover_the_region_once() {
    for options in [
        "rw=trim\nbssplit=512m/20:5g/80\n",
        "rw=randtrim\nbssplit=512m/20:5g/80\n",
        "rw=randtrim\nbsrange=1g-8g\n",
    ] {
        let ranges = ranges(&drawn(&mut source(&trims(options), 3), 1000));
        let ends: Vec<u64> = ranges.iter().map(|(from, len)| from + len).collect();
        let starts: Vec<u64> = ranges.iter().map(|(from, _)| *from).collect();
        assert_eq!((starts[0], ends.last()), (0, Some(&(64 * GIB))), "{options}");
        assert_eq!(starts[1..], ends[..ends.len() - 1], "{options}");
        assert!(ranges.iter().any(|(_, len)| *len >= 4 * GIB), "{options}: {ranges:?}");
    }
}

#[test]
fn sizes_are_drawn_as_asked_whether_they_are_counted_or_not() {
    let mut few =
        source(&trims("rw=randtrim\nnorandommap\nbssplit=1g/50:4g/50\ntime_based\nruntime=1s\n"), 1);
    let made = drawn(&mut few, 2000);
    let counts = |bytes: u64| made.iter().filter(|desc| desc.bytes() == bytes).count() as u64;
    assert_eq!(few.sizes_sent().trim, [(GIB, counts(GIB)), (4 * GIB, counts(4 * GIB))]);
    // 2³⁰ sizes.
    let mut many = source(&trims("rw=randtrim\nnorandommap\nbsrange=8-8g\n"), 1);
    let made = drawn(&mut many, 8);
    assert!(made.iter().any(|desc| desc.bytes() > 2 * GIB) && many.sizes_sent().trim.is_empty(), "{made:?}");
}

#[test]
fn a_rate_in_bytes_counts_all_of_them() {
    let clock = Clock::calibrate(false);
    for options in ["bs=4g", "bssplit=4g/50:4g/50"] {
        let plan = trims(&format!("rw=trim\nrate=,,1g\n{options}\n"));
        let mut source = Source::new(&plan, 1, usize::MAX, &clock, &|| false).unwrap();
        let (mut out, mut due) = ([Desc::EMPTY; DescBlock::LEN], [0; DescBlock::LEN]);
        assert_eq!(source.fill_paced(&mut out, &mut due, 0), 16, "{options}");
        let seconds: Vec<u64> =
            due[..16].iter().map(|due| clock.nanos(*due).div_ceil(1_000_000_000)).collect();
        assert_eq!(seconds, (0..16).map(|n| n * 4).collect::<Vec<_>>(), "{options}");
    }
}

#[test]
fn what_a_ramp_leaves_counts_in_full() {
    let plan = trims("rw=trim\nbssplit=1g/50:4g/50\nramp_time=1s\n");
    let mut source = source(&plan, 1);
    let unissued = vec![Desc::trim(0, 4 * GIB, 0); 15];
    source.restart(unissued.iter().copied(), 1, 4 * GIB);
    let made = drawn(&mut source, 100);
    assert_eq!(made, unissued, "and 4 GiB are in flight");
}
