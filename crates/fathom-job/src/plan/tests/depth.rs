//! Depth, batching, block sizes, mix, memory.

use super::*;
use crate::plan::NO_MEMORY;
use crate::value::Mix;

fn depth(options: &str) -> Depth {
    one(&format!("filename=/dev/fioa bs=4k runtime=1 time_based {options}")).jobs[0].depth
}

#[test]
fn depth_that_cannot_be_reached_is_told() {
    let cases = [
        ("ioengine=psync iodepth=32", 32, 1),
        ("ioengine=libaio iodepth=16", 16, 1),
        ("ioengine=libaio direct=1 iodepth=16", 16, 16),
        ("ioengine=libaio buffered=0 iodepth=16", 16, 16),
        ("ioengine=io_uring iodepth=16", 16, 16),
        ("ioengine=io_uring iodepth=65536", 65536, 32768),
        ("ioengine=libaio direct=1 iodepth=16 rw=randtrim", 16, 1),
        ("ioengine=io_uring iodepth=16 rw=trim", 16, 1),
        ("ioengine=io_uring iodepth=16 rw=trimwrite", 16, 16),
        ("ioengine=null iodepth=16 rw=trim size=1g", 16, 16),
    ];
    for (options, asked, reachable) in cases {
        let plan = one(&format!("filename=/dev/fioa bs=4k runtime=1 time_based {options}"));
        let depth = plan.jobs[0].depth;
        assert_eq!((depth.asked, depth.reachable), (asked, reachable), "{options}");
        assert_eq!(codes(&plan).contains(&"depth-unreachable"), asked != reachable, "{options}");
    }
}

/// The syncs that a worker waits for empty its queue.
#[test]
fn the_line_of_the_depth_says_what_syncs_leave_of_it() {
    let line = |options: &str| {
        let plan =
            one(&format!("filename=/dev/fioa bs=4k runtime=1 time_based iodepth=16 direct=1 {options}"));
        super::super::print_words::depth(&plan.jobs[0])
    };
    let waits = "because the worker waits for each";
    for (options, told) in [
        ("ioengine=libaio rw=write fsync=1", format!("16; at most 1 in flight, {waits} fsync")),
        ("ioengine=libaio rw=write fdatasync=4", format!("16; at most 4 in flight, {waits} fdatasync")),
        ("ioengine=libaio rw=randrw fsync=1", "16; the worker waits for each fsync".to_owned()),
        ("ioengine=io_uring rw=write fsync=1", "16".to_owned()),
        ("ioengine=libaio rw=read fsync=1", "16".to_owned()),
    ] {
        assert_eq!(line(options), told, "{options}");
    }
}

#[test]
fn batch_limits_left_alone_are_natural_and_others_are_cut_to_the_depth() {
    let natural = depth("ioengine=io_uring iodepth=8");
    assert_eq!(
        (natural.submit_batch, natural.complete_min, natural.complete_max, natural.low),
        (None, None, None, None)
    );
    let fio = depth("ioengine=io_uring iodepth=8 iodepth_batch=1 iodepth_batch_complete=1");
    assert_eq!((fio.submit_batch, fio.complete_min, fio.complete_max), (Some(1), Some(1), Some(1)));
    assert_eq!(depth("ioengine=io_uring iodepth=8 iodepth_batch=0").submit_batch, Some(8));
    assert_eq!(depth("ioengine=io_uring iodepth=8 iodepth_batch=99").submit_batch, Some(8));
    assert_eq!(depth("ioengine=io_uring iodepth=8 iodepth_low=0").low, Some(8));
    let lifted =
        depth("ioengine=io_uring iodepth=8 iodepth_batch_complete_min=4 iodepth_batch_complete_max=2");
    assert_eq!((lifted.complete_min, lifted.complete_max), (Some(4), Some(4)));
    let polling = depth("ioengine=io_uring iodepth=8 iodepth_batch_complete_min=0");
    assert_eq!((polling.complete_min, polling.complete_max), (Some(0), None));
}

#[test]
fn waiting_for_more_than_the_depth_is_cut_with_a_note() {
    let plan = one("ioengine=null bs=4k size=1m iodepth=8 iodepth_batch_complete_min=16");
    assert_eq!(plan.jobs[0].depth.complete_min, Some(8));
    assert!(codes(&plan).contains(&"batch-clipped"));
}

fn block(options: &str) -> BlockSizes {
    one(&format!("ioengine=null size=100m {options}")).jobs[0].block.read.clone()
}

#[test]
fn block_sizes_come_from_the_most_specific_option() {
    let (k4, k8) = (Bytes::kib(4), Bytes::kib(8));
    assert_eq!(block("iodepth=1"), BlockSizes::Fixed(k4));
    assert_eq!(block("bsrange=4k-8k bs=1k"), BlockSizes::Range { low: k4, high: k8 });
    assert_eq!(block("bsrange=4k-4k"), BlockSizes::Fixed(k4));
    assert_eq!(block("bssplit=4k/60:8k/40"), BlockSizes::Split(vec![(k8, 40), (k4, 60)]));
    assert_eq!(
        block("bssplit=4k/50:8k/:512/"),
        BlockSizes::Split(vec![(k8, 25), (Bytes(512), 25), (k4, 50)])
    );
    assert_eq!(block("bssplit=4k/:8k/:512/"), BlockSizes::Split(vec![(k4, 33), (k8, 33), (Bytes(512), 34)]));
    assert_eq!(block("bssplit=4k/100"), BlockSizes::Fixed(k4));
}

#[test]
fn alignment_is_the_smallest_block_unless_given() {
    let align = |options: &str| one(&format!("ioengine=null size=1m {options}")).jobs[0].align.read;
    assert_eq!(align("bsrange=1k-16k"), Bytes::kib(1));
    assert_eq!(align("bs=4k ba=64k"), Bytes::kib(64));
}

#[test]
fn either_end_of_the_mix_may_be_given() {
    let percent = |options: &str| one(&format!("ioengine=null size=1m bs=4k {options}")).jobs[0].read_percent;
    assert_eq!(percent("rw=randrw"), 50);
    assert_eq!(percent("rw=randrw rwmixread=70"), 70);
    assert_eq!(percent("rw=randrw rwmixwrite=10"), 90);
    assert_eq!(percent("rw=randrw rwmixread=30 rwmixwrite=30"), 70); // fio: 1779 of 2560 were reads
    assert_eq!(percent("rw=randrw rwmixwrite=30 rwmixread=30"), 30);
    let write = one("ioengine=null size=1m bs=4k rw=randrw rwmixread=0");
    assert!(
        write.jobs[0].rw.mix == Mix::ReadWrite
            && !write.jobs[0].uses(Direction::Read)
            && write.jobs[0].writes()
    );
}

#[test]
fn memory_is_buffers_and_histograms() {
    let memory = |options: &str| one(&format!("ioengine=null size=1g {options}")).jobs[0].memory;
    let histograms = Bytes::kib(17 * 3 * 2);
    assert_eq!(memory("bs=4k iodepth=16"), Bytes(16 * 4096 + histograms.0));
    assert_eq!(memory("bs=512 iodepth=16"), Bytes(16 * 4096 + histograms.0));
    assert_eq!(memory("bs=1m rw=randrw"), Bytes((2 << 20) + 2 * histograms.0));
    assert_eq!(memory("bs=4k rw=randread"), memory("bs=4k rw=randread filename=x")); // no map
    let with_map =
        memory("bsrange=4k-64k rw=randread").0 - memory("bsrange=4k-64k rw=randread norandommap").0;
    assert_eq!(with_map, (1 << 30) / 4096 / 8);
}

#[test]
fn memory_of_a_verification_has_its_list_its_threads_and_its_state() {
    let memory = |options: &str| {
        one(&format!("ioengine=io_uring filename=/dev/fioa size=1g bs=64k verify=crc32c {options}")).jobs[0]
            .memory
            .0
    };
    let (write, read) = (memory("rw=write"), memory("rw=read"));
    assert_eq!(write - read, 16_384 * 64, "what is written, of each block");
    assert_eq!(memory("rw=write verify_async=3") - write, 6 << 16);
    assert_eq!(memory("rw=read verify_async=3 iodepth=32") - memory("rw=read iodepth=32"), 32 << 16);
    assert_eq!(memory("rw=write verify_async=3 do_verify=0"), write, "nothing is checked");
    assert_eq!(memory("rw=read verify_state_load=1") - read, 16_384 * (64 + 32));
    assert_eq!(memory("rw=write verify_only=1 verify_state_load=1") - write, 16_384 * 32);
}

/// 16 GiB are there, and a simulated drive counts with the memory of its maps: 2.02 GB of a whole drive for consumers.
#[test]
fn simulated_drives_count_in_the_memory() {
    let said = |target: &str| -> Vec<String> {
        let plan = one(&format!("filename={target} rw=randread size=1m"));
        let about = plan.findings.into_iter().filter(|finding| finding.code == NO_MEMORY);
        about.map(|finding| finding.message).collect()
    };
    // A hard disk keeps no map, so nothing limits it.
    let fitting = ["sim:consumer", "sim:consumer,memory=8g", "sim:1024xconsumer/1000", "sim:consumer/64"];
    for fits in fitting.into_iter().chain(["sim:disk", "sim:4xdisk,raid=5,chunk=64k"]) {
        assert_eq!(said(fits), Vec::<String>::new(), "{fits}");
    }
    let asked = said("sim:consumer,memory=1t");
    assert!(
        asked[0].contains("memory=1 TiB is more than the 16 GiB") && asked[0].contains("it needs 1.88 GiB"),
        "{asked:?}"
    );
    let many = said(
        "sim:consumer:sim:consumer,blocks=1000:sim:consumer,blocks=1001:sim:consumer,blocks=1002:sim:consumer,blocks=1003:sim:consumer,blocks=1004:sim:consumer,blocks=1005:sim:consumer,blocks=1006:sim:consumer,blocks=1007",
    );
    assert!(
        many[0].contains("their simulated drives 16") && many[0].contains("15 GiB are available"),
        "{many:?}"
    );
}

/// 16 GiB are there.
#[test]
fn a_plan_that_does_not_fit_into_the_memory_is_told() {
    let said = |options: &str| {
        let plan = one(&format!("ioengine=null {options}"));
        plan.findings.into_iter().find(|finding| finding.code == NO_MEMORY).map(|finding| finding.message)
    };
    let message = said("size=1g bs=1m iodepth=1000 numjobs=64").unwrap();
    assert!(message.contains("62.51 GiB") && message.contains("16 GiB"), "{message}");
    assert!(said("size=1p bsrange=4k-64k rw=randread").unwrap().contains("32 GiB"));
    for fits in ["size=1p bs=4k rw=randread", "size=1g bs=1m iodepth=100", "size=1p bsrange=4k-64k rw=read"] {
        assert_eq!(said(fits), None, "{fits}");
    }
}

#[test]
fn fios_habits_are_one_at_a_time_unless_the_job_names_a_batch() {
    let job = |options: &str| one(&format!("ioengine=null size=1m bs=4k iodepth=8 {options}")).jobs.remove(0);
    let limits = |job: &PlannedJob| (job.depth.submit_batch, job.depth.complete_min, job.depth.complete_max);
    assert!(!job("bs=4k").compat_fio && !job("compat=none").compat_fio && job("compat=fio").compat_fio);
    for (options, expected) in [
        ("compat=none", (None, None, None)),
        ("compat=fio", (Some(1), Some(1), Some(1))),
        ("compat=fio iodepth_batch=4", (Some(4), Some(1), Some(1))),
        ("compat=fio iodepth_batch=0", (Some(8), Some(1), Some(1))),
        ("compat=fio iodepth_batch_complete_min=2", (Some(1), Some(2), Some(2))),
        ("compat=fio iodepth_batch_complete_max=6", (Some(1), Some(1), Some(6))),
        ("compat=fio iodepth_batch_complete_min=0", (Some(1), Some(0), Some(1))),
    ] {
        assert_eq!(limits(&job(options)), expected, "{options}");
    }
    // fio counts batches by its own queue, though the kernel keeps none.
    let buffered = |options: &str| {
        one(&format!("ioengine=libaio filename=f size=1m bs=4k iodepth=8 {options}")).jobs[0].depth.reachable
    };
    assert_eq!((buffered("compat=none"), buffered("compat=fio")), (1, 8));
}

#[test]
fn offload_of_a_synchronous_engine_needs_threads_that_a_worker_has_not() {
    let offloaded = "io_submit_mode=offload size=1m bs=4k";
    let error = error_of(&format!("ioengine=psync filename=f iodepth=4 {offloaded}"));
    assert_eq!(error.code, "offload-needs-pool");
    assert_eq!(error.hints, ["numjobs=4 with iodepth=1, or ioengine=io_uring"]);
    let fits = |options: &str| one(&format!("filename=f {offloaded} {options}")).jobs[0].depth.reachable;
    assert_eq!((fits("ioengine=psync"), fits("ioengine=io_uring iodepth=4")), (1, 4));
    assert_eq!(fits("ioengine=libaio iodepth=4"), 1, "that has its own warning");
}

/// The kernel joins neighbours of one call to larger requests: those that reach it as a sequence, past the page cache.
#[test]
fn jobs_whose_ios_may_be_joined_are_known() {
    let has = |options: &str| {
        one(&format!("filename=/dev/fioa bs=4k iodepth=16 {options}")).jobs[0].has_neighbours()
    };
    for (options, expected) in [
        ("ioengine=libaio direct=1 rw=read", true),
        ("ioengine=io_uring direct=1 rw=rw", true),
        ("ioengine=libaio direct=1 rw=randread", false),
        ("ioengine=libaio direct=1 rw=randread percentage_random=50", true),
        ("ioengine=libaio direct=1 rw=randread:8", true),
        ("ioengine=libaio direct=1 rw=randwrite zonemode=zbd zonesize=1m", true),
        ("ioengine=io_uring rw=read", false),
        ("ioengine=null size=1g direct=1 rw=read", false),
    ] {
        assert_eq!(has(options), expected, "{options}");
    }
}
