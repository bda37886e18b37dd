//! The firmware checklist of the guide against recorded machines (contract I-6, V-17).

use fathom_device::Root;
use fathom_host::audit::bios::{BiosChecklist, BiosEvidence};

use crate::audit::fixture;

/// A recorded machine, in what it differs from the server of the fixtures.
fn machine(differs: &str) -> Root {
    let mut tree = fixture::base("server");
    tree.overlay(differs).unwrap_or_else(|e| panic!("{differs}: {e}"));
    Root::held(&tree)
}

fn seen(root: &Root, name: &str) -> BiosEvidence {
    let list = BiosChecklist::of(root);
    let line = list.lines.iter().find(|line| line.setting.name == name);
    line.unwrap_or_else(|| panic!("no line {name}")).evidence.clone()
}

const CPU: &str = "/sys/devices/system/cpu";
const FLAGS: &str = "/proc/cpuinfo <<\n\tflags\t\t: fpu tsc hwp hwp_epp\n";

/// Line of the guide, file with its text, and how the line comes out.
#[test]
fn each_line_that_linux_shows_follows_its_file() {
    let as_guide = |seen: &BiosEvidence| matches!(seen, BiosEvidence::AsTheGuide(_));
    let differs = |seen: &BiosEvidence| matches!(seen, BiosEvidence::Differs(_));
    let related = |seen: &BiosEvidence| matches!(seen, BiosEvidence::Related(_));
    type Is = fn(&BiosEvidence) -> bool;
    let table: [(&str, String, Is); 21] = [
        ("Hyper-Threading", format!("{CPU}/smt/control = on"), as_guide),
        ("Hyper-Threading", format!("{CPU}/smt/control = forceoff"), differs),
        ("Hyper-Threading", format!("{CPU}/smt/control = off"), related),
        (
            "CPU power and performance policy",
            "/sys/firmware/acpi/platform_profile = performance".to_owned(),
            as_guide,
        ),
        (
            "CPU power and performance policy",
            "/sys/firmware/acpi/platform_profile = balanced".to_owned(),
            differs,
        ),
        (
            "CPU power and performance policy",
            format!("-/sys/firmware/acpi/platform_profile\n{CPU}/cpu0/power/energy_perf_bias = 6"),
            related,
        ),
        (
            "Performance P-limit of the uncore",
            format!(
                "{CPU}/intel_uncore_frequency/package_00_die_00/min_freq_khz = 800000\n{CPU}/intel_uncore_frequency/package_00_die_00/max_freq_khz = 2400000"
            ),
            related,
        ),
        ("Enhanced SpeedStep", format!("{CPU}/cpufreq/policy0/scaling_driver = intel_pstate"), as_guide),
        ("Enhanced SpeedStep", format!("-{CPU}/cpufreq/policy0/scaling_driver"), differs),
        ("Turbo Boost", format!("{CPU}/intel_pstate/no_turbo = 0"), as_guide),
        ("Turbo Boost", format!("{CPU}/intel_pstate/no_turbo = 1"), differs),
        ("Energy-efficient turbo", format!("{CPU}/intel_pstate/energy_efficiency = 1"), as_guide),
        ("Energy-efficient turbo", format!("{CPU}/intel_pstate/energy_efficiency = 0"), differs),
        (
            "Hardware P-states",
            format!("{CPU}/cpufreq/policy0/scaling_driver = intel_pstate\n{FLAGS}"),
            as_guide,
        ),
        (
            "Hardware P-states",
            format!("{CPU}/cpufreq/policy0/scaling_driver = acpi-cpufreq\n{FLAGS}"),
            related,
        ),
        ("EPP", format!("{CPU}/cpufreq/policy0/energy_performance_preference = performance"), as_guide),
        ("EPP", format!("-{CPU}/cpufreq/policy0/energy_performance_preference\n{FLAGS}"), related),
        ("C1E", format!("{CPU}/cpu0/cpuidle/state2/name = C1E"), differs),
        ("C1E", format!("{CPU}/cpu0/cpuidle/state1/name = C1"), as_guide),
        ("Processor C6", format!("{CPU}/cpu0/cpuidle/state2/name = C6"), as_guide),
        ("Fan profile", "/sys/class/hwmon/hwmon9/fan1_input = 9000".to_owned(), related),
    ];
    for (name, differs, is_so) in table {
        let seen = seen(&machine(&format!("{differs}\n")), name);
        assert!(is_so(&seen), "{name} with {differs}: {seen:?}");
    }
}

/// All eighteen lines of the guide are there; those that Linux does not show say where they are.
#[test]
fn all_lines_of_the_guide_are_told() {
    let list = BiosChecklist::of(&machine(""));
    assert_eq!(list.lines.len(), 18);
    let hidden = list.lines.iter().filter(|line| matches!(line.evidence, BiosEvidence::Hidden(_))).count();
    assert!((6..=10).contains(&hidden), "{hidden}");
    let text = list.to_text();
    for line in &list.lines {
        assert!(text.contains(&format!("    {}: {}", line.setting.name, line.setting.guide)), "{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("bios_of_a_server", text);
}

/// A virtual machine does not show the firmware of its host.
#[test]
fn a_virtual_machine_names_its_host() {
    let guest = machine("/proc/cpuinfo <<\n\tflags\t\t: fpu hypervisor\n");
    let list = BiosChecklist::of(&guest);
    assert!(list.lines.iter().all(|line| matches!(line.evidence, BiosEvidence::Hidden(_))));
    assert!(list.to_text().contains("not shown: see the host of this virtual machine"), "{}", list.to_text());
}
