//! What is refused, before anything is written.

use std::path::PathBuf;

use fathom_device::Goal;
use fathom_tune::{self as tune, ApplyOptions, RelativePlace, Select, Session, Setting, TuneError, TunePlan};

use crate::machine::{Machine, NVME};

#[track_caller]
fn refused(machine: &Machine, plan: &TunePlan) -> TuneError {
    let before = machine.files();
    let Err(error) = machine.try_apply(plan) else { panic!("it was applied") };
    assert!(before == machine.files(), "something was written");
    assert!(machine.kernel.written().is_empty());
    error
}

fn plan(machine: &Machine) -> TunePlan {
    machine.only(Goal::Latency, &["blk.nomerges", "blk.add_random"])
}

#[test]
fn a_plan_survives_its_file() {
    let machine = Machine::new();
    let plan = plan(&machine);
    let read: TunePlan = serde_json::from_str(&serde_json::to_string_pretty(&plan).unwrap()).unwrap();
    assert_eq!(read, plan);
    assert_eq!(read.content_hash(), plan.hash);
    assert_eq!(plan.hash.len(), 64);
}

#[test]
fn planning_writes_nothing() {
    let machine = Machine::new();
    let before = machine.files();
    for goal in Goal::ALL {
        machine.plan(goal, &Select::default());
    }
    assert!(before == machine.files());
    assert!(!machine.dir().exists());
}

#[test]
fn another_hash_or_a_changed_plan() {
    let machine = Machine::new();
    let mut plan = plan(&machine);
    plan.lines[0].then = "1".to_owned();
    assert!(matches!(refused(&machine, &plan), TuneError::Hash { .. }));
    let other = ApplyOptions { hash: "0".repeat(64), ..machine.options(&plan) };
    let error = Session::apply(&machine.root(), &plan, other).err().unwrap();
    assert!(error.is_refusal() && error.hint().is_some());
}

/// A forged plan with a hash of its own still cannot name a path.
#[test]
fn a_line_that_no_knob_gives() {
    let machine = Machine::new();
    let mut plan = plan(&machine);
    plan.lines[0].setting.at = RelativePlace::File("queue/write_cache".into());
    plan.hash = plan.content_hash();
    assert!(matches!(refused(&machine, &plan), TuneError::NotOffered { .. }));
    let mut plan = self::plan(&machine);
    plan.lines[0].setting =
        Setting { at: RelativePlace::File("../../etc/passwd".into()), ..plan.lines[0].setting.clone() };
    plan.hash = plan.content_hash();
    assert!(matches!(refused(&machine, &plan), TuneError::NotOffered { .. }));
}

/// The risk cannot be lowered in the file.
#[test]
fn a_risk_that_was_lowered() {
    let machine = Machine::new();
    let mut plan = machine.only(Goal::Latency, &["nvme.ps"]);
    plan.lines[0].risk = tune::Risk::None;
    plan.hash = plan.content_hash();
    let options = ApplyOptions { named: Vec::new(), ..machine.options(&plan) };
    let error = Session::apply(&machine.root(), &plan, options).err().unwrap();
    assert!(matches!(error, TuneError::NotOffered { .. }), "{error}");
}

#[test]
fn risk_must_be_named_twice() {
    let machine = Machine::new();
    let unnamed = machine.plan(Goal::Latency, &Select::default());
    assert!(unnamed.lines.iter().all(|line| line.knob != "nvme.ps"));
    assert!(unnamed.left.iter().any(|left| left.knob == "nvme.ps" && left.reason.contains("--knob")));
    let plan = machine.only(Goal::Latency, &["nvme.ps"]);
    let options = ApplyOptions { named: Vec::new(), ..machine.options(&plan) };
    let error = Session::apply(&machine.root(), &plan, options).err().unwrap();
    assert!(matches!(&error, TuneError::NotNamed { knob, .. } if knob == "nvme.ps"));
    assert!(error.hint().unwrap().contains("--knob nvme.ps"));
}

#[test]
fn a_machine_that_has_changed_since() {
    let machine = Machine::new();
    let plan = plan(&machine);
    machine.set(&format!("{NVME}/queue/nomerges"), "1");
    assert!(matches!(refused(&machine, &plan), TuneError::Stale { now, .. } if now == "1"));
}

#[test]
fn an_earlier_session_that_is_open() {
    let machine = Machine::new();
    let plan = plan(&machine);
    machine.apply(&plan).leave().unwrap();
    let next = machine.only(Goal::Latency, &["vm.swappiness=5"]);
    let error = machine.try_apply(&next).err().unwrap();
    assert!(matches!(error, TuneError::Open(_)) && error.is_refusal());
    machine.revert(&[]);
    machine.apply(&next).revert().unwrap();
}

#[test]
fn one_session_at_a_time() {
    let machine = Machine::new();
    let plan = plan(&machine);
    let session = machine.apply(&plan);
    let next = machine.only(Goal::Latency, &["vm.swappiness=5"]);
    assert!(matches!(machine.try_apply(&next).err().unwrap(), TuneError::Locked { .. }));
    session.revert().unwrap();
    assert!(machine.try_apply(&next).is_ok());
}

#[test]
fn names_and_values() {
    let machine = Machine::new();
    let plan = |word: &str| tune::plan(&machine.root(), &[], Goal::Iops, &Select::only([word]));
    assert!(
        matches!(plan("blk.nomerge"), Err(TuneError::UnknownKnob(said)) if said.contains("blk.nomerges"))
    );
    assert!(matches!(plan("vm.swappiness=low"), Err(TuneError::BadValue { .. })));
    let on_disk =
        tune::plan(&machine.root(), &machine.targets(), Goal::Iops, &Select::only(["blk.read_ahead"]));
    assert!(matches!(on_disk, Err(TuneError::NeedsValue(_))));
    let nowhere = tune::plan(&machine.root(), &[PathBuf::from("/dev/sdz")], Goal::Iops, &Select::default());
    assert!(matches!(nowhere, Err(TuneError::Target { .. })));
}

/// For a file, the disk of its file system; never its neighbours.
#[test]
fn only_the_targets_disks_are_meant() {
    let machine = Machine::new();
    let plan = |target: &str| {
        let targets = [PathBuf::from(target)];
        tune::plan(&machine.root(), &targets, Goal::Iops, &Select::only(["blk.scheduler", "scsi.qdepth"]))
            .unwrap()
    };
    let paths = |target: &str| plan(target).lines.into_iter().map(|line| line.path).collect::<Vec<_>>();
    assert_eq!(paths("/dev/nvme0n1"), ["/sys/block/nvme0n1/queue/scheduler"]);
    // The disk spins and has no scheduler, so none is set.
    assert_eq!(paths("/srv/deep/file"), ["/sys/block/sda/device/queue_depth"]);
}

/// Where the kernel offers a file for reading only, nothing is tried.
#[test]
fn read_only_settings_are_left_with_the_reason() {
    let machine = Machine::with("/proc/sys/vm/swappiness 0444 = 60\n");
    let plan = machine.only(Goal::Repeatability, &["vm.swappiness"]);
    assert_eq!(plan.lines, []);
    assert!(plan.left[0].reason.contains("reading only"));
}

/// A forged value: that of a mount would reach mount(2) as options of any kind.
#[test]
fn a_value_that_no_knob_can_have() {
    let machine = Machine::new();
    let mut plan = machine.only(Goal::Repeatability, &["fs.discard"]);
    assert_eq!(plan.lines.len(), 1, "{:?}", plan.left);
    plan.lines[0].then = "nodiscard,nobarrier".to_owned();
    plan.hash = plan.content_hash();
    assert!(matches!(refused(&machine, &plan), TuneError::BadValue { .. }));
}

/// What people read before they say yes is what is written.
#[test]
fn a_path_that_is_not_the_settings() {
    let machine = Machine::new();
    let mut plan = plan(&machine);
    plan.lines[0].path = "/sys/block/loop7/queue/nomerges".to_owned();
    plan.hash = plan.content_hash();
    assert!(matches!(refused(&machine, &plan), TuneError::NotOffered { .. }));
}

/// An NVMe drive has no SCSI queue: the plan says that the knob that was asked for is nowhere.
#[test]
fn a_named_knob_that_the_targets_do_not_have_is_told() {
    let machine = Machine::new();
    let drive = [PathBuf::from("/dev/nvme0n1")];
    let plan = tune::plan(&machine.root(), &drive, Goal::Latency, &Select::only(["scsi.qdepth=8"])).unwrap();
    assert!(plan.lines.is_empty());
    let [left] = plan.left.as_slice() else { panic!("{:?}", plan.left) };
    assert_eq!((left.knob.as_str(), left.path.as_str()), ("scsi.qdepth", "nowhere"));
}
