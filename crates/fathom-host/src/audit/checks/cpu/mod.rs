//! Processors and power.

mod kernel;
mod power;

use std::collections::BTreeMap;

use crate::audit::checks::prelude::*;

/// The checks of the family `cpu`.
pub(super) const FAMILY: Family = (
    include_str!("../cpu.toml"),
    &[
        ("cpu.governor", Several(governor)),
        ("cpu.epp", Several(epp)),
        ("cpu.freq_cap", Several(freq_cap)),
        ("cpu.turbo", Of("host", turbo)),
        ("cpu.cstates", Watch(&[power::USAGE], &All("host", power::cstates))),
        ("cpu.idle_cmdline", Of("host", power::idle_cmdline)),
        ("cpu.smt", Of("host", kernel::smt)),
        ("cpu.online", Several(kernel::online)),
        ("cpu.throttle", Watch(&[power::COUNTER], &Several(power::throttle))),
        ("cpu.clock", All("host", clock)),
        ("cpu.powercap", Several(power::powercap)),
        ("cpu.temp", Several(power::temp)),
        ("cpu.platform_profile", Of("host", platform_profile)),
        ("cpu.mitigations", Several(kernel::mitigations)),
        ("cpu.kernel_debug", Several(kernel::kernel_debug)),
    ],
);

// How fast the processors run.

/// Drivers under which `powersave` leaves the clock to the hardware
/// (Documentation/admin-guide/pm/intel_pstate.rst, amd-pstate.rst).
const ACTIVE_DRIVERS: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

/// `cpu.governor`: may the clock fall between two I/Os?
fn governor(scene: &Scene<'_>) -> Vec<Observation> {
    let missing =
        || Observation::unknown("host", Unknown::missing("/sys/devices/system/cpu/cpufreq/policy0"));
    let policies = scene.glob("/sys/devices/system/cpu/cpufreq/policy#");
    each(policies, missing, |policy| leaf(policy), |policy| governor_of(scene, policy))
}

fn governor_of(scene: &Scene<'_>, policy: &Path) -> Observed {
    let governor = scene.read(policy.join("scaling_governor"))?;
    let driver = scene.read(policy.join("scaling_driver"));
    let observation = Observation::on(leaf(policy)).show(&governor);
    let is_active = driver.is_ok_and(|driver| ACTIVE_DRIVERS.contains(&driver.text.as_str()));
    Ok(match governor.text.as_str() {
        "performance" => observation.ok("the governor is performance"),
        "powersave" if is_active => {
            observation.info("powersave follows the energy preference here (see cpu.epp)")
        }
        "powersave" | "ondemand" | "conservative" | "schedutil" | "userspace" => observation.warn_for(
            &[Latency, Iops, Repeatability],
            format!("the governor is {}, which lowers the clock between I/Os", governor.text),
        ),
        _ => return Err(governor.garbled()),
    })
}

/// Highest numbers of the two scales: eight bits and four bits of a register.
const PREFERENCE_MAX: u8 = 255;
const BIAS_MAX: u8 = 15;

/// `cpu.epp`: does the hardware itself prefer to save energy?
fn epp(scene: &Scene<'_>) -> Vec<Observation> {
    let mut files = scene.glob("/sys/devices/system/cpu/cpufreq/policy#/energy_performance_preference");
    if files.is_empty() {
        files = scene.glob("/sys/devices/system/cpu/cpu#/power/energy_perf_bias");
    }
    let first = "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    each(files, missing, |file| governed_by(file), |file| epp_of(scene, file))
}

/// `policy0`, or `cpu0` of `cpu0/power/energy_perf_bias`.
fn governed_by(file: &Path) -> String {
    let dirs = file.ancestors().skip(1).map(leaf);
    dirs.into_iter().find(|dir| dir != "power").unwrap_or_default()
}

fn epp_of(scene: &Scene<'_>, file: &Path) -> Observed {
    let raw = scene.read(file)?;
    let observation = Observation::on(governed_by(file)).show(&raw);
    let most = if leaf(file) == "energy_perf_bias" { BIAS_MAX } else { PREFERENCE_MAX };
    let verdict = match (raw.text.as_str(), raw.text.parse::<u8>()) {
        ("performance", _) | (_, Ok(0)) => {
            return Ok(observation.ok(format!("the preference is {}", raw.text)));
        }
        ("power", _) => Grade::Bad,
        ("default" | "balance_performance" | "balance_power" | "normal", _) => Grade::Warn,
        (_, Ok(number)) if number == most => Grade::Bad,
        (_, Ok(number)) if number < most => Grade::Warn,
        _ => return Err(raw.garbled()),
    };
    let says = format!("the preference is {}: the clock rises late after a pause", raw.text);
    Ok(observation.judge(Grades::on(&[Latency, Repeatability], verdict), says))
}

const MAX_PERF_PCT: &str = "/sys/devices/system/cpu/intel_pstate/max_perf_pct";

/// Per cent of the hardware's clock below which a limit is bad and not a
/// rounding of the driver: acpi-cpufreq writes 2601000 for "2.6 GHz and
/// turbo".
const NEARLY_WHOLE_PCT: u64 = 90;

/// `cpu.freq_cap`: may the clock reach what the hardware can?
fn freq_cap(scene: &Scene<'_>) -> Vec<Observation> {
    let policies = scene.glob("/sys/devices/system/cpu/cpufreq/policy#");
    let first = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    let mut observations =
        each(policies, missing, |policy| leaf(policy), |policy| freq_cap_of(scene, policy));
    if scene.root.exists(MAX_PERF_PCT) {
        let whole = intel_pstate(scene);
        observations.push(Observation::or_unknown("intel_pstate", whole));
    }
    observations
}

fn intel_pstate(scene: &Scene<'_>) -> Observed {
    let (pct, raw) = scene.value::<u64>(MAX_PERF_PCT)?;
    let observation = Observation::on("intel_pstate").show(&raw);
    Ok(match pct {
        100 => observation.ok("intel_pstate may use all of the clock"),
        1..100 => capped(observation, pct, format!("intel_pstate may use {pct} % of the clock")),
        _ => return Err(raw.garbled()),
    })
}

fn capped(observation: Observation, pct: u64, says: String) -> Observation {
    let verdict = if pct < NEARLY_WHOLE_PCT { Grade::Bad } else { Grade::Warn };
    observation.judge(Grades::on(&[Latency, Iops, Bandwidth], verdict), says)
}

fn freq_cap_of(scene: &Scene<'_>, policy: &Path) -> Observed {
    let khz = |file: &str| {
        let (khz, raw) = scene.value::<u64>(policy.join(file))?;
        if khz == 0 { Err(raw.garbled()) } else { Ok((khz, raw)) }
    };
    let show = |observation: Observation, raw: &Raw| observation.show(raw);
    let (hardware, raw) = khz("cpuinfo_max_freq")?;
    let observation = show(Observation::on(leaf(policy)), &raw);
    let (upper, raw) = khz("scaling_max_freq")?;
    let observation = show(observation, &raw);
    if upper < hardware {
        let says = format!("the clock is limited to {} of {} MHz", upper / 1000, hardware / 1000);
        return Ok(capped(observation, upper * 100 / hardware, says));
    }
    if let Ok((firmware, raw)) = khz("bios_limit")
        && firmware < hardware
    {
        let says = format!("the firmware limits the clock to {} of {} MHz", firmware / 1000, hardware / 1000);
        return Ok(capped(show(observation, &raw), firmware * 100 / hardware, says));
    }
    let (lower, raw) = khz("scaling_min_freq")?;
    let observation = show(observation, &raw);
    let governor = scene.read(policy.join("scaling_governor"));
    let asks_for_upper = governor.is_ok_and(|governor| governor.text == "performance");
    let says = format!("the clock may be {} to {} MHz", lower / 1000, upper / 1000);
    if lower * 2 < upper && !asks_for_upper {
        return Ok(observation.warn_for(&[Repeatability], says));
    }
    Ok(observation.ok(says))
}

const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";

/// `cpu.turbo`: may the clock rise above the nominal one?
fn turbo(scene: &Scene<'_>) -> Observed {
    let (is_on, raw) = switch(scene)?;
    let observation = Observation::on("host").show(&raw);
    let policies = policies(scene)?;
    let off: Vec<&(bool, Raw)> = policies.iter().filter(|(is_on, _)| !is_on).collect();
    // If turbo is off for the whole machine, the settings of the policies have no effect.
    if is_on && !off.is_empty() && off.len() < policies.len() {
        let says = format!("turbo is off on {} of {} policies", off.len(), policies.len());
        let observation = off.iter().take(4).fold(observation, |observation, (_, raw)| observation.show(raw));
        return Ok(observation.warn(says));
    }
    let is_on = is_on && (policies.is_empty() || off.is_empty());
    Ok(if is_on {
        let verdicts = Grades::all(Grade::Ok).and(&[Repeatability], Grade::Info);
        observation.judge(verdicts, "turbo is on: faster, but less repeatable")
    } else {
        let verdicts = Grades::on(&[Iops, Bandwidth], Grade::Warn).and(&[Repeatability], Grade::Ok);
        observation.judge(verdicts, "turbo is off: slower, but more repeatable")
    })
}

/// The switch of the whole machine.
fn switch(scene: &Scene<'_>) -> Result<(bool, Raw), Unknown> {
    if scene.root.exists(NO_TURBO) {
        let (no, raw) = flag(scene.read(NO_TURBO)?)?;
        return Ok((!no, raw));
    }
    flag(scene.read(BOOST)?)
}

fn policies(scene: &Scene<'_>) -> Result<Vec<(bool, Raw)>, Unknown> {
    let files = scene.glob("/sys/devices/system/cpu/cpufreq/policy#/boost");
    files.iter().map(|file| flag(scene.read(file)?)).collect()
}

fn flag(raw: Raw) -> Result<(bool, Raw), Unknown> {
    match raw.text.as_str() {
        "0" => Ok((false, raw)),
        "1" => Ok((true, raw)),
        _ => Err(raw.garbled()),
    }
}

const CPUINFO: &str = "/proc/cpuinfo";

/// A CPU that is busy for this share of the time runs at the clock that the load gets.
const BUSY_PCT_MIN: u64 = 90;

/// H-33: 1000 MHz of 2660 MHz is a ratio of 0.38 and must be reported. The
/// processor lowers its clock by up to 10 % for heavy vector code.
const RATIO_WARN: f64 = 0.9;
const RATIO_BAD: f64 = 0.6;

/// What `/proc/cpuinfo` says of one CPU.
struct Clock {
    mhz: f64,
    model_name: String,
}

/// `cpu.clock`: do busy cores run at their nominal clock?
fn clock(scene: &Scene<'_>) -> ObservedAll {
    let (clocks, busy) = busy(scene)?;
    let idle = || {
        let host = Observation::on("host");
        host.not_applicable("no CPU was busy while we looked, and the clock of an idle one says nothing")
    };
    Ok(each(busy, idle, |cpu| format!("cpu{cpu}"), |cpu| clock_of(scene, *cpu, clocks.get(cpu))))
}

fn busy(scene: &Scene<'_>) -> Result<(BTreeMap<u32, Clock>, Vec<u32>), Unknown> {
    let clocks = clocks(&scene.read(CPUINFO)?)?;
    let (spent, _) = scene.ticks_spent()?;
    let busy = spent.iter().filter(|(_, ticks)| ticks.busy_pct() >= BUSY_PCT_MIN);
    Ok((clocks, busy.map(|(cpu, _)| *cpu).collect()))
}

fn clocks(raw: &Raw) -> Result<BTreeMap<u32, Clock>, Unknown> {
    let of = |block: &str| {
        let field = |name: &str| {
            let mut fields = block.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
        };
        let cpu = field("processor")?.parse().ok()?;
        let mhz = field("cpu MHz")?.parse().ok()?;
        Some((cpu, Clock { mhz, model_name: field("model name").unwrap_or_default() }))
    };
    let clocks: BTreeMap<u32, Clock> = raw.text.split("\n\n").filter_map(of).collect();
    let garbled = || Unknown::garbled(&raw.path, raw.text.lines().next().unwrap_or_default());
    if clocks.is_empty() { Err(garbled()) } else { Ok(clocks) }
}

fn clock_of(scene: &Scene<'_>, cpu: u32, clock: Option<&Clock>) -> Observed {
    let clock = clock.ok_or_else(|| Unknown::new(CPUINFO, format!("says nothing about CPU {cpu}")))?;
    let (nominal_mhz, observation) = nominal(scene, cpu, clock)?;
    let observation = observation.with(CPUINFO, format!("cpu MHz : {:.3}", clock.mhz));
    let ratio = clock.mhz / nominal_mhz;
    let says = format!("busy at {:.0} MHz, nominal {nominal_mhz:.0} MHz, ratio {ratio:.3}", clock.mhz);
    Ok(match ratio {
        ..RATIO_BAD => observation.bad(says),
        ..RATIO_WARN => observation.warn(says),
        _ => observation.ok(says),
    })
}

/// From the driver, from the firmware's table, or from the model's name.
fn nominal(scene: &Scene<'_>, cpu: u32, clock: &Clock) -> Result<(f64, Observation), Unknown> {
    let observation = Observation::on(format!("cpu{cpu}"));
    let dir = format!("/sys/devices/system/cpu/cpu{cpu}");
    for (file, per_mhz) in [("cpufreq/base_frequency", 1000.0), ("acpi_cppc/nominal_freq", 1.0)] {
        if let Ok((value, raw)) = scene.value::<f64>(format!("{dir}/{file}"))
            && value > 0.0
        {
            return Ok((value / per_mhz, observation.show(&raw)));
        }
    }
    let ghz = clock.model_name.rsplit_once("@ ").and_then(|(_, rest)| rest.strip_suffix("GHz"));
    let ghz: Option<f64> = ghz.and_then(|ghz| ghz.trim().parse().ok()).filter(|ghz| *ghz > 0.0);
    let unknown = || Unknown::new(CPUINFO, format!("no nominal clock in {:?}", clock.model_name));
    Ok((ghz.ok_or_else(unknown)? * 1000.0, observation.with(CPUINFO, &clock.model_name)))
}

const PROFILE: &str = "/sys/firmware/acpi/platform_profile";

/// `cpu.platform_profile`: which power profile does the firmware use?
fn platform_profile(scene: &Scene<'_>) -> Observed {
    let raw = scene.read(PROFILE)?;
    let observation = Observation::on("host").show(&raw);
    let says = format!("the profile is {}", raw.text);
    Ok(match raw.text.as_str() {
        "performance" | "max-power" => observation.ok(says),
        "low-power" | "cool" | "quiet" | "balanced" | "balanced-performance" => {
            observation.warn_for(&[Latency, Repeatability], says)
        }
        "custom" => observation.info(says),
        _ => return Err(raw.garbled()),
    })
}
