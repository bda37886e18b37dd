//! The vendor guide's nine jobs (docs/guide-index.md: V-34 to V-42) on a 1 GiB device.

use super::*;
use crate::value::Mix;

macro_rules! vsl {
    ($name:literal) => {
        planned(include_str!(concat!("../../../../../examples/vsl/", $name, ".fio")))
    };
}

/// What sets one peak job apart from the others.
struct Peak {
    contract: &'static str,
    plan: Plan,
    random: bool,
    read_percent: u8,
    block: Bytes,
    clones: u32,
}

fn peaks() -> [Peak; 8] {
    let (sector, mib) = (Bytes(512), Bytes::mib(1));
    let peak = |contract, plan, random, read_percent, block, clones| Peak {
        contract,
        plan,
        random,
        read_percent,
        block,
        clones,
    };
    [
        peak("V-34", vsl!("01-random-512-write-latency"), true, 0, sector, 1),
        peak("V-35", vsl!("02-random-512-write-iops"), true, 0, sector, 4),
        peak("V-36", vsl!("03-sequential-512-write-iops"), false, 0, sector, 4),
        peak("V-37", vsl!("04-random-1m-write-bandwidth"), true, 0, mib, 4),
        peak("V-39", vsl!("06-random-512-read-latency"), true, 100, sector, 1),
        peak("V-40", vsl!("07-random-512-read-iops"), true, 100, sector, 4),
        peak("V-41", vsl!("08-sequential-512-read-iops"), false, 100, sector, 4),
        peak("V-42", vsl!("09-random-1m-read-bandwidth"), true, 100, mib, 4),
    ]
}

#[test]
fn peak_jobs_plan_as_printed() {
    for Peak { contract, plan, random, read_percent, block, clones } in peaks() {
        assert_eq!(plan.jobs.len(), clones as usize, "{contract}");
        for (subjob, job) in (0..).zip(&plan.jobs) {
            assert_eq!((job.subjob, job.group, job.stage), (subjob, 0, 0), "{contract}");
            assert_eq!(
                (job.rw.mix, job.rw.random, job.read_percent),
                (Mix::ReadWrite, random, read_percent),
                "{contract}"
            );
            assert_eq!(
                (job.writes(), job.block_min(), job.block_max()),
                (read_percent == 0, block, block),
                "{contract}"
            );
            assert_eq!((job.files[0].offset, job.files[0].size), (Bytes(0), Bytes::gib(1)), "{contract}");
            let depth = if clones == 1 { (1, 1, Some(1)) } else { (32, 32, Some(16)) };
            assert_eq!((job.depth.asked, job.depth.reachable, job.depth.submit_batch), depth, "{contract}");
            assert_eq!(
                (job.ramp, job.end.time, job.end.time_based),
                (Nanos::secs(5), Some(Nanos::secs(30)), true),
                "{contract}"
            );
            assert_eq!(job.expected.time, Some(Nanos::secs(35)), "{contract}");
            assert_eq!(job.cpus, Some(vec![1, 2, 3, 4]), "{contract}");
            assert!(job.direct, "{contract}");
        }
    }
}

#[test]
fn the_flaw_of_the_sequential_jobs_is_found_and_of_the_others_not() {
    for Peak { contract, plan, random, .. } in peaks() {
        assert_eq!(codes(&plan).contains(&"V-43"), !random, "{contract}: {:?}", codes(&plan));
        assert!(!codes(&plan).contains(&"I-35") && !codes(&plan).contains(&"T-60"), "{contract}");
    }
}

#[test]
fn the_precondition_job_is_bounded_by_size_and_full_of_flaws() {
    let plan = vsl!("05-precondition-sequential-1m-write");
    let job = &plan.jobs[0];
    assert_eq!((job.depth.asked, job.depth.reachable), (16, 1));
    assert_eq!(
        EndRule { passes: None, ..job.end },
        EndRule {
            bytes: Some(Bytes::gib(1)),
            ios: None,
            time: None,
            loops: 1,
            time_based: false,
            passes: None,
            when_full: false,
        }
    );
    assert_eq!(job.expected.bytes, Some(Bytes::gib(1)));
    let mut found = codes(&plan);
    found.sort_unstable();
    assert_eq!(found, ["V-11", "V-43", "V-43", "V-50", "depth-unreachable", "mix-unused", "whole-device"]);
    let cures: Vec<&str> = plan.findings.iter().flat_map(|f| &f.hints).map(String::as_str).collect();
    for cure in ["direct=1", "end_fsync=1", "loops=2", "refill_buffers=1"] {
        assert!(cures.iter().any(|hint| hint.contains(cure)), "{cure} in {cures:?}");
    }
}

macro_rules! examples {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../../../../examples/", $name, ".fio")))),*]
    };
}

#[test]
fn every_example_plans_on_a_device_and_on_a_file() {
    let all = examples![
        "flash/01-random-4k-write-latency" "flash/02-random-4k-write-iops" "flash/03-random-1m-write-bandwidth"
        "flash/04-precondition-sequential-1m-write" "flash/05-random-4k-read-latency" "flash/06-random-4k-read-iops"
        "flash/07-random-1m-read-bandwidth" "blog/010-random-4k-read-iops" "blog/011-random-4k-write-iops"
        "blog/randread-size-from-environment" "blog/randwrite-size-from-environment" "blog/read-1k-4k-16k-weighted"
        "blog/read-1k-to-16k" "blog/read-4k-write-64k" "blog/read-one-thread-per-cpu" "blog/read-size-from-environment"
        "blog/write-size-from-environment"
    ];
    for (name, text) in all {
        for target in ["/dev/fioa", "/data/mib"] {
            let plan = planned_on(target, text);
            assert!(plan.jobs.iter().all(|job| job.files[0].path == target), "{name}");
            assert!(!codes(&plan).contains(&"T-60"), "{name} states its block size");
        }
    }
}
