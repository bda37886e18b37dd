//! What a real kernel refuses, devices that go away, and settings that somebody else writes.

use std::fs;
use std::path::PathBuf;

use fathom_device::Goal;
use fathom_device::Root;
use fathom_lab::{Drive, wait_until};
use fathom_tune::{
    self as tune, Kernel, OwnerKey, RelativePlace, Scope as Reach, Select, SettingPlace, State, Writer,
};

use super::bench::{Bench, differences};

/// Without a scheduler there cannot be more requests than tags.
#[test]
fn more_requests_than_tags() {
    let mut bench = Bench::new();
    bench.targets.truncate(1);
    let before = bench.settings();
    let plan = bench.plan(Goal::Iops, &Select::only(["blk.scheduler=none", "blk.nr_requests=100000"]));
    let session = bench.apply(&plan);
    let record = session.applied().find(|record| record.id == "blk.nr_requests").unwrap();
    assert_eq!(record.state, State::Failed);
    assert!(record.note.as_ref().unwrap().contains("Invalid argument"), "{record:?}");
    session.revert().unwrap();
    assert_eq!(differences(&before, &bench.settings()), Vec::<String>::new());
    bench.end();
}

/// The kernel manages the interrupts of an NVMe drive's I/O queues: a write fails, and the knob does
/// not try it.
#[test]
fn managed_interrupts() {
    let bench = Bench::new();
    let root = Root::live();
    let reach = Reach::of(&root, &bench.targets[..1]).unwrap();
    let keys = reach.interrupts();
    let knob = tune::knob("irq.unmanaged_place").unwrap();
    let offered: Vec<OwnerKey> = knob.find(&reach).into_iter().map(|setting| setting.key).collect();
    let mut managed = 0;
    for key in &keys {
        let OwnerKey::Irq { irq, actions } = key else { panic!("{key:?}") };
        if !actions.starts_with("nvme") || actions.ends_with("q0") {
            continue;
        }
        managed += 1;
        assert!(!offered.contains(key), "{key}");
        let place = SettingPlace::File(format!("/proc/irq/{irq}/smp_affinity_list").into());
        let refused = Kernel.write(&root, &place, "0").unwrap_err();
        let code = refused.raw_os_error();
        assert!(matches!(code, Some(libc::EIO | libc::EPERM | libc::EACCES)), "{key}: {refused}");
    }
    assert!(managed > 0, "{keys:?}");
    bench.end();
}

/// A drive that is pulled while its settings are in force, and one that comes back in its place.
#[test]
fn a_drive_that_is_pulled() {
    let mut bench = Bench::new();
    let drive = Drive::by_serial("LAB-C");
    bench.targets = vec![PathBuf::from(&drive.node)];
    let before = bench.settings();
    let plan = bench.plan(Goal::Iops, &Select::only(["blk.nomerges=1", "vm.swappiness=7"]));
    let journal = bench.apply(&plan).leave().unwrap();
    let function = fs::canonicalize(drive.sysfs().join("device/device")).unwrap();
    fs::write(function.join("remove"), "1").unwrap();
    let undone = tune::revert_journal(&Root::live(), &Kernel, &journal, &tune::RevertOptions::default());
    let undone = undone.unwrap();
    fs::write("/sys/bus/pci/rescan", "1").unwrap();
    let state = |id: &str| undone.iter().find(|record| record.id == id).unwrap().state;
    assert_eq!((state("blk.nomerges"), state("vm.swappiness")), (State::Gone, State::Restored));
    bench.targets = vec![PathBuf::from(Drive::by_serial("LAB-C").node)];
    wait_until("the drive's queue", || (bench.settings().len() == before.len()).then_some(()));
    bench.end();
}

/// The drive was pulled and comes back before fathom looks, perhaps under another name. It is found by
/// its serial number.
#[test]
fn a_drive_that_comes_back() {
    let mut bench = Bench::new();
    let drive = Drive::by_serial("LAB-C");
    bench.targets = vec![PathBuf::from(&drive.node)];
    let journal = bench.apply(&bench.plan(Goal::Iops, &Select::only(["blk.nomerges=1"]))).leave().unwrap();
    let function = fs::canonicalize(drive.sysfs().join("device/device")).unwrap();
    fs::write(function.join("remove"), "1").unwrap();
    fs::write("/sys/bus/pci/rescan", "1").unwrap();
    let drive = Drive::by_serial("LAB-C");
    wait_until("its queue", || drive.sysfs().join("queue/nomerges").exists().then_some(()));
    let set = drive.sysfs().join("queue/nomerges");
    assert_eq!(drive.attribute("queue/nomerges"), "0", "a new queue has its own settings");
    fs::write(set, "1").unwrap();
    let undone = tune::revert_journal(&Root::live(), &Kernel, &journal, &tune::RevertOptions::default());
    assert_eq!(undone.unwrap()[0].state, State::Restored);
    assert_eq!(drive.attribute("queue/nomerges"), "0");
    bench.end();
}

#[test]
fn somebody_elses_write() {
    let bench = Bench::new();
    let before = bench.settings();
    let plan = bench.plan(Goal::Iops, &Select::only(["blk.nomerges=1"]));
    assert!(plan.lines.iter().all(|line| line.setting.at == RelativePlace::File("queue/nomerges".into())));
    let session = bench.apply(&plan);
    let drive = Drive::by_serial("LAB-D");
    fs::write(drive.sysfs().join("queue/nomerges"), "2").unwrap();
    assert_eq!(session.verify().iter().filter(|found| !found.holds()).count(), 1);
    let undone = session.revert().unwrap();
    assert_eq!(undone.iter().filter(|record| record.state == State::Drifted).count(), 1);
    assert_eq!(drive.attribute("queue/nomerges"), "2");
    let journal = tune::open_journals(bench.dir()).unwrap().remove(0);
    let force = tune::RevertOptions { force: vec!["blk.nomerges".to_owned()], ..Default::default() };
    tune::revert_journal(&Root::live(), &Kernel, &journal, &force).unwrap();
    assert_eq!(differences(&before, &bench.settings()), Vec::<String>::new());
    bench.end();
}
