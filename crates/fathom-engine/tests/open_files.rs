//! Jobs that keep fewer files open than they have (`openfiles`).

use crate::support::{Files, Heard, planned};
use fathom_engine::clock::Clock;
use fathom_engine::runner::{LocalThreads, Patience, Runner};
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource};
use fathom_job::direction::Direction;
use fathom_results::EndedBy;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Files in one directory, and the largest number of them that was open, as the
/// kernel counts them.
struct Counted {
    dir: PathBuf,
    most: AtomicUsize,
    opens: AtomicUsize,
    /// The name of a file that cannot be opened once the job runs.
    broken: &'static str,
}

impl Counted {
    fn open_now(&self) -> usize {
        let all = std::fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok);
        all.filter_map(|fd| std::fs::read_link(fd.path()).ok()).filter(|to| to.starts_with(&self.dir)).count()
    }
}

impl TargetSource for Counted {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        if !self.broken.is_empty() && path.ends_with(self.broken) {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("{path}: it is gone")));
        }
        let opened = Files.open(path, how);
        self.opens.fetch_add(1, Ordering::Relaxed);
        self.most.fetch_max(self.open_now(), Ordering::Relaxed);
        opened
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        Files.unlink(path)
    }
}

/// The frames of a run, and the files that it had open.
struct Ran {
    heard: Heard,
    counted: Arc<Counted>,
}

fn run(dir: &Path, options: &str, broken: &'static str) -> Ran {
    let text = format!("[j]\ndirectory={}\n{options}\n", dir.display());
    let (most, opens) = Default::default();
    let counted = Arc::new(Counted { dir: dir.to_owned(), most, opens, broken });
    let clock = Clock::calibrate(true);
    let runner = LocalThreads { targets: counted.clone(), clock, patience: Patience::USUAL };
    let mut heard = Heard::default();
    runner.run(&Arc::new(planned(&text)), &Arc::default(), &mut heard);
    Ran { heard, counted }
}

/// Every engine with files.
const ENGINES: [&str; 8] = ["psync", "sync", "vsync", "pvsync2", "mmap", "libaio", "posixaio", "io_uring"];

#[test]
fn every_file_is_written_whole_with_few_of_them_open() {
    for engine in ENGINES {
        for extra in [
            "",
            "file_service_type=random",
            "file_service_type=sequential",
            "compat=fio",
            "rate_iops=20k",
            "fsync=3",
            "end_fsync=1",
        ] {
            let dir = tempfile::tempdir().unwrap();
            let options = format!(
                "ioengine={engine}\nrw=randwrite\nbs=4k\nnrfiles=20\nopenfiles=3\nfilesize=16k\niodepth=8\n\
                 fallocate=truncate\nbuffer_pattern=0x61\n{extra}"
            );
            let Ran { heard, counted } = run(dir.path(), &options, "");
            let what = format!("{engine} {extra}");
            assert_eq!(heard.outcome(0).failure, None, "{what}");
            assert_eq!(heard.outcome(0).ended_by, EndedBy::Size, "{what}");
            assert_eq!(heard.moved(0, Direction::Write), (80, 80 * 4096), "{what}");
            for file in std::fs::read_dir(dir.path()).unwrap() {
                let written = std::fs::read(file.unwrap().path()).unwrap();
                assert_eq!(written, [b'a'; 16 << 10], "{what}");
            }
            // The new file is opened before the old one is closed.
            assert!(counted.most.load(Ordering::Relaxed) <= 4, "{what}: {:?}", counted.most);
        }
    }
}

/// A distribution is of all files, and not of those that are open.
#[test]
fn files_with_unequal_shares_are_all_open() {
    let dir = tempfile::tempdir().unwrap();
    let options = "ioengine=psync\nrw=randread\nbs=4k\nnrfiles=40\nopenfiles=4\nfilesize=64k\nfallocate=truncate\n\
                   norandommap=1\nnumber_ios=2000\nfile_service_type=zipf:1.2";
    let Ran { heard, counted } = run(dir.path(), options, "");
    assert_eq!(heard.outcome(0).failure, None);
    assert_eq!(counted.most.load(Ordering::Relaxed), 40);
}

#[test]
fn a_file_is_opened_once_a_pass() {
    for engine in ENGINES {
        let dir = tempfile::tempdir().unwrap();
        let options = format!(
            "ioengine={engine}\nrw=write\nbs=4k\nnrfiles=200\nopenfiles=16\nfilesize=8k\niodepth=4\n\
             fallocate=none\ncreate_fsync=0"
        );
        let Ran { heard, counted } = run(dir.path(), &options, "");
        assert_eq!(heard.moved(0, Direction::Write).0, 400, "{engine}");
        // Layout opens each file once too.
        assert_eq!(counted.opens.load(Ordering::Relaxed), 400, "{engine}");
        let note = |name: &str| {
            let notes = &heard.outcome(0).notes;
            notes.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        assert_eq!(note("files.kept_open").as_deref(), Some("16"), "{engine}");
        assert_eq!(note("files.opened_while_running").as_deref(), Some("184"), "{engine}");
    }
}

#[test]
fn a_job_with_a_ramp_goes_on_where_it_was() {
    for engine in ["psync", "io_uring"] {
        let dir = tempfile::tempdir().unwrap();
        let options = format!(
            "ioengine={engine}\nrw=randread\nbs=4k\nnrfiles=30\nopenfiles=2\nfilesize=8k\niodepth=4\n\
             ramp_time=30ms\nruntime=300ms\ntime_based\ninvalidate=0"
        );
        let Ran { heard, .. } = run(dir.path(), &options, "");
        assert_eq!(heard.outcome(0).failure, None, "{engine}");
        assert!(heard.moved(0, Direction::Read).0 > 100, "{engine}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_job_and_is_named() {
    for engine in ["psync", "io_uring"] {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..20 {
            std::fs::write(dir.path().join(format!("j.0.{n}")), [0; 4096]).unwrap();
        }
        let options =
            format!("ioengine={engine}\nrw=read\nbs=4k\nnrfiles=20\nopenfiles=4\nfilesize=4k\niodepth=4");
        let Ran { heard, .. } = run(dir.path(), &options, "j.0.11");
        let failure = heard.outcome(0).failure.clone().expect("it fails");
        assert!(failure.message.ends_with("j.0.11: it is gone"), "{}", failure.message);
        assert_eq!(heard.moved(0, Direction::Read).0, 11, "{engine}: what came before it is measured");
    }
}

#[test]
fn an_error_names_the_file_and_not_its_entry() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..20 {
        std::fs::write(dir.path().join(format!("j.0.{n}")), vec![0; 8192]).unwrap();
    }
    let plan = planned(&format!(
        "[j]\ndirectory={}\nioengine=psync\nrw=read\nbs=4k\nnrfiles=20\nopenfiles=4\nfilesize=8k\n\
         file_service_type=sequential\n",
        dir.path().display()
    ));
    std::fs::write(dir.path().join("j.0.13"), [0; 4096]).unwrap();
    let mut heard = Heard::default();
    crate::support::run_plan(plan, &Arc::default(), &mut heard);
    let failure = heard.outcome(0).failure.clone().expect("it fails");
    assert!(failure.message.contains("j.0.13: read of 4096 bytes at offset 4096"), "{}", failure.message);
}
