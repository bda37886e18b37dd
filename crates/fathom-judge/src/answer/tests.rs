//! What the answer says of synthetic runs.

use crate::fixture::AnswerWords;
use crate::fixture::{DirectionLoad, RunBuilder, disk};
use crate::judge;
use fathom_job::direction::Direction;
use fathom_results::{EndedBy, Incomplete, JobFailure, Phase, RoundRecord, RunEnd, RunResult, TrustLevel};

const READS: &str = "rw=randread bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";
const WRITES: &str = "rw=randwrite bs=4k ioengine=io_uring direct=1 iodepth=8 filename=/data/f";

/// Reads that keep eight in flight.
pub(super) const FLOW: DirectionLoad = DirectionLoad::reads(40_000, 4096, 199_000);

const fn by_ctrl_c() -> Incomplete {
    Incomplete::Ended { by: RunEnd::Interrupted, message: None }
}

fn reads(seconds: usize) -> RunBuilder {
    on_disk(RunBuilder::of(READS).all(seconds, FLOW))
}

pub(super) fn on_disk(scene: RunBuilder) -> RunBuilder {
    let facts = [
        ("disk", "sda"),
        ("is_virtual_disk", "false"),
        ("model", "DISK 9"),
        ("size_bytes", "480000000000"),
        ("kind", "scsi"),
    ];
    facts.into_iter().fold(scene, |scene, (name, value)| scene.fact(&format!("target./data/f.{name}"), value))
}

pub(super) fn judged(mut run: RunResult, command: &[&str]) -> AnswerWords {
    run.record.command = command.iter().map(|word| (*word).to_owned()).collect();
    judge(&mut run, &crate::fixture::OWN);
    AnswerWords::of(&run.record.answer.unwrap())
}

pub(super) const RUN: [&str; 3] = ["fathom", "run", "job.fio"];

#[test]
fn a_long_sound_run_is_trusted_and_repeated() {
    let answer = judged(reads(60).run(), &RUN);
    assert_eq!(answer.measured, "DISK 9, 480 GB, SATA, SAS or USB (/dev/sda); 1 GiB of /data/f");
    assert_eq!(answer.result, "40.0k IOPS, 164 MB/s, mean 199 µs, p99 199 µs");
    assert_eq!(answer.trust.level, TrustLevel::High, "{answer:#?}");
    assert_eq!(answer.trust.reason, "60 s or more of each job, and no rule found a reason against it");
    assert_eq!(answer.limit.as_deref(), Some("the device"));
    let [evidence] = answer.limit_evidence.as_slice() else { panic!("{answer:#?}") };
    assert!(evidence.starts_with("The device (") && evidence.contains("in flight"), "{evidence}");
    assert_eq!(answer.next.command, "fathom run --repeat 5 job.fio");
    assert_eq!((answer.instead, answer.class), (None, None));
}

#[test]
fn a_run_of_less_than_a_second_is_given_in_milliseconds() {
    let window = [DirectionLoad::reads(8_800, 4096, 199_000)];
    let short = on_disk(RunBuilder::of(READS).window(0, Phase::Measure, 220_000_000, &window));
    let reason = judged(short.run(), &RUN).trust.reason;
    assert!(reason.starts_with("220 ms is short"), "{reason}");
}

#[test]
fn the_sync_of_each_write_is_told_with_it() {
    let of = |options: &str| {
        let flow = DirectionLoad::writes(5_000, 4096, 111_000);
        judged(RunBuilder::of(options).all(60, flow).syncs(300_000).run(), &RUN).result
    };
    const SYNCED: &str = "rw=write bs=4k ioengine=psync direct=1 fdatasync=1 filename=/data/f";
    assert_eq!(
        of(SYNCED),
        "5.00k IOPS, 20.5 MB/s; each write and its sync take 211 µs: write mean 111 µs, sync mean 100 µs"
    );
    assert!(of(&SYNCED.replace("fdatasync=1", "fdatasync=8")).ends_with(", mean 111 µs, p99 111 µs"));
}

#[test]
fn a_short_time_and_writes_are_never_trusted_highly() {
    let short = judged(reads(10).run(), &RUN);
    assert_eq!(short.trust.level, TrustLevel::Medium);
    assert!(short.trust.reason.starts_with("10 s is short"), "{short:#?}");
    let writes =
        |seconds| on_disk(RunBuilder::of(WRITES).all(seconds, DirectionLoad::writes(40_000, 4096, 199_000)));
    let minute = judged(writes(60).run(), &RUN);
    assert_eq!(minute.trust.level, TrustLevel::Medium);
    assert!(minute.trust.reason.starts_with("writes of only 60 s, which"), "{minute:#?}");
    assert_eq!(judged(writes(600).run(), &RUN).trust.level, TrustLevel::High);
}

#[test]
fn few_writes_are_told_behind_a_worse_reason_and_before_a_lesser_one() {
    let bare = || RunBuilder::of(WRITES).all(10, DirectionLoad::writes(40_000, 4096, 199_000));
    let writes = || on_disk(bare());
    let others = judged(writes().disk(disk("sda", 9_000_000_000, 1_638_400_000)).run(), &RUN);
    assert_eq!(others.trust.reason, "other programs used the disk too; also writes of only 10 s");
    let on_virtual = on_disk(bare().fact("target./data/f.is_virtual_disk", "true"));
    let on_virtual = judged(on_virtual.run(), &RUN);
    let told = "writes of only 10 s, which a cache may hold";
    assert_eq!(on_virtual.trust.reason, format!("{told}; also the disk is virtual"), "{on_virtual:#?}");
    let mut cut = writes().run();
    cut.incomplete = Some(by_ctrl_c());
    let cut = judged(cut, &RUN).trust.reason;
    assert_eq!(cut, "the run is incomplete: interrupted (SIGINT); also writes of only 10 s");
}

#[test]
fn milliseconds_are_no_rate() {
    let scene = RunBuilder::of(READS).window(
        0,
        fathom_results::Phase::Measure,
        3_000_000,
        &[DirectionLoad::reads(2_560, 4096, 9_000)],
    );
    let answer = judged(on_disk(scene).run(), &RUN);
    assert_eq!(answer.result, "2,560 I/Os in 3 ms, which is too short for a rate");
    assert_eq!(
        (answer.trust.level, answer.trust.reason.as_str()),
        (TrustLevel::Low, "less than 100 ms is too short for a rate; also too few I/Os for a reliable p99.9")
    );
}

#[test]
fn the_most_serious_doubt_is_told_and_then_the_others() {
    let mut scene = RunBuilder::of(READS);
    for ios in [40_000, 9_000, 40_000, 9_000, 40_000] {
        scene = scene.seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 199_000)]);
    }
    let answer = judged(on_disk(scene).run(), &RUN);
    assert_eq!(answer.trust.level, TrustLevel::Low);
    assert!(answer.trust.reason.starts_with("the rate was not steady"), "{answer:#?}");
    assert!(answer.trust.reason.ends_with("; also the queue was not kept full"), "{answer:#?}");
}

#[test]
fn what_others_did_on_the_disk_takes_the_place_of_the_result() {
    let answer = judged(reads(60).disk(disk("sda", 30_000_000_000, 90_000_000_000)).run(), &RUN);
    let instead = answer.instead.unwrap();
    assert!(
        instead.starts_with(
            "Other programs used the same disk meanwhile: others read 20.2 GB and wrote 90.0 GB on sda"
        ),
        "{instead}"
    );
    assert_eq!((answer.trust.level, answer.class), (TrustLevel::Low, None));
    assert_eq!(answer.next.command, "fathom run job.fio");
}

#[test]
fn a_little_of_others_lowers_the_trust_and_failed_writes_are_not_of_others() {
    let moved = 40_000 * 4096 * 60;
    let device = RunBuilder::of(&READS.replace("/data/f", "/dev/sda")).all(60, FLOW);
    let device = device.fact("target./dev/sda.disk", "sda").fact("target./dev/sda.is_virtual_disk", "false");
    let mut run = device.disk(disk("sda", moved + moved / 50, 0)).run();
    run.jobs[0].planned.files[0].is_written = true;
    let little = judged(run, &RUN);
    assert_eq!((little.instead.as_deref(), little.trust.level), (None, TrustLevel::Medium));
    assert!(little.trust.reason.starts_with("other programs used the disk during the run"), "{little:#?}");
    let failing = DirectionLoad { errors: 9_000, ..DirectionLoad::writes(40_000, 4096, 199_000) };
    let scene = on_disk(RunBuilder::of(WRITES).all(10, failing)).disk(disk("sda", 0, 49_000 * 4096 * 10));
    let answer = judged(scene.run(), &RUN);
    assert_eq!(answer.instead, None);
    assert_eq!(
        Some(answer.trust.reason.as_str()),
        Some(
            "I/Os failed and the run went on; also writes of only 10 s; also the kernel counted 23 % more written data \
             than fathom moved"
        )
    );
}

#[test]
fn the_number_of_failed_ios_comes_first() {
    let failing = DirectionLoad { errors: 119_999, ..FLOW };
    let sound = judged(on_disk(RunBuilder::of(READS).all(60, failing)).run(), &RUN);
    assert!(
        sound.result.starts_with("7,199,940 of 9,599,940 I/Os of t failed; 40.0k IOPS, 164 MB/s, mean"),
        "{sound:#?}"
    );
    assert_eq!(sound.next.command, "fathom report --details test");
    let round = RoundRecord { procedure: "ofall".to_owned(), ..RoundRecord::default() };
    let mut of_a_round = on_disk(RunBuilder::of(READS).all(60, failing)).run();
    of_a_round.record.round = Some(round);
    assert_eq!(judged(of_a_round, &RUN).next.command, "fathom report --details ofall");
    // Beside another doubt too.
    let looped = RunBuilder::of(&READS.replace("/data/f", "/dev/loop7")).all(60, failing);
    let looped = judged(looped.fact("target./dev/loop7.disk", "loop7").run(), &RUN);
    let instead = looped.instead.unwrap();
    let begin = "7,199,940 of 9,599,940 I/Os of t failed. A loop device was measured";
    assert!(instead.starts_with(begin) && !looped.result.contains("failed"), "{instead}");
    assert_eq!(looped.next.command, "fathom report --details test");
}

#[test]
fn failed_ios_of_one_of_two_jobs_name_it() {
    let text =
        "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\niodepth=8\nfilename=/data/f\n[a]\n[b]\n";
    let scene = RunBuilder::text(text).seconds(0, 30, &[FLOW]);
    let scene = scene.seconds(1, 30, &[DirectionLoad { errors: 1, ..FLOW }]);
    let result = judged(scene.run(), &RUN).result;
    assert!(result.starts_with("30 of 1,200,030 I/Os of b failed; a: 40.0k IOPS"), "{result}");
}

#[test]
fn a_job_that_was_cut_is_not_complete_and_the_interruption_is_first() {
    let text = "[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n\
                [a]\n[b]\nstonewall\n[c]\nstonewall\n";
    let scene = RunBuilder::text(text).seconds(0, 10, &[FLOW]).seconds(1, 3, &[FLOW]);
    let mut run = on_disk(scene).run();
    run.jobs[1].outcome.as_mut().unwrap().ended_by = EndedBy::Interrupt;
    run.incomplete = Some(by_ctrl_c());
    let jobs = judged(run, &RUN).jobs;
    let told = "interrupted (SIGINT): 1 of 3 jobs is complete, of 10 s; b was cut after 3 s";
    assert_eq!(jobs.as_deref(), Some(told));
}

#[test]
fn reads_of_blocks_that_may_never_have_been_written_are_a_named_reason() {
    let device = |scene: RunBuilder| {
        let scene = scene.fact("target./dev/sda.disk", "sda");
        scene.fact("target./dev/sda.is_virtual_disk", "false").fact("target./dev/sda.model", "DISK 9")
    };
    let reads = READS.replace("/data/f", "/dev/sda");
    let first = judged(device(RunBuilder::of(&reads).all(10, FLOW)).run(), &RUN).trust.reason;
    let unknown = "the blocks that were read were perhaps never written";
    assert_eq!(first, format!("{unknown}; also 10 s is short"));
    let moved = 40_000 * 4096 * 10;
    let scene = device(RunBuilder::of(&reads).all(10, FLOW)).disk(disk("sda", 9 * moved, 0));
    let behind = judged(scene.run(), &RUN).trust.reason;
    assert_eq!(behind, format!("other programs used the disk too; also {unknown}; also 10 s is short"));
    let mut known = device(RunBuilder::of(&reads).all(60, FLOW)).run();
    known.jobs[0].planned.files[0].is_written = true;
    assert_eq!(judged(known, &RUN).trust.level, TrustLevel::High);
}

#[test]
fn memory_has_no_write_cache() {
    let scene = RunBuilder::of(WRITES).all(10, DirectionLoad::writes(40_000, 4096, 199_000));
    let answer = judged(scene.fact("target./data/f.fs_type", "tmpfs").run(), &RUN);
    assert!(answer.trust.reason.starts_with("no disk was measured"), "{answer:#?}");
    assert!(!format!("{answer:?}").contains("10 s of writes"), "{answer:#?}");
}

#[test]
fn the_device_of_two_files_is_told_once() {
    let text = "[global]\nbs=4k\nrw=randread\nioengine=psync\n[a]\nfilename=/data/f\n[b]\nfilename=/data/g\n\
                [c]\nfilename=/dev/sdb\n";
    let scene = (0..3).fold(RunBuilder::text(text), |scene, job| scene.seconds(job, 2, &[FLOW]));
    let scene = on_disk(scene).fact("target./data/g.disk", "sda").fact("target./data/g.model", "DISK 9");
    let scene = scene.fact("target./data/g.size_bytes", "480000000000").fact("target./data/g.kind", "scsi");
    let told = judged(scene.run(), &RUN).measured;
    let disk = "DISK 9, 480 GB, SATA, SAS or USB (/dev/sda)";
    assert_eq!(told, format!("{disk}; 1 GiB of /data/f for a · 1 GiB of /data/g for b · /dev/sdb for c"));
}

/// A loop device over a file, a file on a disk and a file in memory.
fn three_targets() -> RunBuilder {
    let text = "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\niodepth=8\nsize=64m\n\
                [looped]\nfilename=/dev/loop3\n[t10]\nfilename=/data/t10.dat\n[mem]\nfilename=/shm/m.dat\n";
    let scene = (0..3).fold(RunBuilder::text(text), |scene, job| scene.seconds(job, 40, &[FLOW]));
    let facts = [
        ("/dev/loop3.disk", "loop3"),
        ("/dev/loop3.disks", "loop3"),
        ("/dev/loop3.kind", "loop"),
        ("/dev/loop3.loop_direct_io", "false"),
        ("/dev/loop3.size_bytes", "268435456"),
        ("/data/t10.dat.disk", "vda"),
        ("/data/t10.dat.disks", "vda"),
        ("/data/t10.dat.kind", "paravirtual"),
        ("/data/t10.dat.size_bytes", "275000000000"),
        ("/data/t10.dat.fs_type", "ext4"),
        ("/shm/m.dat.fs_type", "tmpfs"),
    ];
    facts.into_iter().fold(scene, |scene, (name, value)| scene.fact(&format!("target.{name}"), value))
}

#[test]
fn each_target_has_its_own_facts() {
    let answer = judged(three_targets().run(), &RUN);
    assert_eq!(
        answer.measured,
        "loop device, 268 MB (/dev/loop3) for looped · \
         virtual disk, 275 GB (/dev/vda); 64 MiB of /data/t10.dat on ext4 for t10 · \
         64 MiB of /shm/m.dat on tmpfs for mem"
    );
    assert_eq!(
        answer.instead.as_deref(),
        Some("mem: memory was measured, not a disk; looped: a loop device was measured, not a disk")
    );
    let limit = answer.limit.unwrap();
    assert_eq!(
        limit,
        "looped: the page cache behind the loop device; t10: a rate limit, probably of the hypervisor or the volume; \
         mem: memory, not a disk"
    );
}

#[test]
fn what_is_true_of_some_jobs_names_them() {
    let text = "[global]\nbs=4k\nrw=randread\nioengine=io_uring\ndirect=1\niodepth=8\nsize=64m\n\
                [a]\nfilename=/data/a\n[b]\nfilename=/shm/b\n[c]\nfilename=/shm/b\n[d]\nfilename=/shm/b\n";
    let scene = (0..4).fold(RunBuilder::text(text), |scene, job| scene.seconds(job, 40, &[FLOW]));
    let facts = [("/data/a.disk", "sda"), ("/data/a.fs_type", "ext4"), ("/shm/b.fs_type", "tmpfs")];
    let scene = facts.into_iter().fold(scene, |scene, (n, v)| scene.fact(&format!("target.{n}"), v));
    // Only the I/O of the job on the disk is compared with what the disk counted.
    let answer = judged(scene.disk(disk("sda", 40_000 * 4096 * 40, 0)).run(), &RUN);
    let instead = answer.instead.unwrap();
    assert!(
        instead.starts_with("3 of 4 jobs: memory was measured, not a disk: the filesystem is tmpfs"),
        "{instead}"
    );
    assert!(answer.trust.reason.starts_with("3 of 4 jobs: no disk was measured"), "{:?}", answer.trust);
}

#[test]
fn reads_of_others_beside_a_cached_job_are_not_its_own() {
    let job = "rw=randread bs=4k ioengine=psync filename=/data/f size=64m";
    let mut run = on_disk(RunBuilder::of(job).all(60, FLOW)).disk(disk("sda", 6_000_000_000, 0)).run();
    run.record.plan.jobs[0].files[0].size = fathom_job::units::Bytes::mib(64);
    let answer = judged(run, &["fathom", "run", "job.fio"]);
    let instead = answer.instead.unwrap();
    assert!(instead.ends_with("9.83 GB read; sda saw 6.00 GB in all"), "{instead}");
    let told = "[foreign-io]: sda saw 6.00 GB read, 5.93 GB more than the files of the jobs hold.";
    assert!(answer.reasons.iter().any(|reason| reason.contains(told)), "{:#?}", answer.reasons);
}

#[test]
fn a_mapping_is_the_page_cache_whatever_the_job_asks_for() {
    let job = "rw=randread bs=4k ioengine=mmap direct=1 filename=/data/f";
    let answer = judged(on_disk(RunBuilder::of(job).all(60, FLOW)).disk(disk("sda", 4096, 0)).run(), &RUN);
    assert!(answer.instead.unwrap().starts_with("The page cache was measured"));
    assert_eq!(answer.next.command, "fathom run --set ioengine=psync --set direct=1 job.fio");
}

/// A longer run of the same jobs would measure the page cache again.
#[test]
fn a_short_job_that_the_page_cache_answered_is_advised_to_go_past_it() {
    let job = "rw=randread bs=4k ioengine=psync filename=/data/f size=64m";
    let scene = on_disk(RunBuilder::of(job)).window(0, Phase::Measure, 300_000_000, &[FLOW]);
    let answer = judged(scene.ended_by(EndedBy::Size).disk(disk("sda", 4096, 0)).run(), &RUN);
    assert!(answer.instead.unwrap().starts_with("The page cache was measured"));
    let longer = "fathom run --set direct=1 --set time_based=1 --set runtime=30s job.fio";
    assert_eq!(answer.next.command, longer);
}

#[test]
fn without_a_target_only_fathom_is_measured() {
    let null = RunBuilder::of("rw=randread bs=4k ioengine=null iodepth=8 size=1g");
    let answer = judged(null.all(60, DirectionLoad::reads(1_000_000, 4096, 60)).run(), &RUN);
    let told = "Only fathom itself was measured, and no disk: the engine null does no I/O";
    assert_eq!(answer.instead.as_deref(), Some(told));
    assert_eq!(answer.trust.level, TrustLevel::Low);
    assert!(answer.trust.reason.starts_with("no disk was measured"), "{:?}", answer.trust);
}

#[test]
fn as_many_reasons_are_listed_as_the_answer_counts() {
    let short = RunBuilder::of("rw=randread bs=4k ioengine=psync direct=1 filename=/data/f");
    let short = judged(on_disk(short.all(1, FLOW)).run(), &RUN);
    for answer in [short, judged(three_targets().run(), &RUN)] {
        let counted =
            answer.trust.reason.rsplit_once(" (").map_or(0, |(_, rest)| {
                rest.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or_default()
            });
        let named = answer.trust.reason.matches("; also ").count();
        assert_eq!(answer.reasons.len(), counted + named + 1, "{answer:#?}");
        for reason in &answer.reasons {
            let is_capital = reason.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            assert!(is_capital && reason.ends_with('.'), "{reason}");
        }
    }
}

#[test]
fn after_an_error_of_the_device_the_kernel_is_asked() {
    let mut run = reads(10).run();
    let failure = JobFailure { errno: 5, message: "I/O error".to_owned(), direction: None, offset: None };
    run.jobs[0].outcome.as_mut().unwrap().failure = Some(failure);
    assert_eq!(judged(run, &RUN).next.command, "sudo dmesg --level=err,warn");
}

/// fio gives the errors of these rules the errno of a device, and the kernel has nothing to say about them.
#[test]
fn after_a_rule_of_the_job_itself_it_goes_on_without_it() {
    for (errno, option) in [(5, "rate_min"), (5, "rate_iops_min"), (110, "max_latency")] {
        let job = format!("rw=randread bs=4k ioengine=psync direct=1 runtime=30s time_based {option}=1000");
        let mut run = on_disk(RunBuilder::of(&format!("{job} filename=/data/f")).all(10, FLOW)).run();
        let (direction, message) = (Some(Direction::Read), "below the least that is asked".to_owned());
        let failure = JobFailure { errno, message, direction, offset: None };
        run.jobs[0].outcome.as_mut().unwrap().failure = Some(failure.clone());
        assert_eq!(judged(run.clone(), &RUN).next.command, format!("fathom run --set {option}=0 job.fio"));
        run.jobs[0].outcome.as_mut().unwrap().failure = Some(JobFailure { offset: Some(4096), ..failure });
        assert_eq!(
            judged(run, &RUN).next.command,
            "sudo dmesg --level=err,warn",
            "an I/O of the device failed"
        );
    }
}

#[test]
fn a_failure_and_an_interruption_are_the_reason() {
    let failed = judged(RunBuilder::of(READS).failed("cannot open /data/f: permission denied").run(), &RUN);
    assert_eq!(failed.instead.as_deref(), Some("The job failed: cannot open /data/f: permission denied"));
    assert_eq!(failed.next.command, "fathom devices");
    let mut cut = reads(60).run();
    cut.incomplete = Some(by_ctrl_c());
    let cut = judged(cut, &RUN);
    assert_eq!(cut.trust.reason, "the run is incomplete: interrupted (SIGINT)");
    assert_eq!(cut.next.command, "fathom run job.fio");
}

#[test]
fn a_failed_run_tells_what_was_measured_until_then() {
    let buffered = "rw=randread bs=4k ioengine=psync direct=0 filename=/data/f";
    let scene = on_disk(RunBuilder::of(buffered).all(10, FLOW)).disk(disk("sda", 4096, 0));
    let mut run = scene.run();
    let failure = JobFailure { errno: 5, message: "I/O error".to_owned(), direction: None, offset: None };
    run.jobs[0].outcome.as_mut().unwrap().failure = Some(failure);
    let failed = judged(run, &RUN);
    assert_eq!(failed.instead.as_deref(), Some("The job failed: I/O error"));
    assert_eq!(
        failed.trust.reason,
        "the figures cover the time before the failure, and memory is part of these figures; also two ways to \
         count differ; also 10 s is short; also more I/Os in flight than the depth allows"
    );
}

#[test]
fn counts_that_differ_are_told_in_one_number() {
    let most = 40_000 * 4096 * 60;
    let answer = judged(reads(60).disk(disk("sda", most * 97 / 100, 0)).run(), &RUN);
    assert_eq!(answer.trust.reason, "the kernel counted 3.0 % less read data than fathom moved");
}

#[test]
fn a_suggestion_gives_no_consent_and_keeps_the_rest() {
    let command = [
        "/opt/fathom",
        "run",
        "--destroy",
        "S3RIAL",
        "my job.fio",
        "--overwrite=f",
        "--output",
        "out",
        "--set",
        "bs=8k",
    ];
    let answer = judged(reads(60).run(), &command);
    assert_eq!(answer.next.command, "fathom run --repeat 5 'my job.fio' --set bs=8k");
    assert!(
        answer.next.why.ends_with("; it writes as before, and fathom first says which option allows it"),
        "{answer:#?}"
    );
}

#[test]
fn a_rate_that_may_be_far_off_says_so() {
    let mut scene = RunBuilder::of(READS);
    for ios in [40_000, 9_000, 12_000, 39_000, 40_000, 2_000, 41_000, 5_000].into_iter().cycle().take(24) {
        scene = scene.seconds(0, 1, &[DirectionLoad::reads(ios, 4096, 199_000)]);
    }
    let answer = judged(on_disk(scene).run(), &RUN);
    assert!(answer.result.starts_with("23.5k IOPS (± "), "{answer:#?}");
    assert!(!judged(reads(10).run(), &RUN).result.contains('±'));
}

#[test]
fn a_rate_that_is_less_than_its_uncertainty_has_none_beside_it() {
    let mut scene = RunBuilder::of(READS);
    for ios in [4_000, 0, 0, 0, 900, 0, 0, 0, 0, 0].into_iter().cycle().take(30) {
        let reads = vec![DirectionLoad::reads(ios, 4096, 199_000); usize::from(ios > 0)];
        scene = scene.seconds(0, 1, &reads);
    }
    let answer = judged(on_disk(scene).run(), &RUN);
    let told = "490 IOPS (too different from window to window for a mean)";
    assert!(answer.result.starts_with(told), "{answer:#?}");
}

#[test]
fn an_interrupted_quick_is_repeated_as_it_was() {
    let mut cut = reads(60).run();
    cut.incomplete = Some(by_ctrl_c());
    let cut = judged(cut, &["fathom", "quick", "--seconds", "3", "/data"]);
    assert_eq!(cut.next.command, "fathom quick --seconds 3 /data");
    let foreign = reads(60).disk(disk("sda", 30_000_000_000, 90_000_000_000)).run();
    let foreign = judged(foreign, &["fathom", "quick", "--seconds", "3", "/data"]);
    assert_eq!(foreign.next.command, "fathom quick /data", "three seconds tell little beside others");
}

/// A drive whose write cache is full after twelve seconds: the answer is the rate that lasts, and what was before it.
#[test]
fn a_rate_that_fell_is_answered_with_what_lasts() {
    let job = "rw=write bs=1m ioengine=libaio iodepth=8 direct=1 time_based=1 runtime=20s filename=/data/f";
    let scene = (0..20_u64).fold(on_disk(RunBuilder::of(job)), |scene, second| {
        let ios = if second < 12 { 3_000 } else { 400 } + second % 3;
        scene.seconds(0, 1, &[DirectionLoad::writes(ios, 1 << 20, 2_000_000)])
    });
    let run = scene.run();
    let told = judged(run.clone(), &RUN);
    let lasting = "420 MB/s (401 IOPS) from second 12 on (3.15 GB/s before, for 37.8 GB), mean ";
    assert!(
        told.result.starts_with(lasting) && told.result.ends_with(" of the whole run"),
        "{}",
        told.result
    );
    assert!(!told.result.contains('±'), "{}", told.result);
    let reason = "The rate fell during the run, so its mean is that of two rates [rate-fell]: t: fell from 3.15 GB/s to 420 MB/s \
                  at second 12, after 37.8 GB.";
    assert!(told.reasons.iter().any(|it| it.starts_with(reason)), "{:?}", told.reasons);
    assert_eq!(told.trust.level, TrustLevel::Low);
    assert_eq!(told.next.command, "fathom run --set runtime=80s job.fio");
    let mut steady = run;
    steady.jobs[0].outcome.as_mut().unwrap().ended_by = EndedBy::Steady;
    assert_eq!(
        judged(steady, &RUN).next.command,
        "fathom run --set ramp_time=20s job.fio",
        "it would end as early"
    );
    assert!(told.reasons.iter().all(|it| !it.contains("[unstable]")), "{:?}", told.reasons);
}

#[test]
fn a_longer_run_is_advised_only_where_it_makes_the_short_jobs_longer() {
    let options = "[global]\nbs=4k\nrw=randread\nioengine=psync\ndirect=1\nfilename=/data/f\n";
    let next = |sections: &str, seconds: [usize; 2], ended_by: [EndedBy; 2]| {
        let scene = RunBuilder::text(&format!("{options}{sections}"));
        let scene = scene.seconds(0, seconds[0], &[FLOW]).after(1, 60_000_000_000);
        let mut run = on_disk(scene.seconds(1, seconds[1], &[FLOW])).run();
        for (job, rule) in run.jobs.iter_mut().zip(ended_by) {
            job.outcome.as_mut().unwrap().ended_by = rule;
        }
        judged(run, &RUN).next.command
    };
    let repeat = "fathom run --repeat 5 job.fio";
    let timed = "time_based\nruntime=60\n[a]\n[b]\nstonewall\n";
    let (time, steady, goal) = (EndedBy::Time, EndedBy::Steady, EndedBy::Goal);
    assert_eq!(next(timed, [2, 5], [goal, steady]), repeat, "neither ended because its time was over");
    assert_eq!(next(timed, [60, 5], [time, steady]), repeat);
    let mixed = "[a]\ntime_based\nruntime=5\n[b]\nstonewall\ntime_based\nruntime=90\n";
    let longer = |options: &str| format!("fathom run {options} job.fio");
    assert_eq!(next(mixed, [5, 90], [time, time]), longer("--set runtime=90s"), "b does not become shorter");
    let sized = "size=64m\n[a]\n[b]\nstonewall\n";
    let timed = "--set time_based=1 --set runtime=30s";
    assert_eq!(next(sized, [2, 2], [EndedBy::Size; 2]), longer(timed));
    let counted = longer(&format!("--set number_ios=0 {timed}"));
    assert_eq!(next(sized, [2, 2], [EndedBy::Ios; 2]), counted, "a number of I/Os ends it again");
}

/// 1 I/O in 4 s, because the rate is below a block: what disturbed the run is not what the reader needs.
#[test]
fn a_job_with_too_few_ios_is_advised_to_run_until_it_has_enough() {
    let next = |ios: u64, seconds: usize| {
        let job = "rw=read bs=4m ioengine=psync direct=1 rate=100k runtime=4s time_based filename=/data/f";
        let one = DirectionLoad::reads(ios, 4 << 20, 2_000_000);
        let rest = DirectionLoad::reads(0, 4 << 20, 2_000_000);
        let scene = on_disk(RunBuilder::of(job)).seconds(0, 1, &[one]).seconds(0, seconds - 1, &[rest]);
        judged(scene.run(), &RUN).next.command
    };
    assert_eq!(next(1, 4), "fathom run --set runtime=80s job.fio");
    assert_eq!(next(9, 4), "fathom run --set runtime=30s job.fio");
    assert_eq!(next(1, 200), "fathom run --repeat 5 job.fio", "more than an hour");
}

/// The doctor says what slows the CPUs of this machine, and nothing of a drive that is only simulated.
#[test]
fn a_simulated_drive_that_was_too_hot_is_no_case_for_the_doctor() {
    let scene = RunBuilder::of("rw=randread bs=4k ioengine=sim iodepth=8 filename=sim:thermal/64");
    let mut run = scene.all(10, FLOW).run();
    let outcome = run.jobs[0].outcome.as_mut().unwrap();
    outcome.notes.push(("sim.throttled_ns".to_owned(), "3000000000".to_owned()));
    let answer = judged(run, &["fathom", "quick", "sim:thermal/64"]);
    assert!(answer.next.command.starts_with("fathom quick --seconds 60"), "{:?}", answer.next);
}
