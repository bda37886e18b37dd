//! Which files may be read, how much of them, and what messages show of them.

use crate::support::{fathom, must, public_binary, text};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

/// Runs fathom, which must end by itself long before a minute is over.
fn ended(dir: &Path, words: &[&str]) -> Output {
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_fathom")]).args(words).current_dir(dir);
    let output = command.output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 100), "{words:?}: {}", text(&output));
    output
}

fn fifo(path: &Path) {
    must(Command::new("mkfifo").arg(path));
}

const JOB: &str = "[j]\nioengine=null\nrw=read\nsize=4k\n";

#[test]
fn nothing_is_waited_for_that_does_not_come_or_end() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fifo(&at("fifo"));
    File::create(at("endless")).unwrap().set_len(1 << 40).unwrap();
    for (name, included) in [("i1", "fifo"), ("i2", "/dev/zero"), ("i3", "endless")] {
        fs::write(at(name), format!("[j]\ninclude {included}\n")).unwrap();
    }
    fs::write(at("j"), JOB).unwrap();
    must(fathom(dir.path()).args(["run", "j", "--no-calibrate", "--output-dir", "run"]));
    for (broken, file) in [("no-record", "run.json"), ("no-spool", "spool")] {
        must(Command::new("cp").arg("-r").arg(at("run")).arg(at(broken)));
        fs::remove_file(at(broken).join(file)).unwrap();
        fifo(&at(broken).join(file));
    }
    fs::create_dir(at("tree")).unwrap();
    fs::create_dir(at("tree/proc")).unwrap();
    fifo(&at("tree/proc/cmdline"));
    let cases: &[(&[&str], i32, &str)] = &[
        (&["run", "fifo"], 2, "no program writes to it"),
        (&["run", "i1"], 2, "no program writes to it"),
        (&["run", "/dev/zero"], 2, "a character device"),
        (&["run", "i2"], 2, "a character device"),
        (&["run", "endless"], 2, "longer than 16 MiB"),
        (&["run", "i3"], 2, "longer than 16 MiB"),
        (&["run", "."], 2, "a directory"),
        (&["run", "run/spool"], 2, "byte of zero"),
        (&["fio", "fifo"], 2, "no program writes to it"),
        (&["report", "no-record"], 7, "it is a FIFO"),
        (&["report", "no-spool"], 7, "it is a FIFO"),
        (&["doctor", "--root", "fifo"], 2, "no program writes to it"),
        (&["topology", "--root", "/dev/zero"], 2, "a character device"),
        (&["doctor", "--root", "endless"], 2, "longer than 256 MiB"),
        (&["doctor", "--root", "tree"], 0, "checks"),
        (&["doctor", "--read", "fifo"], 2, "no program writes to it"),
        (&["doctor", "--read", "/dev/zero"], 2, "a character device"),
        (&["doctor", "--read", "endless"], 2, "longer than 16 MiB"),
        (&["tune", "apply", "fifo"], 2, "a FIFO"),
        (&["tune", "apply", "/dev/zero"], 2, "a character device"),
        (&["quick", "fifo"], 2, "not a directory, a file or a block device"),
        (&["run", "j", "--target", "fifo", "--set", "ioengine=psync"], 2, "a FIFO or a socket"),
        (&["purge", "fifo"], 2, "fifo"),
    ];
    // At the same time, because each FIFO gets two seconds to find a writer.
    std::thread::scope(|scope| {
        for (words, code, said) in cases {
            let dir = dir.path();
            scope.spawn(move || {
                let output = ended(dir, words);
                let told = text(&output);
                assert_eq!(output.status.code(), Some(*code), "{words:?}: {told}");
                assert!(told.contains(said), "{words:?}: {said:?} is missing in {told}");
            });
        }
    });
}

#[test]
fn a_job_may_come_through_a_pipe() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j"), JOB).unwrap();
    fifo(&dir.path().join("named"));
    for script in [
        "\"$0\" run --plan <(sleep 0.1; cat j)",
        "cat j | \"$0\" run --plan -",
        "(sleep 0.1; cat j) | \"$0\" run --plan /dev/stdin",
        "(sleep 0.1; cat j > named) & \"$0\" run --plan named",
        "printf '[i]\\ninclude /dev/fd/3\\n' | \"$0\" run --plan - 3< <(tail -n +2 j)",
        "\"$0\" run --plan - < j",
    ] {
        let mut command = Command::new("bash");
        command.args(["-c", script, env!("CARGO_BIN_EXE_fathom")]).current_dir(dir.path());
        let said = must(&mut command);
        assert!(said.contains("engine      null"), "{script}: {said}");
    }
}

#[test]
fn files_that_include_each_other_many_times_over_are_stopped() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..16 {
        let twice = format!("include f{}\ninclude f{}\n", n + 1, n + 1);
        fs::write(dir.path().join(format!("f{n}")), if n == 0 { format!("[j]\n{twice}") } else { twice })
            .unwrap();
    }
    fs::write(dir.path().join("f16"), "rw=read\n").unwrap();
    let output = ended(dir.path(), &["run", "f0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("includes more than 1000 files"), "{}", text(&output));
}

#[test]
fn of_a_long_line_the_neighbourhood_of_the_fault_is_shown() {
    let dir = tempfile::tempdir().unwrap();
    let job = format!(
        "[j]\ndescription={}\n  rw=read  ; {}\nbs={}x{}\n",
        "d".repeat(8000),
        "c".repeat(5000),
        "1".repeat(3000),
        "9".repeat(3000)
    );
    fs::write(dir.path().join("j"), &job).unwrap();
    let output = ended(dir.path(), &["run", "j"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let rows: Vec<&str> = said.lines().filter(|line| line.starts_with("  | ")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.chars().count() < 260), "{said}");
    assert!(said.len() < 3_000, "{} bytes: {said}", said.len());
    let long = format!("--name={}", "n".repeat(20_000));
    let output = ended(dir.path(), &["fio", &long, "--ioengine=null", "--rw=raed", "--size=1m"]);
    assert!(text(&output).len() < 3_000, "{}", text(&output));
    let option = format!("--{}", "o".repeat(20_000));
    let output = ended(dir.path(), &["fio", "--name=a", &option]);
    assert!(text(&output).len() < 3_000, "{}", text(&output));
}

#[test]
fn what_the_person_could_not_read_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
    let write = |name: &str, content: &str, owner: u32, mode: u32| {
        let path = dir.path().join(name);
        fs::write(&path, content).unwrap();
        chown(&path, Some(owner), Some(owner)).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    };
    const NOBODY: u32 = 65_534;
    write("shadow", "root:SECRET:1:2\npassword=SECRET\n", 0, 0o600);
    write("ini", "[client]\npassword=SECRET\nbs=SECRET\n[SECRET\nrw=read#SECRET\n", 0, 0o600);
    write("options", "password=SECRET\nbs=SECRET\n", 0, 0o600);
    write("theirs.fio", "[j]\ninclude options\n", NOBODY, 0o644);
    write("open.fio", "[j]\nbs=OPEN\n", NOBODY, 0o644);
    let run = |file: &str, sudo: bool| {
        let mut command = fathom(dir.path());
        command.args(["run", file]);
        if sudo {
            command.env("SUDO_UID", "65534").env("SUDO_GID", "65534");
        }
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        text(&output)
    };
    for (file, place) in [("shadow", "shadow:1"), ("ini", "ini:2"), ("theirs.fio", "options:1")] {
        let said = run(file, true);
        assert!(!said.contains("SECRET") && !said.contains("password"), "{file}: {said}");
        assert!(said.contains(place), "{file}: the message has the place: {said}");
    }
    assert!(!run("shadow", false).contains("SECRET"), "what is not a job file is not shown to anybody");
    assert!(!run("theirs.fio", false).contains("SECRET"), "the person who wrote the include may not read it");
    assert!(run("ini", false).contains("SECRET"), "root reads its own file");
    assert!(run("open.fio", true).contains("OPEN"));
}

#[test]
fn without_threads_there_is_one_clear_message() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).unwrap();
    let binary = public_binary(dir.path());
    fs::write(dir.path().join("j"), JOB).unwrap();
    // The limit counts every process of a user, so this user has no other processes. It
    // does not apply to root.
    let mut codes = Vec::new();
    for threads in 1..=8 {
        let mut command = Command::new("prlimit");
        command.arg(format!("--nproc={threads}"));
        command.args(["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups"]);
        command.arg(&binary).args(["run", "--no-calibrate", "j"]).current_dir(dir.path());
        let output = command.output().unwrap();
        let said = text(&output);
        assert!(!said.contains("panicked"), "{threads}: {said}");
        codes.push(output.status.code().unwrap());
        if output.status.code() != Some(0) {
            assert_eq!(output.status.code(), Some(1), "{threads}: {said}");
            let errors = said.lines().filter(|line| line.starts_with("error: ")).count();
            assert!(errors == 1 && said.contains("thread"), "{threads}: {said}");
        }
    }
    assert_eq!((codes[0], codes[7]), (1, 0), "one is too few, eight are enough: {codes:?}");
}
