//! Knobs are set and put back: each alone, all together, and after a kill.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use fathom_device::Goal;
use fathom_lab::{fathom, wait_within};
use fathom_tune::{self as tune, Select, State};

use super::bench::{Bench, differences};

/// Values that differ from those that the machine has by default.
const VALUES: [&str; 30] = [
    "cpu.cstates_per_cpu=20",
    "numa.balancing=0",
    "vm.dirty=1073741824",
    "vm.swappiness=7",
    "vm.thp=never",
    "sys.aio=99999",
    "pcie.runtime_pm=on",
    "pcie.aspm_policy=performance",
    "irq.unmanaged_place=0",
    "nvme.apst=0",
    "nvme.cache=0",
    "nvme.multipath=round-robin",
    "scsi.qdepth=5",
    "scsi.alpm=min_power",
    "blk.scheduler=mq-deadline",
    "blk.nr_requests=32",
    "blk.wbt=777",
    "blk.max_sectors=64",
    "blk.rq_affinity=2",
    "blk.nomerges=1",
    "blk.add_random=1",
    "blk.iostats=0",
    "blk.rotational=1",
    "blk.read_ahead=60",
    "md.threads=2",
    "md.stripe_cache=512",
    "md.sync_speed=123456",
    "fs.atime=noatime",
    "fs.discard=nodiscard",
    "slot.locate=1",
];

/// Knobs that this machine must have: a kernel or a lab that lost one fails here.
const CERTAIN: [&str; 22] = [
    "vm.dirty",
    "vm.swappiness",
    "sys.aio",
    "numa.balancing",
    "nvme.cache",
    "nvme.multipath",
    "scsi.qdepth",
    "blk.scheduler",
    "blk.nr_requests",
    "blk.max_sectors",
    "blk.rq_affinity",
    "blk.nomerges",
    "blk.add_random",
    "blk.iostats",
    "blk.rotational",
    "blk.read_ahead",
    "md.threads",
    "md.stripe_cache",
    "md.sync_speed",
    "fs.atime",
    "fs.discard",
    "slot.locate",
];

#[test]
fn each_knob_on_its_own() {
    let bench = Bench::with_everything();
    let before = bench.settings();
    let mut moved = Vec::new();
    for value in VALUES {
        let plan = bench.plan(Goal::Repeatability, &Select::only([value]));
        let session = bench.apply(&plan);
        assert!(session.verify().iter().all(|found| found.holds()), "{value}: {:?}", session.verify());
        let done = session
            .applied()
            .any(|r| r.state == State::Done && r.effective.as_ref() != Some(&r.before_typed));
        if done {
            assert_ne!(bench.settings(), before, "{value}");
            moved.push(value.split('=').next().unwrap_or_default());
        }
        let undone = session.revert().unwrap();
        assert!(undone.iter().all(|record| !record.is_open()), "{value}: {undone:?}");
        assert_eq!(differences(&before, &bench.settings()), Vec::<String>::new(), "{value}");
    }
    let missing: Vec<_> = CERTAIN.iter().filter(|knob| !moved.contains(*knob)).collect();
    assert!(missing.is_empty(), "moved nothing: {missing:?}; moved: {moved:?}");
    bench.end();
}

/// The plan of each goal, with every knob named.
#[test]
fn all_knobs_of_each_goal() {
    let bench = Bench::with_everything();
    let before = bench.settings();
    let all: Vec<&str> =
        tune::catalogue().filter(|knob| !knob.needs_value()).map(|knob| knob.id.as_str()).collect();
    for goal in Goal::ALL {
        let plan = bench.plan(goal, &Select::with(&all));
        assert!(!plan.lines.is_empty(), "{goal}");
        let undone = bench.apply(&plan).revert().unwrap();
        assert!(undone.iter().all(|record| !record.is_open()), "{goal}: {undone:?}");
        assert_eq!(differences(&before, &bench.settings()), Vec::<String>::new(), "{goal}");
    }
    bench.end();
}

/// fathom is killed with all settings in force; its guardian puts them back.
#[test]
fn a_kill_with_everything_in_force() {
    let bench = Bench::with_everything();
    let before = bench.settings();
    std::fs::create_dir_all(bench.dir()).unwrap();
    let (file, state) = (bench.dir().join("plan.json"), bench.dir().join("state"));
    let (file, state) = (file.to_str().unwrap(), state.to_str().unwrap());
    let named: Vec<&str> = VALUES.iter().flat_map(|value| ["--knob", value]).collect();
    let targets = bench.targets.iter().map(|path| path.to_str().unwrap());
    let words: Vec<&str> =
        ["tune", "plan", "--only", "-o", file].into_iter().chain(named).chain(targets).collect();
    let planned = fathom(&words);
    assert_eq!(planned.code, Some(0), "{planned:?}");
    let ids = VALUES.iter().flat_map(|value| ["--knob", value.split('=').next().unwrap_or_default()]);
    let words = ["tune", "apply", file, "--yes", "--hold", "--state-dir", state];
    let mut tool = Command::new("fathom");
    tool.args(words).args(ids).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut tool = tool.spawn().unwrap();
    let mut lines = BufReader::new(tool.stderr.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("in force until Ctrl-C")), "it ended: {:?}", tool.wait());
    assert!(differences(&before, &bench.settings()).len() > 20);
    let verified = fathom(&["tune", "verify", "--state-dir", state]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    tool.kill().unwrap();
    tool.wait().unwrap();
    // To put back so many settings takes long in an emulated machine that runs beside another one.
    wait_within(Duration::from_secs(180), "the guardian", || {
        tune::open_journals(std::path::Path::new(state)).unwrap().is_empty().then_some(())
    });
    assert_eq!(differences(&before, &bench.settings()), Vec::<String>::new());
    bench.end();
}
