//! Drives that fail while `fathom precondition` fills them: media errors, and a drive that disappears. Each ends with what
//! happened, and without a word that says that anything was written whole. (A drive that throttles is a simulated one:
//! `crates/fathom/tests/end_to_end/journeys/precondition.rs`.)

use std::fs;
use std::process::{Command, Stdio};

use fathom_lab::{Drive, Run, Scope, fathom, wait_until};

/// I/O failed, or the next round could not begin.
const FAILED: [Option<i32>; 2] = [Some(4), Some(7)];
const SAVED: &str = "/tmp/broken";

/// Text without the breaks of its lines.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// It failed, says why with these words, and says nothing of success.
#[track_caller]
fn failed(run: &Run, why: &[&str]) {
    let told = flat(&format!("{} {}", run.stdout, run.stderr));
    assert!(FAILED.contains(&run.code), "{run:?}");
    assert!(
        [" failed when ", " failed: ", " cannot begin: "].iter().any(|said| told.contains(said)),
        "{told}"
    );
    assert!(why.iter().any(|why| told.contains(why)), "none of {why:?}: {told}");
    for good in ["looks random", "were written in order", "precondition complete", "no I/O failed"] {
        assert!(!told.contains(good), "{good}: {told}");
    }
    let _ = fs::remove_dir_all(SAVED);
}

fn sectors_written(drive: &Drive) -> u64 {
    let stat = fs::read_to_string(drive.sysfs().join("stat")).unwrap_or_default();
    stat.split_whitespace().nth(6).and_then(|sectors| sectors.parse().ok()).unwrap_or(0)
}

#[test]
fn media_errors_end_it_with_the_place() {
    let drive = Drive::unnamed("nullb0");
    let mut scope = Scope::new();
    let bad = "/sys/kernel/config/nullb/nullb0/badblocks";
    // The ninth MiB of 64: a write of a later portion fails, and the ones before it do not.
    let (add, remove) = (format!("echo +16384-18431 > {bad}"), format!("echo -16384-18431 > {bad}"));
    scope.act(&["sh", "-c", &add], &["sh", "-c", &remove]);
    let words = ["precondition", &drive.node, "--passes", "1", "--output-dir", SAVED];
    // It is looked at before it is written, which finds the error already. Then a person insists.
    let refused = fathom(&words);
    assert!(flat(&refused.stderr).contains("cannot be searched for data: Input/output error"), "{refused:?}");
    let hint = refused.stderr.split("anyway: ").nth(1).unwrap_or_else(|| panic!("{refused:?}"));
    let consent: Vec<&str> = hint.split_whitespace().take(2).collect();
    let run = fathom(&[&words[..], &consent].concat());
    failed(&run, &["Input/output error"]);
    let told = flat(&format!("{} {}", run.stdout, run.stderr));
    let place = told.split("write of 131072 bytes at offset ").nth(1).and_then(|rest| rest.split(':').next());
    let at: u64 = place.and_then(|at| at.parse().ok()).unwrap_or_else(|| panic!("no place: {told}"));
    assert!((8 << 20..9 << 20).contains(&at), "{told}");
    scope.end();
}

#[test]
fn a_drive_that_disappears_ends_it_with_what_happened() {
    let drive = Drive::by_serial("LAB-H");
    drive.blank();
    let before = sectors_written(&drive);
    let words = ["precondition", &drive.node, "--passes", "8", "--write", "LAB-H", "--output-dir", SAVED];
    let mut fathom = Command::new("fathom");
    fathom.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = fathom.spawn().expect("fathom is there");
    // After the first portions, in the middle of one.
    wait_until("8 MiB to be written", || (sectors_written(&drive) > before + (8 << 11)).then_some(()));
    let device = fs::canonicalize(drive.sysfs().join("device/device")).expect("it is a PCI function");
    fs::write(device.join("remove"), "1").expect("a PCI function can be removed");
    let ended = child.wait_with_output().expect("it ends");
    fs::write("/sys/bus/pci/rescan", "1").expect("the bus can be looked at");
    let run = Run {
        code: ended.status.code(),
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&ended.stderr).into_owned(),
    };
    Drive::by_serial("LAB-H").blank();
    failed(&run, &["Input/output error", "No such device", "there is no device "]);
}
