//! `fathom convert`: the text goes to standard output, and what was lost to standard error.

use crate::support::{fathom, text, workspace};
use std::path::Path;
use std::process::Output;

fn convert(dir: &Path, arguments: &[&str]) -> Output {
    fathom(dir).arg("convert").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn text_and_losses_go_to_their_own_streams() {
    let dir = tempfile::tempdir().unwrap();
    let job = workspace().join("examples/vsl/02-random-512-write-iops.fio");
    let job = job.to_str().unwrap();
    let output = convert(dir.path(), &[job, "--to", "windows"]);
    let made = stdout(&output);
    assert!(made.starts_with("# Converted by fathom convert --to windows from "), "{made}");
    assert!(
        made.contains("\nioengine=windowsaio\n") && made.contains("\n[\\\\.\\PhysicalDriveX]\n"),
        "{made}"
    );
    let said = stderr(&output);
    assert!(
        said.contains("warning: cpus_allowed=1-4 is left out")
            && said.contains("hint: or give its name with --target"),
        "{said}"
    );

    // Into a file, and again into the same one; another file is not replaced.
    let file = ["-o", "win.fio"];
    for _ in 0..2 {
        let output = convert(dir.path(), &[&[job, "--to", "windows"], &file[..]].concat());
        assert!(stdout(&output).is_empty() && stderr(&output).contains("is also in the converted text"));
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("win.fio")).unwrap(), made);
    std::fs::write(dir.path().join("notes.txt"), "mine").unwrap();
    let refused = convert(dir.path(), &[job, "--to", "windows", "-o", "notes.txt"]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert_eq!(std::fs::read_to_string(dir.path().join("notes.txt")).unwrap(), "mine");
    let itself = convert(dir.path(), &["win.fio", "--from", "windows", "-o", "win.fio"]);
    assert!(
        !itself.status.success() && stderr(&itself).contains("it is a file that is converted"),
        "{}",
        text(&itself)
    );
}

/// A job file of Windows, as an editor there writes it, runs here after it was converted.
#[test]
fn a_windows_job_file_runs_here() {
    let dir = tempfile::tempdir().unwrap();
    let windows = "\u{feff}[global]\r\nioengine=windowsaio\r\nthread=1\r\n[a]\r\nfilename=\\\\.\\PhysicalDrive1\r\nrw=write\r\nsize=64k\r\n";
    std::fs::write(dir.path().join("w.ini"), windows).unwrap();
    let output =
        convert(dir.path(), &["w.ini", "--from", "windows", "--target", "scratch", "-o", "here.fio"]);
    stdout(&output);
    let run = fathom(dir.path()).args(["run", "here.fio", "--quiet", "--no-calibrate"]).output().unwrap();
    assert!(run.status.success(), "{}", text(&run));
    assert_eq!(std::fs::metadata(dir.path().join("scratch")).unwrap().len(), 64 << 10);
}

#[test]
fn two_conversions_follow_each_other() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("fio.lun"), "/dev/fioa\n/dev/fiob\n").unwrap();
    let script =
        "./orion -testname fio -run advanced -matrix point -num_large 0 -num_small 64 -duration 60 &\n"
            .repeat(2);
    std::fs::write(dir.path().join("iops.sh"), script).unwrap();
    let output = convert(dir.path(), &["iops.sh", "--from", "orion", "--to", "windows"]);
    let made = stdout(&output);
    for line in [r"filename=\\.\PhysicalDriveX:\\.\PhysicalDriveY", "ioengine=windowsaio", "iodepth=64"] {
        assert!(made.contains(line), "{line} in\n{made}");
    }
    let pasted = "$ sudo fio --name=a --rw=read --\nsize=1m\n";
    std::fs::write(dir.path().join("p.txt"), pasted).unwrap();
    assert!(
        stdout(&convert(dir.path(), &["p.txt", "--from", "pasted"])).ends_with("[a]\nrw=read\nsize=1m\n")
    );
    let run = fathom(dir.path()).args(["run", "p.txt"]).output().unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(stderr(&run).contains("fathom convert --from pasted p.txt"), "{}", text(&run));
}

/// Arguments, exit code, and a word of what is said.
#[test]
fn what_cannot_be_converted_is_told_and_makes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("job.fio"), "[a]\nrw=read\nsize=1m\n").unwrap();
    std::fs::write(dir.path().join("bad.fio"), "[a]\nrw=reed\n").unwrap();
    std::fs::write(dir.path().join("odd.fio"), b"[a]\nfilename=/dev/\xff\n").unwrap();
    let table: [(&[&str], &str); 6] = [
        (&["job.fio"], "fathom convert job.fio --to windows"),
        (&["job.fio", "--to", "windws"], "windows"),
        (&["none.fio", "--to", "windows"], "cannot convert none.fio: there is no such file"),
        (&["bad.fio", "--to", "windows", "-o", "out"], "bad.fio:2:"),
        (&["odd.fio", "--to", "windows", "-o", "out"], "characters that cannot be printed"),
        (&["job.fio", "job.fio", "--to", "solaris", "-o", "out"], "convert one after another"),
    ];
    for (arguments, word) in table {
        let output = convert(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
        assert!(stderr(&output).contains(word), "{arguments:?}: {}", text(&output));
        assert!(output.stdout.is_empty() && !dir.path().join("out").exists(), "{arguments:?}");
    }
}
