//! Signals while a command has temporary files: nothing of them is left.

use crate::support::{fathom, must, text};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// So long that a bundle of it takes seconds, and cannot be compressed.
const LONG_BYTES: u64 = 10 << 20;

/// Two runs with a long spool each, and their bundles.
fn bundled() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), "[j]\nioengine=null\nrw=randread\nsize=1m\n").unwrap();
    fs::create_dir(dir.path().join("tmp")).unwrap();
    for name in ["one", "two"] {
        must(fathom(dir.path()).args(["run", "-q", "--no-calibrate", "--output-dir", name, "j.fio"]));
        let random = File::open("/dev/urandom").unwrap();
        // What fathom did not save is left out of a bundle.
        let spool = File::options().append(true).open(dir.path().join(name).join("spool"));
        std::io::copy(&mut random.take(LONG_BYTES), &mut spool.unwrap()).unwrap();
        must(fathom(dir.path()).args(["bundle", name]));
    }
    dir
}

/// How many files or directories in `place` have a name that begins so.
fn count(place: &Path, beginning: &str) -> usize {
    let names = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().starts_with(beginning)).count()
}

#[test]
fn a_signal_leaves_nothing_of_a_bundle() {
    let dir = bundled();
    let at = |name: &str| dir.path().join(name);
    let (tmp, here) = (at("tmp"), dir.path().to_owned());
    let unpacked = (tmp.as_path(), "fathom-bundle-");
    let cases: [(&[&str], (&Path, &str), usize); 4] = [
        (&["report", "one.fathom.tar.gz"], unpacked, 1),
        (&["compare", "one.fathom.tar.gz", "two.fathom.tar.gz"], unpacked, 2),
        (&["bundle", "one", "-o", "new.fathom.tar.gz"], (here.as_path(), ".fathom-"), 1),
        (&["bundle", "one"], (here.as_path(), ".fathom-"), 1),
    ];
    let old = fs::read(at("one.fathom.tar.gz")).unwrap();
    for (words, (place, beginning), most) in cases {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let mut command = fathom(dir.path());
            let child = command.args(words).env("TMPDIR", &tmp).stdout(Stdio::piped()).stderr(Stdio::piped());
            let child = child.spawn().unwrap();
            let until = Instant::now() + Duration::from_secs(60);
            while count(place, beginning) < most && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            must(Command::new("kill").args(["-s", signal, &child.id().to_string()]));
            let output = child.wait_with_output().unwrap();
            // Where nothing is left to remove, the signal itself ends it; a shell gives the same code.
            let ended = output.status.code().or(output.status.signal().map(|signal| 128 + signal));
            assert_eq!(ended, Some(code), "{words:?} {signal}: {}", text(&output));
            assert_eq!(count(place, beginning), 0, "{words:?} {signal}");
        }
    }
    assert!(!at("new.fathom.tar.gz").exists());
    assert!(fs::read(at("one.fathom.tar.gz")).unwrap() == old, "the old bundle is as it was");
}

/// A reader of the result that does not read: the run has ended, and its scratch directory is still there.
#[test]
fn a_signal_after_the_run_of_fathom_fio_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let mut command = fathom(dir.path());
        command.args(["fio", "--name=x", "--ioengine=null", "--rw=randrw", "--size=4m", "--numjobs=60"]);
        command.arg("--output-format=json+").env("TMPDIR", dir.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        // The rest does not fit into the pipe.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        assert_eq!(count(dir.path(), "fathom-fio-"), 1);
        must(Command::new("kill").args(["-s", signal, &child.id().to_string()]));
        assert_eq!(child.wait().unwrap().code(), Some(code), "{signal}");
        assert_eq!(count(dir.path(), "fathom-fio-"), 0, "{signal}");
    }
}
