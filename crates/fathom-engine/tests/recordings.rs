//! Recordings of blktrace and texts with columns that are replayed: which I/Os, where, in which order and when.

use crate::support::{Files, Heard, planned, run_on, unplanned};
use fathom_engine::log::LogKind;
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource, TraceBytes};
use fathom_job::direction::Direction::{self, Read, Trim, Write};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files, and the traces of every job.
struct WithTraces(Vec<PathBuf>);

impl TargetSource for WithTraces {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        Files.open(path, how)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
    }
    fn traces(&self, _job: u32) -> io::Result<Vec<Box<dyn TraceBytes>>> {
        self.0.iter().map(|path| Ok(Box::new(File::open(path)?) as Box<dyn TraceBytes>)).collect()
    }
}

const QUEUED: [(char, u32); 4] = [('R', 0x11_0001), ('W', 0x12_0001), ('D', 0x2012_0001), ('F', 0x16_0001)];
const COMPLETED: u32 = 0x82_0008;

/// A recording with these I/Os of the device 7:0: time in µs, kind, sector and bytes; `C` is a completion.
fn recording(path: &Path, ios: &[(u64, char, u64, u32)]) {
    let mut bytes = Vec::new();
    for (number, (us, kind, sector, len)) in ios.iter().enumerate() {
        let action = QUEUED.iter().find(|(of, _)| of == kind).map_or(COMPLETED, |(_, action)| *action);
        bytes.extend(0x6561_7407_u32.to_le_bytes());
        bytes.extend((number as u32).to_le_bytes());
        bytes.extend((us * 1000).to_le_bytes());
        bytes.extend(sector.to_le_bytes());
        [*len, action, 1, 7 << 20, 0, 0].iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    }
    std::fs::write(path, bytes).expect("it is written");
}

const IOS: [(u64, char, u64, u32); 9] = [
    (50_000, 'W', 8, 4096),
    (50_100, 'W', 16, 8192),
    (50_150, 'R', 800, 4096),
    (50_200, 'C', 8, 4096),
    (60_000, 'F', 0, 0),
    (70_000, 'D', 8, 4096),
    (72_000, 'R', 32, 4096),
    (71_000, 'W', 24, 4096),
    (950_000, 'R', 0, 4096),
];

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir_in("/dev/shm").expect("a directory"));
        recording(&place.path("t"), &IOS);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What a job does with these traces.
    fn replay(&self, traces: &[&str], options: &str) -> Heard {
        let paths: Vec<PathBuf> = traces.iter().map(|name| self.path(name)).collect();
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        let plan = planned(&format!("[j]\nread_iolog={}\n{options}\n", names.join(":")));
        let mut heard = Heard::default();
        run_on(Arc::new(WithTraces(paths)), plan, &Arc::default(), &mut heard);
        heard
    }
}

const VIRTUAL: &str =
    "ioengine=oracle\noracle_clock=virtual\noracle_latency=constant:10us\nwrite_lat_log=x\nlog_offset=1\n";

/// Every I/O: when it began, µs, its direction, offset and length.
fn ios(heard: &Heard) -> Vec<(u64, Direction, u64, u64)> {
    let total = heard.samples.iter().filter(|s| s.kind == LogKind::Total);
    total.map(|s| ((s.at_ns - 10_000) / 1000, s.direction, s.offset, s.bytes)).collect()
}

#[test]
fn a_recording_of_blktrace_keeps_its_order_its_places_and_its_gaps() {
    let place = Place::new();
    let expected = [
        (0, Write, 4096, 4096),
        (100, Write, 8192, 8192),
        (150, Read, 409_600, 4096),
        (21_000, Write, 12_288, 4096),
        (22_000, Read, 16_384, 4096),
        (900_000, Read, 0, 4096),
    ];
    let heard = place.replay(&["t"], &format!("{VIRTUAL}replay_skip=trim"));
    assert_eq!(ios(&heard), expected);
    assert_eq!(heard.totals(0).sync.moments.count(), 1);
    let twice = place.replay(&["t"], &format!("{VIRTUAL}loops=2\nreplay_skip=trim,flush"));
    assert_eq!(ios(&twice).len(), 12);
    assert_eq!(ios(&twice)[6..8], [(900_000, Write, 4096, 4096), (900_100, Write, 8192, 8192)]);
}

/// fio 3.33 takes the depth, too, unless the job has one (seen in its io_setup: 3 for three in flight, 1,024 for 2,000, 1 without
/// completions). Its replay goes through the page cache.
#[test]
fn a_recording_has_the_depth_of_the_devices_and_passes_the_page_cache_by() {
    let place = Place::new();
    let text = |options: &str| {
        format!(
            "[j]\nioengine=io_uring\nread_iolog={}\nreplay_redirect=/dev/shm/none\n{options}\n",
            place.path("t").display()
        )
    };
    let plan = planned(&text(""));
    assert_eq!((plan.jobs[0].depth.asked, plan.jobs[0].direct), (7, true));
    let plan = planned(&text("iodepth=3\nbuffered=1"));
    assert_eq!((plan.jobs[0].depth.asked, plan.jobs[0].direct), (3, false));
}

#[test]
fn a_recording_does_to_a_file_and_a_simulated_drive_what_it_says() {
    let place = Place::new();
    for engine in ["psync", "io_uring", "libaio"] {
        let file = place.path(engine);
        let options = format!(
            "ioengine={engine}\ndirect=0\nreplay_no_stall=1\nreplay_skip=trim\nreplay_redirect={}",
            file.display()
        );
        let heard = place.replay(&["t"], &options);
        assert!(heard.outcome(0).failure.is_none(), "{:?}", heard.outcome(0).failure);
        assert_eq!([Read, Write].map(|d| heard.moved(0, d)), [(3, 12_288), (3, 16_384)], "{engine}");
        assert_eq!(std::fs::metadata(file).unwrap().len(), 413_696);
    }
    let heard = place.replay(&["t"], "replay_redirect=sim:datacentre/4096\nioengine=io_uring");
    assert_eq!([Read, Write, Trim].map(|d| heard.moved(0, d)), [(3, 12_288), (3, 16_384), (1, 4096)]);
    let (began, ended) = heard.outcome(0).measured_ns.expect("it was measured");
    assert!((900_000_000..910_000_000).contains(&(ended - began)), "{}", ended - began);
}

#[test]
fn merged_recordings_are_one() {
    let place = Place::new();
    recording(&place.path("a"), &[(10, 'W', 8, 512), (2010, 'W', 16, 512)]);
    recording(&place.path("b"), &[(999, 'R', 24, 512), (2499, 'R', 32, 512)]);
    let options =
        format!("{VIRTUAL}merge_blktrace_file=m\nmerge_blktrace_scalars=50:100\nmerge_blktrace_iters=2:1");
    let expected = [
        (0, Write, 4096, 512),
        (0, Read, 12_288, 512),
        (1000, Write, 8192, 512),
        (1000, Write, 4096, 512),
        (1500, Read, 16_384, 512),
        (2000, Write, 8192, 512),
    ];
    assert_eq!(ios(&place.replay(&["a", "b"], &format!("{options}\niodepth=4"))), expected);
}

#[test]
fn texts_with_columns_are_replayed() {
    let place = Place::new();
    let expected = [(0, Write, 4096, 4096), (250, Read, 0, 512)];
    for (columns, text) in [
        ("alibaba", "3,W,4096,4096,1577808144360767\n3,R,0,512,1577808144361017\n"),
        ("msr", "128166372003061629,hm,1,Write,4096,4096,7\n128166372003064129,hm,1,Read,0,512,7\n"),
        ("blkparse", "  8,0 3 1 0.000500000 697 Q WS 8 + 8 [x]\n  8,0 3 1 0.000750000 697 Q RA 0 + 1 [x]\n"),
        ("time_ms,op,offset,length", "when;what;where;how much\n5;write;4096;4096\n5.25;read;0;512\n"),
    ] {
        std::fs::write(place.path("c"), text).unwrap();
        assert_eq!(
            ios(&place.replay(&["c"], &format!("{VIRTUAL}trace_columns={columns}"))),
            expected,
            "{columns}"
        );
    }
}

#[test]
fn a_wrong_recording_runs_nothing() {
    let place = Place::new();
    let trace = place.path("t").display().to_string();
    let why = |trace: &str, options: &str| unplanned(&format!("[j]\nread_iolog={trace}\n{options}\n"));
    let message =
        why(&trace, "replay_redirect=sim:datacentre/4096\nreplay_align=4k\ntrace_columns=time_us,op");
    assert!(message.contains("offset or sector is named 0 times"), "{message}");
    let far = place.path("far");
    recording(&far, &[(5, 'W', 8, 4096), (6, 'W', 1_831_040, 8192)]);
    let message = why(&far.display().to_string(), "replay_redirect=sim:datacentre/4096");
    assert!(
        message.contains("event 2: an I/O of 8192 bytes at offset 937492480 ends behind the end"),
        "{message}"
    );
    let bytes = std::fs::read(&trace).unwrap();
    std::fs::write(&far, &bytes[..bytes.len() - 1]).unwrap();
    assert!(why(&far.display().to_string(), "").contains("event 9: the file ends within it"));
    for (options, expected) in [
        ("merge_blktrace_scalars=50", "merge_blktrace_scalars: 1 numbers for 2 traces"),
        ("merge_blktrace_iters=1:0", "merge_blktrace_iters: 0 is less than 1"),
        ("trace_columns=msr", "recordings of blktrace have no columns"),
    ] {
        let message = why(&format!("{trace}:{trace}"), &format!("merge_blktrace_file=m\n{options}"));
        assert!(message.contains(expected), "{message}");
    }
}
