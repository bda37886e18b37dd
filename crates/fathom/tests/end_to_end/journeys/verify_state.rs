//! The state of a verification: saved by one run, loaded by a later one, at fathom's door and at fio's.

use crate::support::{fathom, json, text};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const JOB: &str =
    "[j]\nioengine=psync\nfilename=t\nrw=randwrite\nbs=4k\nsize=1m\nverify=crc32c\nend_fsync=1\n";
const STATE: &str = "local-j-0-verify.state";
const CHECK: [&str; 6] =
    ["--set", "verify_only=1", "--set", "verify_state_load=1", "--verify-state", "state"];

/// A job that wrote a file, and its state in the directory `state`.
fn written(options: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), JOB).unwrap();
    let words: Vec<&str> = options.split_whitespace().collect();
    let output = run(dir.path(), &words);
    assert!(output.status.success(), "{}", text(&output));
    let state = saved_run(dir.path()).join(STATE);
    fs::create_dir(dir.path().join("state")).unwrap();
    fs::copy(state, dir.path().join("state").join(STATE)).unwrap();
    dir
}

fn command(dir: &Path, words: &[&str]) -> Command {
    let mut command = fathom(dir);
    command.args(["run", "-q", "--no-calibrate", "--json", "j.fio"]).args(words);
    command
}

fn run(dir: &Path, words: &[&str]) -> Output {
    command(dir, words).output().unwrap()
}

fn saved_run(dir: &Path) -> PathBuf {
    fs::canonicalize(dir.join("fathom-runs/latest")).unwrap()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 4;
    fs::write(path, bytes).unwrap();
}

fn document(output: &Output) -> Value {
    json(&String::from_utf8_lossy(&output.stdout))
}

/// What the job that read back checked: I/Os, wrong blocks, and what it did not check by the key of a reason.
fn verified(output: &Output, reason: &str) -> [u64; 3] {
    let document = document(output);
    let found = &document["verified"][0];
    [&found["ios"], &found["wrong"], &found["unchecked"][reason]].map(|value| value.as_u64().unwrap_or(0))
}

#[test]
fn a_later_run_checks_by_the_state_and_finds_a_flip_made_meanwhile() {
    let dir = written("--set do_verify=0");
    let before = fs::read(dir.path().join("t")).unwrap();
    let output = run(dir.path(), &CHECK);
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(verified(&output, "newer"), [256, 0, 0]);
    assert_eq!(fs::read(dir.path().join("t")).unwrap(), before, "nothing was written");
    flip(&dir.path().join("t"), 500_000);
    let output = run(dir.path(), &CHECK);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert_eq!(verified(&output, "newer"), [256, 1, 0]);
    let kind = document(&output)["verified"][0]["faults"][0]["fault"]["kind"].to_string();
    assert!(kind.contains("bit-flip"), "{kind}");
    let reads = ["--set", "rw=randread", "--set", "verify_state_load=1", "--verify-state", "state"];
    let output = run(dir.path(), &reads);
    for reason in ["unknown", "not_read"] {
        assert_eq!(verified(&output, reason), [256, 1, 0], "a job that only reads: {reason}");
    }
}

#[test]
fn wrong_blocks_are_saved_where_the_person_says_and_nothing_is_overwritten() {
    let dir = written("--set do_verify=0");
    flip(&dir.path().join("t"), 500_000);
    let dumps = [&CHECK[..], &["--verify-dump", "wrong/blocks"]].concat();
    assert_eq!(run(dir.path(), &dumps).status.code(), Some(4));
    let block =
        |end: &str| fs::read(dir.path().join("wrong/blocks").join(format!("t.499712.{end}"))).unwrap();
    let (received, mut expected) = (block("received"), block("expected"));
    expected[500_000 - 499_712] ^= 4;
    assert!(received == expected, "they differ in one bit");
    let again = run(dir.path(), &dumps);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again));
    assert!(text(&again).contains("it is not empty"), "{}", text(&again));
    assert!(block("received") == received);
}

/// Nothing failed and nothing is wrong, and nothing is proven either.
#[test]
fn a_run_that_verified_nothing_is_not_valid() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), JOB.replace("end_fsync=1", "verify_policy=fsynced")).unwrap();
    let output = run(dir.path(), &[]);
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert!(text(&output).contains("nothing was verified"), "{}", text(&output));
}

/// The same job wrote again after the state was saved: all blocks are right, and none is the one that was written.
#[test]
fn a_block_of_another_run_is_not_taken_for_that_of_the_state() {
    let dir = written("");
    let again = run(dir.path(), &["--set", "loops=1"]);
    assert!(again.status.success(), "{}", text(&again));
    let output = run(dir.path(), &CHECK);
    assert_eq!(verified(&output, "newer"), [256, 256, 0]);
    let kind = document(&output)["verified"][0]["faults"][0]["fault"]["kind"].to_string();
    assert!(kind.contains("stale"), "{kind}");
}

/// Options of the job that checks, or what is done to its state; exit code; what is said.
#[test]
fn a_state_that_is_not_of_this_job_is_refused_and_nothing_runs() {
    let dir = written("--set do_verify=0");
    let state = dir.path().join("state").join(STATE);
    let whole = fs::read(&state).unwrap();
    let other = |option: &str, words: &[&str]| {
        let output = run(dir.path(), &[&CHECK[..], &["--set", option]].concat());
        assert_eq!(output.status.code(), Some(2), "{option}: {}", text(&output));
        words.iter().for_each(|word| assert!(text(&output).contains(word), "{option}: {}", text(&output)));
    };
    other("bs=8k", &["bs was 4096, and is 8192 now"]);
    other("verify=md5", &["verify was crc32c, and is md5 now"]);
    other("size=512k", &["size was 1048576, and is 524288 now"]);
    other("verify_interval=512", &["verify_interval was none, and is 512 now"]);
    fs::copy(dir.path().join("t"), dir.path().join("u")).unwrap();
    other("filename=u", &["filename was t, and is u now"]);
    let runs = || fs::read_dir(dir.path().join("fathom-runs")).unwrap().count();
    let before = runs();
    let damaged = |bytes: &[u8], code, said: &str| {
        fs::write(&state, bytes).unwrap();
        let output = run(dir.path(), &CHECK);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output));
        assert!(text(&output).contains(said), "{}", text(&output));
        assert_eq!(text(&output).matches("error:").count(), 1, "{}", text(&output));
    };
    damaged(&whole[..whole.len() - 100], 7, "it is cut");
    damaged(&[&whole[..whole.len() - 1], &[whole[whole.len() - 1] ^ 1]].concat(), 7, "checksum is wrong");
    damaged(b"\x03\0\0\0\0\0\0\0", 2, "no state of a verification that fathom saved");
    let newer = [b"fathom verify state 9\n".as_slice(), &whole[22..]].concat();
    damaged(&newer, 3, "version 9");
    fs::remove_file(&state).unwrap();
    let output = run(dir.path(), &CHECK);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("there is no such file"), "{}", text(&output));
    let output = run(dir.path(), &CHECK[..4]);
    assert!(text(&output).contains("--verify-state RUN_DIRECTORY"), "{}", text(&output));
    assert_eq!(runs(), before, "no run was begun");
    fs::write(&state, &whole).unwrap();
    fs::File::options().write(true).open(dir.path().join("t")).unwrap().set_len(4096).unwrap();
    let output = run(dir.path(), &CHECK);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(text(&output).contains("so data are lost"), "{}", text(&output));
}

/// A slow job, which is ended in the middle as soon as its first state is there.
fn ended_in_the_middle(signal: &str) -> (tempfile::TempDir, Output) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), format!("{JOB}rate_iops=1k\nsize=256m\n")).unwrap();
    let mut child = command(dir.path(), &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_saved = || {
        let latest = fs::canonicalize(dir.path().join("fathom-runs/latest"));
        latest.is_ok_and(|run| run.join(STATE).exists())
    };
    while !is_saved() {
        std::thread::sleep(Duration::from_millis(20));
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
    }
    // Some writes come after the state.
    std::thread::sleep(Duration::from_millis(200));
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    child.wait().unwrap();
    let from = saved_run(dir.path()).to_str().unwrap().to_owned();
    let output = run(dir.path(), &[&CHECK[..5], &[&from]].concat());
    (dir, output)
}

#[test]
fn after_a_kill_the_last_state_checks_what_it_knows() {
    let (_dir, output) = ended_in_the_middle("-KILL");
    assert!(output.status.success(), "{}", text(&output));
    let [ios, wrong, _] = verified(&output, "newer");
    assert!(ios > 100 && wrong == 0, "{}", text(&output));
}

#[test]
fn a_job_that_is_interrupted_saves_all_that_it_wrote() {
    let (dir, output) = ended_in_the_middle("-INT");
    assert!(output.status.success(), "{}", text(&output));
    let [ios, wrong, newer] = verified(&output, "newer");
    assert_eq!((wrong, newer), (0, 0));
    let state = fs::read_dir(dir.path().join("fathom-runs")).unwrap().flatten();
    let state = state.map(|entry| entry.path().join(STATE)).find(|path| path.exists()).unwrap();
    let state = fathom_results::VerifyState::from_bytes(&fs::read(state).unwrap()).unwrap();
    assert!(state.head.is_final && state.head.issued >= ios);
}

/// fio's names and places: the current directory, or `--aux-path`.
#[test]
fn fio_s_door_keeps_states_where_fio_keeps_them() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("j.fio"), JOB).unwrap();
    let fio = |words: &[&str]| {
        let output = fathom(dir.path()).args(["fio"]).args(words).arg("j.fio").output().unwrap();
        (output.status.code(), text(&output))
    };
    assert_eq!(fio(&[]).0, Some(0));
    assert!(dir.path().join(STATE).exists());
    fs::create_dir(dir.path().join("aux")).unwrap();
    fs::rename(dir.path().join(STATE), dir.path().join("aux").join(STATE)).unwrap();
    let load = ["--verify_only=1", "--verify_state_load=1"];
    let (code, said) = fio(&load);
    assert!(code == Some(2) && said.contains("there is no such file"), "{said}");
    let (code, said) = fio(&[&["--aux-path=aux"], &load[..]].concat());
    assert!(code == Some(0), "{said}");
    flip(&dir.path().join("t"), 5000);
    let (code, said) = fio(&[&["--aux-path=aux"], &load[..]].concat());
    assert!(code == Some(4) && said.contains("verify:"), "{said}");
}
