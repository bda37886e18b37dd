//! Jobs with `verify=`: a wrong byte is found by the next run, by us and by fio, and the exit code says so.

use crate::support::{fathom, json, must, text};
use std::fs;
use std::os::unix::fs::{FileExt, symlink};
use std::path::Path;
use std::process::Command;

/// Three clones, each with a file of its own of 64 KiB.
fn write_jobs(dir: &Path) {
    let job = |rw: &str| {
        format!(
            "[j]\nioengine=psync\nrw={rw}\nbs=4k\nsize=64k\nnumjobs=3\nfilename_format=f.$jobnum\nverify=crc32c\n"
        )
    };
    fs::write(dir.join("w.fio"), job("write")).unwrap();
    fs::write(dir.join("r.fio"), job("read")).unwrap();
}

/// Changes one bit.
fn damage(path: &Path, at: u64) {
    let file = fs::File::options().read(true).write(true).open(path).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 4], at).unwrap();
}

#[test]
fn a_wrong_bit_is_found_and_under_the_name_fio_the_failed_jobs_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    write_jobs(dir.path());
    let link = dir.path().join("fio");
    symlink(env!("CARGO_BIN_EXE_fathom"), &link).unwrap();
    let by = |program: &Path, jobs: &str| {
        let output = Command::new(program).current_dir(dir.path()).arg(jobs).output().unwrap();
        (output.status.code(), text(&output))
    };
    for jobs in ["w.fio", "r.fio"] {
        assert_eq!(by(&link, jobs).0, Some(0), "{jobs} before the damage");
    }
    damage(&dir.path().join("f.0"), 5000);
    damage(&dir.path().join("f.2"), 40_000);
    for program in [&link, Path::new("fio")] {
        let (code, printed) = by(program, "r.fio");
        assert_eq!(code, Some(2), "two jobs failed: {printed}");
        assert!(printed.contains("verify failed at file f.0 offset 4096, length 4096"), "{printed}");
        assert!(printed.contains("verify failed at file f.2 offset 36864, length 4096"), "{printed}");
    }
    let ours = fathom(dir.path()).args(["run", "r.fio", "--no-calibrate"]).output().unwrap();
    assert_eq!(ours.status.code(), Some(4), "{}", text(&ours));
    assert!(text(&ours).contains("1 bit differs, in byte 904"), "{}", text(&ours));
}

/// The first round of the procedure called `rounds`.
/// 1 KiB is not a multiple of the 11 bytes: a job goes on with them at each interval. fathom writes the bytes that fio 3.33 writes,
/// and verifies those of fio.
#[test]
fn a_pattern_through_intervals_is_the_one_of_fio() {
    let dir = tempfile::tempdir().unwrap();
    let done = |program: &mut Command, rw: &str| {
        let job = format!(
            "[j]\nioengine=psync\nfilename=f\nrw={rw}\nbs=4k\nsize=64k\nverify=pattern\nverify_pattern=%o\"abc\"\n\
             verify_interval=1k\ndo_verify=0\n"
        );
        fs::write(dir.path().join("j.fio"), job).unwrap();
        let output = program.current_dir(dir.path()).arg("j.fio").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{rw} by {program:?}: {}", text(&output));
        fs::read(dir.path().join("f")).unwrap()
    };
    let theirs = done(&mut Command::new("fio"), "write");
    done(fathom(dir.path()).arg("fio"), "read");
    fs::remove_file(dir.path().join("f")).unwrap();
    assert!(done(fathom(dir.path()).arg("fio"), "write") == theirs);
}

fn round_of(runs: &Path) -> std::path::PathBuf {
    let mut all = fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path());
    let is_it = |dir: &std::path::PathBuf| dir.to_string_lossy().contains("-rounds-");
    all.find(is_it).unwrap().join("rounds/0001-repeat")
}

/// A repeated job whose first round fails is reported as failed later, as a single run is.
#[test]
fn rounds_that_failed_are_reported_and_listed_as_failed() {
    let dir = tempfile::tempdir().unwrap();
    write_jobs(dir.path());
    must(fathom(dir.path()).args(["run", "-q", "--no-calibrate", "w.fio"]));
    let whole = must(fathom(dir.path()).args(["run", "--no-calibrate", "r.fio", "--repeat", "2"]));
    assert!(whole.contains("verified all blocks in 96 reads are whole and in their places"), "{whole}");
    damage(&dir.path().join("f.0"), 5000);
    let code = |words: &[&str]| fathom(dir.path()).args(words).output().unwrap().status.code();
    assert_eq!(code(&["run", "-q", "--no-calibrate", "r.fio", "--repeat", "2", "--name", "rounds"]), Some(4));
    assert_eq!(code(&["report", "rounds"]), Some(7), "the same as of a single run that failed");
    let csv = fathom(dir.path()).args(["report", "rounds", "--output-format", "csv"]).output().unwrap();
    assert!(text(&csv).contains("warning: incomplete: round 0001-repeat failed: j: "), "{}", text(&csv));
    for form in ["summary", "details", "html", "json"] {
        let output = fathom(dir.path()).args(["report", "rounds", "--output-format", form]).output().unwrap();
        let fault = if form == "json" { "\"bit-flip\"" } else { "0001-repeat: f.0 at 4,096: 1 bit differs" };
        assert!(text(&output).contains(fault), "{form}: {}", text(&output));
    }
    let round = dir.path().join("fathom-runs");
    let csv =
        fathom(&round).args(["report", "--output-format", "csv"]).arg(round_of(&round)).output().unwrap();
    assert!(text(&csv).contains(",all,wrong_blocks,1,1,1,,\n"), "{}", text(&csv));
    let listed = json(&must(fathom(dir.path()).args(["runs", "--json", "--state", "failed"])));
    assert_eq!(listed["runs"][0]["name"], "rounds", "{listed}");
}

#[test]
fn a_wrong_block_is_saved_in_the_run_and_under_the_name_fio_in_the_current_directory() {
    let dir = tempfile::tempdir().unwrap();
    write_jobs(dir.path());
    let dump = fs::read_to_string(dir.path().join("r.fio")).unwrap() + "verify_dump=1\n";
    fs::write(dir.path().join("r.fio"), dump).unwrap();
    let run = |words: &[&str]| fathom(dir.path()).args(words).output().unwrap();
    assert_eq!(run(&["fio", "w.fio"]).status.code(), Some(0));
    let file = dir.path().join("f.0");
    let block = || fs::read(&file).unwrap()[4096..8192].to_vec();
    let written = block();
    damage(&file, 5000);
    let ours = run(&["run", "r.fio", "--no-calibrate"]);
    assert_eq!(ours.status.code(), Some(4), "{}", text(&ours));
    let fio = run(&["fio", "r.fio"]);
    assert_ne!(fio.status.code(), Some(0), "{}", text(&fio));
    for place in ["fathom-runs/latest/wrong-blocks", "."] {
        let saved = |what: &str| {
            let path = dir.path().join(place).join(format!("f.0.4096.{what}"));
            fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}\n{}", path.display(), text(&ours)))
        };
        assert!(saved("received") == block() && saved("expected") == written, "{place}");
    }
    let kept = fs::read_dir(dir.path().join("fathom-runs/latest/wrong-blocks")).unwrap().count();
    assert_eq!(kept, 2, "nothing is saved of blocks that are right");
}

/// Which of them wrote a block cannot be known, under whatever names they open it.
#[test]
fn one_file_under_two_names_has_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f"), "").unwrap();
    std::fs::hard_link(dir.path().join("f"), dir.path().join("hard")).unwrap();
    std::os::unix::fs::symlink("f", dir.path().join("soft")).unwrap();
    for other in ["./f", "soft", "hard"] {
        let jobs = format!(
            "[global]\nrw=randwrite\nbs=4k\nsize=1m\nverify=crc32c\n[a]\nfilename=f\n[b]\nfilename={other}\n"
        );
        std::fs::write(dir.path().join("two.fio"), jobs).unwrap();
        let output = fathom(dir.path()).args(["run", "two.fio", "--overwrite", "f"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{other}: {}", text(&output));
        assert!(text(&output).contains("verify-writers"), "{other}: {}", text(&output));
    }
}
