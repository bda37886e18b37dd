//! Verification on real files: what is damaged between writing and reading is found and named.

use crate::support::{self, Heard};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::{Sink, WrongBlock};
use fathom_job::direction::Direction;
use fathom_job::plan::Plan;
use fathom_results::{Frame, JobOutcome, Verification};
use fathom_verify::FaultKind;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

fn found(outcome: &JobOutcome) -> &Verification {
    outcome.verification.as_deref().unwrap_or_else(|| panic!("{outcome:?} verifies nothing"))
}

/// A sink that does something to the file before the jobs of a number start.
struct Saboteur<'a> {
    heard: Heard,
    before: &'a mut (dyn FnMut(usize) + Send),
}

impl Sink for Saboteur<'_> {
    fn frame(&mut self, frame: &Frame) {
        self.heard.frame(frame);
    }
    fn log(&mut self, chunk: LogChunk) {
        self.heard.log(chunk);
    }
    fn wrong_block(&mut self, block: &WrongBlock) {
        self.heard.wrong_block(block);
    }
    fn before_start(&mut self, jobs: &[usize]) {
        jobs.iter().for_each(|&job| (self.before)(job));
        self.heard.before_start(jobs);
    }
}

fn run(plan: Plan, before: &mut (dyn FnMut(usize) + Send)) -> Heard {
    let mut saboteur = Saboteur { heard: Heard::default(), before };
    support::run_plan(plan, &Arc::default(), &mut saboteur);
    saboteur.heard
}

fn change(path: &Path, at: u64, change: impl FnOnce(&mut [u8])) {
    let file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    let mut block = [0; 4096];
    file.read_exact_at(&mut block, at).unwrap();
    change(&mut block);
    file.write_all_at(&block, at).unwrap();
}

#[test]
fn what_was_damaged_between_writing_and_reading_is_named() {
    for engine in ["psync", "io_uring", "libaio", "posixaio", "mmap"] {
        for compat in ["", "compat=fio"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("f");
            let text = format!(
                "[global]\nfilename={}\nioengine={engine}\n{compat}\nbs=4k\nsize=1m\niodepth=4\nverify=crc32c\n\
                 [a]\nrw=write\ndo_verify=0\n[b]\nstonewall\nrw=randwrite\n",
                path.display()
            );
            let plan = support::planned(&text);
            assert_eq!(plan.jobs.len(), 3, "b is read back by a job of its own");
            let mut first = Vec::new();
            let heard = run(plan, &mut |job| match job {
                1 => first = std::fs::read(&path).unwrap(),
                2 => {
                    change(&path, 40 << 10, |block| block[1000] ^= 0x40);
                    change(&path, 80 << 10, |block| block.fill(0));
                    change(&path, 120 << 10, |block| block.copy_from_slice(&first[120 << 10..124 << 10]));
                    change(&path, 160 << 10, |block| {
                        block[2048..].copy_from_slice(&first[(160 << 10) + 2048..164 << 10])
                    });
                    change(&path, 200 << 10, |block| block.fill(0xe5));
                    let other = std::fs::read(&path).unwrap()[..4096].to_vec();
                    change(&path, 240 << 10, |block| block.copy_from_slice(&other));
                }
                _ => {}
            });
            let outcome = heard.outcome(2);
            let mut kinds: Vec<_> =
                found(outcome).faults.iter().map(|it| (it.fault.offset >> 10, it.fault.kind)).collect();
            kinds.sort_by_key(|it| it.0);
            let right = [
                (40, FaultKind::BitFlip { bits: 1, first: 1000 }),
                (80, FaultKind::Zeroed { bytes: 4096 }),
                (120, FaultKind::Stale { of_this_run: true }),
                (160, FaultKind::Torn { at: 2048 }),
                (200, FaultKind::Foreign),
                (240, FaultKind::Misplaced { belongs_at: 0 }),
            ];
            assert_eq!(kinds, right, "{engine} {compat}");
            let failure = outcome.failure.as_ref().expect("the job failed");
            assert_eq!(failure.errno, libc::EILSEQ);
            assert_eq!((found(outcome).ios, found(outcome).wrong), (256, 6), "all is read to the end");
        }
    }
}

/// The read of a backlog is not judged by a write that was issued while it was in flight.
#[test]
fn a_backlog_that_is_overwritten_meanwhile_raises_no_alarm() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let text = format!(
        "[j]\ndirectory={}\nioengine=io_uring\nrw=randwrite\nnorandommap\nbs=4k\nsize=64k\nio_size=32m\niodepth=16\n\
         verify=crc32c\nverify_backlog=8\n",
        dir.path().display()
    );
    let heard = support::run(&text);
    assert!(heard.outcomes.iter().all(|outcome| outcome.failure.is_none()), "{:?}", heard.outcomes);
    let found = found(heard.outcome(0));
    assert!(found.ios > 100, "{found:?}");
    let replaced = self::found(heard.outcome(1)).replaced;
    assert!(replaced > 1000, "{replaced}");
}

/// A job that ends all others when it has ended ends none of what reads back.
#[test]
fn what_is_read_back_is_not_cut_by_exitall() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let text = format!(
        "[global]\ndirectory={}\nrw=write\nbs=4k\nverify=crc32c\nexitall\nexit_what=all\n[a]\nsize=1m\n[b]\nsize=64m\n",
        dir.path().display()
    );
    let heard = support::run(&text);
    for job in [2, 3] {
        let outcome = heard.outcome(job);
        assert!(outcome.failure.is_none() && found(outcome).unchecked.not_read == 0, "{outcome:?}");
        assert!(found(outcome).ios > 0);
    }
    assert_eq!(found(heard.outcome(2)).ios, 256);
}

#[test]
fn a_later_run_checks_what_an_earlier_one_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let text = |more: &str| {
        format!(
            "[j]\nfilename={}\nioengine=psync\nrw=randwrite\nbssplit=4k/50:8k/50\nsize=1m\nverify=crc32c\n{more}",
            path.display()
        )
    };
    let clean = |heard: &Heard| heard.outcomes.iter().all(|outcome| outcome.failure.is_none());
    assert!(clean(&support::run(&text("do_verify=0"))));
    let written = std::fs::read(&path).unwrap();
    let heard = support::run(&text("verify_only=1"));
    assert!(clean(&heard), "{:?}", heard.outcomes);
    assert!(found(heard.outcome(1)).ios > 100);
    assert_eq!(std::fs::read(&path).unwrap(), written, "verify_only writes nothing");
    change(&path, 512 << 10, |block| block.fill(0));
    let heard = support::run(&text("verify_only=1"));
    assert_eq!(found(heard.outcome(1)).wrong, 1);
    // The blocks of an earlier run whose writes were lost are not taken for those of this one.
    let heard = run(support::planned(&text("")), &mut |job| {
        if job == 1 {
            std::fs::write(&path, &written).unwrap();
        }
    });
    let found = found(heard.outcome(1));
    assert!(found.wrong == found.bytes / 4096 && found.ios > 100, "{} of {}", found.wrong, found.ios);
    assert!(found.faults.iter().all(|it| it.fault.kind == FaultKind::Stale { of_this_run: false }));
}

#[test]
fn the_first_wrong_block_ends_a_job_that_asks_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let job = |rw: &str, more: &str| {
        format!("[j]\nfilename={}\nrw={rw}\nbs=4k\nsize=1m\nverify=md5\n{more}", path.display())
    };
    support::run(&job("write", "do_verify=0"));
    change(&path, 8 << 10, |block| block.fill(1));
    change(&path, 80 << 10, |block| block.fill(1));
    for (engine, depth) in [("psync", 1), ("io_uring", 8)] {
        let heard =
            support::run(&job("read", &format!("ioengine={engine}\niodepth={depth}\nverify_fatal=1")));
        let found = found(heard.outcome(0));
        assert!(found.wrong == 1 && found.ios < 20, "{engine}: {} in {}", found.wrong, found.ios);
    }
    let heard = support::run(&job("read", "ioengine=psync"));
    assert_eq!((found(heard.outcome(0)).wrong, found(heard.outcome(0)).ios), (2, 256));
}

/// Each option that says which writes are expected, with the writes that are then checked, and those that are in no sync.
#[test]
fn only_synced_writes_are_expected_where_the_job_says_so() {
    let cases = [
        ("fsync=5", 10, 2),
        ("fdatasync=4", 8, 4),
        ("fsync=5\nend_fsync=1", 12, 0),
        ("sync=1", 12, 0),
        ("", 0, 12),
    ];
    for engine in ["psync", "io_uring"] {
        for (options, checked, not_synced) in cases {
            let dir = tempfile::tempdir_in("/dev/shm").unwrap();
            let text = format!(
                "[j]\ndirectory={}\nioengine={engine}\nrw=write\nbs=4k\nsize=48k\nverify=crc32c\n\
                 verify_policy=fsynced\n{options}\n",
                dir.path().display()
            );
            let heard = support::run(&text);
            let found = found(heard.outcome(1));
            assert_eq!((found.ios, found.unchecked.not_synced), (checked, not_synced), "{text}");
            assert_eq!(heard.outcome(1).failure.is_some(), checked == 0, "what checks nothing fails");
        }
    }
}

#[test]
fn trimmed_blocks_must_read_as_zeros() {
    for (engine, backlog) in [("psync", "trim_backlog=16"), ("psync", ""), ("io_uring", "trim_backlog=64")] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let text = |more: &str| {
            format!(
                "[j]\nfilename={}\nioengine={engine}\nrw=write\nbs=4k\nsize=1m\nverify=crc32c\ntrim_percentage=50\n\
                 {backlog}\n{more}\n",
                path.display()
            )
        };
        let mut wrong = 0;
        let heard = run(support::planned(&text("")), &mut |job| {
            if job == 1 {
                let content = std::fs::read(&path).unwrap();
                let first = content.chunks(4096).position(|block| block.iter().all(|byte| *byte == 0));
                wrong = first.expect("a block was trimmed") as u64 * 4096;
                change(&path, wrong, |block| block[100] = 1);
            }
        });
        let trims = heard.moved(0, Direction::Trim).0;
        assert!((125..=131).contains(&trims), "half of 256 blocks: {trims}");
        let found = found(heard.outcome(1));
        assert_eq!((found.ios, found.wrong), (256, 1), "{engine} {backlog} {found:?}");
        let fault = &found.faults[0].fault;
        assert_eq!((fault.offset, fault.kind), (wrong, FaultKind::NotTrimmed { first: 100 }));

        let heard = support::run(&text("trim_verify_zero=0"));
        let found = self::found(heard.outcome(1));
        let trims = heard.moved(0, Direction::Trim).0;
        assert_eq!((found.ios, found.trimmed, found.wrong), (256 - trims, trims, 0), "they are not expected");
    }
}

#[test]
fn wrong_blocks_are_saved_with_what_was_expected() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let text = format!(
        "[j]\nfilename={}\nioengine=psync\nrw=write\nbs=4k\nsize=1m\nverify=crc32c\nverify_dump=1\nverify_async=1\n",
        path.display()
    );
    let mut written = Vec::new();
    let heard = run(support::planned(&text), &mut |job| {
        if job == 1 {
            written = std::fs::read(&path).unwrap();
            (0..20).for_each(|n| change(&path, n * 8192, |block| block[2000] ^= 1));
        }
    });
    let faults = &found(heard.outcome(1)).faults;
    assert_eq!((faults.len(), heard.wrong_blocks.len()), (20, 16), "a limited number is saved");
    for block in &heard.wrong_blocks {
        let named =
            faults.iter().find(|fault| fault.saved.as_ref() == Some(&block.names)).expect("a fault names it");
        let offset = named.fault.offset as usize;
        assert_eq!(block.names.received, format!("f.{offset}.received"));
        assert_eq!(block.names.expected.as_deref(), Some(&*format!("f.{offset}.expected")));
        let mut right = written[offset..][..4096].to_vec();
        assert!(block.expected.as_ref() == Some(&right), "at {offset}");
        right[2000] ^= 1;
        assert!(block.received == right, "at {offset}");
    }
    // A later run does not know the writes, but the header of the block names its seed.
    let text =
        format!("[j]\nfilename={}\nrw=read\nbs=4k\nsize=1m\nverify=crc32c\nverify_dump=1\n", path.display());
    let heard = support::run(&text);
    assert_eq!(heard.wrong_blocks.len(), 16);
    assert!(heard.wrong_blocks[1].expected.as_deref() == Some(&written[8192..12_288]));
}

#[test]
fn threads_check_all_that_the_worker_reads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    for (engine, options) in
        [("psync", ""), ("io_uring", "iodepth=8"), ("psync", "verify_async_cpus=0\nverify_backlog=32")]
    {
        let text = format!(
            "[j]\nfilename={}\nioengine={engine}\nrw=write\nbs=4k\nsize=1m\nverify=sha512\nverify_async=2\n{options}\n",
            path.display()
        );
        let heard = run(support::planned(&text), &mut |job| {
            if job == 1 && !options.contains("backlog") {
                (0..8).for_each(|n| change(&path, n << 16, |block| block[3000] ^= 1));
            }
        });
        let wrong = if options.contains("backlog") { 0 } else { 8 };
        let ios: u64 =
            heard.outcomes.iter().filter_map(|outcome| Some(outcome.verification.as_ref()?.ios)).sum();
        let found = found(heard.outcome(1));
        assert_eq!((ios, found.wrong, found.unchecked.total()), (256, wrong, 0), "{engine} {options}");
        assert_eq!(heard.outcome(1).failure.is_some(), wrong > 0);
    }
    let text = format!("[j]\nfilename={}\nrw=read\nbs=4k\nsize=1m\nverify=sha512\n", path.display());
    (0..8).for_each(|n| change(&path, n << 16, |block| block[3000] ^= 1));
    let heard = support::run(&format!("{text}verify_async=1\nverify_fatal=1\n"));
    assert!(
        heard.outcome(0).failure.is_some() && found(heard.outcome(0)).wrong > 0,
        "the fault ends the job"
    );
}

/// Reads and writes of a job that writes 16 blocks in a pass, as fio 3.33 counts them: it reads back after each pass, and those
/// reads count for `number_ios` and `io_size`.
#[test]
fn reads_and_writes_of_passes_are_those_of_fio() {
    let cases = [
        ("loops=3", (48, 48)),
        ("loops=3\ndo_verify=0", (0, 48)),
        ("number_ios=20\nloops=3", (32, 32)),
        ("number_ios=5\nloops=3", (15, 15)),
        ("io_size=200k", (32, 32)),
        ("io_size=20k", (5, 5)),
        ("io_size=100k\nloops=2", (32, 32)),
        ("io_size=200k\nverify_backlog=7", (32, 32)),
        ("number_ios=11", (11, 11)),
        ("number_ios=11\nverify_backlog=5", (6, 6)),
        ("number_ios=30\nloops=2\nverify_backlog=4", (32, 32)),
        ("number_ios=7\nloops=3\nverify_backlog=4\nverify_backlog_batch=2", (12, 12)),
        ("number_ios=11\nverify_backlog=3\nverify_backlog_batch=8", (6, 6)),
        ("number_ios=14\nverify_backlog=3\nverify_backlog_batch=8", (7, 7)),
        ("ioengine=libaio\niodepth=4\nloops=3", (48, 48)),
        ("ioengine=libaio\niodepth=4\nloops=2\nverify_backlog=3", (32, 32)),
    ];
    for (options, expected) in cases {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let run = |more: &str| {
            let mut plan = support::planned(&format!(
                "[j]\ndirectory={}\nioengine=psync\nrw=write\nbs=4k\nsize=64k\nverify=crc32c\n{options}\n{more}",
                dir.path().display()
            ));
            let verified = plan.jobs.iter_mut().filter_map(|job| job.verify.as_mut());
            verified.for_each(|verify| verify.each_pass = true);
            let heard = run(plan, &mut |_| {});
            assert!(
                heard.outcomes.iter().all(|outcome| outcome.failure.is_none()),
                "{options}\n{more}{:?}",
                heard.outcomes
            );
            heard
        };
        let heard = run("");
        let jobs = 0..heard.outcomes.len() as u32;
        let count = |direction| jobs.clone().map(|job| heard.moved(job, direction).0).sum::<u64>();
        assert_eq!((count(Direction::Read), count(Direction::Write)), expected, "{options}");
        if !options.contains("do_verify=0") {
            // It repeats the same passes, so it expects what is there.
            run("verify_only=1\n");
        }
    }
}
