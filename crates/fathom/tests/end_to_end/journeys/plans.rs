//! A plan ends as what it plans would end, and with the same words: every command asks the judge that its run asks.

use crate::support::{Loop, Mount, fathom, own_devices, sh, text};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// Exit code, and the line that says why.
fn verdict(output: &Output) -> (Option<i32>, String) {
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_error = |line: &&str| line.starts_with("error") || line.contains(": error");
    let why = told.lines().find(is_error).unwrap_or_default();
    (output.status.code(), why.to_owned())
}

/// Each command without `--plan`, and the words that make it a plan.
fn commands<'a>(device: &'a str, at: &'a str) -> Vec<(Vec<&'a str>, Vec<&'a str>)> {
    let with_plan = |words: &[&'a str]| (words.to_vec(), [words, &["--plan"]].concat());
    vec![
        with_plan(&["run", "w.fio", "--target", device]),
        with_plan(&["run", "w.fio", "--repeat", "2", "--target", device]),
        with_plan(&["sweep", "w.fio", "--vary", "bs=4k,8k", "--target", device]),
        with_plan(&["sweep", "w.fio", "--vary", "iodepth=1,2,4,8", "--find", "knee", "--target", device]),
        with_plan(&["pts", "iops", "--scale", "600", "--target", device]),
        with_plan(&["pts", "iops", "--scale", "600", "--no-purge", "--target", device]),
        with_plan(&["precondition", device]),
        with_plan(&["purge", device]),
        with_plan(&["filesystem", "create", device, "--kind", "ext4", "--at", at]),
        with_plan(&["suite", "run", "s.toml", "--target", device]),
        (
            vec!["suite", "run", "s.toml", "--target", device],
            vec!["suite", "check", "s.toml", "--target", device],
        ),
    ]
}

fn write_jobs(dir: &Path) {
    let job = "rw=write\nbs=64k\nioengine=psync\nsize=1m\n";
    fs::write(dir.join("w.fio"), format!("[w]\n{job}")).unwrap();
    let suite = format!(
        "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='writes'\nvalues=['iops']\njob='''\n[w]\n{job}'''\n"
    );
    fs::write(dir.join("s.toml"), suite).unwrap();
}

/// A process that ends with its value.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process that has this device open for writing. A file of the test itself would be open, for a moment, in each
/// process that another test starts meanwhile, and the sentences would name those too.
fn writer_of(device: &str) -> Process {
    let script = format!("exec 3>>{device}; echo; exec sleep 1000");
    let mut process =
        Process(Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap());
    let is_open = process.0.stdout.take().unwrap().read(&mut [0]).unwrap();
    assert_eq!(is_open, 1, "{device} was opened");
    process
}

/// Every command on a device for which no option helps.
#[track_caller]
fn ends_alike(dir: &Path, device: &str, consent: &str, code: i32, why: &str) {
    for (run, plan) in commands(device, "mnt") {
        let with = |words: &[&str]| {
            let consents = !consent.is_empty() && words[1] != "check";
            let consent: &[&str] = if consents { &["--destroy", consent] } else { &[] };
            fathom(dir).args(words).args(consent).output().unwrap()
        };
        let (planned, done) = (with(&plan), with(&run));
        assert_eq!(verdict(&planned), verdict(&done), "{plan:?}\n{}\n{}", text(&planned), text(&done));
        assert_eq!(planned.status.code(), Some(code), "{plan:?} {}", text(&planned));
        assert!(verdict(&planned).1.contains(why), "{plan:?} {}", text(&planned));
    }
    // A procedure makes its directory before it purges, and removes it again.
    let runs = fs::read_dir(dir.join("fathom-runs")).into_iter().flatten().flatten();
    let runs = runs.filter(|run| run.file_type().unwrap().is_dir()).count();
    assert!(runs == 0 && !dir.join("mnt").exists(), "nothing was begun");
}

#[test]
fn a_plan_ends_as_its_run_would() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    write_jobs(dir.path());
    ends_alike(dir.path(), "/dev/fathom-none", "", 2, "/dev/fathom-none");

    let disk = Loop::blank(dir.path(), 64);
    let writer = writer_of(&disk.device);
    ends_alike(dir.path(), &disk.device, &disk.consent(), 3, "is open for writing");
    drop(writer);

    sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mounted = Mount::on(&disk.device, &dir.path().join("there"));
    ends_alike(dir.path(), &disk.device, &disk.consent(), 3, "is mounted on");
    drop(mounted);

    // Only a consent is missing: the plan says which, and ends well.
    for (_, plan) in commands(&disk.device, "mnt") {
        let planned = fathom(dir.path()).args(&plan).output().unwrap();
        assert_eq!(planned.status.code(), Some(0), "{plan:?} {}", text(&planned));
        assert!(text(&planned).contains("--destroy"), "{plan:?} {}", text(&planned));
    }
}

/// A place for the results that a run does not take.
#[test]
fn a_plan_ends_as_its_run_would_where_nothing_can_be_saved() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("n.fio"), "[n]\nioengine=null\nrw=read\nsize=4k\n").unwrap();
    fs::create_dir(dir.path().join("full")).unwrap();
    fs::write(dir.path().join("full/mine"), "x").unwrap();
    for place in [["--output-dir", "full"], ["--runs-dir", "/dev/fathom-none"]] {
        let by = |more: &[&str]| {
            let words = [&["run", "n.fio", "-q", "--no-calibrate"], &place[..], more].concat();
            verdict(&fathom(dir.path()).args(words).output().unwrap())
        };
        let planned = by(&["--plan"]);
        assert_eq!(planned, by(&[]), "{place:?}");
        assert!(planned.0.is_some_and(|code| code == 1 || code == 2), "{planned:?}");
    }
}

/// Members that cannot be members, and a kernel or a machine that cannot make arrays.
#[test]
fn a_plan_of_an_array_ends_as_its_making_would() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (Loop::blank(dir.path(), 64), Loop::blank(dir.path(), 65));
    let make = |members: &[&str], more: &[&str]| {
        let words = [&["array", "create", "--level", "0"][..], members, more].concat();
        let consents = ["--destroy", &one.consent(), "--destroy", &other.consent()];
        verdict(&fathom(dir.path()).args(words).args(consents).output().unwrap())
    };
    let alike = |members: &[&str], code: i32, why: &str| {
        let planned = make(members, &["--plan"]);
        assert_eq!(planned, make(members, &[]), "{members:?}");
        assert_eq!(planned.0, Some(code), "{planned:?}");
        assert!(planned.1.contains(why), "{planned:?}");
    };
    alike(&[&one.device, "/dev/fathom-none"], 2, "/dev/fathom-none");
    sh("mkfs.ext4", &format!("-q {}", other.device));
    let mounted = Mount::on(&other.device, &dir.path().join("there"));
    alike(&[&one.device, &other.device], 3, "is mounted on");
    drop(mounted);
    // The lab's kernel has md, and makes one.
    if !Path::new("/proc/mdstat").exists() {
        alike(&[&one.device, &other.device], 2, "this kernel has no md");
    }
    assert!(fs::read(&one.backing).unwrap().iter().all(|byte| *byte == 0), "nothing was written");
}

/// What a run refuses of every plan, `check` refuses too, and a suite that purges finds it before it purges.
#[test]
fn a_suite_is_checked_as_it_is_run() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = Loop::blank(dir.path(), 64);
    fs::write(&disk.device, "mine").unwrap();
    for (options, code, why) in [
        ("write_bw_log=/tmp/fathom-log", 2, "cannot make the log /tmp/fathom-log_bw.1.log"),
        ("write_lat_log=../log", 2, "cannot make the log ../log_slat.1.log"),
    ] {
        let suite = format!(
            "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='writes'\nbefore=['purge']\nvalues=['iops']\njob='''\n\
             [w]\nrw=write\nbs=64k\nioengine=psync\nsize=1m\n{options}\n'''\n"
        );
        fs::write(dir.path().join("s.toml"), suite).unwrap();
        let verdict_of = |words: &[&str]| verdict(&fathom(dir.path()).args(words).output().unwrap());
        let target = ["s.toml", "--target", &disk.device];
        let checked = verdict_of(&[&["suite", "check"], &target[..]].concat());
        let run = verdict_of(&[&["suite", "run"], &target[..], &["--destroy", &disk.consent()]].concat());
        assert_eq!(checked, run, "{options}");
        assert!(checked.0 == Some(code) && checked.1.contains(why), "{checked:?}");
        assert!(fs::read(&disk.backing).unwrap().starts_with(b"mine"), "it was purged first: {options}");
    }
    // A job's own file beside a directory: the file of another program needs a consent, which the check names.
    fs::create_dir(dir.path().join("D")).unwrap();
    fs::write(dir.path().join("D/own"), "of another program").unwrap();
    let suite = "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='writes'\nvalues=['iops']\njob='''\n[w]\nfilename=own\n\
                 rw=write\nbs=64k\nioengine=psync\nsize=1m\n'''\n";
    fs::write(dir.path().join("s.toml"), suite).unwrap();
    for (act, code) in [("check", 0), ("run", 3)] {
        let output = fathom(dir.path()).args(["suite", act, "s.toml", "--target", "D"]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("D/own was not created by fathom") && said.contains("--overwrite"), "{said}");
    }
}
