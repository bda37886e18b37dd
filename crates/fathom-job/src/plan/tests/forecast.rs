//! What can be foreseen from a rate.

use super::*;

#[test]
fn a_rate_for_every_direction_foresees_bytes_and_time() {
    let expected = |options: &str| {
        let Expected { bytes, time } =
            one(&format!("ioengine=null bs=4k size=4m {options}")).jobs[0].expected;
        (bytes.map(|bytes| bytes.0), time.map(|time| time.0 / 1_000_000))
    };
    const M: u64 = 1 << 20;
    for (options, bytes, ms) in [
        ("rate=2m", Some(4 * M), Some(2000)),
        // The ramp moves bytes too, at the same rate, and the limits apply after it.
        ("rate=2m ramp_time=5 startdelay=1", Some(14 * M), Some(8000)),
        ("rate=2m ramp_time=5 runtime=9 time_based", Some(28 * M), Some(14_000)),
        ("rate_iops=1000 ramp_time=30 runtime=10 time_based", Some(40_000 * 4096), Some(40_000)),
        ("ramp_time=5", None, None),
        ("ramp_time=5 number_ios=50", None, None),
        ("latency_target=5", None, None),
        ("rate=2m runtime=9 time_based", Some(18 * M), Some(9000)),
        ("rate=2m runtime=9", Some(4 * M), Some(2000)),
        ("rate=2m runtime=1", Some(2 * M), Some(1000)),
        ("rate_iops=100 number_ios=50", Some(50 * 4096), Some(500)),
        ("rate_iops=100 bsrange=4k-12k runtime=2 time_based", Some(200 * 8192), Some(2000)),
        ("rate_iops=100 bssplit=4k/50:12k/50 runtime=2 time_based", Some(200 * 8192), Some(2000)),
        ("rw=randrw rate=1m,3m", Some(4 * M), Some(1000)),
        ("rw=randrw rate=1m,", Some(4 * M), None),
        ("rw=trimwrite rate=8m,2m,1m", Some(8 * M), Some(4000)),
        // Whole blocks move, and the first is due at once.
        ("rate=400 runtime=1 time_based", Some(4096), Some(1000)),
        ("rate=400 runtime=1", Some(4096), Some(1000)),
        ("rate=6000 runtime=1 time_based", Some(8192), Some(1000)),
        ("rate=2m thinktime=5", Some(4 * M), None),
        ("rate=2m flow=1 runtime=9 time_based", None, Some(9000)),
        ("rate=2m latency_target=5 runtime=3", None, None),
        ("rate_min=2m", Some(4 * M), None),
    ] {
        assert_eq!(expected(options), (bytes, ms), "{options}");
    }
}

#[test]
fn the_bytes_of_a_ramp_without_a_rate_depend_on_the_target() {
    let planned = |options: &str| one(&format!("ioengine=null rw=write bs=64k size=20m {options}"));
    assert_eq!(planned("").jobs[0].expected.bytes, Some(Bytes::mib(20)));
    let ramp = planned("ramp_time=30");
    assert_eq!((ramp.jobs[0].expected.bytes, ramp.jobs[0].bounded_bytes()), (None, Some(Bytes::mib(20))));
    let words = ramp.explain().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("expected at most 20 MiB (20971520 bytes) after the ramp; the bytes of the ramp"),
        "{words}"
    );
    let paced = planned("rate=1m ramp_time=30").explain();
    assert!(paced.contains("50 MiB (52428800 bytes) in 50 s, at the rate asked"), "{paced}");
}

#[test]
fn the_rate_in_ios_is_that_of_the_mean_block() {
    let asked = |options: &str| {
        one(&format!("ioengine=null size=1m bs=4k rw=randrw {options}")).jobs[0].ios_asked(Direction::Write)
    };
    assert_eq!(asked("rate_iops=,70"), Some(70.0));
    assert_eq!(asked("rate=,40k"), Some(10.0));
    assert_eq!(asked("rate=40k,"), None);
}
