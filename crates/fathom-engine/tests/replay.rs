//! Traces that are replayed: which I/Os, where, in which order and when.

use crate::support::{Files, Heard, planned, run_on, unplanned};
use fathom_engine::log::LogKind;
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource, TraceBytes};
use fathom_job::direction::Direction::{self, Read, Trim, Write};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files, and one trace for every job.
struct WithTrace(PathBuf);

impl TargetSource for WithTrace {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        Files.open(path, how)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
    }
    fn traces(&self, _job: u32) -> io::Result<Vec<Box<dyn TraceBytes>>> {
        Ok(vec![Box::new(File::open(&self.0)?)])
    }
}

/// A directory of the test's own, in memory, with a trace in it. `DIR` in the trace is that directory.
fn trace(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a directory");
    let path = dir.path().join("trace");
    std::fs::write(&path, text.replace("DIR", &dir.path().display().to_string())).expect("it is written");
    (dir, path)
}

fn replay(path: &Path, options: &str) -> Heard {
    let text = format!("[j]\nread_iolog={}\n{options}\n", path.display());
    let mut heard = Heard::default();
    run_on(Arc::new(WithTrace(path.to_path_buf())), planned(&text), &Arc::default(), &mut heard);
    heard
}

/// Every I/O in the order of its end: when it began, ns, its direction, offset and length.
fn ios(heard: &Heard, latency_ns: u64) -> Vec<(u64, Direction, u64, u64)> {
    let total = heard.samples.iter().filter(|s| s.kind == LogKind::Total);
    total.map(|s| (s.at_ns - latency_ns, s.direction, s.offset, s.bytes)).collect()
}

const V3: &str = "fio version 3 iolog\n15 DIR/f add\n20 DIR/g add\n103 DIR/f open\n104 DIR/g open\n1015 DIR/f write 61440 4096\n\
                  1538 DIR/g write 770048 8192\n2115 DIR/f sync 770048 0\n700115 DIR/f read 61440 512\n700115 DIR/g datasync 0 0\n\
                  2500015 DIR/g read 4096 4096\n2500016 DIR/f close\n";

const VIRTUAL: &str = "ioengine=oracle\noracle_clock=virtual\noracle_latency=constant:100us\nwrite_lat_log=x\nlog_offset=1\niodepth=8\n";

#[test]
fn gaps_of_a_trace_are_kept_exactly() {
    let (_dir, path) = trace(V3);
    let expected = |scale: u64| {
        let us = |us: u64| us * 1000 * 100 / scale;
        vec![
            (us(1000), Write, 61_440, 4096),
            (us(1523), Write, 770_048, 8192),
            (us(700_100), Read, 61_440, 512),
            (us(2_500_000), Read, 4096, 4096),
        ]
    };
    let heard = replay(&path, VIRTUAL);
    assert_eq!(ios(&heard, 100_000), expected(100));
    assert_eq!(heard.totals(0).directions[Read].response.moments.count(), 2, "its I/Os have intended starts");
    let faster = replay(&path, &format!("{VIRTUAL}replay_time_scale=200"));
    assert_eq!(ios(&faster, 100_000), expected(200));
    let at_once = replay(&path, &format!("{VIRTUAL}replay_no_stall=1\n"));
    assert!(ios(&at_once, 100_000).iter().all(|io| io.0 < 1_000_000), "{:?}", ios(&at_once, 100_000));
}

/// fio 3.33 issues the trace once with `loops=2`, and with `loops=3` it does not end.
/// The same on a simulated drive, which trims too.
#[test]
fn a_trace_on_a_simulated_drive_lasts_as_long_as_it_says() {
    let (_dir, path) = trace(&V3.replace("DIR/g read 4096", "DIR/g trim 4096"));
    let heard = replay(&path, "replay_redirect=sim:datacentre/4096\niodepth=8\nioengine=io_uring");
    assert_eq!([Read, Write, Trim].map(|d| heard.moved(0, d)), [(1, 512), (2, 12_288), (1, 4096)]);
    assert_eq!(heard.totals(0).sync.moments.count(), 2);
    let (began, ended) = heard.outcome(0).measured_ns.expect("it was measured");
    let took = ended - began;
    assert!((2_499_000_000..2_510_000_000).contains(&took), "{took}");
}

#[test]
fn loops_repeat_the_trace_when_its_last_io_was_due() {
    let (_dir, path) = trace(V3);
    let once: Vec<_> = ios(&replay(&path, VIRTUAL), 100_000);
    let twice = ios(&replay(&path, &format!("{VIRTUAL}loops=2")), 100_000);
    let again = once.iter().map(|io| (io.0 + 2_500_000_000, io.1, io.2, io.3));
    assert_eq!(twice, once.iter().copied().chain(again).collect::<Vec<_>>());
    let timed = replay(&path, &format!("{VIRTUAL}time_based\nruntime=6s"));
    assert_eq!(ios(&timed, 0).len(), 11, "two passes of 2.5 s, and what is due in one second more");
    assert_eq!(ios(&replay(&path, &format!("{VIRTUAL}loops=2\nnumber_ios=3")), 0).len(), 6);
}

#[test]
fn a_trace_does_to_files_what_it_says() {
    let (dir, path) = trace(
        "fio version 2 iolog\nDIR/f add\nDIR/f open\nDIR/f write 0 4096\nDIR/f sync 0 0\nDIR/f read 0 4096\n\
                             DIR/f wait 20000 0\nDIR/f write 8192 1024\nDIR/f datasync 0 0\nDIR/f close\n",
    );
    for engine in ["psync", "io_uring", "libaio"] {
        let heard = replay(&path, &format!("ioengine={engine}\niodepth=4"));
        assert!(heard.outcome(0).failure.is_none(), "{:?}", heard.outcome(0).failure);
        assert_eq!([Read, Write].map(|d| heard.moved(0, d)), [(1, 4096), (2, 5120)], "{engine}");
        assert_eq!(heard.totals(0).sync.moments.count(), 2, "{engine}");
        assert_eq!(std::fs::metadata(dir.path().join("f")).unwrap().len(), 9216);
    }
}

#[test]
fn what_is_skipped_scaled_aligned_and_redirected_is_so() {
    let (dir, path) = trace(V3);
    let of = |options: &str| -> Vec<_> {
        ios(&replay(&path, &format!("{VIRTUAL}{options}")), 100_000).iter().map(|io| (io.1, io.2)).collect()
    };
    assert_eq!(of("replay_skip=write,sync"), [(Read, 61_440), (Read, 4096)]);
    assert_eq!(
        of("replay_scale=3\nreplay_align=4k"),
        [(Write, 20_480), (Write, 253_952), (Read, 20_480), (Read, 0)]
    );
    let target = dir.path().join("one");
    let heard =
        replay(&path, &format!("replay_redirect={}\nreplay_skip=read\nreplay_no_stall=1", target.display()));
    assert_eq!(heard.moved(0, Write), (2, 12_288));
    assert_eq!(std::fs::metadata(target).unwrap().len(), 778_240);
    assert!(!dir.path().join("f").exists());
}

#[test]
fn a_wrong_trace_runs_nothing() {
    let (_dir, path) =
        trace("fio version 3 iolog\n0 DIR/f add\n0 DIR/f open\n5 DIR/f read 0 4096\n4 DIR/f read 0 4096\n");
    let text = |options: &str| format!("[j]\nread_iolog={}\n{options}\n", path.display());
    let why = unplanned(&text(""));
    assert!(why.contains(&format!("{}: line 5: its time, 4 µs, is before", path.display())), "{why}");
    for (options, expected) in [
        ("filename=x", "filename and read_iolog exclude each other"),
        ("rate_iops=5", "rate_iops and read_iolog exclude each other"),
        ("replay_skip=reads", "there is no `reads`"),
        ("replay_align=3k", "3072 bytes is no power of two"),
    ] {
        assert!(unplanned(&text(options)).contains(expected), "{options}: {}", unplanned(&text(options)));
    }
    let (_dir, path) = trace(&V3.replace("770048 8192", "937492480 8192"));
    let why =
        unplanned(&format!("[j]\nread_iolog={}\nreplay_redirect=sim:datacentre/4096\n", path.display()));
    assert!(why.contains("line 7: an I/O of 8192 bytes at offset 937492480 ends behind the end"), "{why}");
    assert!(why.contains("which has 937496576 bytes") && why.contains("replay_scale=2"), "{why}");
}

/// A trace that changes between the plan and the run issues nothing that was not admitted.
#[test]
fn a_trace_that_became_another_one_fails_its_job() {
    let (dir, path) = trace(V3);
    let plan = planned(&format!("[j]\nread_iolog={}\nioengine=psync\nreplay_no_stall=1\n", path.display()));
    let longer = V3.replace("61440 4096", "6144000 4096").replace("DIR", &dir.path().display().to_string());
    std::fs::write(&path, longer).unwrap();
    let mut heard = Heard::default();
    run_on(Arc::new(WithTrace(path)), plan, &Arc::default(), &mut heard);
    let failure = heard.outcome(0).failure.clone().expect("it fails");
    assert!(
        failure.message.contains("line 6: it was another one when the run was planned"),
        "{}",
        failure.message
    );
    assert_eq!(heard.moved(0, Write).0, 0);
}
