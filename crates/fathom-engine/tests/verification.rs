//! Verification on real files: clean jobs raise no alarm, and what is damaged between writing and reading is found and named.

use crate::support::{self, Heard};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::Sink;
use fathom_job::plan::Plan;
use fathom_results::{Frame, JobOutcome, Verification};
use fathom_verify::FaultKind;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

fn found(outcome: &JobOutcome) -> &Verification {
    outcome.verification.as_deref().unwrap_or_else(|| panic!("{outcome:?} verifies nothing"))
}

/// The options of a random job that verifies itself, without those of its files.
fn options() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let method = proptest::sample::select(fathom_verify::Method::all().map(|m| m.name()).collect::<Vec<_>>());
    let engine = proptest::sample::select(vec!["psync", "pvsync2", "io_uring", "libaio", "sync", "mmap"]);
    let rw = proptest::sample::select(vec![
        "write",
        "randwrite",
        "rw",
        "randrw",
        "randwrite",
        "randrw:8",
        "write:8k",
    ]);
    let sizes = proptest::sample::select(vec![
        "bs=4k",
        "bs=512",
        "bs=64k",
        "bsrange=4k-32k",
        "bssplit=4k/60:12k/40",
        "bs=4k,8k",
    ]);
    let ends = proptest::sample::select(vec![
        "",
        "",
        "number_ios=37",
        "loops=3",
        "io_size=3m",
        "time_based\nruntime=60ms",
        "runtime=20ms",
        "io_size=300k",
    ]);
    let places = proptest::sample::select(vec![
        "",
        "",
        "norandommap",
        "percentage_random=40",
        "random_distribution=zipf:1.1",
        "randrepeat=0",
        "random_generator=lfsr",
    ]);
    let more = proptest::sample::select(vec![
        "",
        "",
        "fsync=5",
        "verify_backlog=7",
        "verify_backlog=64\nverify_backlog_batch=3",
        "rate_iops=20k",
        "end_fsync=1",
        "verify_interval=512",
        "buffer_compress_percentage=40",
        "verify_backlog=16\nrate_iops=10k",
        "compat=fio",
        "verify_pattern=0xc0ffee%o",
        "openfiles=1",
        "thinktime=50us",
    ]);
    let clones = proptest::sample::select(vec![1u32, 1, 2, 3]);
    let files = proptest::sample::select(vec![1u32, 1, 3]);
    let depth = proptest::sample::select(vec![1u32, 2, 8, 32]);
    (method, engine, rw, sizes, ends, (places, more), clones, (files, depth)).prop_map(
        |(method, engine, rw, sizes, ends, (places, more), clones, (files, depth))| {
            let pattern = if method.starts_with("pattern") { "verify_pattern=\"abc\"%o" } else { "" };
            format!(
                "ioengine={engine}\nrw={rw}\n{sizes}\n{ends}\n{places}\n{more}\nverify={method}\n{pattern}\niodepth={depth}\n\
                 numjobs={clones}\nnrfiles={files}\nsize=768k\n"
            )
        },
    )
}

/// `FATHOM_CASES=2000 cargo test -p fathom-engine verification` tries more.
#[test]
fn random_clean_jobs_raise_no_alarm() {
    let cases = std::env::var("FATHOM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (checked, planned) = (Cell::new(0), Cell::new(0));
    let result = runner.run(&options(), |options| {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let text = format!("[j]\ndirectory={}\n{options}", dir.path().display());
        let Some(plan) = support::try_planned(&text) else { return Ok(()) };
        let mut heard = Heard::default();
        support::run_plan(plan, &Arc::default(), &mut heard);
        planned.set(planned.get() + 1);
        for outcome in &heard.outcomes {
            let nothing =
                outcome.failure.as_ref().is_some_and(|why| why.message.contains("nothing was verified"));
            let wrote_none = heard.moved(outcome.job, fathom_job::direction::Direction::Read).0 == 0;
            assert!(outcome.failure.is_none() || (nothing && wrote_none), "{text}\n{outcome:?}");
            if let Some(found) = &outcome.verification {
                assert_eq!(found.wrong, 0, "{text}\n{found:?}");
                checked.set(checked.get() + found.ios);
            }
        }
        Ok(())
    });
    result.unwrap_or_else(|e| panic!("{e}"));
    let (planned, checked) = (planned.get(), checked.get());
    assert!(planned > cases / 2, "only {planned} of {cases} could be planned");
    assert!(checked > u64::from(planned) * 20, "{checked} reads were checked in {planned} jobs");
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
    for engine in ["psync", "io_uring", "libaio", "mmap"] {
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
    assert!(found.ios > 100 && found.unchecked.overlapped > 0, "{found:?}");
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
