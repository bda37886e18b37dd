//! Programs that set the same knobs.

use fathom_device::Goal;
use fathom_tune::{Select, TuneError};

use crate::machine::Machine;

/// tuned runs; irqbalance runs on every machine of these tests.
const TUNED: &str = "/.fathom/asked/unit/tuned.service = active enabled\n";

#[test]
fn owned_knobs_are_left_to_their_owner() {
    let machine = Machine::with(TUNED);
    let plan = machine.plan(Goal::Latency, &Select::default());
    let left = |id: &str| plan.left.iter().any(|left| left.knob == id && left.reason.contains("tuned"));
    assert!(left("blk.scheduler") && left("numa.balancing"), "{:?}", plan.left);
    assert!(plan.lines.iter().any(|line| line.knob == "blk.nomerges"), "tuned does not set it");
}

/// By process, where there is no systemd to be asked for units.
#[test]
fn an_owner_is_known_by_its_process_too() {
    let machine = Machine::with("/proc/77/comm = power-profiles-\n");
    let plan = machine.plan(Goal::Latency, &Select::only(["cpu.epp"]));
    assert!(plan.lines.is_empty() && plan.left[0].reason.contains("power-profiles-daemon"));
}

#[test]
fn a_plan_that_pauses_the_owner_may_set_its_knobs() {
    let machine = Machine::with(TUNED);
    let before = machine.files();
    let plan = machine.plan(Goal::Latency, &Select::with(["sys.daemons"]));
    let ids: Vec<&str> = plan.lines.iter().map(|line| line.knob.as_str()).collect();
    assert!(ids.contains(&"sys.daemons") && ids.contains(&"blk.scheduler"), "{ids:?}");
    assert!(
        ids.iter().position(|id| *id == "sys.daemons") < ids.iter().position(|id| *id == "blk.scheduler")
    );
    let undone = machine.apply(&plan).revert().unwrap();
    assert_eq!(undone.last().unwrap().id, "sys.daemons", "started after everything is back");
    assert!(before == machine.files());
}

/// It started between plan and apply.
#[test]
fn an_owner_that_came_later() {
    let machine = Machine::new();
    let plan = machine.plan(Goal::Latency, &Select::only(["numa.balancing"]));
    let tuned = machine.root().at("/.fathom/asked/unit/tuned.service");
    std::fs::write(tuned, "active enabled\n").unwrap();
    let error = machine.try_apply(&plan).err().unwrap();
    assert!(matches!(&error, TuneError::Owned { owner, .. } if owner == "tuned"), "{error}");
    assert!(machine.kernel.written().is_empty());
}

#[test]
fn despite_an_owner_is_written_in_the_plan() {
    let machine = Machine::with(TUNED);
    let select = Select { despite_owners: true, ..Select::only(["numa.balancing"]) };
    let plan = machine.plan(Goal::Latency, &select);
    assert_eq!(plan.lines[0].despite.as_deref(), Some("tuned"));
    machine.apply(&plan).revert().unwrap();
}

/// The audit judges the slots by the same rule (`fathom_device::counters`).
#[test]
fn room_for_libaio_is_made_where_little_is_left() {
    for (used, then) in [(0, None), (64_512, None), (64_513, Some("1113089"))] {
        let machine = Machine::with(&format!("/proc/sys/fs/aio-nr = {used}\n"));
        let plan = machine.only(Goal::Iops, &["sys.aio"]);
        assert_eq!(plan.lines.first().map(|line| line.then.as_str()), then, "{used} are used");
    }
}
