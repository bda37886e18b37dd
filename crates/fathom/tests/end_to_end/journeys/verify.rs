//! `fathom verify`: all of a device is written and proven, wrong blocks are named, a second pass reads it weeks later, and a
//! pass that was killed goes on.

use crate::support::{Loop, Mount, fathom, json, own_devices, sh, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const REFUSED: i32 = 3;
const USAGE: i32 = 2;
const WRONG: i32 = 4;

/// No multiple of the block of the writes.
const ODD_SIZE: u64 = (9 << 20) + 3 * 512;

fn odd(dir: &Path) -> Loop {
    let backing = dir.join("img");
    fs::File::create(&backing).unwrap().set_len(ODD_SIZE).unwrap();
    Loop::over(&backing, ODD_SIZE)
}

fn command(dir: &Path, words: &[&str]) -> Command {
    let mut command = fathom(dir);
    command.args(["verify", "-q"]).args(words);
    command
}

fn verify(dir: &Path, words: &[&str]) -> Output {
    command(dir, words).output().unwrap()
}

/// The words of standard output and standard error, with single spaces.
fn printed(output: &Output) -> String {
    text(output).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn headline(output: &Output) -> Value {
    json(&String::from_utf8_lossy(&output.stdout))["verdict"]["headline"].clone()
}

/// Changes a byte beneath the device, as a medium that loses data does.
fn flip(disk: &Loop, at: u64) {
    sh("sync", "");
    let backing = fs::File::options().read(true).write(true).open(&disk.backing).unwrap();
    let mut byte = [0];
    backing.read_exact_at(&mut byte, at).unwrap();
    backing.write_all_at(&[byte[0] ^ 16], at).unwrap();
    backing.sync_all().unwrap();
    sh("blockdev", &format!("--flushbufs {}", disk.device));
}

#[test]
fn every_byte_is_proven_and_a_later_pass_finds_what_changed_since() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let (device, consent) = (disk.device.as_str(), disk.consent());
    let refused = verify(dir.path(), &[device]);
    assert_eq!(refused.status.code(), Some(REFUSED), "{}", text(&refused));
    let output = verify(dir.path(), &[device, "--write", &consent]);
    assert!(output.status.success(), "{}", text(&output));
    let all = format!("All 9,438,720 bytes of {device} hold what was written (crc32c).");
    assert!(printed(&output).contains(&all), "{}", printed(&output));
    assert!(printed(&output).contains("pass 1: 9.44 MB written in"), "{}", printed(&output));
    assert!(!printed(&output).contains("not checked"), "all of it was checked: {}", printed(&output));
    // No consent is needed, and nothing is written.
    let before = fs::read(&disk.backing).unwrap();
    let again = verify(dir.path(), &[device, "--read-only"]);
    assert!(again.status.success(), "{}", text(&again));
    assert!(printed(&again).contains("still hold what was written"), "{}", printed(&again));
    assert_eq!(fs::read(&disk.backing).unwrap(), before);
    flip(&disk, 5_000_000);
    let later = verify(dir.path(), &[device, "--read-only", "--json"]);
    assert_eq!(later.status.code(), Some(WRONG), "{}", text(&later));
    let found = headline(&later);
    let fault = &found["faults"][0]["fault"];
    assert_eq!((&found["wrong"], &fault["offset"]), (&1.into(), &4_194_304.into()), "{found}");
    assert!(fault["kind"].to_string().contains("bit-flip"), "{found}");
    let report = fathom(dir.path()).args(["report", "latest"]).output().unwrap();
    assert!(printed(&report).contains("1 block of"), "{}", printed(&report));
}

#[test]
fn wrong_blocks_of_a_verification_are_saved_where_the_person_says() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    assert!(verify(dir.path(), &[&disk.device, "--write", &disk.consent()]).status.success());
    flip(&disk, (5 << 20) + 2000);
    let words = [disk.device.as_str(), "--read-only", "--verify-dump", "wrong"];
    assert_eq!(verify(dir.path(), &words).status.code(), Some(WRONG));
    let name = disk.device.trim_start_matches("/dev/");
    let block =
        |end: &str| fs::read(dir.path().join(format!("wrong/0001-read-1/{name}.5242880.{end}"))).unwrap();
    let (received, mut expected) = (block("received"), block("expected"));
    expected[2000] ^= 16;
    assert!(received == expected && received.len() == 1 << 20, "they differ in one bit");
    let again = verify(dir.path(), &words);
    assert_eq!(again.status.code(), Some(USAGE), "{}", text(&again));
}

#[test]
fn a_soak_writes_other_data_in_each_pass() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    // A pass takes longer than this, so there are two at most, and one at least.
    let words = [disk.device.as_str(), "--write", &disk.consent(), "--for", "1s", "--json", "--bs", "512k"];
    let output = verify(dir.path(), &words);
    assert!(output.status.success(), "{}", text(&output));
    let passes = headline(&output)["passes"].as_array().unwrap().clone();
    assert!(!passes.is_empty(), "{passes:?}");
    for pass in passes {
        assert_eq!((&pass["written_bytes"], &pass["checked_bytes"]), (&ODD_SIZE.into(), &ODD_SIZE.into()));
    }
}

/// A kill costs the portion that was being written.
#[test]
fn after_a_kill_it_goes_on_where_the_saved_state_ends() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let consent = disk.consent();
    let words = [disk.device.as_str(), "--write", &consent, "--portion", "2m"];
    let mut child = command(dir.path(), &words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let rounds = || {
        let latest = dir.path().join("fathom-runs/latest/rounds");
        fs::read_dir(latest).map_or(0, |rounds| rounds.count())
    };
    while rounds() < 3 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // Nobody knows what its last writes reached, so nothing is compared with them.
    let too_early = verify(dir.path(), &[disk.device.as_str(), "--read-only"]);
    assert_eq!(too_early.status.code(), Some(USAGE), "{}", text(&too_early));
    assert!(printed(&too_early).contains("--resume goes on with it"), "{}", text(&too_early));
    let without = verify(dir.path(), &[disk.device.as_str(), "--resume"]);
    assert_eq!(without.status.code(), Some(REFUSED), "{}", text(&without));
    let again = ["--resume", "--destroy", &consent, "--json"];
    let output = verify(dir.path(), &[&[disk.device.as_str()], &again[..]].concat());
    assert!(output.status.success(), "{}", text(&output));
    let document = json(&String::from_utf8_lossy(&output.stdout));
    let rounds = document["steps"].as_array().unwrap().iter().filter(|step| step["step"] == "round");
    assert_eq!((rounds.count(), &document["record"]["resumes"]), (12, &1.into()));
    assert_eq!(headline(&output)["passes"][0]["checked_bytes"], ODD_SIZE);
    let later = verify(dir.path(), &[disk.device.as_str(), "--read-only"]);
    assert!(later.status.success(), "what the resumed one wrote: {}", text(&later));
    let nothing = verify(dir.path(), &[disk.device.as_str(), "--resume"]);
    assert_eq!(nothing.status.code(), Some(USAGE), "{}", text(&nothing));
}

/// A state that is lost takes its portion out of the proof, and nothing else.
#[test]
fn what_cannot_be_verified_is_not_called_proven() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("f");
    let words = ["f", "--size", "4m", "--portion", "1m"];
    let output = verify(dir.path(), &words);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(fs::metadata(&file).unwrap().len(), 4 << 20);
    // Another run of the same job wrote there since.
    let output = verify(dir.path(), &["f", "--size", "1m", "--overwrite", "f"]);
    assert!(output.status.success(), "{}", text(&output));
    let first = fs::read_dir(dir.path().join("fathom-runs")).unwrap().flatten().map(|entry| entry.path());
    let first = first.filter(|path| !path.is_symlink()).min().unwrap();
    let named = ["--read-only", "--of", first.to_str().unwrap()];
    let output = verify(dir.path(), &[&["f", "--json"], &named[..]].concat());
    assert_eq!(output.status.code(), Some(WRONG), "{}", text(&output));
    assert!(
        headline(&output)["faults"][0]["fault"]["kind"].to_string().contains("stale"),
        "{}",
        text(&output)
    );
    // Its state does not say what is there.
    let state = first.join("rounds/0002-write-1/local-verify-0-verify.state");
    fs::remove_file(&state).unwrap();
    let output = verify(dir.path(), &[&["f"], &named[..]].concat());
    assert!(
        !output.status.success() && printed(&output).contains("there is no such file"),
        "{}",
        text(&output)
    );
}

#[test]
fn a_wrong_target_is_one_clear_error() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    let disk = odd(dir.path());
    let case = |words: &[&str], code: i32, said: &str| {
        let output = verify(dir.path(), words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output));
        assert!(printed(&output).contains(said), "{words:?}: {}", text(&output));
        assert_eq!(text(&output).matches("error:").count(), 1, "{words:?}: {}", text(&output));
    };
    let device = disk.device.as_str();
    case(&["/dev/no-such-device"], USAGE, "no-such-device");
    case(&["sim:consumer/64"], USAGE, "keeps no data");
    case(&[device, "--read-only"], USAGE, "wrote what could be read now");
    case(&[device, "--bs", "1000"], USAGE, "must be a multiple of 512");
    case(&[device, "--size", "1g"], USAGE, "the range ends beyond that");
    case(&["new-file"], USAGE, "--size must say how large");
    case(&[device, "--resume"], USAGE, "was interrupted");
    let consent = disk.consent();
    assert!(verify(dir.path(), &[device, "--write", &consent, "--size", "4m"]).status.success());
    let other = Loop::blank(dir.path(), 12);
    let latest = fs::canonicalize(dir.path().join("fathom-runs/latest")).unwrap();
    case(&[&other.device, "--read-only", "--of", latest.to_str().unwrap()], REFUSED, "is not the target");
    sh("mkfs.ext4", &format!("-q -F {}", other.device));
    let _mounted = Mount::on(&other.device, &dir.path().join("mnt"));
    case(&[&other.device, "--destroy", &other.consent()], REFUSED, "mounted");
}

/// By any path, and by the file below a loop device, whatever number that has.
#[test]
fn a_target_is_found_again_under_another_path() {
    let _own = own_devices();
    let dir = tempfile::tempdir().unwrap();
    assert!(verify(dir.path(), &["f", "--size", "2m"]).status.success());
    for path in ["./f", dir.path().join("f").to_str().unwrap()] {
        let output = verify(dir.path(), &[path, "--read-only"]);
        assert!(output.status.success(), "{path}: {}", text(&output));
    }
    let first = odd(dir.path());
    assert!(verify(dir.path(), &[&first.device, "--write", &first.consent()]).status.success());
    let second = Loop::over(&first.backing, ODD_SIZE);
    let output = verify(dir.path(), &[&second.device, "--read-only"]);
    assert!(output.status.success(), "{}", text(&output));
}

/// The end of the file is lost, and nothing is written to what is left.
#[test]
fn a_file_that_became_shorter_lost_data() {
    let dir = tempfile::tempdir().unwrap();
    let output = verify(dir.path(), &["f", "--size", "2m"]);
    assert!(output.status.success(), "{}", text(&output));
    fs::File::options().write(true).open(dir.path().join("f")).unwrap().set_len(1 << 20).unwrap();
    let output = verify(dir.path(), &["f", "--read-only"]);
    assert_eq!(output.status.code(), Some(WRONG), "{}", text(&output));
    assert!(printed(&output).contains("so data are lost"), "{}", text(&output));
    assert_eq!(fs::metadata(dir.path().join("f")).unwrap().len(), 1 << 20, "nothing was written");
}
