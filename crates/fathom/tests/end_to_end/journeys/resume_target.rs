//! Procedures whose target was changed while they were interrupted: emptied, replaced, or another file under the same name.

use super::resume::{begin, job, output, resumed};
use crate::support::procedure::{half_of, write_record};
use crate::support::{fathom, json, must, text};
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Two disks of one size and without serial numbers, one after the other under the same name.
#[test]
fn another_file_below_a_loop_device_is_told() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = crate::support::Loop::blank(dir.path(), 4);
    let text = format!("[r]\nioengine=psync\nfilename={}\nrw=randread\nbs=4k\nsize=1m\n", disk.device);
    job(dir.path(), &text);
    must(&mut begin(dir.path(), "p", 2));
    let procedure = dir.path().join("p");
    let mut record = json(&fs::read_to_string(procedure.join("procedure.json")).unwrap());
    record.as_object_mut().unwrap().retain(|key, _| key != "conclusion" && key != "seal");
    write_record(&procedure, &mut record);
    let other = dir.path().join("other.img");
    fs::copy(&disk.backing, &other).unwrap();
    crate::support::sh("losetup", &format!("-d {}", disk.device));
    crate::support::sh("losetup", &format!("{} {}", disk.device, other.display()));
    let said = resumed(dir.path(), &["p"], 3);
    assert!(said.contains(&format!("the file below {} was", disk.device)), "{said}");
}

/// A drive that was emptied between two rounds is not measured on as one that was filled.
#[test]
fn a_device_that_was_discarded_meanwhile_is_told() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = crate::support::Loop::blank(dir.path(), 8);
    let text = format!("[w]\nioengine=psync\nfilename={}\nrw=write\nbs=64k\n", disk.device);
    job(dir.path(), &text);
    must(begin(dir.path(), "whole", 3).args(["--write", &disk.consent()]));
    let consent = ["--destroy", &disk.consent()];
    let half = |name: &str| half_of(&dir.path().join("whole"), &dir.path().join(name));
    half("as-it-was");
    half("emptied");
    resumed(dir.path(), &["as-it-was", consent[0], consent[1]], 0);
    crate::support::sh("blkdiscard", &format!("-f {}", disk.device));
    let said = resumed(dir.path(), &["emptied", consent[0], consent[1]], 3);
    let expected = "does not hold what fathom wrote: something else has written or discarded";
    assert!(said.contains(expected), "{said}");
    resumed(dir.path(), &["emptied", "--anyway", consent[0], consent[1]], 0);
}

/// Begins a procedure, and kills it while its round of this number runs.
fn killed_in(dir: &Path, out: &str, round: u32, words: &[&str]) {
    let mut command = fathom(dir);
    let (options, files) = words.split_at(words.iter().position(|word| *word == "--").unwrap_or(words.len()));
    command.args(options).args(["-q", "--output-dir", out]).args(files);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begins = format!("{round:04}-");
    let runs = || {
        let rounds = fs::read_dir(dir.join(out).join("rounds")).into_iter().flatten().flatten();
        let mut paths = rounds.map(|round| round.path());
        paths.any(|path| {
            path.join("spool").exists() && path.file_name().unwrap().to_str().unwrap().starts_with(&begins)
        })
    };
    while !runs() {
        assert!(child.try_wait().unwrap().is_none(), "{}", text(&child.wait_with_output().unwrap()));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Every kind of procedure, killed in a round, goes on only with what was written before; and so does one that only reads.
#[test]
fn a_device_that_was_discarded_after_a_kill_is_told_by_every_procedure() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = crate::support::Loop::blank(dir.path(), 16);
    let consent = disk.consent();
    let timed = |rw: &str, end: &str| {
        let device = &disk.device;
        format!("[j]\nioengine=psync\nfilename={device}\nrw={rw}\nbs=64k\ndirect=1\n{end}\n")
    };
    let write = |name: &str, text: String| fs::write(dir.path().join(name), text).unwrap();
    write("fill.fio", timed("write", ""));
    write("reads.fio", timed("randread", "time_based\nruntime=1"));
    write("writes.fio", timed("randwrite", "time_based\nruntime=1"));
    let job = "[j]\nioengine=psync\nrw=randread\nbs=64k\ndirect=1\ntime_based\nruntime=1\nsize=100%\n";
    write(
        "mine.toml",
        format!(
            "title='t'\nsource='s'\n[[group]]\nname='g'\nwhat='reads'\nvary=['iodepth=1,2,4']\nvalues=['iops']\n\
             job=\'\'\'\n{job}\'\'\'\n"
        ),
    );
    let device = disk.device.as_str();
    let procedures: [(&str, &[&str]); 7] = [
        ("repeat-reads", &["run", "reads.fio", "--repeat", "9"]),
        ("repeat-writes", &["run", "writes.fio", "--repeat", "9"]),
        ("sweep", &["sweep", "reads.fio", "--vary", "bs=4k,8k,16k"]),
        ("suite", &["suite", "run", "mine.toml", "--target", device]),
        ("try", &["try", "direct=0,1", "--rounds", "3", "--", "reads.fio"]),
        ("precondition", &["precondition", device]),
        ("pts", &["pts", "iops", "--target", device, "--no-purge", "--scale", "60"]),
    ];
    for (name, words) in procedures {
        must(fathom(dir.path()).args([
            "run",
            "-q",
            "fill.fio",
            "--output-dir",
            "fill",
            "--destroy",
            &consent,
        ]));
        fs::remove_dir_all(dir.path().join("fill")).unwrap();
        let writes = ["repeat-writes", "precondition", "pts"].contains(&name);
        let consent = if writes { &["--destroy", consent.as_str()][..] } else { &[] };
        killed_in(dir.path(), name, 2, &[words, consent].concat());
        crate::support::sh("blkdiscard", &format!("-f {device}"));
        let said = resumed(dir.path(), &[&[name], consent].concat(), 3);
        assert!(said.contains("does not hold what fathom wrote: something else has"), "{name}: {said}");
    }
}

/// Under the same name and of the same size, also after a kill, and where fathom has written nothing.
#[test]
fn a_file_below_a_loop_device_that_was_replaced_is_told() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = crate::support::Loop::blank(dir.path(), 8);
    for rw in ["randread", "randwrite"] {
        let text =
            format!("[j]\nioengine=psync\nfilename={}\nrw={rw}\nbs=4k\ntime_based\nruntime=1\n", disk.device);
        job(dir.path(), &text);
        killed_in(dir.path(), rw, 2, &["run", "j.fio", "--repeat", "9", "--destroy", &disk.consent()]);
        let copy = dir.path().join("copy");
        fs::copy(&disk.backing, &copy).unwrap();
        crate::support::sh("losetup", &format!("-d {}", disk.device));
        fs::rename(&copy, &disk.backing).unwrap();
        crate::support::sh("losetup", &format!("{} {}", disk.device, disk.backing.display()));
        let said = resumed(dir.path(), &[rw, "--destroy", &disk.consent()], 3);
        assert!(said.contains(&format!("the file below {} was", disk.device)), "{said}");
        assert_eq!(said.contains("another file is behind the loop device"), rw == "randwrite", "{said}");
    }
}

/// Paths that are not absolute lead elsewhere from another directory, and a path to another file.
#[test]
fn another_directory_or_another_file_is_told_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let [begun, other] = ["begun", "other"].map(|name| dir.path().join(name));
    for place in [&begun, &other] {
        fs::create_dir(place).unwrap();
        fs::write(place.join("mine"), vec![7; 1 << 20]).unwrap();
    }
    job(&begun, "[w]\nioengine=psync\nfilename=mine\nrw=write\nbs=4k\nsize=1m\n");
    must(begin(&begun, "p", 2).args(["--overwrite", "mine"]));
    let procedure = begun.join("p");
    let mut record = json(&fs::read_to_string(procedure.join("procedure.json")).unwrap());
    record.as_object_mut().unwrap().retain(|key, _| key != "conclusion" && key != "seal");
    write_record(&procedure, &mut record);
    let resume = |place: &Path, code: i32| {
        let words = ["resume", "-q", "--overwrite", "mine", procedure.to_str().unwrap()];
        text(&output(fathom(place).args(words), code))
    };
    let said = resume(&other, 3);
    assert!(said.contains("the current directory was") && said.contains("--anyway"), "{said}");
    assert_eq!(fs::read(other.join("mine")).unwrap(), vec![7; 1 << 20]);
    fs::rename(begun.join("mine"), begun.join("yours")).unwrap();
    assert!(resume(&begun, 3).contains("and is missing"));
    fs::copy(begun.join("yours"), begun.join("mine")).unwrap();
    assert!(resume(&begun, 3).contains("what mine leads to was the file"));
    fs::rename(begun.join("yours"), begun.join("mine")).unwrap();
    fs::write(begun.join("j.fio"), "changed").unwrap();
    assert!(
        resume(&begun, 0).contains("j.fio has changed since the procedure began; its saved text is used")
    );
}

/// A procedure that was killed goes on with the file that it created, unless somebody has changed or replaced it since.
#[test]
fn a_killed_procedure_goes_on_with_its_own_file_that_nobody_changed() {
    let _own = crate::support::own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = crate::support::Loop::blank(dir.path(), 64);
    crate::support::sh("mkfs.ext4", &format!("-q {}", disk.device));
    let mounted = crate::support::Mount::on(&disk.device, &dir.path().join("fs"));
    type Change = fn(&Path);
    let rewrite: Change = |file| fs::write(file, vec![7; 1 << 20]).unwrap();
    let touch: Change =
        |file| drop(crate::support::sh("touch", &format!("-d 2001-01-01 {}", file.display())));
    let replace: Change = |file| {
        fs::rename(file, file.with_extension("old")).unwrap();
        fs::copy(file.with_extension("old"), file).unwrap();
    };
    let cases: [(&str, u32, Option<&str>, Change); 5] = [
        ("first", 1, None, |_| {}),
        ("second", 2, None, |_| {}),
        ("rewritten", 2, Some("after the last sign of the killed procedure"), rewrite),
        ("touched", 1, Some("after the last sign of the killed procedure"), touch),
        ("replaced", 2, Some("was not created by fathom"), replace),
    ];
    let file = |name: &str| mounted.path.join(name);
    for (name, round, ..) in cases {
        let filename = file(name);
        let text = format!(
            "[w]\nioengine=psync\nfilename={}\nrw=randwrite\nbs=4k\nsize=1m\ntime_based\nruntime=1\n",
            filename.display()
        );
        job(dir.path(), &text);
        killed_in(dir.path(), name, round, &["run", "j.fio", "--repeat", "2"]);
    }
    std::thread::sleep(Duration::from_millis(1_600));
    for (name, _, refused, change) in cases {
        change(&file(name));
        let before = fs::read(file(name)).unwrap();
        match refused {
            None => {
                job(dir.path(), &format!("[w]\nfilename={}\nrw=write\nsize=4k\n", file(name).display()));
                // Another run has no claim to what that procedure was writing. In its second round it may not have written yet.
                if name == "first" {
                    output(fathom(dir.path()).args(["run", "-q", "j.fio", "--output-dir", "other"]), 3);
                }
                let said = resumed(dir.path(), &[name], 0);
                assert!(said.contains("2 of 2 rounds"), "{said}");
                // The procedure has ended, so the record of closed files says whose it is.
                must(fathom(dir.path()).args(["run", "-q", "j.fio", "--runs-dir", "others"]));
            }
            Some(why) => {
                let said = resumed(dir.path(), &[name], 3);
                assert!(said.contains(why), "{name}: {said}");
                assert_eq!(fs::read(file(name)).unwrap(), before, "{name}");
            }
        }
    }
    drop(mounted);
}
