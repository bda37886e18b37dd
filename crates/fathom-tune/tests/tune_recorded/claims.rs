//! Two state directories, one machine: an owner of settings belongs to one
//! session at a time, until that session is put back.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use fathom_device::Goal;
use fathom_tune::{self as tune, ApplyOptions, RevertOptions, Session, TuneError};

use crate::machine::{Machine, NVME};

/// Applies knobs with a state directory of another name.
fn apply_in(machine: &Machine, dir: &Path, words: &[&str]) -> Result<Session, TuneError> {
    let plan = machine.only(Goal::Latency, words);
    assert!(!plan.lines.is_empty(), "{words:?}: {:?}", plan.left);
    let options = ApplyOptions { dir: dir.to_owned(), ..machine.options(&plan) };
    Session::apply(&machine.root(), &plan, options)
}

fn elsewhere(machine: &Machine) -> PathBuf {
    machine.dir().with_file_name("elsewhere")
}

/// Claims that are written down.
fn claims(machine: &Machine) -> Vec<PathBuf> {
    let dir = machine.root().at("/run/fathom/tuned");
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[track_caller]
fn refused(machine: &Machine, words: &[&str]) -> TuneError {
    let before = machine.files();
    let Err(error) = apply_in(machine, &elsewhere(machine), words) else { panic!("it was applied") };
    assert!(matches!(error, TuneError::Claimed { .. }) && error.is_refusal(), "{error}");
    assert!(before == machine.files(), "something was written");
    assert_eq!(tune::open_journals(&elsewhere(machine)).unwrap(), Vec::<PathBuf>::new());
    error
}

#[test]
fn two_state_directories_do_not_tune_one_queue() {
    let machine = Machine::new();
    let before = machine.files();
    let session = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap();
    let error = refused(&machine, &["blk.add_random"]);
    let journal = session.journal().display().to_string();
    assert!(error.to_string().contains("nvme0n1") && error.to_string().contains(&journal), "{error}");
    session.revert().unwrap();
    apply_in(&machine, &elsewhere(&machine), &["blk.add_random"]).unwrap().revert().unwrap();
    assert_eq!(claims(&machine), Vec::<PathBuf>::new());
    assert!(before == machine.files());
}

/// No process holds it any more, but its journal is open.
#[test]
fn what_was_left_in_force_is_still_claimed() {
    let machine = Machine::new();
    let journal = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap().leave().unwrap();
    let hint = refused(&machine, &["blk.nomerges=1"]).hint().unwrap();
    assert!(hint.contains("fathom tune revert --state-dir"), "{hint}");
    machine.revert_at(&journal);
    apply_in(&machine, &elsewhere(&machine), &["blk.nomerges"]).unwrap();
}

/// Also of the machine as a whole: there each knob is an owner.
#[test]
fn knobs_of_the_machine_are_claimed_one_by_one() {
    let machine = Machine::new();
    let session = apply_in(&machine, &machine.dir(), &["vm.swappiness=5"]).unwrap();
    let error = refused(&machine, &["vm.swappiness=7"]);
    assert!(error.to_string().starts_with("vm.swappiness is tuned already"), "{error}");
    apply_in(&machine, &elsewhere(&machine), &["numa.balancing", "blk.nomerges"]).unwrap();
    session.revert().unwrap();
}

/// A setting that is still stuck keeps the claim.
#[test]
fn a_claim_ends_with_the_last_setting() {
    let machine = Machine::new();
    let session = apply_in(&machine, &machine.dir(), &["blk.nomerges", "vm.swappiness=5"]).unwrap();
    machine.kernel.fail("queue/nomerges", libc::EBUSY);
    session.revert().unwrap();
    machine.kernel.heal();
    refused(&machine, &["blk.add_random"]);
    machine.revert(&[]);
    apply_in(&machine, &elsewhere(&machine), &["blk.add_random"]).unwrap();
}

/// A reboot, a journal that was closed: nothing of those is in force.
#[test]
fn a_claim_that_is_over_is_none() {
    let ends: [fn(&Machine, &Path); 2] = [
        |machine, _| machine.set("/proc/sys/kernel/random/boot_id", "99999999-0000-0000-0000-000000000000"),
        |_, journal| fs::rename(journal, journal.with_extension("closed")).unwrap(),
    ];
    for end in ends {
        let machine = Machine::new();
        let journal = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap().leave().unwrap();
        refused(&machine, &["blk.add_random"]);
        end(&machine, &journal);
        apply_in(&machine, &elsewhere(&machine), &["blk.add_random"]).unwrap().revert().unwrap();
        assert_eq!(claims(&machine), Vec::<PathBuf>::new());
    }
}

/// A journal that was removed or emptied says nothing about what is in force:
/// the claim stays valid, and shows what the session found.
#[test]
fn a_lost_journal_leaves_the_claim() {
    let head =
        |path: &Path| fs::read_to_string(path).unwrap().split_inclusive('\n').next().unwrap().to_owned();
    let losses: [&dyn Fn(&Path); 3] =
        [&|path| fs::remove_file(path).unwrap(), &|path| fs::write(path, "").unwrap(), &|path| {
            fs::write(path, head(path)).unwrap()
        }];
    for lose in losses {
        let machine = Machine::new();
        let journal = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap().leave().unwrap();
        assert_eq!(tune::lost(&machine.root()).unwrap(), []);
        lose(&journal);
        refused(&machine, &["blk.add_random"]);
        let lost = tune::lost(&machine.root()).unwrap().remove(0);
        assert!(lost.reason.contains(&journal.display().to_string()), "{}", lost.reason);
        assert_eq!(lost.claim, claims(&machine).remove(0));
        assert!(lost.found[0].path.ends_with("queue/nomerges"), "{:?}", lost.found);
        assert_eq!(lost.found[0].before, "0");
        machine.set("/proc/sys/kernel/random/boot_id", "99999999-0000-0000-0000-000000000000");
        assert_eq!(tune::lost(&machine.root()).unwrap(), []);
    }
}

/// A claim that cannot be read stops nobody from putting back, and everybody from tuning, because
/// it may be about anything.
#[test]
fn a_damaged_claim_is_told_and_holds_up_nothing_that_can_be_put_back() {
    let machine = Machine::new();
    let session = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap();
    let damaged = machine.root().at("/run/fathom/tuned/1-2-3.json");
    fs::write(&damaged, "").unwrap();
    let Err(refused) = apply_in(&machine, &elsewhere(&machine), &["blk.add_random"]) else { panic!() };
    assert!(refused.hint().unwrap().contains("remove "), "{refused}");
    let lost = tune::lost(&machine.root()).unwrap();
    assert_eq!((lost.len(), &lost[0].claim), (1, &damaged));
    let journal = session.leave().unwrap();
    machine.revert_at(&journal);
    fs::remove_file(&damaged).unwrap();
    assert_eq!(claims(&machine), Vec::<PathBuf>::new());
}

/// Everything was put back; only the record of it is lost.
#[test]
fn a_state_directory_that_goes_during_a_session_ends_its_claim() {
    let machine = Machine::new();
    let before = machine.files();
    let session = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap();
    fs::remove_dir_all(machine.dir()).unwrap();
    assert!(session.revert().is_err(), "the journal cannot be closed");
    assert!(before == machine.files());
    assert_eq!(claims(&machine), Vec::<PathBuf>::new());
}

#[test]
fn a_state_directory_of_any_bytes() {
    let machine = Machine::new();
    let dir = machine.dir().with_file_name(OsStr::from_bytes(b"\xff\xfe"));
    let journal = apply_in(&machine, &dir, &["blk.nomerges"]).unwrap().leave().unwrap();
    refused(&machine, &["blk.add_random"]);
    assert_eq!(tune::lost(&machine.root()).unwrap(), []);
    machine.revert_at(&journal);
    assert_eq!(claims(&machine), Vec::<PathBuf>::new());
}

/// It is not known what is in force: refused, with a hint that says what to do.
#[test]
fn a_state_directory_that_cannot_be_seen() {
    let machine = Machine::new();
    apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap().leave().unwrap();
    fs::rename(machine.dir(), machine.dir().with_file_name("hidden")).unwrap();
    let hint = refused(&machine, &["blk.add_random"]).hint().unwrap();
    let claim = claims(&machine).remove(0);
    assert!(hint.contains(&format!("remove {}", claim.display())), "{hint}");
    fs::remove_file(claim).unwrap();
    apply_in(&machine, &elsewhere(&machine), &["blk.add_random"]).unwrap();
}

/// Another session's claim is not ended by a journal of the same name.
#[test]
fn a_journal_of_the_same_name_elsewhere_ends_no_claim() {
    let machine = Machine::new();
    let journal = apply_in(&machine, &machine.dir(), &["blk.nomerges"]).unwrap().leave().unwrap();
    let other = elsewhere(&machine);
    fs::create_dir(&other).unwrap();
    fs::copy(&journal, other.join(journal.file_name().unwrap())).unwrap();
    machine.set(&format!("{NVME}/queue/nomerges"), "0");
    let options = RevertOptions::default();
    let copy = other.join(journal.file_name().unwrap());
    tune::revert_journal(&machine.root(), machine.kernel.as_ref(), &copy, &options).unwrap();
    assert_eq!(claims(&machine).len(), 1);
}

/// What a killed fathom left is told; what one holds that runs, what `tune apply` left on purpose, what was put back and what
/// another boot undid is not.
#[test]
fn what_a_killed_session_left_is_told() {
    let left = |machine: &Machine| {
        let left = tune::left_in_force(&machine.root()).unwrap();
        let ids = |left: &tune::LeftSession| left.records.iter().map(|record| record.id.clone()).collect();
        left.iter().map(ids).collect::<Vec<Vec<String>>>()
    };
    let ids = |ids: &[&str]| vec![ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()];
    let machine = Machine::new();
    let words = ["blk.nomerges", "blk.add_random"];
    let session = apply_in(&machine, &machine.dir(), &words).unwrap();
    let journal = session.journal().to_owned();
    assert_eq!(left(&machine), Vec::<Vec<String>>::new(), "its process runs");

    // As after a kill of the process and of its guardian: the claim names a process that does not run, and nobody has the lock.
    let claim = claims(&machine).remove(0);
    let mut killed: serde_json::Value = serde_json::from_slice(&fs::read(&claim).unwrap()).unwrap();
    killed["process"] = serde_json::json!({ "pid": 1, "started": 1 });
    fs::write(&claim, killed.to_string()).unwrap();
    assert_eq!(left(&machine), Vec::<Vec<String>>::new(), "somebody has the lock: a guardian puts it back");
    std::mem::forget(session);
    let lock = machine.dir().join("lock");
    fs::rename(&lock, lock.with_extension("old")).unwrap();
    let mut expected = words.map(str::to_owned).to_vec();
    expected.sort();
    let mut told = left(&machine).remove(0);
    told.sort();
    assert_eq!(told, expected);
    let session = tune::left_in_force(&machine.root()).unwrap().remove(0);
    assert_eq!((session.journal.as_path(), session.pid), (journal.as_path(), Some(std::process::id())));

    machine.revert_at(&journal);
    assert_eq!(left(&machine), Vec::<Vec<String>>::new(), "it was put back");

    let journal = apply_in(&machine, &elsewhere(&machine), &["blk.nomerges"]).unwrap().leave().unwrap();
    let claim = claims(&machine).remove(0);
    let mut ended: serde_json::Value = serde_json::from_slice(&fs::read(&claim).unwrap()).unwrap();
    ended["process"] = serde_json::json!({ "pid": 1, "started": 1 });
    fs::write(&claim, ended.to_string()).unwrap();
    assert_eq!(left(&machine), Vec::<Vec<String>>::new(), "tune apply left it on purpose");
    ended["stays"] = serde_json::json!(false);
    fs::write(&claim, ended.to_string()).unwrap();
    assert_eq!(left(&machine), ids(&["blk.nomerges"]));
    machine.set("/proc/sys/kernel/random/boot_id", "99999999-0000-0000-0000-000000000000");
    assert_eq!(left(&machine), Vec::<Vec<String>>::new(), "a restart undid it");
    drop(journal);
}
