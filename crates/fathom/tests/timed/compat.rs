//! `--compat=fio` makes the system calls that fio makes: counted by tracepoints
//! over whole runs of both, with the same job file.
//!
//! They need root, tracefs, loop devices and fio 3.33.

use crate::support::{Loop, fathom, json, machine, must};
use crate::tracefs::{Calls, Tracer};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// I/Os of each run.
const IOS: u64 = 20_000;

/// MiB of a target, more than `IOS` blocks: fio empties its queue at the end of
/// each pass through `size`.
const MIB: u64 = 80;

/// How many calls may differ if each call depends only on the calls before it: the
/// first read of a file updates its access time, and another program may be using a
/// page; such an I/O does not complete in its submit call.
const STRAYS: u64 = 4;

/// How many runs may fail before the comparison fails: other programs on the machine
/// can make the kernel drop cached pages.
const TRIES: usize = 3;

/// What both tools need for a comparison.
struct Bench {
    dir: tempfile::TempDir,
    tracer: Tracer,
}

/// One run: its calls, and the JSON of its job.
struct Counted {
    calls: Calls,
    job: Value,
}

impl Bench {
    fn new() -> Bench {
        Bench { dir: tempfile::tempdir().unwrap(), tracer: Tracer::new() }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A file that is completely in the page cache.
    fn cached_file(&self) -> PathBuf {
        let path = self.path().join("cached");
        std::fs::write(&path, vec![1u8; (MIB << 20) as usize]).unwrap();
        path
    }

    fn job(&self, options: &str, target: &str) {
        let job = format!(
            "[j]\nrw=randread\nbs=4k\nsize={MIB}m\nnorandommap=1\ninvalidate=0\nnumber_ios={IOS}\n\
             filename={target}\n{}\n",
            options.replace(' ', "\n")
        );
        std::fs::write(self.path().join("j.fio"), job).unwrap();
    }

    fn count(&self, command: &mut Command, more: &[&str]) -> Counted {
        command.current_dir(self.path()).args(more).args(["--output-format=json", "j.fio"]);
        let (said, calls) = self.tracer.count(command);
        let job = json(&said)["jobs"][0].clone();
        assert_eq!(job["read"]["total_ios"], IOS, "{said}");
        Counted { calls, job }
    }

    fn fio(&self) -> Counted {
        self.count(&mut Command::new("fio"), &[])
    }

    fn fathom(&self, more: &[&str]) -> Counted {
        self.count(fathom(self.path()).arg("fio"), more)
    }

    /// Runs both tools until they agree or have been tried often enough.
    fn compare(&self, options: &str, target: &str, agree: impl Fn(u64, u64) -> bool) -> (Counted, Counted) {
        self.job(options, target);
        let mut seen = Vec::new();
        for _ in 0..TRIES {
            let (theirs, ours) = (self.fio(), self.fathom(&["--compat=fio"]));
            if differing(&theirs.calls, &ours.calls, &agree).is_empty() {
                return (theirs, ours);
            }
            seen.push(format!("fio {:?}, fathom {:?}", theirs.calls, ours.calls));
        }
        panic!("{options} on {target}: other calls than fio's, {TRIES} times: {seen:#?}");
    }
}

/// The names of calls that do not agree.
fn differing<'a>(theirs: &'a Calls, ours: &'a Calls, agree: impl Fn(u64, u64) -> bool) -> Vec<&'a str> {
    let of = |calls: &Calls, name: &str| calls.get(name).copied().unwrap_or(0);
    let names = theirs.keys().chain(ours.keys()).map(String::as_str);
    names.filter(|name| !agree(of(theirs, name), of(ours, name))).collect()
}

fn same(theirs: u64, ours: u64) -> bool {
    theirs.abs_diff(ours) <= STRAYS
}

fn within_5_percent(theirs: u64, ours: u64) -> bool {
    theirs.abs_diff(ours) * 20 <= theirs
}

/// Depth at submission and batches both ways, as shares in percent.
fn must_share(options: &str, theirs: &Value, ours: &Value) {
    for map in ["iodepth_level", "iodepth_submit", "iodepth_complete"] {
        for (class, share) in theirs[map].as_object().unwrap() {
            let (fio, fathom) = (share.as_f64().unwrap(), ours[map][class].as_f64().unwrap());
            assert!((fio - fathom).abs() < 0.2, "{options}: {map} {class}: fio {fio}, fathom {fathom}");
        }
    }
}

#[test]
fn io_that_completes_in_its_submit_call_costs_the_calls_that_it_costs_fio() {
    let (_turn, bench) = (machine(), Bench::new());
    let file = bench.cached_file();
    for (options, call, calls) in [
        ("ioengine=io_uring iodepth=32", "io_uring_enter", IOS),
        (
            "ioengine=io_uring iodepth=32 iodepth_batch=16 iodepth_batch_complete_min=16",
            "io_uring_enter",
            IOS / 16,
        ),
        ("ioengine=io_uring iodepth=8 iodepth_low=4", "io_uring_enter", IOS),
        ("ioengine=io_uring iodepth=16 iodepth_batch_complete_max=8", "io_uring_enter", IOS),
        ("ioengine=io_uring iodepth=16 iodepth_batch_complete_min=0", "io_uring_enter", IOS),
        ("ioengine=psync", "pread64", IOS),
        ("ioengine=libaio iodepth=16 iodepth_batch=8 iodepth_batch_complete_min=8", "io_submit", IOS / 8),
    ] {
        let (theirs, ours) = bench.compare(options, file.to_str().unwrap(), same);
        assert!(same(ours.calls[call], calls), "{options}: {:?}", ours.calls);
        must_share(options, &theirs.job, &ours.job);
    }
}

#[test]
fn libaio_costs_the_calls_that_it_costs_fio() {
    let (_turn, bench) = (machine(), Bench::new());
    let disk = Loop::blank(bench.path(), MIB);
    // io_getevents(2) takes no more than it is asked for, so that the calls are
    // the same however fast the disk is.
    for options in [
        "iodepth=1",
        "iodepth=32",
        "iodepth=32 iodepth_batch=8 iodepth_batch_complete_min=4",
        // fio's ring of control blocks ends in the middle of a batch.
        "iodepth=12 iodepth_batch=5 iodepth_batch_complete_min=3",
        // Looking for completions submits what is queued, so the next batch is shorter.
        "iodepth=32 iodepth_batch=4 iodepth_batch_complete_min=7",
        "iodepth=32 iodepth_batch=8 iodepth_low=8",
    ] {
        let options = format!("ioengine=libaio direct=1 {options}");
        let (theirs, ours) = bench.compare(&options, &disk.device, same);
        assert!(ours.calls["io_submit"] > 0 && ours.calls["io_getevents"] > 0, "{:?}", ours.calls);
        let (theirs, ours) = (&theirs.job["iodepth_complete"], &ours.job["iodepth_complete"]);
        assert_eq!(theirs, ours, "{options}");
    }
}

#[test]
fn io_uring_on_a_disk_waits_as_often_as_fio_does() {
    let (_turn, bench) = (machine(), Bench::new());
    let disk = Loop::blank(bench.path(), MIB);
    for options in ["iodepth=1", "iodepth=16 iodepth_batch=16 iodepth_batch_complete_min=16"] {
        let options = format!("ioengine=io_uring direct=1 {options}");
        bench.compare(&options, &disk.device, within_5_percent);
    }
}

#[test]
fn without_it_one_call_serves_at_least_eight_ios() {
    let (_turn, bench) = (machine(), Bench::new());
    let file = bench.cached_file();
    for depth in [16, 32] {
        bench.job(&format!("ioengine=io_uring iodepth={depth}"), file.to_str().unwrap());
        let calls = bench.fathom(&[]).calls["io_uring_enter"];
        assert!(calls > 0 && calls <= IOS / 8, "iodepth={depth}: {calls} calls for {IOS} I/Os");
    }
}

#[test]
fn a_result_says_whose_habits_it_followed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("j.fio"), "[j]\nioengine=null\nsize=1m\niodepth=8\n").unwrap();
    let run = ["run", "-q", "--no-calibrate", "--details", "j.fio", "--compat=fio"];
    let said = must(fathom(dir.path()).args(run));
    let label = "compat=fio: submits and reaps as fio does";
    assert!(said.contains(&format!("depth 8 · 1 worker · {label}\n")), "{said}");
    assert!(said.contains(&format!("engine     {label}, ")), "among the job's notes: {said}");
    let plan = must(fathom(dir.path()).args(["run", "--plan", "--compat=fio", "j.fio"]));
    assert!(plan.contains("(compat=fio)"), "{plan}");
}
