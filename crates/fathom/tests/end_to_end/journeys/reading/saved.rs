//! What the reading commands get: one of each kind, made once, which every case copies.

use crate::support::procedure::half_of;
use crate::support::{fathom, finished, must};
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// What a stranger's directory must not bring into any output.
pub const SECRET: &str = "root:$y$j9T$secret:19700:0:99999:7:::";

/// The kinds of what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Run,
    Procedure,
    /// A procedure that was interrupted.
    Half,
    Suite,
    Baseline,
    Bundle,
    /// Logs and results of fio.
    Fio,
    /// A recorded machine, as a directory.
    Machine,
}

/// Everything that is read, by name.
pub const SUBJECTS: [(&str, Kind); 13] = [
    ("one", Kind::Run),
    ("sim", Kind::Run),
    ("twice", Kind::Procedure),
    ("swept", Kind::Procedure),
    ("tried", Kind::Procedure),
    ("written", Kind::Procedure),
    ("pts", Kind::Procedure),
    ("half", Kind::Half),
    ("suite", Kind::Suite),
    ("kept", Kind::Baseline),
    ("bundle", Kind::Bundle),
    ("fio", Kind::Fio),
    ("machine", Kind::Machine),
];

const NULL: &str = "[j]\nioengine=null\nrw=randread\nsize=1m\nwrite_lat_log=j\n";
const SIM: &str = "[r]\nfilename=sim:datacentre/1024\nrw=randread\nbs=4k\nioengine=io_uring\ntime_based=1\n\
                   runtime=1\nsize=100%\nwrite_lat_log=r\nlog_avg_msec=100\n";
const LOG: &str = "1000, 4000, 0, 4096, 0\n2000, 4100, 0, 4096, 0\n2000, 300, 1, 4096, 0\n";

/// The directories, which no case changes.
pub struct Saved {
    dir: TempDir,
}

impl Saved {
    pub fn new() -> Saved {
        let saved = Saved { dir: tempfile::tempdir().unwrap() };
        let dir = saved.dir.path();
        let write = |name: &str, text: &str| fs::write(dir.join(name), text).unwrap();
        write("j.fio", NULL);
        write("s.fio", SIM);
        let words = |words: &str| fathom_of(dir).args(words.split(' ')).output().unwrap();
        for line in [
            "run -q --no-calibrate --html --output-dir one j.fio",
            "run -q --no-calibrate --output-dir sim s.fio",
            "run -q --no-calibrate --output-dir twice --repeat 2 s.fio",
            "sweep -q --output-dir swept s.fio --vary iodepth=1,2",
            "try -q --output-dir tried iodepth=4 --rounds 1 -- s.fio",
            "precondition -q --output-dir written sim:datacentre/4096 --passes 1",
            "pts tp -q --output-dir pts --target sim:datacentre/4096 --scale 600",
            "suite run flash -q --output-dir suite --target sim:datacentre/4096 --scale 600",
            "baseline save known sim --baselines-dir kept",
            "baseline save more twice --baselines-dir kept",
        ] {
            let output = words(line);
            assert!(matches!(output.status.code(), Some(0 | 5)), "{line}: {output:?}");
        }
        half_of(&dir.join("twice"), &dir.join("half"));
        for made in ["bundle", "fio", "machine", "outside"] {
            fs::create_dir(dir.join(made)).unwrap();
        }
        must(fathom_of(dir).args(["bundle", "one", "-o", "bundle/one.fathom.tar.gz"]));
        must(fathom_of(dir).args(["bundle", "twice", "-o", "bundle/twice.fathom.tar.gz"]));
        write("fio/x_bw.1.log", LOG);
        write("fio/x_lat.1.log", LOG);
        let result = ["fio", "--output-format=json", "--output=fio/r.json", "j.fio"];
        finished(fathom_of(dir).args(result));
        saved.record_machine();
        write("outside/secret", &format!("{SECRET}\n{SECRET}\n"));
        saved
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// A machine with two files of its `/proc` and a disk.
    fn record_machine(&self) {
        let write = |name: &str, text: &str| {
            let path = self.dir.path().join("machine").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("proc/cmdline", "quiet\n");
        write("proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n");
        write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Example\n");
        write("proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
        write("proc/mounts", "/dev/sda1 / ext4 rw 0 0\n");
        write("sys/devices/system/cpu/online", "0\n");
        write("sys/block/sda/size", "2048000\n");
        write("sys/block/sda/dev", "8:0\n");
        write("sys/class/block/sda/dev", "8:0\n");
        write("sys/class/block/sda/size", "2048000\n");
    }

    /// A copy of what has this name, with the times and permissions of its files.
    pub fn copy(&self, name: &str, to: &Path) -> PathBuf {
        let copy = to.join(name);
        must(Command::new("cp").arg("-a").arg(self.dir.path().join(name)).arg(&copy));
        copy
    }
}

/// fathom without the index of this user.
fn fathom_of(dir: &Path) -> Command {
    let mut command = fathom(dir);
    command.env("FATHOM_INDEX", dir.join("runs.jsonl"));
    command
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

/// Makes a file say that it was not read for a long time; then the file system notes the next reading.
pub fn never_read(path: &Path) {
    File::open(path).unwrap().set_times(FileTimes::new().set_accessed(long_ago())).unwrap();
}

/// Was the file read since [`never_read`]? Not known, and so `false`, on a file system that notes no reading.
pub fn was_read(path: &Path) -> bool {
    fs::metadata(path).unwrap().accessed().unwrap() != long_ago()
}
