//! Targets that stop answering, as the engine sees them: pipes that nothing
//! writes into, and files whose opening does not return for a while. So these tests
//! need no device and no special rights.

use crate::support::{Files, Heard, planned};
use fathom_engine::clock::Clock;
use fathom_engine::runner::{LocalThreads, Patience, Runner};
use fathom_engine::sink::{Stop, StopReason};
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::direction::Direction::Read;
use fathom_results::{EndedBy, EventKind, Phase};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Bytes of the file that the jobs are planned for.
const SIZE: u64 = 1 << 20;

/// A run that has not ended after this has hung.
const LIMIT: Duration = Duration::from_secs(30);

/// Gives a worker up half a second after it last showed that it lives.
const HASTE: Patience =
    Patience { warn_after: Duration::from_millis(250), give_up_after: Some(Duration::from_millis(500)) };

/// A file to plan with, and a pipe that is opened in its place.
struct Pipe {
    dir: tempfile::TempDir,
    reader: PipeReader,
    writer: PipeWriter,
}

impl Pipe {
    fn new() -> Pipe {
        let dir = tempfile::tempdir().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        let pipe = Pipe { dir, reader, writer };
        File::create(pipe.path()).unwrap().set_len(SIZE).unwrap();
        pipe
    }
    fn path(&self) -> PathBuf {
        self.dir.path().join("pipe")
    }
    /// Runs a job on the pipe; returns its frames, and how many workers were given up.
    fn run(&self, options: &str) -> (Heard, usize) {
        let text = format!("[j]\nfilename={}\n{options}\n", self.path().display());
        let targets = Arc::new(Ends(self.reader.try_clone().unwrap()));
        let runner = LocalThreads { targets, clock: Clock::calibrate(false), patience: HASTE };
        let mut heard = Heard::default();
        let end = runner.run(&Arc::new(planned(&text)), &Arc::default(), &mut heard);
        (heard, end.given_up.len())
    }
}

/// Files of a directory that stops answering when the test asks for it.
struct Hanging {
    /// The test holds this lock while the directory does not answer.
    hold: Arc<Mutex<()>>,
    /// The files that were opened, and the files that were to be opened.
    asked: Arc<Mutex<Vec<String>>>,
}

impl TargetSource for Hanging {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        self.asked.lock().unwrap().push(path.to_owned());
        if path.ends_with("hangs") {
            drop(self.hold.lock());
        }
        Files.open(path, how)
    }
    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
    }
}

/// Three jobs; the file of the second hangs while it is laid out.
const SECOND_HANGS: &str = "[global]\nioengine=psync\nrw=read\nbs=4k\nsize=64k\n[a]\nfilename=DIR/a\n[b]\n\
                            filename=DIR/hangs\n[c]\nfilename=DIR/c\n";

/// Runs these jobs. Returns their frames, how many workers were given up, and which
/// files were opened before the directory answered again.
fn run_second_hangs() -> (Heard, usize, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    let plan = planned(&SECOND_HANGS.replace("DIR", &dir.path().display().to_string()));
    let (hold, asked) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(Vec::new())));
    let held = hold.lock().unwrap();
    let targets = Arc::new(Hanging { hold: hold.clone(), asked: asked.clone() });
    let runner = LocalThreads { targets, clock: Clock::calibrate(false), patience: HASTE };
    let (tell, told) = channel();
    std::thread::spawn(move || {
        let mut heard = Heard::default();
        let end = runner.run(&Arc::new(plan), &Arc::default(), &mut heard);
        let _ = tell.send((heard, end.given_up.len()));
    });
    let (heard, given_up) = told.recv_timeout(LIMIT).expect("the run ends without that file");
    let asked = asked.lock().unwrap().clone();
    drop(held);
    (heard, given_up, asked)
}

#[test]
fn a_layout_that_hangs_ends_the_run() {
    let (heard, given_up, asked) = run_second_hangs();
    assert_eq!(given_up, 1);
    let why = heard.outcome(1).failure.clone().expect("it is given up");
    assert_eq!(why.errno, libc::ETIMEDOUT);
    assert!(
        why.message.contains("/hangs has not answered")
            && why.message.contains(" while its files were laid out: given up"),
        "{}",
        why.message
    );
    let stall =
        heard.events.iter().find(|event| event.kind == EventKind::Stall).expect("it was reported before");
    assert!(stall.text.contains("b.0: ") && stall.text.contains("/hangs"), "{}", stall.text);
    // The first clone was laid out, the third was not reached, and
    // none has begun.
    assert_eq!((heard.outcome(0).layout_bytes, heard.outcome(2).layout_bytes), (64 << 10, 0));
    for job in [0, 2] {
        assert_eq!(heard.outcome(job).ended_by, EndedBy::Interrupt);
    }
    assert!(heard.windows.is_empty());
    assert!(asked.iter().all(|path| !path.ends_with("/c")), "{asked:?}");
}

#[test]
fn an_interrupt_while_files_are_laid_out_ends_the_run_when_they_answer() {
    let patience = Patience::of(Duration::from_secs(60));
    let dir = tempfile::tempdir().unwrap();
    let text = format!(
        "[j]\nioengine=psync\nrw=read\nbs=4k\nsize=1g\nfilename={}\n",
        dir.path().join("large").display()
    );
    let stop = Arc::new(Stop::default());
    let interrupt = stop.clone();
    let runner = LocalThreads { targets: Arc::new(Files), clock: Clock::calibrate(false), patience };
    let mut heard = Heard::default();
    let asked = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.request(StopReason::Interrupt);
    });
    let start = Instant::now();
    assert!(runner.run(&Arc::new(planned(&text)), &interrupt, &mut heard).given_up.is_empty());
    asked.join().unwrap();
    assert_eq!(heard.outcome(0).ended_by, EndedBy::Interrupt);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(!dir.path().join("large").exists(), "what was half made is removed");
}

/// Opens the end of a pipe, whatever the path is.
struct Ends(PipeReader);

impl TargetSource for Ends {
    fn open(&self, _path: &str, _how: OpenHow) -> io::Result<OpenTarget> {
        Ok(OpenTarget { fd: self.0.try_clone()?.into(), is_block: false, size: SIZE, commands: None })
    }
    fn unlink(&self, _path: &str) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_open_window_of_a_worker_that_is_given_up_is_kept() {
    // The sixteen reads take no time. The seventeenth does not end, and no
    // window has been closed by then. This engine does not seek between
    // reads that follow each other, so it can read a pipe.
    let one = |options: &str| {
        let mut pipe = Pipe::new();
        pipe.writer.write_all(&[7; 16 * 4096]).unwrap();
        let (heard, given_up) = pipe.run(&format!("ioengine=sync\nrw=read\nbs=4k\n{options}"));
        let outcome = heard.outcome(0);
        let failure = outcome.failure.clone().expect("it is given up");
        assert!(given_up == 1 && failure.message.contains("given up"), "{options}: {}", failure.message);
        let phase = if options.contains("ramp") { Phase::Ramp } else { Phase::Measure };
        assert!(heard.windows.iter().all(|window| window.phase == phase), "{options}");
        if phase == Phase::Measure {
            assert_eq!(heard.moved(0, Read), (16, 16 * 4096), "{options}");
            let (_, to) = outcome.measured_ns.expect("it measured");
            let last = heard.windows.last().expect("its open window").end_ns;
            assert_eq!(to, last, "{options}: measured to its last completion");
        }
        let ios: u64 = heard.windows.iter().flat_map(|w| &w.directions).map(|(_, d)| d.ios).sum();
        assert_eq!(ios, 16, "{options}");
        let logged = if options.contains("log") { 16 } else { 0 };
        assert_eq!(heard.samples.iter().filter(|s| s.bytes == 4096).count(), logged * 2, "{options}");
    };
    std::thread::scope(|scope| {
        for options in ["", "write_lat_log=x\n", "ramp_time=1h\n", "rate_iops=1000000\n"] {
            scope.spawn(move || one(options));
        }
    });
}
