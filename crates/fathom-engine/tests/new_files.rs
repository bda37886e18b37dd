//! Files before the first I/O: their kind, what is laid out and synced, and where in them a job begins.

use crate::support::kernel_events::KernelEvents;
use crate::support::{Heard, WatchedFiles, planned, run, run_on, unplanned};
use fathom_engine::log::LogChunk;
use fathom_engine::sink::Sink;
use fathom_results::Frame;
use std::path::Path;
use std::sync::{Arc, Mutex};

#[test]
fn a_target_of_another_kind_than_that_of_the_job_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    std::fs::write(&file, [7; 8192]).unwrap();
    let file = file.display().to_string();
    let job = |kind: &str, path: &str| {
        format!("[j]\nioengine=psync\nfilename={path}\nfiletype={kind}\nrw=read\nbs=4k\nsize=8k\n")
    };
    for (kind, path) in [("file", &*file), ("auto", &*file), ("char", "/dev/zero")] {
        assert_eq!(run(&job(kind, path)).outcome(0).failure, None, "{kind} {path}");
    }
    for (kind, path) in [("block", &*file), ("char", &*file), ("file", "/dev/zero"), ("block", "/dev/zero")] {
        let why = unplanned(&job(kind, path));
        assert!(why.contains(&format!("{path} is not")) && why.contains("as filetype= says"), "{why}");
    }
}

/// Keeps the length of a file when the jobs are about to start.
struct AtStart<'a> {
    heard: Heard,
    path: &'a Path,
    length: Option<u64>,
}

impl Sink for AtStart<'_> {
    fn frame(&mut self, frame: &Frame) {
        self.heard.frame(frame);
    }
    fn log(&mut self, _: LogChunk) {}
    fn before_start(&mut self, _: &[usize]) {
        self.length = std::fs::metadata(self.path).ok().map(|file| file.len());
    }
}

/// The length of a new file before the job writes its first blocks, and after.
#[test]
fn a_file_that_is_made_when_it_is_opened_is_not_laid_out() {
    for (option, before, after) in [
        ("", Some(1 << 20), 1 << 20),
        ("create_on_open=1", Some(0), 8192),
        ("create_on_open=1\noverwrite=1", Some(0), 8192),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let text = format!(
            "[j]\nioengine=psync\nfilename={}\nrw=write\nbs=4k\nsize=1m\nnumber_ios=2\n{option}\n",
            path.display()
        );
        let mut sink = AtStart { heard: Heard::default(), path: &path, length: None };
        run_on(Arc::new(crate::support::Files), planned(&text), &Arc::default(), &mut sink);
        assert_eq!(sink.heard.outcome(0).failure, None, "{option}");
        let length = std::fs::metadata(&path).unwrap().len();
        assert_eq!((sink.length, length), (before, after), "{option}");
    }
}

/// One sync of each file by the thread that lays it out.
#[test]
fn files_are_synced_after_their_layout_unless_the_job_says_otherwise() {
    let events = KernelEvents::of("syscalls/sys_enter_fsync", "comm == \"layout\"");
    for (option, syncs) in [("", 2), ("create_fsync=1", 2), ("create_fsync=0", 0)] {
        let dir = tempfile::tempdir().unwrap();
        let text = format!(
            "[j]\nioengine=psync\ndirectory={}\nnrfiles=2\nrw=read\nbs=4k\nsize=64k\n{option}\n",
            dir.path().display()
        );
        let by = Arc::new(Mutex::new(None));
        let lays_out = by.clone();
        let targets = WatchedFiles(move || {
            if std::thread::current().name() == Some("layout") {
                *lays_out.lock().unwrap() = Some(rustix::thread::gettid().as_raw_pid());
            }
        });
        let mut heard = Heard::default();
        run_on(Arc::new(targets), planned(&text), &Arc::default(), &mut heard);
        assert_eq!((&heard.outcome(0).failure, heard.outcome(0).layout_bytes), (&None, 65_536), "{option}");
        let thread = by.lock().unwrap().expect("a thread lays the files out");
        assert_eq!(events.count_of(thread), syncs, "{option}");
    }
}

/// A third of 9 MiB and 99 KiB, rounded up to the smallest block or to what the job names. As fio 3.33.
#[test]
fn an_offset_in_percent_is_rounded_to_a_multiple() {
    const LENGTH: usize = (9 << 20) + (99 << 10);
    for (option, offset) in [("", 3_149_824), ("offset_align=64k", 3_211_264), ("offset_align=1m", 4 << 20)] {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![0; LENGTH]).unwrap();
        let heard = run(&format!(
            "[j]\nioengine=psync\nfilename={}\nrw=write\nbs=4k\noffset=33%\nnumber_ios=1\nbuffer_pattern=0x55\n\
             {option}\n",
            path.display()
        ));
        assert_eq!(heard.outcome(0).failure, None, "{option}");
        let first = std::fs::read(&path).unwrap().iter().position(|byte| *byte == 0x55);
        assert_eq!(first, Some(offset), "{option}");
    }
}
