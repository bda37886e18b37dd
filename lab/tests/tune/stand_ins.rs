//! Knobs for which this machine has no hardware, on stand-ins: files mounted over sysfs where a
//! frequency driver would have its own, and a program in place of the service manager.
//!
//! A plain file accepts every value, so this does not show what a kernel would refuse (tests with
//! recorded trees do). It shows that fathom puts all of them back after it was killed.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use fathom_device::Root;
use fathom_lab::{Scope, assert_lab, fathom, wait_until};
use fathom_tune as tune;

use super::bench::differences;

/// Each knob with a value other than the stand-in's and of the same length: unlike a setting of the
/// kernel, a plain file keeps the rest of a longer value.
const VALUES: [&str; 8] = [
    "cpu.governor=userspace",
    "cpu.epp=255",
    "cpu.freq_cap=3400000",
    "cpu.turbo=1",
    "cpu.platform_profile=standard",
    "irq.daemon=inactive",
    "sys.daemons=inactive",
    "noise.timers=inactive",
];

/// The files of a machine with a frequency driver, below the directory of its CPUs.
const CPU_FILES: [(&str, &str); 12] = [
    ("cpufreq/policy0/scaling_driver", "intel_pstate"),
    ("cpufreq/policy0/scaling_governor", "powersave"),
    ("cpufreq/policy0/scaling_available_governors", "userspace powersave"),
    ("cpufreq/policy0/energy_performance_preference", "128"),
    ("cpufreq/policy0/energy_performance_available_preferences", "performance balance_power power"),
    ("cpufreq/policy0/scaling_min_freq", "1000000"),
    ("cpufreq/policy0/scaling_max_freq", "2000000"),
    ("cpufreq/policy0/cpuinfo_min_freq", "1000000"),
    ("cpufreq/policy0/cpuinfo_max_freq", "3400000"),
    ("cpufreq/policy0/affected_cpus", "0 1 2 3"),
    ("intel_pstate/no_turbo", "0"),
    ("intel_pstate/status", "active"),
];

const UNITS: [&str; 3] = ["irqbalance.service", "tuned.service", "fstrim.timer"];

/// A `systemctl` that keeps the state of a unit in a file.
const SYSTEMCTL: &str = r#"#!/bin/sh
for unit; do :; done
state=/tmp/stand-in/units/$unit
case "$*" in
*show*) cat "$state" 2>/dev/null || printf 'inactive\n\n' ;;
*stop*) printf 'inactive\nenabled\n' > "$state" ;;
*start*) printf 'active\nenabled\n' > "$state" ;;
esac
"#;

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("{text}\n")).unwrap();
}

/// Puts the stand-ins in place; they are removed when the scope ends.
fn stand_ins() -> Scope {
    assert_lab();
    let mut scope = Scope::new();
    let base = Path::new("/tmp/stand-in");
    scope.later(&["rm", "-r", "-f", "/tmp/stand-in"]);
    for list in ["online", "possible", "present"] {
        let text = fs::read_to_string(format!("/sys/devices/system/cpu/{list}")).unwrap();
        write(&base.join("cpu").join(list), text.trim());
    }
    CPU_FILES.iter().for_each(|(file, text)| write(&base.join("cpu").join(file), text));
    write(&base.join("acpi/platform_profile"), "balanced");
    write(&base.join("acpi/platform_profile_choices"), "balanced standard");
    for (ours, theirs) in [("cpu", "/sys/devices/system/cpu"), ("acpi", "/sys/firmware/acpi")] {
        let ours = base.join(ours);
        scope.act(&["mount", "--bind", ours.to_str().unwrap(), theirs], &["umount", theirs]);
    }
    UNITS.iter().for_each(|unit| write(&base.join("units").join(unit), "active\nenabled"));
    fs::write("/usr/bin/systemctl", SYSTEMCTL).unwrap();
    fs::set_permissions("/usr/bin/systemctl", fs::Permissions::from_mode(0o755)).unwrap();
    scope.later(&["rm", "/usr/bin/systemctl"]);
    scope
}

fn units() -> Vec<String> {
    UNITS.iter().map(|unit| fs::read_to_string(format!("/tmp/stand-in/units/{unit}")).unwrap()).collect()
}

#[test]
fn knobs_without_hardware_come_back_after_a_kill() {
    let scope = stand_ins();
    let settings = || tune::settings(&Root::live(), &[]).unwrap();
    let (before, units_before) = (settings(), units());
    let named: Vec<&str> = VALUES.iter().flat_map(|value| ["--knob", value]).collect();
    let plan = "/tmp/stand-in/plan.json";
    let words: Vec<&str> = ["tune", "plan", "--only", "-o", plan].into_iter().chain(named).collect();
    let planned = fathom(&words);
    assert_eq!(planned.code, Some(0), "{planned:?}");
    let ids = VALUES.iter().flat_map(|value| ["--knob", value.split('=').next().unwrap_or_default()]);
    let state = "/tmp/stand-in/state";
    let mut tool = Command::new("fathom");
    tool.args(["tune", "apply", plan, "--yes", "--hold", "--state-dir", state]).args(ids);
    let mut tool = tool.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(tool.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut said = Vec::new();
    for line in lines {
        said.push(line);
        if said.last().is_some_and(|line| line.contains("in force until Ctrl-C")) {
            break;
        }
    }
    let moved = differences(&before, &settings());
    for file in ["scaling_governor", "energy_performance", "scaling_max_freq", "no_turbo", "platform_profile"]
    {
        assert!(moved.iter().any(|line| line.contains(file)), "{file} has not moved: {moved:#?}; {said:#?}");
    }
    assert!(units().iter().all(|unit| unit.starts_with("inactive\nenabled")), "{:?}", units());
    tool.kill().unwrap();
    tool.wait().unwrap();
    wait_until("the guardian", || tune::open_journals(Path::new(state)).unwrap().is_empty().then_some(()));
    assert_eq!(differences(&before, &settings()), Vec::<String>::new());
    assert_eq!(units(), units_before, "active again, and enabled as before");
    scope.end();
}
