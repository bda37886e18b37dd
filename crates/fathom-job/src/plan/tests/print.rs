//! `--plan` as text and as JSON.

use super::*;

const TWO_STAGES: &str = "[fill]\nfilename=/data/new\nrw=write\nbs=1m\nsize=64m\nend_fsync=1\nrefill_buffers=1\n\
     [mix]\nstonewall\ndirectory=/data\nrw=randrw\nrwmixread=70\nbssplit=4k/60:8k/40,16k\nnumjobs=2\nnrfiles=2\n\
     size=100m\nramp_time=2\nruntime=9\nrandrepeat=0\nioengine=io_uring\niodepth=8\niodepth_batch=4\ndirect=1\n";

#[test]
fn a_vendor_job_explains_itself() {
    let text = include_str!("../../../../../examples/vsl/03-sequential-512-write-iops.fio");
    insta::assert_snapshot!(planned(text).explain(), @r#"
    /dev/fioa ×4  (stage 0, group 0)
      engine      libaio, direct, on CPU 1-4
      pattern     sequential write (a mix with 0 % reads)
      blocks      512 B
      depth       32; submits 16 at a time; waits for 16 completions; takes at most 16 at a time
      target      /dev/fioa (device, 1 GiB, 512-byte LBAs)
      region      clone  bytes         LBA        size
                  0-3    0-1073741823  0-2097151  1 GiB
      data        the same 128 buffers again, 16 bytes in each 512 changed; of it a target stores 100 %
                  if it compresses blocks, 100 % if it stores equal blocks once, 3.1 % if it finds
                  repeats anywhere
      ends        after 30 s; the region is repeated until then (time_based)
      phases      ramp 5 s → measure 30 s
      expected    35 s, 4 clones together; the bytes depend on the target
      memory      230 KiB each, 920 KiB in all

      total       1 job, 4 clones, 1 stage
      bytes       depend on the target
      time        35 s
      memory      920 KiB at once

    warning: /dev/fioa.0 and /dev/fioa.1 share 1 GiB of /dev/fioa (bytes 0 to 1073741823): its
        clones write the same LBAs in the same order, so a cache answers all but the first [V-43]
      hint: size=25% with offset_increment=25% gives each clone its own part

    note: job /dev/fioa writes the same random buffers over and over, a few bytes in each 512
        changed: a target that compresses or deduplicates can gain from it [V-50]
      hint: refill_buffers=1 writes fresh random data each time
    "#);
}

#[test]
fn phases_files_and_mixes_explain_themselves() {
    insta::assert_snapshot!(planned(TWO_STAGES).explain(), @r#"
    fill  (stage 0, group 0)
      engine      psync, buffered
      pattern     sequential write
      blocks      1 MiB
      depth       1
      syncs       fsync at the end, within the measured time
      target      /data/new (to be created)
      region      clone  bytes       LBA       size
                  0      0-67108863  0-131071  64 MiB
      data        random, new for each write: a target must store all of it
      ends        after 64 MiB (67108864 bytes)
      phases      measure to the end
      expected    64 MiB (67108864 bytes); the time depends on the target
      memory      1.1 MiB

    mix ×2  (stage 1, group 1)
      engine      io_uring, direct
      pattern     random mix, 70 % reads, 30 % writes (45 % of the bytes are reads), each block once a
                  pass
      blocks      read 60 % 4 KiB + 40 % 8 KiB, write 16 KiB
      depth       8; submits 4 at a time
      region      clone  bytes       LBA       size    target
                  0      0-52428799  0-102399  50 MiB  /data/mix.0.0 (to be created)
                  0      0-52428799  0-102399  50 MiB  /data/mix.0.1 (to be created)
                  1      0-52428799  0-102399  50 MiB  /data/mix.1.0 (to be created)
                  1      0-52428799  0-102399  50 MiB  /data/mix.1.1 (to be created)
      data        the same 16 buffers again, 16 bytes in each 512 changed; of it a target stores 97 % if
                  it compresses blocks, 100 % if it stores equal blocks once, less than 0.1 % if it
                  finds repeats anywhere
      ends        after 100 MiB (104857600 bytes) or 9 s, whichever comes first
      phases      layout: 200 MiB (209715200 bytes) to write first → ramp 2 s → measure at most 9 s
      expected    at most 200 MiB (209715200 bytes) after the ramp, 2 clones together; the bytes of the
                  ramp and the time depend on the target
      memory      463.12 KiB each, 926.25 KiB in all

      total       2 jobs, 3 clones, 2 stages
      layout      200 MiB to write first
      bytes       depend on the target
      time        depends on the target
      memory      1.1 MiB at once

    note: job mix writes the same random buffers over and over, a few bytes in each 512 changed: a
        target that compresses or deduplicates can gain from it [V-50]
      hint: refill_buffers=1 writes fresh random data each time

    note: job mix ends after 9 s or 100 MiB, whichever comes first [early-end]
      hint: time_based=1 repeats the region until the time is over
    "#);
}

/// What decides how safe written data is, and what a mix will be, is in the plan.
#[test]
fn syncs_and_real_mixes_are_lines_of_the_plan() {
    let told = |options: &str| one(&format!("filename=/dev/fioa bs=4k size=1m {options}")).explain();
    for (options, line) in [
        (
            "rw=write sync=1",
            "  syncs       each write returns when its data and the file's length are safe (O_SYNC)",
        ),
        ("rw=write sync=dsync", "  syncs       each write returns when its data is safe (O_DSYNC)"),
        ("rw=randrw fdatasync=1", "  syncs       fdatasync after each write"),
        (
            "rw=write fsync=32 end_fsync=1",
            "  syncs       fsync after every 32 writes; fsync at the end, within",
        ),
        (
            "rw=rw rwmixread=90 rate_iops=100,300",
            "  pattern     sequential mix, about 25 % reads, 75 % writes by their rates",
        ),
        (
            "rw=rw rwmixread=50 bs=4k,12k",
            "  pattern     sequential mix, 50 % reads, 50 % writes (25 % of the bytes are reads)",
        ),
        ("rw=rw rwmixread=70 rate_iops=100,", "  pattern     sequential mix, 70 % reads, 30 % writes\n"),
        ("rw=read direct=0", "psync, buffered"),
    ] {
        assert!(told(options).contains(line), "{options}: {}", told(options));
    }
    assert!(!told("rw=read sync=1").contains("syncs") && !told("rw=write").contains("syncs"));
}

#[test]
fn long_tables_are_cut_and_lines_stay_on_the_screen() {
    let text = one("filename=/dev/fioa bs=4k numjobs=100 size=1% offset_increment=1% bssplit=4k/10:8k/:512/ iodepth=9 rw=randrw rwmixread=1").explain();
    assert!(text.contains("… 76 more …"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
}

#[test]
fn paced_jobs_explain_themselves() {
    let text = "[a]\nioengine=null\nsize=4m\nbs=4k\nrw=randrw\nrandrepeat=0\nrate=1m,3m\nrate_process=poisson\n\
                rate_min=512k\nrate_cycle=2000\nmax_latency=,20ms\nthinktime=2ms\nthinktime_spin=500\n\
                thinktime_blocks=8\nthinktime_iotime=1s\nrate_ignore_thinktime=1\nflow=3\nflow_id=1\nflow_sleep=50\n\
                [b]\nstonewall\nioengine=null\nsize=4m\nbs=4k\niodepth=64\nrate_iops=512\ncompat=fio\n\
                [c]\nstonewall\nioengine=null\nsize=4m\nbs=4k\niodepth=64\nruntime=9\ntime_based\nrate_iops=1000\n\
                latency_target=5ms\nlatency_window=2s\nlatency_percentile=99.9\nlatency_run=1\n";
    let plan = planned(text);
    insta::assert_snapshot!(plan.explain(), @"
    a  (stage 0, group 0)
      engine      null, buffered
      pattern     random mix, about 25 % reads, 75 % writes by their rates, each block once a pass
      blocks      4 KiB
      depth       1
      rate        read 1 MiB/s, write 3 MiB/s; exponential gaps (Poisson); pauses are not made up for
      pauses      2 ms, 500 µs of it spinning, after 8 I/Os completed or 1 s, whichever comes first
      at least    read 512 KiB/s, write 512 KiB/s; judged over 2 s
      latency     write at most 20 ms
      flow        weight 3 in flow 1; waits 50 µs when ahead
      target      none
      region      clone  bytes      LBA     size
                  0      0-4194303  0-8191  4 MiB
      ends        after 4 MiB (4194304 bytes)
      phases      measure to the end
      expected    4 MiB (4194304 bytes); the time depends on the target
      memory      212 KiB

    b  (stage 1, group 1)
      engine      null, buffered
      pattern     sequential read
      blocks      4 KiB
      depth       64; submits 1 at a time; waits for 1 completion; takes at most 1 at a time; the same
                  calls as fio (compat=fio)
      rate        512 I/Os per second; even gaps
      target      none
      region      clone  bytes      LBA     size
                  0      0-4194303  0-8191  4 MiB
      ends        after 4 MiB (4194304 bytes)
      phases      measure to the end
      expected    4 MiB (4194304 bytes) in 2 s, at the rate asked
      memory      358 KiB

    c  (stage 2, group 2)
      engine      null, buffered
      pattern     sequential read
      blocks      4 KiB
      depth       64
      rate        1000 I/Os per second; even gaps
      search      the largest depth up to 64 that keeps 99.9 % of I/Os within 5 ms; judged over 2 s;
                  goes on adapting
      target      none
      region      clone  bytes      LBA     size
                  0      0-4194303  0-8191  4 MiB
      ends        after 9 s; the region is repeated until then (time_based)
      phases      measure 9 s
      expected    9 s; the bytes depend on the target
      memory      358 KiB

      total       3 jobs, 3 clones, 3 stages
      bytes       depend on the target
      time        depends on the target
      memory      358 KiB at once
    ");
}

#[test]
fn what_a_job_asks_beside_its_pattern_is_in_its_terms() {
    let terms = |options: &str| {
        let text =
            format!("[a]\nfilename=/data/new\nsize=1m\nioengine=libaio\ndirect=1\niodepth=4\n{options}");
        planned(&text).jobs[0].terms()
    };
    assert_eq!(terms("rw=read"), []);
    let expected = [
        ("rate", "read 500 I/Os per second, write 50 I/Os per second; even gaps"),
        (
            "priority",
            "idle, level 0; 20 % of the reads: real-time, level 3; 5 % of the writes: real-time, level 0",
        ),
        ("order", "some files more often than others, zipf with theta 1.1"),
        (
            "syncs",
            "fsync after every 16 writes; it covers the writes that are complete when it begins, not those in flight",
        ),
    ];
    let options = "rw=randrw\nrate_iops=500,50\nprioclass=3\ncmdprio_percentage=20,5\ncmdprio=3,0\n\
         file_service_type=zipf:1.1\nfsync=16\nnrfiles=4";
    assert_eq!(terms(options), expected.map(|(label, text)| (label, text.to_owned())));
    let expected =
        ("order", "a random file each time; stays with a file for 8 I/Os; at most 2 files open".to_owned());
    assert_eq!(terms("rw=read\nfile_service_type=random:8\nopenfiles=2\nnrfiles=4"), [expected]);
}

#[test]
fn the_share_of_random_io_is_in_the_pattern() {
    let pattern = |options: &str| {
        let text = format!("[a]\nfilename=/data/new\nsize=1m\n{options}");
        super::super::print_words::pattern(&planned(&text).jobs[0])
    };
    assert_eq!(
        pattern("rw=randread\npercentage_random=80"),
        "random read, 80 % of the I/Os at random, each other one where the last one ended, blocks may repeat"
    );
    assert!(
        pattern("rw=randrw\npercentage_random=80,0")
            .contains("80 % of the reads and 0 % of the writes at random")
    );
    assert!(!pattern("rw=randrw").contains("% of the I/Os"));
}

#[test]
fn a_load_on_a_cpu_has_neither_pattern_nor_target() {
    let text = "[global]\nfilename=/data/new\nrw=randwrite\nverify=md5\n[cpu]\nioengine=cpuio\ncpuload=120\ncpumode=qsort\n\
                runtime=5\n[b]\nioengine=cpuio\ncpuload=25\nexit_on_io_done=1\ncpuchunks=2000\n[io]\nsize=1m\n";
    let plan = planned(text);
    let [cpu, b, io, _] = &plan.jobs[..] else { panic!("{plan:?}") };
    assert!(cpu.burns_cpu() && !io.burns_cpu() && !cpu.writes() && cpu.pace.think.is_none());
    let pause = b.pace.think.as_ref().unwrap().pause;
    assert_eq!(pause, Nanos::millis(6), "2 ms of 8 ms are a quarter");
    let printed = plan.explain();
    assert!(printed.starts_with(
        "cpu  (stage 0, group 0)\n  engine      cpuio\n  load        100 % of a CPU, in burns of 50 ms that sort numbers\n  \
         ends        after 5 s\n  phases      measure 5 s\n\nb  "
    ));
    assert!(
        printed
            .contains("25 % of a CPU, in burns of 2 ms\n  ends        when all jobs with I/O have ended\n")
    );
}
