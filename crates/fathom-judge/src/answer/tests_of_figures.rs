//! What the answer says of few I/Os, of workers that ended early, and which latency it gives.

use super::answer;
use crate::fixture::AnswerWords;
use crate::fixture::{DirectionLoad, RunBuilder};
use fathom_results::TrustLevel;

fn told(scene: RunBuilder) -> AnswerWords {
    AnswerWords::of(&answer(&scene.run(), &crate::fixture::surrounds(), crate::fixture::own(false)))
}

#[test]
fn a_few_ios_are_a_number_and_no_figure() {
    let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
    let few =
        told(RunBuilder::of(job).seconds(0, 1, &[DirectionLoad::reads(1, 4096, 8_840)]).seconds(0, 3, &[]));
    assert_eq!(few.result, "1 I/O in 4 s, too few for a rate");
    assert_eq!(few.limit.as_deref(), Some("not known: too few I/Os"));
    assert_eq!(few.trust.level, TrustLevel::Low);
    assert!(
        few.trust.reason.starts_with("fewer than 10 I/Os are too few for a rate"),
        "{}",
        few.trust.reason
    );
    assert!(few.limit_evidence.is_empty(), "{:?}", few.limit_evidence);
    let some = told(RunBuilder::of(job).all(10, DirectionLoad::reads(2, 4096, 5_000_000)));
    assert_eq!(some.result, "2.00 IOPS, 8.19 kB/s, mean 5.00 ms, max 5.00 ms", "20 have no p99");
    let enough = told(RunBuilder::of(job).all(10, DirectionLoad::reads(10, 4096, 5_000_000)));
    assert!(enough.result.ends_with(", mean 5.00 ms, p99 5.00 ms"), "{}", enough.result);
}

#[test]
fn a_direction_with_one_io_has_no_rate_and_the_other_keeps_its_trust() {
    let job = "rw=randrw rwmixread=1 bs=4k ioengine=psync direct=1 filename=/dev/sda";
    let (read, writes) = (DirectionLoad::reads(1, 4096, 8_840), DirectionLoad::writes(250, 4096, 1_000_000));
    let mixed = told(RunBuilder::of(job).seconds(0, 1, &[read, writes]).seconds(0, 3, &[writes]));
    assert_eq!(mixed.result, "1 read in 4 s, too few for a rate; 250 writes/s, mean 1.00 ms, p99 1.00 ms");
    assert!(!mixed.trust.reason.contains("too few for a rate"), "{}", mixed.trust.reason);
}

#[test]
fn a_worker_that_ended_early_is_named_with_the_rate_of_all() {
    let job = "numjobs=2 rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda";
    let flow = |ios| [DirectionLoad::reads(ios, 4096, 100_000)];
    let told = told(RunBuilder::of(job).seconds(0, 10, &flow(1_000)).seconds(1, 4, &flow(500)));
    assert_eq!(
        told.result,
        "1.20k IOPS, 4.92 MB/s, mean 100 µs, p99 100 µs; 1.50k IOPS while all 2 workers measured, 1 of them for only 4 s"
    );
}

#[test]
fn service_and_response_are_told_apart() {
    // A rate of which the half is reached: the response grows, and the target takes 500 µs.
    let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/sda rate_iops=4000";
    let slow = DirectionLoad::reads(2_000, 4096, 500_000);
    let paced = DirectionLoad { response_ns: 5_000_000_000, ..slow };
    let one = told(RunBuilder::of(job).all(10, paced));
    let said = "2.00k IOPS, 8.19 MB/s of the 4.00k IOPS that were asked for, mean 5.00 s, p99 5.00 s from the planned start";
    assert_eq!(one.result, said);
    assert!(one.limit_evidence[0].contains("500 µs of service on average"), "{:?}", one.limit_evidence);
    let three = format!("[global]\n{}\n[a]\n[b]\n[c]\n", job.replace(' ', "\n"));
    let short = told(RunBuilder::text(&three).all(10, paced)).result;
    assert!(
        short.starts_with(
            "a: 2.00k IOPS of the 4.00k IOPS that were asked for, p99 5.00 s from the planned start;"
        ),
        "{short}"
    );
    let plain = told(RunBuilder::of(&job.replace(" rate_iops=4000", "")).all(10, slow));
    assert!(!plain.limit_evidence[0].contains("service"), "{:?}", plain.limit_evidence);
}

#[test]
fn only_a_direction_with_a_rate_counts_from_the_planned_start() {
    let told = |rates: &str, writes_ns: u64| {
        let job = format!("rw=randrw bs=4k ioengine=psync direct=1 filename=/dev/sda rate_iops={rates}");
        let reads = DirectionLoad { response_ns: 5_000_000, ..DirectionLoad::reads(100, 4096, 500_000) };
        let writes = DirectionLoad { response_ns: writes_ns, ..DirectionLoad::writes(90, 4096, 900_000) };
        told(RunBuilder::of(&job).seconds(0, 10, &[reads, writes])).result
    };
    assert_eq!(
        told("100,", 0),
        "100 reads/s, mean 5.00 ms, p99 5.00 ms from the planned start; 90.0 writes/s, mean 900 µs, p99 900 µs"
    );
    assert_eq!(
        told("100,90", 7_000_000),
        "100 reads/s, mean 5.00 ms, p99 5.00 ms; 90.0 writes/s, mean 7.00 ms, p99 7.00 ms, from the planned start"
    );
}

#[test]
fn rates_of_a_mix_that_fell_are_those_that_last() {
    let second = |reads, writes| {
        [DirectionLoad::reads(reads, 4096, 500_000), DirectionLoad::writes(writes, 4096, 900_000)]
    };
    let job = "rw=randrw bs=4k ioengine=libaio iodepth=8 direct=1 filename=/dev/sda";
    let scene = RunBuilder::of(job).seconds(0, 12, &second(6_000, 4_000)).seconds(0, 12, &second(60, 40));
    assert_eq!(
        told(scene).result,
        "60.0 reads/s, mean 500 µs, p99 500 µs; 40.0 writes/s, mean 900 µs, p99 900 µs; all together 100 IOPS from second 12 \
         on (10.0k IOPS before, for 492 MB); latency of the whole run"
    );
}

#[test]
fn a_load_on_cpus_is_no_measurement_that_failed() {
    let load = |used_s: u64| {
        let job = "ioengine=cpuio cpuload=50 runtime=10";
        let mut run = RunBuilder::of(job).seconds(0, 10, &[DirectionLoad::reads(0, 4096, 0)]).run();
        let usage = &mut run.jobs[0].outcome.as_mut().unwrap().usage;
        (usage.user_ns, usage.system_ns) = (used_s * 1_000_000_000, 0);
        AnswerWords::of(&answer(&run, &crate::fixture::surrounds(), crate::fixture::own(false)))
    };
    let whole = load(5);
    let said = "no I/O, but a load on CPUs: t used 50 % of a CPU in 10 s, of the 50 % that it was to use";
    assert_eq!(whole.result, said);
    assert_eq!(whole.trust.level, TrustLevel::High);
    let part = load(2);
    assert!(part.result.contains("t used 20 % of a CPU in 10 s"), "{}", part.result);
    assert_eq!(part.trust.level, TrustLevel::Low);
    assert_eq!(part.trust.reason, "t used 20 % of a CPU, and was to use 50 %");
}
