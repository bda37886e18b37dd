//! The firmware settings of a guide (docs/guide-index.md: I-6), and what the system shows of each.
//!
//! Half of the eighteen lines cannot be read from Linux, and each of those says where it is to be seen.
//! A line is an entry of `settings::SETTINGS`.

use std::fmt::Write;
use std::path::Path;

use super::scene::has_cpu_flag;
use BiosEvidence::{AsTheGuide, Differs, Hidden, Related};
use fathom_device::glob::glob;
use fathom_device::root::Root;
use fathom_text::words::wrapped;

/// Where the settings of a virtual machine are.
const HOST: &str = "the host of this virtual machine";

/// What the guide's machine has in a line of its setup.
#[derive(Debug, Clone, Copy)]
pub struct BiosSetting {
    /// The line, as in the setup of the guide's board.
    pub name: &'static str,
    /// What the guide has there.
    pub guide: &'static str,
    /// What an older guide has there, if it says something else.
    pub other_guide: Option<&'static str>,
    /// Looks at the system.
    see: fn(&Root) -> BiosEvidence,
}

/// What the system shows of a firmware setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BiosEvidence {
    /// It is as the guide has it, and why.
    AsTheGuide(String),
    /// It is not, and why.
    Differs(String),
    /// A value that says something about it, and not whether it is so.
    Related(String),
    /// The system does not show it: where it is to be seen.
    Hidden(&'static str),
}

/// A line of the checklist.
#[derive(Debug, Clone)]
pub struct BiosLine {
    /// The setting.
    pub setting: &'static BiosSetting,
    /// What the system shows of it.
    pub evidence: BiosEvidence,
}

/// The checklist for a machine.
#[derive(Debug, Clone)]
pub struct BiosChecklist {
    /// In the order of the guide.
    pub lines: Vec<BiosLine>,
}

impl BiosChecklist {
    /// The word by which `fathom doctor --explain` finds it.
    pub const WORD: &'static str = "bios-checklist";

    /// Looks at a machine.
    pub fn of(root: &Root) -> Self {
        let is_guest = is_guest(root);
        let evidence =
            |setting: &BiosSetting| if is_guest { BiosEvidence::Hidden(HOST) } else { (setting.see)(root) };
        let lines = SETTINGS.iter().map(|setting| BiosLine { setting, evidence: evidence(setting) });
        BiosChecklist { lines: lines.collect() }
    }
}

// The lines of the guide, and the files that show something of them.

/// The eighteen lines, in the order of the guide.
const SETTINGS: &[BiosSetting] = &[
    line("Hyper-Threading", "enabled", Some("disabled"), threads),
    line("CPU power and performance policy", "Performance", None, policy),
    line("Workload configuration", "I/O sensitive", None, |_| Hidden(SETUP)),
    line("Performance P-limit of the uncore", "enabled", None, uncore),
    line("Enhanced SpeedStep", "enabled", None, speed_step),
    line("Turbo Boost", "enabled", Some("disabled"), turbo),
    line("Energy-efficient turbo", "enabled", None, efficient_turbo),
    line("Hardware P-states", "native mode", None, hardware_states),
    line("HardwarePM interrupt", "disabled", None, |_| Hidden(SETUP)),
    line("EPP", "enabled", None, preference),
    line("APS rocketing", "disabled", None, |_| Hidden(SETUP)),
    line("Scalability of hardware P-states", "disabled", None, |_| Hidden(SETUP)),
    line("RAPL prioritization", "disabled", None, |_| Hidden(SETUP)),
    line("Package C-state", "C0/C1", None, |_| {
        Hidden("a register of the processor (MSR 0xE2); turbostat shows the package states")
    }),
    line("C1E", "disabled", Some("disabled"), |root| idle_state(root, "C1E", false)),
    line("Processor C6", "enabled", Some("disabled"), |root| idle_state(root, "C6", true)),
    line("Fan profile", "Performance", Some("full speed"), fans),
    line("Fan PWM offset", "65", None, |_| {
        Hidden("the management controller: ipmitool sensor, or its web page")
    }),
];

/// Where most settings are to be seen, and nowhere else.
const SETUP: &str = "the setup of the firmware only";

const CPU: &str = "/sys/devices/system/cpu";

const fn line(
    name: &'static str,
    guide: &'static str,
    other_guide: Option<&'static str>,
    see: fn(&Root) -> BiosEvidence,
) -> BiosSetting {
    BiosSetting { name, guide, other_guide, see }
}

fn read(root: &Root, path: &str) -> Option<String> {
    root.read_text(path).ok()
}

fn threads(root: &Root) -> BiosEvidence {
    match read(root, &format!("{CPU}/smt/control")).as_deref() {
        Some("on") => AsTheGuide("smt/control is on".to_owned()),
        Some("off") => Related("smt/control is off: Linux switched it off, the firmware has it".to_owned()),
        Some(word @ ("forceoff" | "notsupported" | "notimplemented")) => {
            Differs(format!("smt/control is {word}"))
        }
        _ => match read(root, &format!("{CPU}/smt/active")).as_deref() {
            Some("1") => AsTheGuide("smt/active is 1".to_owned()),
            Some("0") => Differs("smt/active is 0".to_owned()),
            _ => Hidden(SETUP),
        },
    }
}

/// The policy sets the energy bias at power-on, and newer firmware offers a profile.
fn policy(root: &Root) -> BiosEvidence {
    if let Some(profile) = read(root, "/sys/firmware/acpi/platform_profile") {
        let says = format!("platform_profile is {profile}");
        return if profile == "performance" { AsTheGuide(says) } else { Differs(says) };
    }
    match read(root, &format!("{CPU}/cpu0/power/energy_perf_bias")) {
        Some(bias) => {
            Related(format!("energy_perf_bias of CPU 0 is {bias} (0 is performance); Linux may have set it"))
        }
        None => Hidden(SETUP),
    }
}

fn uncore(root: &Root) -> BiosEvidence {
    let package = format!("{CPU}/intel_uncore_frequency/package_00_die_00");
    let [low, high] = ["min", "max"].map(|end| read(root, &format!("{package}/{end}_freq_khz")));
    match (low, high) {
        (Some(low), Some(high)) => {
            Related(format!("the uncore runs at {low} to {high} kHz (intel_uncore_frequency)"))
        }
        _ => Hidden(
            "the setup of the firmware; with the module intel_uncore_frequency its clock range is in /sys",
        ),
    }
}

fn speed_step(root: &Root) -> BiosEvidence {
    match read(root, &format!("{CPU}/cpufreq/policy0/scaling_driver")) {
        Some(driver) => AsTheGuide(format!("{driver} sets the clock")),
        None => Differs("no driver sets the clock (there is no cpufreq/policy0)".to_owned()),
    }
}

fn turbo(root: &Root) -> BiosEvidence {
    match read(root, &format!("{CPU}/intel_pstate/no_turbo")).as_deref() {
        Some("0") => return AsTheGuide("no_turbo is 0".to_owned()),
        Some("1") => return Differs("no_turbo is 1".to_owned()),
        _ => {}
    }
    match read(root, &format!("{CPU}/cpufreq/boost")).as_deref() {
        Some("1") => AsTheGuide("cpufreq/boost is 1".to_owned()),
        Some("0") => Differs("cpufreq/boost is 0".to_owned()),
        _ => Hidden(SETUP),
    }
}

fn efficient_turbo(root: &Root) -> BiosEvidence {
    match read(root, &format!("{CPU}/intel_pstate/energy_efficiency")).as_deref() {
        Some("1") => AsTheGuide("intel_pstate/energy_efficiency is 1".to_owned()),
        Some("0") => Differs("intel_pstate/energy_efficiency is 0".to_owned()),
        _ => Hidden(
            "a register of the processor (MSR 0x1FC); few processors have intel_pstate/energy_efficiency",
        ),
    }
}

/// Is this a virtual machine, whose settings are those of its host?
fn is_guest(root: &Root) -> bool {
    has_cpu_flag(root, "hypervisor")
}

fn hardware_states(root: &Root) -> BiosEvidence {
    let driver = read(root, &format!("{CPU}/cpufreq/policy0/scaling_driver"));
    match (has_cpu_flag(root, "hwp"), driver.as_deref()) {
        (true, Some("intel_pstate")) => {
            AsTheGuide("the processor has hwp, and intel_pstate uses it".to_owned())
        }
        (true, driver) => {
            Related(format!("the processor has hwp; the clock driver is {}", driver.unwrap_or("none")))
        }
        (false, _) => Differs("the processor does not show the flag hwp".to_owned()),
    }
}

fn preference(root: &Root) -> BiosEvidence {
    match read(root, &format!("{CPU}/cpufreq/policy0/energy_performance_preference")) {
        Some(word) => AsTheGuide(format!("Linux can set it; it is {word}")),
        None if has_cpu_flag(root, "hwp_epp") => {
            Related("the processor has it (hwp_epp), and no driver offers it".to_owned())
        }
        None => Differs("the processor does not show the flag hwp_epp".to_owned()),
    }
}

/// Whether Linux was offered an idle state of this name.
fn idle_state(root: &Root, name: &str, wanted: bool) -> BiosEvidence {
    let files = glob(root, &format!("{CPU}/cpu0/cpuidle/state#/name"));
    let names: Vec<String> = files.iter().filter_map(|file| root.read_text(file).ok()).collect();
    if names.is_empty() {
        return Hidden(SETUP);
    }
    let is_there = names.iter().any(|state| state.starts_with(name));
    let says = format!("the idle states of CPU 0 are {}", names.join(", "));
    if is_there == wanted { AsTheGuide(says) } else { Differs(says) }
}

fn fans(root: &Root) -> BiosEvidence {
    let rpm = |file: &Path| root.read_text(file).ok().and_then(|text| text.parse::<u32>().ok());
    let fans: Vec<u32> =
        glob(root, "/sys/class/hwmon/hwmon#/fan#_input").iter().filter_map(|file| rpm(file)).collect();
    match (fans.iter().min(), fans.iter().max()) {
        (Some(slow), Some(fast)) => Related(format!("{} fans turn at {slow} to {fast} a minute", fans.len())),
        _ => Hidden("the management controller: ipmitool sensor, or its web page"),
    }
}

// The checklist as text.

/// Columns of a terminal, less the indent of the explanation of a line.
const WIDTH: usize = 72;

impl BiosChecklist {
    /// A line for each setting, and what the system shows of it below.
    pub fn to_text(&self) -> String {
        let mut out = String::from("The settings, and what this system shows\n");
        for BiosLine { setting, evidence } in &self.lines {
            let other = setting.other_guide.filter(|other| *other != setting.guide);
            let other = other.map(|other| format!(" (an older guide: {other})")).unwrap_or_default();
            let _ = writeln!(out, "    {}: {}{other}", setting.name, setting.guide);
            for line in wrapped(&sentence(evidence), WIDTH) {
                let _ = writeln!(out, "        {line}");
            }
        }
        let count =
            |is_so: fn(&BiosEvidence) -> bool| self.lines.iter().filter(|line| is_so(&line.evidence)).count();
        let _ = writeln!(
            out,
            "\n    {} of {} are as in the guide, {} differ, {} show a part, {} show nothing.",
            count(|evidence| matches!(evidence, BiosEvidence::AsTheGuide(_))),
            self.lines.len(),
            count(|evidence| matches!(evidence, BiosEvidence::Differs(_))),
            count(|evidence| matches!(evidence, BiosEvidence::Related(_))),
            count(|evidence| matches!(evidence, BiosEvidence::Hidden(_))),
        );
        out
    }
}

fn sentence(evidence: &BiosEvidence) -> String {
    match evidence {
        BiosEvidence::AsTheGuide(says) => format!("as the guide: {says}"),
        BiosEvidence::Differs(says) => format!("differs: {says}"),
        BiosEvidence::Related(says) => format!("in part: {says}"),
        BiosEvidence::Hidden(place) => format!("not shown: see {place}"),
    }
}
