//! The semantics that a naive "write the old text back" gets wrong, one test
//! each, and that a session leaves every file as it found it.

use fathom_device::Goal;
use fathom_tune::{RelativePlace, Select, Session, State, catalogue};

use crate::machine::{CPU, Machine, NVME, states};

/// Applies, checks what is in force, reverts, and compares all files.
#[track_caller]
fn there_and_back(machine: &Machine, goal: Goal, words: &[&str], in_force: &[(String, &str)]) -> Vec<String> {
    let before = machine.files();
    let plan = machine.only(goal, words);
    assert!(!plan.lines.is_empty(), "{words:?}: {:?}", plan.left);
    let session = machine.apply(&plan);
    let refused: Vec<_> = session.applied().filter(|record| record.state != State::Done).collect();
    assert!(refused.is_empty(), "{refused:?}");
    for (path, text) in in_force {
        assert_eq!(machine.get(path), *text, "{path}");
    }
    assert!(session.verify().iter().all(|found| found.holds()), "{:?}", session.verify());
    let undone = session.revert().unwrap();
    assert!(undone.iter().all(|record| !record.is_open()), "{undone:?}");
    assert!(before == machine.files(), "{words:?} left traces");
    machine.kernel.written()
}

fn at(base: &str, file: &str) -> String {
    format!("{base}/{file}")
}

/// Everything at once, for every goal.
#[test]
fn every_knob_goes_there_and_back() {
    let all: Vec<&str> =
        catalogue().filter(|knob| !knob.needs_value()).map(|knob| knob.id.as_str()).collect();
    for goal in Goal::ALL {
        let machine = Machine::new();
        let before = machine.files();
        let plan = machine.plan(goal, &Select { despite_owners: true, ..Select::with(&all) });
        assert!(plan.lines.len() > 8, "{goal}: {} lines", plan.lines.len());
        let undone = machine.apply(&plan).revert().unwrap();
        let stuck: Vec<_> = undone.iter().filter(|record| record.is_open()).collect();
        assert!(stuck.is_empty(), "{goal}: {stuck:?}");
        assert!(before == machine.files(), "{goal}");
    }
}

#[test]
fn trap_1_bracket_files_are_tokens() {
    let machine = Machine::new();
    let thp = "/sys/kernel/mm/transparent_hugepage/enabled".to_owned();
    let policy = "/sys/module/pcie_aspm/parameters/policy".to_owned();
    there_and_back(
        &machine,
        Goal::Repeatability,
        &["vm.thp", "pcie.aspm_policy"],
        &[(thp, "always [madvise] never"), (policy, "default [performance] powersave powersupersave")],
    );
}

/// Neither value is the scheduler's default, and the plan has only the
/// scheduler: what the switch resets is put back too.
#[test]
fn trap_2_a_scheduler_resets_its_neighbours() {
    let machine = Machine::new();
    let in_force = [(at(NVME, "queue/scheduler"), "mq-deadline kyber [none]")];
    let written = there_and_back(&machine, Goal::Latency, &["blk.scheduler"], &in_force);
    assert_eq!(written[written.len() - 3..], ["scheduler", "nr_requests", "wbt_lat_usec"]);
}

#[test]
fn trap_2_the_scheduler_comes_back_before_its_neighbours() {
    let machine = Machine::new();
    let knobs = ["blk.scheduler=kyber", "blk.nr_requests=300", "blk.wbt=0"];
    let in_force = [(at(NVME, "queue/nr_requests"), "300"), (at(NVME, "queue/wbt_lat_usec"), "0")];
    let plan = machine.only(Goal::Latency, &knobs);
    let nvme = |line: &&fathom_tune::PlannedChange| line.path.contains("nvme0n1");
    assert_eq!(plan.lines.iter().filter(nvme).count(), 3);
    let session = machine.apply(&plan);
    for (path, text) in &in_force {
        assert_eq!(machine.get(path), *text);
    }
    let undone = session.revert().unwrap();
    assert_eq!(undone[0].id, "blk.scheduler", "{:?}", states(&undone));
    assert_eq!(machine.get(&at(NVME, "queue/nr_requests")), "64");
    assert_eq!(machine.get(&at(NVME, "queue/wbt_lat_usec")), "500");
}

/// EPP is refused while the governor is `performance`.
#[test]
fn trap_3_governor_back_before_epp() {
    let machine = Machine::new();
    let knobs = ["cpu.epp", "cpu.governor=performance"];
    let policy = at(CPU, "cpufreq/policy0");
    let in_force = [
        (at(&policy, "energy_performance_preference"), "performance"),
        (at(&policy, "scaling_governor"), "performance"),
    ];
    let written = there_and_back(&machine, Goal::Latency, &knobs, &in_force);
    assert_eq!(written[2..], ["scaling_governor", "energy_performance_preference"]);
}

/// With EPP, `powersave` is the governor that follows it: left alone.
#[test]
fn trap_3_powersave_that_follows_epp_is_no_slow_governor() {
    let machine = Machine::new();
    assert_eq!(machine.only(Goal::Latency, &["cpu.governor"]).lines, []);
    let without = Machine::with(&format!("-{CPU}/cpufreq/policy0/energy_performance_preference\n"));
    assert_eq!(without.only(Goal::Latency, &["cpu.governor"]).lines.len(), 1);
}

#[test]
fn trap_4_limits_widen_before_they_narrow() {
    let machine = Machine::new();
    let policy = at(CPU, "cpufreq/policy0");
    let in_force =
        [(at(&policy, "scaling_max_freq"), "3600000"), (at(&policy, "scaling_min_freq"), "3600000")];
    let written = there_and_back(&machine, Goal::Repeatability, &["cpu.freq_cap"], &in_force);
    assert_eq!(written, ["scaling_max_freq", "scaling_min_freq", "scaling_min_freq", "scaling_max_freq"]);
}

#[test]
fn trap_5_turbo_has_two_faces() {
    let machine = Machine::new();
    let in_force = [(at(CPU, "cpufreq/boost"), "0"), (at(CPU, "intel_pstate/no_turbo"), "1")];
    let written = there_and_back(&machine, Goal::Repeatability, &["cpu.turbo"], &in_force);
    assert_eq!(written, ["no_turbo", "no_turbo"]);
}

/// 0 cannot be written to the bytes: the ratios are what comes back.
#[test]
fn trap_6_of_a_pair_the_member_in_force_comes_back() {
    let machine = Machine::new();
    let in_force = [("/proc/sys/vm/dirty_ratio".to_owned(), "0")];
    let written = there_and_back(&machine, Goal::Repeatability, &["vm.dirty"], &in_force);
    assert_eq!(written, ["dirty_bytes", "dirty_background_bytes", "dirty_background_ratio", "dirty_ratio"]);
    let bytes = Machine::with("/proc/sys/vm/dirty_bytes = 1000000\n/proc/sys/vm/dirty_ratio = 0\n");
    let written = there_and_back(&bytes, Goal::Repeatability, &["vm.dirty"], &[]);
    assert_eq!(written.last().unwrap(), "dirty_bytes");
}

#[test]
fn trap_7_md_speed_goes_back_to_the_systems() {
    let machine = Machine::new();
    let speed = "/sys/block/md0/md/sync_speed_max";
    there_and_back(&machine, Goal::Bandwidth, &["md.sync_speed"], &[(speed.to_owned(), "5000000 (local)")]);
    assert_eq!(machine.kernel.log.lock().unwrap().last().unwrap().1, "system");
    let local = Machine::with("/sys/devices/virtual/block/md0/md/sync_speed_max = 1000 (local)\n");
    there_and_back(&local, Goal::Bandwidth, &["md.sync_speed"], &[]);
}

/// A number that happens to be the default is restored as the number.
#[test]
fn trap_8_wbt_is_a_number() {
    let machine = Machine::new();
    machine.set(&at(NVME, "queue/wbt_lat_usec"), "2000");
    there_and_back(&machine, Goal::Bandwidth, &["blk.wbt"], &[(at(NVME, "queue/wbt_lat_usec"), "0")]);
    assert_eq!(machine.kernel.log.lock().unwrap().last().unwrap().1, "2000");
}

#[test]
fn trap_9_resume_latency_is_inverted() {
    let machine = Machine::new();
    let file = |cpu: u32| at(CPU, &format!("cpu{cpu}/power/pm_qos_resume_latency_us"));
    let plan = machine.only(Goal::Latency, &["cpu.cstates_per_cpu"]);
    assert_eq!(plan.lines[0].change(), "no limit -> 10 us");
    assert_eq!(plan.lines[1].change(), "0 us (n/a) -> 10 us");
    there_and_back(&machine, Goal::Latency, &["cpu.cstates_per_cpu"], &[(file(0), "10"), (file(1), "10")]);
    assert_eq!(machine.get(&file(1)), "n/a");
}

/// A handle is held or not; it is in no journal, and nothing writes it back.
#[test]
fn trap_10_a_handle_is_never_journalled() {
    let machine = Machine::new();
    let plan = machine.only(Goal::Latency, &["cpu.cstates"]);
    assert_eq!(plan.lines[0].setting.at, RelativePlace::Held("/dev/cpu_dma_latency".into()));
    let options = fathom_tune::ApplyOptions { holds: true, ..machine.options(&plan) };
    let session = Session::apply(&machine.root(), &plan, options).unwrap();
    assert_eq!(session.applied().count(), 0);
    assert_eq!(session.held()[0].value, 10);
    let bytes = std::fs::read(machine.root().at("/dev/cpu_dma_latency")).unwrap();
    assert_eq!(bytes, 10_i32.to_ne_bytes());
    assert_eq!(session.revert().unwrap(), []);
    let session = machine.apply(&plan);
    assert!(session.held().is_empty() && session.not_held().len() == 1, "nobody would hold it");
}

/// Where no CPU enters a state that wakes slowly, the check `cpu.cstates` is content, and so is the plan.
#[test]
fn a_limit_on_sleep_states_is_planned_only_where_a_cpu_sleeps_deeply() {
    let state = "/sys/devices/system/cpu/cpu0/cpuidle/state1";
    for (file, value) in [("latency", "10"), ("disable", "1")] {
        let machine = Machine::new();
        std::fs::write(machine.root().at(format!("{state}/{file}")), value).unwrap();
        assert!(machine.only(Goal::Latency, &["cpu.cstates"]).lines.is_empty(), "{file}");
    }
}

/// The admin queue is free to move; an I/O queue is not, whether its file is 0444 or only its name
/// shows it.
#[test]
fn trap_11_affinity_is_a_set_and_managed_is_left_alone() {
    let machine = Machine::new();
    let plan = machine.only(Goal::Latency, &["irq.unmanaged_place"]);
    let paths: Vec<&str> = plan.lines.iter().map(|line| line.path.as_str()).collect();
    assert_eq!(paths, ["/proc/irq/40/smp_affinity_list"]);
    let list = "/proc/irq/40/smp_affinity_list";
    let session = machine.apply(&plan);
    assert_eq!(machine.get(list), "0-1");
    machine.set(list, "0,1");
    assert!(session.verify()[0].holds(), "the same set in other words");
    session.revert().unwrap();
    assert_eq!(machine.get(list), "2-3");
}

/// The kernel makes 4 of 1: that is what is in force, and what is undone.
#[test]
fn trap_12_a_clamp_is_read_back() {
    let machine = Machine::new();
    let plan = machine.only(Goal::Iops, &["blk.nr_requests=1"]);
    let session = machine.apply(&plan);
    let record = session.applied().find(|record| record.path.contains("nvme0n1")).unwrap();
    assert_eq!((record.state, record.effective.as_deref()), (State::Done, Some("4")));
    assert_eq!(record.note.as_deref(), Some("the kernel set 4 instead of 1"));
    assert!(session.verify().iter().all(|found| found.holds()));
    session.revert().unwrap();
    assert_eq!(machine.get(&at(NVME, "queue/nr_requests")), "64");
}

/// The drive forgets its current features in a reset: a verification says so,
/// and undoing finds nothing left to undo.
#[test]
fn trap_13_a_reset_loses_features() {
    let machine = Machine::new();
    let plan = machine.only(Goal::Latency, &["nvme.ps", "irq.coalescing", "nvme.cache=1"]);
    assert_eq!(plan.lines.len(), 3);
    let session = machine.apply(&plan);
    let feature = |number: &str| machine.root().at(format!("/.fathom/asked/nvme0/feature-{number}"));
    assert_eq!(std::fs::read(feature("08")).unwrap(), [0, 0, 0, 0]);
    std::fs::write(feature("08"), [7, 2, 0, 0]).unwrap();
    assert_eq!(session.verify().iter().filter(|found| !found.holds()).count(), 1);
    let undone = session.revert().unwrap();
    let state = |id: &str| undone.iter().find(|record| record.id == id).unwrap().state;
    assert_eq!(state("irq.coalescing"), State::Unchanged);
    assert_eq!(state("nvme.ps"), State::Restored);
    assert_eq!(std::fs::read(feature("02")).unwrap(), [3, 0, 0, 0]);
}

/// After a reset the drive is nvme1, and nvme0 is another drive.
#[test]
fn trap_14_a_renumbered_drive_is_found_by_its_serial() {
    let machine = Machine::new();
    let session = machine.apply(&machine.only(Goal::Latency, &["nvme.apst", "blk.nomerges"]));
    session.leave().unwrap();
    let at = |path: &str| machine.root().at(path);
    let (old, new) =
        (at("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0"), at("/sys/devices/moved"));
    std::fs::rename(old.join("nvme0n1"), old.join("nvme1n1")).unwrap();
    std::fs::rename(&old, &new).unwrap();
    for (link, to) in [
        ("/sys/class/nvme/nvme0", None),
        ("/sys/class/nvme/nvme1", Some("../../devices/moved")),
        ("/sys/block/nvme0n1", None),
        ("/sys/block/nvme1n1", Some("../devices/moved/nvme1n1")),
        ("/sys/class/block/nvme0n1", None),
        ("/sys/class/block/nvme1n1", Some("../../devices/moved/nvme1n1")),
        ("/sys/dev/block/259:0", None),
        ("/sys/dev/block/259:0", Some("../../devices/moved/nvme1n1")),
        ("/sys/devices/moved/nvme1n1/device", None),
        ("/sys/devices/moved/nvme1n1/device", Some("../../moved")),
    ] {
        match to {
            None => std::fs::remove_file(at(link)).unwrap(),
            Some(to) => std::os::unix::fs::symlink(to, at(link)).unwrap(),
        }
    }
    let undone = machine.revert(&[]);
    assert_eq!(states(&undone), [("blk.nomerges", State::Restored), ("nvme.apst", State::Restored)]);
    assert_eq!(machine.get("/sys/block/nvme1n1/queue/nomerges"), "0");
    assert_eq!(machine.get("/sys/class/nvme/nvme1/power/pm_qos_latency_tolerance_us"), "100000");
}

#[test]
fn trap_14_another_drive_in_its_place_is_not_touched() {
    let machine = Machine::new();
    machine.apply(&machine.only(Goal::Latency, &["blk.nomerges"])).leave().unwrap();
    machine.set("/sys/block/nvme0n1/wwid", "eui.0002");
    let undone = machine.revert(&[]);
    assert_eq!(states(&undone), [("blk.nomerges", State::Gone)]);
    assert_eq!(machine.get(&at(NVME, "queue/nomerges")), "2");
}

/// Stopped and started; that it is enabled is not ours to change. A timer
/// that was not running is not started.
#[test]
fn trap_15_units_keep_what_is_enabled() {
    let machine = Machine::new();
    let unit = |name: &str| format!("/.fathom/asked/unit/{name}");
    let in_force = [
        (unit("irqbalance.service"), "inactive enabled"),
        (unit("fstrim.timer"), "inactive enabled"),
        (unit("man-db.timer"), "inactive enabled"),
    ];
    there_and_back(&machine, Goal::Latency, &["irq.daemon", "noise.timers"], &in_force);
}

#[test]
fn trap_16_one_option_of_a_mount() {
    let machine = Machine::new();
    let plan = machine.only(Goal::Latency, &["fs.atime"]);
    assert_eq!(plan.lines[0].change(), "relatime -> noatime");
    let written = there_and_back(&machine, Goal::Latency, &["fs.atime"], &[]);
    assert_eq!(written.len(), 2);
    let log = machine.kernel.log.lock().unwrap();
    assert_eq!(log.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["noatime", "relatime"]);
}

/// No knob leads outside the allowed set, for any target and goal.
#[test]
fn trap_17_no_knob_leads_to_what_is_forbidden() {
    let machine = Machine::new();
    let root = machine.root();
    let scope = fathom_tune::Scope::of(&root, &machine.targets()).unwrap();
    let mut seen = 0;
    for setting in catalogue().flat_map(|knob| knob.find(&scope)) {
        let place = setting.place(&root).unwrap();
        assert!(!place.is_forbidden(), "{place}");
        seen += 1;
    }
    assert!(seen > 40, "{seen}");
}

/// V-75: the light of the drive's slot, of the port that carries it, and of the bay of a disk.
#[test]
fn the_locate_light_of_each_target_is_switched_on_and_off_again() {
    let machine = Machine::new();
    let in_force = [
        "/sys/bus/pci/slots/4/attention",
        "/sys/bus/pci/devices/0000:01:00.0/leds/0000:01:00.0:enclosure:locate/brightness",
        "/sys/block/sda/device/enclosure_device:7/locate",
    ];
    let written = there_and_back(
        &machine,
        Goal::Iops,
        &["slot.locate=1"],
        &in_force.map(|path| (path.to_owned(), "1")),
    );
    assert_eq!(written.len(), 6, "each on and off, and not the slot beside it: {written:?}");
}

/// ASPM substates go down before L1 and come up after it.
#[test]
fn links_are_put_back_in_an_order_that_works() {
    let machine = Machine::new();
    let link = "/sys/bus/pci/devices/0000:01:00.0/link";
    let in_force = [(at(link, "l1_aspm"), "0"), (at(link, "l1_2_aspm"), "0"), (at(link, "l0s_aspm"), "0")];
    there_and_back(&machine, Goal::Latency, &["pcie.aspm", "pcie.runtime_pm"], &in_force);
}

/// Not among the seventeen: newer kernels reset the read-ahead whenever a limit of the queue is
/// written.
#[test]
fn limits_reset_the_read_ahead() {
    let machine = Machine::new();
    let ahead = at(NVME, "queue/read_ahead_kb");
    let knobs = ["blk.max_sectors=64", "blk.add_random", "blk.iostats=0"];
    there_and_back(&machine, Goal::Latency, &knobs, &[(ahead.clone(), "256")]);
    let with_its_knob = [&knobs[..], &["blk.read_ahead=4096"]].concat();
    there_and_back(&machine, Goal::Latency, &with_its_knob, &[(ahead.clone(), "4096")]);
    assert_eq!(machine.get(&ahead), "128");
}
