//! Random clean jobs that verify themselves raise no alarm: overlaps, several writers, mixes, trims, rates, jobs that are cut short
//! or asked to stop, and jobs that are checked later by the state that they saved. No write of theirs is lost silently, and one
//! wrong byte is found.

use crate::support::{self, FilesAndStates, Heard};
use fathom_engine::sink::{Stop, StopReason};
use fathom_job::direction::Direction;
use fathom_job::plan::Plan;
use fathom_results::{JobOutcome, StateWrite, Verification, VerifyState, WriteFate};
use fathom_verify::Method;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

/// The options of a random job that verifies itself, without those of its directory.
fn options() -> impl Strategy<Value = String> {
    let method = proptest::sample::select(fathom_verify::Method::all().map(|m| m.name()).collect::<Vec<_>>());
    let engine =
        proptest::sample::select(vec!["psync", "pvsync2", "io_uring", "libaio", "posixaio", "sync", "mmap"]);
    let rw = proptest::sample::select(vec![
        "write",
        "randwrite",
        "rw",
        "randrw",
        "randwrite",
        "randrw:8",
        "write:8k",
        "write:1k",
        "randtrimwrite",
    ]);
    let sizes = proptest::sample::select(vec![
        "bs=4k",
        "bs=512",
        "bs=64k",
        "bsrange=4k-32k",
        "bssplit=4k/60:12k/40",
        "bs=4k,8k",
        "bsrange=1k-9k\nbs_unaligned",
        "bs=4k\nba=512",
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
        "verify_async=2",
        "verify_async=1\nverify_backlog=5",
        "verify_policy=fsynced\nfsync=3",
        "verify_policy=fsynced\nfdatasync=7\nverify_backlog=4",
        "verify_policy=fsynced\nsync=1",
        "trim_percentage=30\ntrim_backlog=8",
        "trim_percentage=60\ntrim_backlog=8\nverify_backlog=12\nverify_async=3",
        "trim_percentage=50\ntrim_verify_zero=0\ntrim_backlog=16\ntrim_backlog_batch=2",
        "trim_percentage=20",
        "verify_backlog=6\nramp_time=5ms",
        "verify_dump=1\nverify_async=1",
        "rate=40m\nverify_backlog=9\nverify_async=2",
        "trim_percentage=40\ntrim_backlog=4\nrate_iops=10k",
    ]);
    let clones = proptest::sample::select(vec![1u32, 1, 2, 3]);
    let files = proptest::sample::select(vec![
        "nrfiles=1",
        "nrfiles=1",
        "nrfiles=3",
        "thread\nnrfiles=2",
        // Each clone has a part of one file.
        "filename=shared\noffset_increment=768k",
    ]);
    let depth = proptest::sample::select(vec![1u32, 2, 8, 32]);
    (method, engine, rw, sizes, ends, (places, more), clones, (files, depth)).prop_map(
        |(method, engine, rw, sizes, ends, (places, more), clones, (files, depth))| {
            let pattern = if method.starts_with("pattern") { "verify_pattern=\"abc\"%o" } else { "" };
            format!(
                "ioengine={engine}\nrw={rw}\n{sizes}\n{ends}\n{places}\n{more}\nverify={method}\n{pattern}\niodepth={depth}\n\
                 numjobs={clones}\n{files}\nsize=768k\n"
            )
        },
    )
}

/// When the run is asked to stop; most are not.
fn stop() -> impl Strategy<Value = Option<Duration>> {
    prop_oneof![
        3 => Just(None),
        1 => (0..4000u64).prop_map(|us| Some(Duration::from_micros(us))),
        1 => (0..60u64).prop_map(|ms| Some(Duration::from_millis(ms))),
    ]
}

/// A random job, and what becomes of it.
#[derive(Clone, Debug)]
struct Case {
    options: String,
    stop: Option<Duration>,
    /// Which write is damaged when all was checked, and which of its bytes, as shares.
    damage: (f64, f64),
}

fn cases() -> impl Strategy<Value = Case> {
    (options(), stop(), (0.0..1.0, 0.0..1.0)).prop_map(|(options, stop, damage)| Case {
        options,
        stop,
        damage,
    })
}

/// What the cases came to, so that a generator that makes nothing fails.
#[derive(Default)]
struct Sums {
    planned: Cell<u64>,
    checked: Cell<u64>,
    stopped: Cell<u64>,
    /// Jobs that were checked by their state, and the writes of them.
    restored: Cell<u64>,
    restored_writes: Cell<u64>,
    damaged: Cell<u64>,
}

fn add(sum: &Cell<u64>, more: u64) {
    sum.set(sum.get() + more);
}

fn run(plan: Plan, states: BTreeMap<u32, Arc<VerifyState>>, stop_after: Option<Duration>) -> Heard {
    let (mut heard, stop) = (Heard::default(), Arc::<Stop>::default());
    std::thread::scope(|scope| {
        if let Some(after) = stop_after {
            let stop = stop.clone();
            scope.spawn(move || {
                std::thread::sleep(after);
                stop.request(StopReason::Interrupt);
            });
        }
        support::run_on(Arc::new(FilesAndStates(states)), plan, &stop, &mut heard);
    });
    heard
}

/// Is this outcome one of a clean job? No sync may have completed, and all may be trimmed or written over, so there may be
/// nothing to read.
fn is_clean(outcome: &JobOutcome, heard: &Heard) -> bool {
    let checks_nothing =
        outcome.failure.as_ref().is_some_and(|why| why.message.contains("nothing was verified"));
    let reads_nothing = heard.moved(outcome.job, Direction::Read).0 == 0;
    let is_right = outcome.verification.as_ref().is_none_or(|found| found.wrong == 0);
    is_right && (outcome.failure.is_none() || (checks_nothing && reads_nothing))
}

/// How many writes a job that read back has accounted for.
fn accounted(read: &Verification) -> u64 {
    read.ios + read.unchecked.total() + read.replaced + read.trimmed
}

/// Every write that completed, in the job's time or in its drain, was read back, was replaced or trimmed, or has the reason why
/// it could not be checked. Jobs are left out whose reads count as more than what their writes left: those of a mix are
/// checked, too, and so are zeros of what was checked before. Writes of a ramp are in no count of the job.
fn all_writes_are_accounted_for(options: &str, heard: &Heard, text: &str) {
    if ["rw=rw", "rw=randrw", "trim", "ramp_time"].iter().any(|other| options.contains(other)) {
        return;
    }
    let writers = heard.outcomes.len() / 2;
    for writer in 0..writers as u32 {
        let found = |job| heard.outcome(job).verification.clone();
        let Some(read) = found(writer + writers as u32) else { continue };
        let backlog = found(writer).map_or(0, |found| found.ios + found.unchecked.total());
        let writes = &heard.totals(writer).directions[Direction::Write];
        assert_eq!(accounted(&read) + backlog, writes.ios + writes.drained.ios, "{text}\n{read:?}");
    }
}

/// A later run checks the files by the states that the first one saved: no alarm, and no write of a state is left out. Then one
/// byte of one write is changed, and another run finds it.
fn states_are_enough(text: &str, states: &BTreeMap<u32, Vec<u8>>, case: &Case, sums: &Sums) {
    let states: BTreeMap<u32, Arc<VerifyState>> =
        states.iter().map(|(job, bytes)| (*job, Arc::new(VerifyState::from_bytes(bytes).unwrap()))).collect();
    let text = format!("{text}verify_only=1\nverify_state_load=1\n");
    let check = || -> Option<Vec<(u32, JobOutcome)>> {
        let plan = support::try_planned(&text)?;
        let writers: BTreeMap<u32, u32> =
            plan.jobs.iter().filter_map(|job| Some((job.id, job.reads_back?))).collect();
        // A run that was stopped before a job began has no state of it.
        if !writers.values().all(|writer| states.contains_key(writer)) {
            return None;
        }
        let heard = run(plan, states.clone(), None);
        let of = |outcome: &JobOutcome| Some((*writers.get(&outcome.job)?, outcome.clone()));
        Some(heard.outcomes.iter().filter_map(of).collect())
    };
    let Some(outcomes) = check() else { return };
    for (writer, outcome) in &outcomes {
        let writes = &states[writer].writes;
        let found = outcome.verification.as_deref().unwrap_or_else(|| panic!("{text}\n{outcome:?}"));
        let nothing = found.ios == 0;
        assert_eq!((found.wrong, outcome.failure.is_some()), (0, nothing), "{text}\n{outcome:?}");
        assert_eq!(accounted(found), writes.len() as u64, "{text}\n{outcome:?}");
        assert_eq!((found.unchecked.newer, found.unchecked.unknown), (0, 0), "{text}\n{outcome:?}");
        add(&sums.restored, 1);
        add(&sums.restored_writes, found.ios);
    }
    let is_cut =
        outcomes.iter().any(|(_, it)| it.verification.as_ref().is_some_and(|it| it.unchecked.not_read > 0));
    let Some((job, write)) = damaged_write(&states, case.damage.0).filter(|_| !is_cut) else { return };
    let state = &states[&job];
    let path = &state.head.blocks.files[write.file as usize].path;
    let file = File::options().read(true).write(true).open(path).unwrap();
    let (at, mut byte) = (write.offset + (f64::from(write.bytes) * case.damage.1) as u64, [0]);
    file.read_exact_at(&mut byte, at).unwrap();
    byte[0] ^= 0x10;
    file.write_all_at(&byte, at).unwrap();
    let wrong: u64 =
        check().unwrap().iter().filter_map(|(_, it)| Some(it.verification.as_ref()?.wrong)).sum();
    assert!(wrong > 0, "byte {at} of {path} is not found, of {write:?}: {text}");
    add(&sums.damaged, 1);
}

/// A write that is whole, and of which every byte is checked by its method.
fn damaged_write(states: &BTreeMap<u32, Arc<VerifyState>>, share: f64) -> Option<(u32, StateWrite)> {
    let checks = |state: &VerifyState| !matches!(state.head.blocks.method, Method::Null | Method::Meta);
    let whole = states.iter().filter(|(_, state)| checks(state)).flat_map(|(job, state)| {
        state.writes.iter().filter(|write| write.fate == WriteFate::Whole).map(|write| (*job, *write))
    });
    let whole: Vec<_> = whole.collect();
    whole.get((whole.len() as f64 * share) as usize).copied()
}

/// `FATHOM_CASES=2000 cargo test -p fathom-engine random_clean_jobs` tries more.
#[test]
fn random_clean_jobs_raise_no_alarm() {
    let count = std::env::var("FATHOM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let mut runner = TestRunner::new(Config {
        cases: count,
        failure_persistence: None,
        max_shrink_iters: 20,
        ..Config::default()
    });
    let sums = Sums::default();
    let result = runner.run(&cases(), |case| {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let text = format!("[j]\ndirectory={}\n{}", dir.path().display(), case.options);
        let Some(plan) = support::try_planned(&text) else { return Ok(()) };
        let heard = run(plan, BTreeMap::new(), case.stop);
        add(&sums.planned, 1);
        add(&sums.stopped, u64::from(case.stop.is_some()));
        for outcome in &heard.outcomes {
            assert!(is_clean(outcome, &heard), "{text}\n{outcome:?}");
            add(&sums.checked, outcome.verification.as_ref().map_or(0, |found| found.ios));
        }
        all_writes_are_accounted_for(&case.options, &heard, &text);
        states_are_enough(&text, &heard.states, &case, &sums);
        Ok(())
    });
    let [planned, checked, stopped, restored, writes, damaged] =
        [&sums.planned, &sums.checked, &sums.stopped, &sums.restored, &sums.restored_writes, &sums.damaged]
            .map(Cell::get);
    result.unwrap_or_else(|e| panic!("{e}"));
    assert!(planned > u64::from(count) / 2, "only {planned} of {count} could be planned");
    assert!(checked > planned * 20, "{checked} reads were checked in {planned} jobs");
    assert!(stopped > 0 && writes > 0, "{stopped} were stopped, and {writes} writes checked by their states");
    assert!(restored > planned / 2 && damaged > planned / 4, "{restored} and {damaged} of {planned}");
}
