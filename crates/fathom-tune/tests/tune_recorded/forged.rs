//! A journal says what root writes. If somebody else has changed it, it must not make root write
//! anything that no knob would.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use fathom_device::Goal;
use fathom_tune::{
    self as tune, Disturbed, Lock, OwnerKey, Record, RelativePlace, RevertOptions, Session, State, TuneError,
};

use crate::machine::Machine;

const PATTERN: &str = "/proc/sys/kernel/core_pattern";

/// The journal of a session with its records changed, on the same machine.
fn forged(knob: &str, forge: impl Fn(&mut Record)) -> (Machine, PathBuf) {
    let machine = Machine::with(
        "/proc/sys/kernel/core_pattern = core\n/.fathom/asked/unit/sshd.service = active enabled\n",
    );
    let plan = machine.only(Goal::Repeatability, &[knob]);
    let path = machine.apply(&plan).leave().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let (header, records) = text.split_once('\n').unwrap();
    let mut lines = vec![header.to_owned()];
    for line in records.lines() {
        let mut record: Record = serde_json::from_str(line).unwrap();
        forge(&mut record);
        lines.push(serde_json::to_string(&record).unwrap());
    }
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    machine.kernel.log.lock().unwrap().clear();
    (machine, path)
}

#[track_caller]
fn stays_unwritten(knob: &str, forge: impl Fn(&mut Record)) {
    let (machine, path) = forged(knob, forge);
    let undone = machine.revert_at(&path);
    assert!(!undone.is_empty() && undone.iter().all(|record| record.state == State::Stuck), "{undone:?}");
    assert_eq!(machine.kernel.written(), Vec::<String>::new());
    // No hint says to write it by hand either, and the record stays open.
    let by_hand: Vec<String> = undone.iter().flat_map(|record| record.by_hand(&machine.root())).collect();
    assert_eq!(by_hand, Vec::<String>::new());
    assert_eq!(tune::open_journals(&machine.dir()).unwrap(), std::slice::from_ref(&path));
    // Force does not make it one of ours either.
    let force =
        RevertOptions { force: vec![knob.split('=').next().unwrap().to_owned()], ..RevertOptions::default() };
    tune::revert_journal(&machine.root(), machine.kernel.as_ref(), &path, &force).unwrap();
    assert_eq!(machine.kernel.written(), Vec::<String>::new());
}

#[test]
fn an_honest_journal_is_undone() {
    let (machine, path) = forged("vm.swappiness", |_| ());
    assert!(machine.revert_at(&path).iter().all(|record| record.state == State::Restored));
}

#[test]
fn a_file_that_no_knob_sets() {
    stays_unwritten("vm.swappiness", |record| {
        record.setting.at = RelativePlace::File(PATTERN.trim_start_matches('/').into());
        record.setting.codec = tune::Codec::Word;
        record.before_typed = "|/tmp/evil".to_owned();
        record.want = "core".to_owned();
        record.effective = Some("core".to_owned());
    });
}

/// A knob's name gives no access to the other files of its owner.
#[test]
fn a_file_of_the_disk_that_this_knob_does_not_set() {
    stays_unwritten("blk.nomerges=2", |record| {
        record.setting.at = RelativePlace::File("queue/nr_requests".into());
        record.before_typed = "4".to_owned();
        record.want = "1023".to_owned();
        record.effective = Some("1023".to_owned());
    });
}

#[test]
fn a_value_that_is_none() {
    stays_unwritten("vm.swappiness", |record| record.before_typed = "60\n0".to_owned());
    stays_unwritten("fs.discard", |record| record.before_typed = "discard,nobarrier".to_owned());
}

#[test]
fn a_file_beside_it_that_it_does_not_disturb() {
    stays_unwritten("vm.swappiness", |record| {
        let at = RelativePlace::File(PATTERN.trim_start_matches('/').into());
        record.disturbed = vec![Disturbed { at, before: "1".to_owned(), after: Some("2".to_owned()) }];
    });
}

#[test]
fn a_unit_that_no_knob_stops() {
    stays_unwritten("irq.daemon", |record| {
        record.setting.key = OwnerKey::Unit { unit: "sshd.service".to_owned() };
    });
}

/// A file that is missing because no knob sets it does not count as a setting that is gone.
#[test]
fn a_file_that_is_not_there() {
    stays_unwritten("blk.nomerges=2", |record| {
        record.setting.at = RelativePlace::File("queue/nomergex".into())
    });
}

/// If the owner is gone, no setting is left to compare the record with; what is known of the record
/// is checked nevertheless.
#[test]
fn an_owner_that_is_gone_excuses_no_other_forgery() {
    let gone = |record: &mut Record| {
        record.setting.key = OwnerKey::Irq { irq: 9999, actions: "nobody".to_owned() };
    };
    let (machine, path) = forged("vm.swappiness", gone);
    assert!(machine.revert_at(&path).iter().all(|record| record.state == State::Gone));
    stays_unwritten("vm.swappiness", |record| {
        gone(record);
        record.id = "no.knob".to_owned();
    });
    stays_unwritten("vm.swappiness", |record| {
        gone(record);
        record.before_typed = "1; reboot".to_owned();
    });
}

/// A user who can make a link would choose the directory that is closed to everybody else, or the
/// journals that are followed.
#[test]
fn a_link_is_no_directory_of_ours() {
    let machine = Machine::new();
    let theirs = tempfile::tempdir().unwrap();
    fs::set_permissions(theirs.path(), fs::Permissions::from_mode(0o755)).unwrap();
    symlink(theirs.path(), machine.dir()).unwrap();
    let plan = machine.only(Goal::Repeatability, &["vm.swappiness"]);
    assert!(matches!(machine.try_apply(&plan), Err(TuneError::State { act: "trust", .. })));
    assert_eq!(fs::metadata(theirs.path()).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(matches!(Lock::take(&machine.dir()), Err(TuneError::State { act: "trust", .. })));
    assert_eq!(fs::read_dir(theirs.path()).unwrap().count(), 0);
}

#[test]
fn a_link_is_no_journal_of_ours() {
    let (machine, path) = forged("vm.swappiness", |_| ());
    let elsewhere = path.with_extension("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(matches!(tune::open_journals(&machine.dir()), Err(TuneError::State { act: "read", .. })));
}

/// A directory to which others may write is refused, and stays as it is.
#[test]
fn a_directory_that_others_may_write_is_refused() {
    let machine = Machine::new();
    fs::create_dir(machine.dir()).unwrap();
    fs::set_permissions(machine.dir(), fs::Permissions::from_mode(0o777)).unwrap();
    let plan = machine.only(Goal::Repeatability, &["vm.swappiness"]);
    let message = Session::apply(&machine.root(), &plan, machine.options(&plan)).err().unwrap().to_string();
    assert!(message.contains("other users may write to it"), "{message}");
    assert_eq!(fs::metadata(machine.dir()).unwrap().permissions().mode() & 0o777, 0o777);
}
