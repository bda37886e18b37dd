//! Files that fathom writes for itself never replace something that a person
//! could miss.

use crate::support::{Loop, Mount, fathom, machine, must, sh, text, unmount};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A job that touches no disk and ends at once.
const NOTHING: &str = "[n]\nioengine=null\nrw=read\nsize=1m\n";

/// A directory in memory, because fathom flushes what it writes, which can take
/// seconds on a busy disk.
fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap()
}

/// Runs fathom in `dir`.
fn run(dir: &Path, words: &[&str]) -> Output {
    fathom(dir).args(words).output().unwrap()
}

/// Checks that fathom ended with `code`.
#[track_caller]
fn ends(output: &Output, code: i32) {
    assert_eq!(output.status.code(), Some(code), "{}", text(output));
}

#[test]
fn a_link_latest_that_fathom_did_not_make_stays() {
    let dir = directory();
    fs::write(dir.path().join("n.fio"), NOTHING).unwrap();
    let runs = dir.path().join("fathom-runs");
    let latest = runs.join("latest");
    fs::create_dir_all(runs.join("archive")).unwrap();
    for mine in ["archive", "no-such-run"] {
        let _ = fs::remove_file(&latest);
        symlink(mine, &latest).unwrap();
        let output = run(dir.path(), &["run", "-q", "--no-calibrate", "n.fio"]);
        ends(&output, 0);
        assert_eq!(fs::read_link(&latest).unwrap(), Path::new(mine));
        assert_eq!(text(&output).matches("latest was not made by fathom").count(), 1, "{}", text(&output));
    }
    fs::remove_file(&latest).unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 {
        let output = run(dir.path(), &["run", "-q", "--no-calibrate", "n.fio"]);
        ends(&output, 0);
        assert!(!text(&output).contains("latest was not"), "{}", text(&output));
        seen.push(fs::read_link(&latest).unwrap());
    }
    assert!(seen[0] != seen[1] && runs.join(&seen[1]).join("run.json").exists(), "{seen:?}");
}

/// A run that writes to the file `made`, with a record of the test's own.
const WRITE: [&str; 7] = ["run", "-q", "--no-calibrate", "w.fio", "--target", "made", "--state-dir=state"];

fn write_job(dir: &Path, options: &str) {
    fs::write(dir.join("w.fio"), format!("[w]\nrw=write\nbs=64k\nsize=8m\nioengine=psync\n{options}"))
        .unwrap();
}

/// The owner makes a file system in a file that fathom made.
#[test]
fn a_file_that_fathom_made_and_its_owner_formatted_is_not_overwritten() {
    let dir = directory();
    write_job(dir.path(), "");
    for _ in 0..2 {
        ends(&run(dir.path(), &WRITE), 0);
    }
    let made = dir.path().join("made");
    sh("mkfs.ext4", &format!("-q -F {}", made.display()));
    let output = run(dir.path(), &WRITE);
    ends(&output, 3);
    let said = text(&output);
    assert!(
        said.contains("changed after fathom last closed it") && said.contains("--overwrite made"),
        "{said}"
    );
    sh("fsck.ext4", &format!("-fn {}", made.display()));
    ends(&run(dir.path(), &[&WRITE[..], &["--overwrite", "made"]].concat()), 0);
}

/// What a run knows of its files at its end is recorded when
/// it is interrupted, and not when it is killed.
#[test]
fn an_interrupted_run_records_its_files_and_a_killed_one_does_not() {
    for (signal, code) in [("INT", 0), ("KILL", 3)] {
        let dir = directory();
        write_job(dir.path(), "time_based\nruntime=60s\n");
        let mut command = fathom(dir.path());
        let mut child = command.args(WRITE).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let made = dir.path().join("made");
        while fs::read(&made).map_or(true, |bytes| bytes.iter().all(|&byte| byte == 0)) {
            assert!(child.try_wait().unwrap().is_none(), "the run ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        must(Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]));
        child.wait().unwrap();
        write_job(dir.path(), "");
        let output = run(dir.path(), &WRITE);
        ends(&output, code);
        assert_eq!(
            text(&output).contains("a run that is killed records nothing"),
            code == 3,
            "{}",
            text(&output)
        );
    }
}

/// A record that cannot be kept is reported once.
#[test]
fn a_record_that_cannot_be_written_is_told() {
    let dir = directory();
    write_job(dir.path(), "");
    fs::write(dir.path().join("state"), "in the way").unwrap();
    let output = run(dir.path(), &WRITE);
    ends(&output, 0);
    assert_eq!(text(&output).matches("will need --overwrite next time").count(), 1, "{}", text(&output));
    ends(&run(dir.path(), &WRITE), 3);
}

/// Every command that writes to a file that the user names, without that name.
const OUTPUTS: [&[&str]; 4] = [
    &["run", "-q", "--no-calibrate", "n.fio", "-o"],
    &["report", "saved", "-o"],
    &["doctor", "capture", "--watch", "0", "-o"],
    &["tune", "plan", "-o"],
];

/// A directory with a saved run in it.
fn with_run() -> tempfile::TempDir {
    let dir = directory();
    fs::write(dir.path().join("n.fio"), NOTHING).unwrap();
    ends(&run(dir.path(), &["run", "-q", "--no-calibrate", "--html", "n.fio", "--output-dir", "saved"]), 0);
    dir
}

/// The output is refused, and everything in `dir` stays as it was.
#[track_caller]
fn refused(dir: &Path, words: &[&str], why: &str) {
    let before = contents(dir);
    let output = run(dir, words);
    ends(&output, 3);
    assert!(text(&output).contains(why), "{words:?} does not say {why:?}: {}", text(&output));
    assert_eq!(contents(dir), before, "{words:?}");
}

/// Every file below a directory, with what it holds.
fn contents(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let found = sh("find", &format!("{} -type f", dir.display()));
    let mut all: Vec<_> = found.lines().map(|path| (path.to_owned(), fs::read(path).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn an_output_replaces_only_its_own_kind_or_what_is_named() {
    let dir = with_run();
    let at = |name: &str| dir.path().join(name);
    for (number, words) in OUTPUTS.iter().enumerate() {
        let out = format!("out{number}");
        fs::write(at(&out), "my thesis").unwrap();
        let words = [*words, &[&out]].concat();
        refused(dir.path(), &words, "--overwrite");
        ends(&run(dir.path(), &[&words[..], &["--overwrite", &out]].concat()), 0);
        assert_ne!(fs::read(at(&out)).unwrap(), b"my thesis");
        // Now it is of the same kind.
        ends(&run(dir.path(), &words), 0);
    }
    fs::write(at("empty"), "").unwrap();
    ends(&run(dir.path(), &["report", "saved", "-o", "empty"]), 0);
    refused(dir.path(), &[OUTPUTS[0], &["out2"]].concat(), "not a result");
    refused(dir.path(), &[OUTPUTS[2], &["out3"]].concat(), "not a capture");
    for form in ["json", "json+", "terse", "normal", "html", "details"] {
        ends(&run(dir.path(), &["report", "saved", "--output-format", form, "-o", "out1"]), 0);
    }
}

/// No option overrides these.
/// What fio measured is no output of fathom, although it has one of the same forms.
#[test]
fn a_measurement_of_fio_is_replaced_only_where_it_is_named() {
    let dir = with_run();
    for form in ["json", "terse", "normal"] {
        let format = format!("--output-format={form}");
        let words = ["--name=n", "--ioengine=null", "--size=1m", &format, "--output=mine"];
        must(Command::new("fio").current_dir(dir.path()).args(words));
        let report = ["report", "saved", &format, "-o", "mine"];
        refused(dir.path(), &report, "it holds something else, not a result");
        ends(&run(dir.path(), &[&report[..], &["--overwrite", "mine"]].concat()), 0);
        // Now it is fathom's own.
        ends(&run(dir.path(), &report), 0);
        fs::remove_file(dir.path().join("mine")).unwrap();
    }
}

#[test]
fn an_output_never_replaces_a_file_of_a_run_a_job_or_a_target() {
    let dir = with_run();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("target"), vec![1; 1 << 20]).unwrap();
    fs::write(at("more.fio"), "rw=read\nioengine=psync\nsize=64k\n").unwrap();
    fs::write(at("t.fio"), "[t]\ninclude more.fio\nfilename=target:new\n").unwrap();
    fs::hard_link(at("target"), at("hard")).unwrap();
    symlink("target", at("soft")).unwrap();
    fs::hard_link(at("saved/spool"), at("spool")).unwrap();
    fs::hard_link(at("saved/run.json"), at("record")).unwrap();
    let run_on = |out| ["run", "-q", "t.fio", "-o", out, "--overwrite", out];
    let fio_on = |out| ["fio", "t.fio", "--output", out];
    for out in ["target", "hard", "soft", "new", "./new"] {
        refused(dir.path(), &run_on(out), "a target of this run");
        refused(dir.path(), &fio_on(out), "a target of this run");
    }
    for out in ["t.fio", "more.fio"] {
        refused(dir.path(), &run_on(out), "a job file of this run");
        refused(dir.path(), &fio_on(out), "a job file of this run");
    }
    for out in ["saved/spool", "saved/run.json", "spool", "record"] {
        refused(dir.path(), &run_on(out), "the record of a run");
        refused(dir.path(), &fio_on(out), "the record of a run");
        refused(dir.path(), &["report", "saved", "-o", out, "--overwrite", out], "the record of a run");
    }
    refused(dir.path(), &fio_on("saved/report.html"), "belongs to a saved run");
    refused(dir.path(), &["report", "saved", "-o", "saved/report.html"], "belongs to a saved run");
    ends(
        &run(dir.path(), &["report", "saved", "-o", "saved/report.html", "--overwrite", "saved/report.html"]),
        0,
    );
    fs::create_dir(at("empty")).unwrap();
    refused(
        dir.path(),
        &["run", "-q", "n.fio", "--output-dir", "empty", "-o", "empty/run.json"],
        "a file of this run",
    );
}

/// `fathom fio` replaces what fio would, also with its logs.
#[test]
fn at_fios_door_outputs_and_logs_spare_the_files_of_runs_and_jobs() {
    let dir = with_run();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("text"), "old").unwrap();
    ends(&run(dir.path(), &["fio", "n.fio", "--output", "text"]), 0);
    assert!(fs::read_to_string(at("text")).unwrap().contains("groupid=0"));
    let logged = |name: &str| format!("--write_bw_log={name}");
    let by_fio = |more: &[&str]| {
        let job = ["fio", "--name=n", "--ioengine=null", "--rw=read", "--size=1m", "--per_job_logs=0"];
        [&job[..], more].concat().into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    fs::write(at("j_bw.log"), NOTHING).unwrap();
    fs::write(at("old_bw.log"), "1, 2, 3\n").unwrap();
    fs::hard_link(at("saved/run.json"), at("kept_bw.log")).unwrap();
    fs::write(at("saved/in_bw.log"), "1, 2, 3\n").unwrap();
    let cases = [
        (by_fio(&[&logged("kept")]), "belongs to a saved run"),
        (by_fio(&[&logged("saved/in")]), "belongs to a saved run"),
        (by_fio(&[&logged("same"), "--output=same_bw.log"]), "the output of this run"),
        (by_fio(&[&logged("j"), "j_bw.log"]), "a job file of this run"),
    ];
    for (words, why) in cases {
        refused(dir.path(), &words.iter().map(String::as_str).collect::<Vec<_>>(), why);
    }
    let words = by_fio(&[&logged("old")]);
    ends(&run(dir.path(), &words.iter().map(String::as_str).collect::<Vec<_>>()), 0);
    assert_ne!(fs::read_to_string(at("old_bw.log")).unwrap(), "1, 2, 3\n");
}

/// Nothing may wait without limit for a reader of a FIFO.
#[test]
fn outputs_go_to_pipes_and_terminals_and_to_no_other_device() {
    let dir = with_run();
    let report = |out| ["report", "saved", "--output-format", "terse", "-o", out];
    for device in ["/dev/kmsg", "/dev/zero", "/dev/full", "/dev/random"] {
        refused(dir.path(), &report(device), "it is a device");
    }
    ends(&run(dir.path(), &report("/dev/null")), 0);
    let output = run(dir.path(), &report("/dev/fathom-test-no-such-device"));
    ends(&output, 2);
    assert!(text(&output).contains("no such device"), "{}", text(&output));
    assert!(!Path::new("/dev/fathom-test-no-such-device").exists());
    for out in ["-", "/dev/stdout", "/dev/fd/1"] {
        let output = run(dir.path(), &report(out));
        ends(&output, 0);
        assert!(output.stdout.starts_with(b"3;fio-"), "{out}: {}", text(&output));
        assert!(!dir.path().join("-").exists());
    }
    for words in OUTPUTS {
        let output = run(dir.path(), &[words, &["-"]].concat());
        ends(&output, 0);
        assert!(!output.stdout.is_empty() && !dir.path().join("-").exists(), "{words:?}");
    }
    sh("mkfifo", &dir.path().join("fifo").display().to_string());
    let output = run(dir.path(), &report("fifo"));
    ends(&output, 2);
    assert!(text(&output).contains("no program reads from it"), "{}", text(&output));
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    refused(dir.path(), &report("dangling"), "leads nowhere");
    let shell = |script: &str| {
        let script = format!("exec 3>>kept; F='{}'; {script}", env!("CARGO_BIN_EXE_fathom"));
        must(Command::new("bash").args(["-c", &script]).current_dir(dir.path()))
    };
    fs::write(dir.path().join("kept"), "mine\n").unwrap();
    let to = "report saved --output-format terse -o";
    assert!(shell(&format!("\"$F\" {to} >(cat >&1) | cat")).starts_with("3;fio-"));
    assert!(shell(&format!("cat fifo & \"$F\" {to} fifo; wait")).starts_with("3;fio-"));
    shell(&format!("\"$F\" {to} /dev/stdout >>kept; \"$F\" {to} /dev/fd/3"));
    let kept = fs::read_to_string(dir.path().join("kept")).unwrap();
    let lines: Vec<&str> = kept.lines().map(|line| &line[..4]).collect();
    assert_eq!(lines, ["mine", "3;fi", "3;fi"]);
}

/// A job that cannot fit is an error, before anything is made.
#[test]
fn a_write_that_does_not_fit_is_refused_by_the_plan_and_told_at_fios_door() {
    let _machine = crate::support::machine();
    let dir = directory();
    let mount = dir.path().join("small");
    fs::create_dir(&mount).unwrap();
    sh("mount", &format!("-t tmpfs -o size=8m tmpfs {}", mount.display()));
    fs::write(mount.join("sparse"), "").unwrap();
    fs::File::options().write(true).open(mount.join("sparse")).unwrap().set_len(64 << 20).unwrap();
    let job = |options: &str| {
        let text = format!("[w]\nrw=write\nbs=64k\nioengine=psync\ndirectory=small\n{options}\n");
        fs::write(dir.path().join("w.fio"), text).unwrap();
    };
    let by = |words: &[&str]| run(dir.path(), words);
    let mut seen = Vec::new();
    for options in ["size=900g", "size=5m\nnumjobs=2", "filename=sparse", "size=9m\nfallocate=none"] {
        job(options);
        for words in
            [&["run", "--plan", "w.fio"][..], &["run", "--plan=json", "w.fio"], &["run", "-q", "w.fio"]]
        {
            let output = by(words);
            seen.push((options, output.status.code(), text(&output).contains("are free there [no-space]")));
        }
    }
    let is_clean = fs::read_dir(&mount).unwrap().count() == 1 && !dir.path().join("fathom-runs").exists();
    job("size=9m\nfallocate=none");
    let as_fio = by(&["fio", "w.fio"]);
    fs::remove_file(mount.join("w.0.0")).unwrap();
    job("size=6m");
    let fits = by(&["run", "-q", "--no-calibrate", "w.fio"]);
    crate::support::unmount(&mount, &[]);
    assert!(seen.iter().all(|(_, code, is_told)| *code == Some(2) && *is_told), "{seen:?}");
    assert!(is_clean);
    let said = text(&as_fio);
    assert!(said.contains("warning: writing") && said.contains("No space left"), "{said}");
    ends(&fits, 0);
}

/// Turns swap off when dropped.
struct Swap(String);

impl Drop for Swap {
    fn drop(&mut self) {
        let _ = Command::new("swapoff").arg(&self.0).status();
    }
}

/// Every way in which an output or a log could take the place of `file`, which
/// the log options know as `n_iops.1.log`.
fn outputs_over(file: &str) -> Vec<Vec<&str>> {
    let by_fio = |more| vec!["fio", "--name=n", "--ioengine=null", "--rw=read", "--size=1m", more];
    let mut ways: Vec<Vec<&str>> = OUTPUTS.iter().map(|words| words.to_vec()).collect();
    ways.iter_mut().for_each(|words| words.extend([file, "--overwrite", file]));
    ways.push(vec!["fio", "n.fio", "--output", file]);
    ways.push(by_fio("--write_iops_log=n"));
    // The first log of this run is another file, which stays as it was too.
    ways.push([by_fio("--write_iops_log=n"), vec!["--write_bw_log=old"]].concat());
    ways
}

/// A file system or swap on a file is lost when an output replaces the file or a
/// log empties it.
#[test]
fn an_output_or_a_log_never_takes_a_file_that_the_kernel_uses() {
    let _machine = crate::support::machine();
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("n.fio"), NOTHING).unwrap();
    ends(&run(dir.path(), &["run", "-q", "--no-calibrate", "n.fio", "--output-dir", "saved"]), 0);
    fs::write(at("old_bw.1.log"), "1, 2, 3\n").unwrap();
    let disk = Loop::blank(dir.path(), 8);
    sh("mkfs.ext4", &format!("-q {}", disk.device));
    // Read-only: nothing but fathom could change the file.
    let mount = Mount::on(&format!("-o ro {}", disk.device), &at("mounted"));
    fs::hard_link(&disk.backing, at("n_iops.1.log")).unwrap();
    let name = disk.device.trim_start_matches("/dev/");
    let stands = format!("is attached to {name}; {name} is mounted on {}", mount.path.display());
    for words in outputs_over("disk-8.img") {
        refused(dir.path(), &words, &stands);
    }
    fs::remove_file(at("n_iops.1.log")).unwrap();
    let swap = at("n_iops.1.log").display().to_string();
    fs::write(&swap, vec![0; 1 << 20]).unwrap();
    fs::set_permissions(&swap, fs::Permissions::from_mode(0o600)).unwrap();
    sh("mkswap", &swap);
    sh("swapon", &swap);
    let swap = Swap(swap);
    // The kernel may write to it, so what it holds is not compared.
    let file = || fs::metadata(&swap.0).map(|meta| (meta.ino(), meta.len())).unwrap();
    let before = file();
    for words in outputs_over("n_iops.1.log") {
        let output = run(dir.path(), &words);
        ends(&output, 3);
        assert!(text(&output).contains("swap file"), "{words:?}: {}", text(&output));
        assert_eq!(file(), before, "{words:?}");
    }
    assert!(!at("fathom-runs").exists(), "a run began");
}

/// A person who may write to the directory of a run cannot make the run use a file
/// in another place.
#[test]
fn files_of_a_run_are_not_written_through_links() {
    let dir = with_run();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("long.fio"), format!("{NOTHING}time_based\nruntime=1s\n")).unwrap();
    fs::write(at("precious"), "mine").unwrap();
    ends(&run(dir.path(), &["report", "saved", "--output-format", "html", "-o", "page"]), 0);
    let page = fs::read(at("page")).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "--no-calibrate", "--html", "long.fio", "--output-dir", "made"]);
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    while !at("made/spool").exists() {
        assert!(child.try_wait().unwrap().is_none(), "the run ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    symlink("../precious", at("made/run.json.partial")).unwrap();
    symlink("../page", at("made/report.html")).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read_to_string(at("precious")).unwrap(), "mine");
    assert!(fs::read(at("page")).unwrap() == page, "the page of another run was replaced");
    assert!(fs::symlink_metadata(at("made/report.html")).unwrap().is_file());
}

/// A file that cannot be replaced in one step is reported before anything is measured,
/// and a log that could not be written makes the run incomplete.
#[test]
fn outputs_that_cannot_be_written_are_told() {
    let _machine = machine();
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("j.fio"), "[a]\nioengine=null\nsize=64k\nrw=read\n").unwrap();
    let fathom = |words: &str| fathom(dir.path()).args(words.split(' ')).output().unwrap();

    std::fs::write(at("below"), "").unwrap();
    std::fs::write(at("out.json"), "").unwrap();
    sh("mount", &format!("--bind {} {}", at("below").display(), at("out.json").display()));
    let bound = fathom("run -q --no-calibrate j.fio -o out.json");
    unmount(&at("out.json"), &[]);
    assert_eq!(bound.status.code(), Some(3), "{}", text(&bound));
    assert!(text(&bound).contains("a file is mounted on it"), "{}", text(&bound));
    assert!(!at("fathom-runs").exists(), "nothing was measured");

    let device = fathom("fio --write_bw_log=/dev/fathom-test --name=a --ioengine=null --size=4k");
    assert_eq!(device.status.code(), Some(2), "{}", text(&device));
    assert!(!Path::new("/dev/fathom-test_bw.1.log").exists());

    std::fs::create_dir(at("full")).unwrap();
    sh("mount", &format!("-t tmpfs -o size=4k tmpfs {}", at("full").display()));
    let full = Mount { path: at("full") };
    std::fs::write(at("full/data"), [0; 4096]).unwrap();
    let lost = fathom("fio --write_lat_log=full/log --name=a --ioengine=null --size=64k");
    drop(full);
    assert_eq!(lost.status.code(), Some(7), "{}", text(&lost));
    assert!(text(&lost).contains("full/log_"), "{}", text(&lost));
}

/// A person who may write to the parent of a run's directory can replace the directory
/// by a link.
#[test]
fn a_run_is_saved_in_its_own_directory_whatever_takes_its_place() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("theirs")).unwrap();
    fs::write(at("theirs/run.json"), "mine").unwrap();
    let job = "[a]\nioengine=null\nrw=read\nsize=1m\ntime_based\nruntime=2\n";
    fs::write(at("j.fio"), job).unwrap();
    let mut command = fathom(dir.path());
    command.args(["run", "-q", "--no-calibrate", "--output-dir", "run", "j.fio"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !at("run/spool").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    fs::rename(at("run"), at("moved")).unwrap();
    symlink(at("theirs"), at("run")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
    assert_eq!(fs::read_to_string(at("theirs/run.json")).unwrap(), "mine");
    assert_eq!(fathom(dir.path()).args(["report", "moved"]).output().unwrap().status.code(), Some(0));
}

/// fio opens its output at the start; a link that is made later has no effect.
#[test]
fn a_link_that_comes_during_the_run_is_not_followed() {
    let dir = directory();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("precious"), "mine").unwrap();
    let words = "fio --output=out --name=a --ioengine=null --size=1m --time_based --runtime=2";
    let mut child = fathom(dir.path()).args(words.split(' ')).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    symlink(at("precious"), at("out")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert_eq!(fs::read_to_string(at("precious")).unwrap(), "mine");
}

/// A job has more files than the guard holds by descriptor, and more than it keeps open.
#[test]
fn hundreds_of_files_are_ours_from_run_to_run_until_somebody_touches_one() {
    let dir = directory();
    let job = "[many]\nioengine=psync\nrw=randrw\nbs=4k\nfilesize=8k\nnrfiles=600\nopenfiles=7\n";
    fs::write(dir.path().join("many.fio"), job).unwrap();
    let state = dir.path().join("state");
    let words = ["run", "-q", "--no-calibrate", "--state-dir", state.to_str().unwrap(), "many.fio"];
    for _ in 0..2 {
        let output = run(dir.path(), &words);
        ends(&output, 0);
    }
    let saved = dir.path().join("fathom-runs/latest/run.json");
    assert!(fs::metadata(saved).unwrap().len() < 200_000);
    let touched = dir.path().join("many.0.577");
    fs::write(&touched, "mine").unwrap();
    let output = run(dir.path(), &words);
    ends(&output, 3);
    assert!(text(&output).contains("many.0.577"), "{}", text(&output));
    assert_eq!(fs::read_to_string(&touched).unwrap(), "mine");
}
