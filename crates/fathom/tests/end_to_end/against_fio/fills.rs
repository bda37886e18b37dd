//! Jobs that write until no space is left (`fill_device`): fio and fathom write the same, and both call it a success.

use crate::support::{Loop, Mount, fathom, json, machine, must, sh};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a job adds to `fill_device=1`; the first two also on tmpfs.
const JOBS: [&str; 8] = [
    "ioengine=psync\nrw=write\nbs=64k\nnrfiles=2\nloops=2\n",
    "ioengine=io_uring\niodepth=8\nrw=write\nbs=64k\nsize=100m\n",
    "ioengine=libaio\niodepth=16\ndirect=1\nrw=write\nbs=64k\n",
    "ioengine=psync\ndirect=1\nrw=write\nbs=60k\n",
    "ioengine=psync\nrw=write\nbs=64k\nsize=5m\n",
    "ioengine=psync\nrw=write\nbs=64k\nio_size=3m\n",
    "ioengine=psync\nrw=write\nbs=64k\nnumber_ios=10\n",
    "ioengine=psync\nrw=write\nbs=64k\ntime_based\nruntime=30\n",
];

/// The bytes that a job has written, and its error.
fn written(document: &str) -> (u64, i64) {
    let job: &Value = &json(document)["jobs"][0];
    (job["write"]["io_bytes"].as_u64().unwrap(), job["error"].as_i64().unwrap())
}

fn run(tool: &mut Command, jobs: &Path) -> (u64, i64) {
    written(&must(tool.arg("--output-format=json").arg(jobs)))
}

/// A file system of 24 MiB in a file of the test, with a directory beside it for results.
struct Ground {
    dir: tempfile::TempDir,
    _mount: Mount,
    _disk: Option<Loop>,
}

impl Ground {
    fn ext4() -> Ground {
        let dir = tempfile::tempdir().unwrap();
        let disk = Loop::blank(dir.path(), 24);
        sh("mkfs.ext4", &format!("-q {}", disk.device));
        let mount = Mount::on(&disk.device, &dir.path().join("full"));
        Ground { dir, _mount: mount, _disk: Some(disk) }
    }

    fn tmpfs() -> Ground {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("full");
        std::fs::create_dir(&at).unwrap();
        sh("mount", &format!("-t tmpfs -o size=24m tmpfs {}", at.display()));
        Ground { _mount: Mount { path: at }, dir, _disk: None }
    }

    fn full(&self) -> PathBuf {
        self.dir.path().join("full")
    }

    /// A job file whose files are on the file system.
    fn jobs(&self, job: &str) -> PathBuf {
        let path = self.dir.path().join("j.fio");
        let full = self.full();
        std::fs::write(&path, format!("[j]\ndirectory={}\nfill_device=1\nunlink=1\n{job}", full.display()))
            .unwrap();
        path
    }

    fn files(&self) -> Vec<String> {
        let names = std::fs::read_dir(self.full()).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.to_string_lossy().into_owned()).filter(|name| name != "lost+found").collect()
    }
}

#[test]
fn what_fills_a_file_system_writes_as_much_as_fio() {
    let _machine = machine();
    for (ground, jobs) in [(Ground::ext4(), &JOBS[..]), (Ground::tmpfs(), &JOBS[..2])] {
        for job in jobs {
            let file = ground.jobs(job);
            let theirs = run(&mut Command::new("fio"), &file);
            let ours = run(fathom(ground.dir.path()).arg("fio"), &file);
            assert_eq!((ours, ours.1), (theirs, 0), "{job}");
            assert!(ours.0 > 0 && ground.files().is_empty(), "{job}: {ours:?}");
        }
    }
}

#[test]
fn a_device_is_written_to_its_end_as_without_the_option() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 5);
    let jobs = dir.path().join("j.fio");
    for rw in ["write", "randwrite"] {
        let text = format!("[j]\nfilename={}\nfill_fs=1\nrw={rw}\nbs=48k\ndirect=1\n", disk.device);
        std::fs::write(&jobs, text).unwrap();
        let theirs = run(&mut Command::new("fio"), &jobs);
        let ours = run(fathom(dir.path()).args(["fio", "--destroy", &disk.consent()]), &jobs);
        assert_eq!((ours, ours.1), (theirs, 0), "{rw}");
        assert_eq!(ours.0, (5 << 20) / (48 << 10) * (48 << 10), "whole blocks to the end");
    }
}
