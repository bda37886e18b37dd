//! Idle states, heat and power.

use crate::audit::checks::prelude::*;
use fathom_device::cpus::PROCESSOR_CHIPS;

pub(super) const USAGE: &str = "/sys/devices/system/cpu/cpu#/cpuidle/state#/usage";

/// Exit latencies from which a state matters (host catalogue: the latency of
/// flash drives is between about 10 us and 100 us).
const LIGHT_US_MAX: u64 = 10;
const MIDDLE_US_MAX: u64 = 100;

/// `cpu.cstates`: how deep may a core sleep between two I/Os?
pub(super) fn cstates(scene: &Scene<'_>) -> ObservedAll {
    Ok(states(scene)?.iter().map(|state| judge_cstates(state, scene.job.has_run)).collect())
}

/// The same state of all CPUs that may use it.
struct State {
    name: String,
    latency_us: u64,
    cpus: CpuSet,
    /// How often they entered it between the two readings, where there were two.
    entered: Option<u64>,
    evidence: (PathBuf, String),
}

fn judge_cstates(state: &State, has_run: bool) -> Observation {
    let State { name, latency_us, cpus, entered, evidence: (path, raw) } = state;
    let observation = Observation::on(name).with(path, raw);
    if cpus.is_empty() {
        return observation.ok("disabled, or excluded by a latency limit");
    }
    let times = entered.map_or(String::new(), |times| format!(", entered {times} times while we looked"));
    let says = format!("wakes in {latency_us} µs on CPUs {cpus}{times}");
    let deep = Grades::on(&[Latency, Repeatability], Grade::Warn);
    match *latency_us {
        us if us <= LIGHT_US_MAX => observation.ok(says),
        // Sleep states do not disturb a run, and were judged before it.
        _ if has_run || *entered == Some(0) => observation.info(says),
        us if us <= MIDDLE_US_MAX => observation.judge(deep, says),
        _ => observation.judge(deep.and(&[Latency], Grade::Bad), says),
    }
}

fn states(scene: &Scene<'_>) -> Result<Vec<State>, Unknown> {
    let dirs = scene.glob("/sys/devices/system/cpu/cpu#/cpuidle/state#");
    if dirs.is_empty() {
        return Err(Unknown::missing("/sys/devices/system/cpu/cpu0/cpuidle/state0/latency"));
    }
    let mut states: Vec<State> = Vec::new();
    for dir in dirs {
        let cpu = number(&dir, 2).ok_or_else(|| Unknown::garbled(&dir, "no CPU's number"))?;
        if scene.job.cpus.as_ref().is_none_or(|cpus| cpus.contains(cpu)) {
            add(scene, &mut states, cpu, &dir)?;
        }
    }
    Ok(states)
}

/// The number at the end of the name of the directory `up` levels above.
fn number(dir: &Path, up: usize) -> Option<u32> {
    let name = dir.ancestors().nth(up)?.file_name()?.to_str()?;
    name.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()
}

fn add(scene: &Scene<'_>, states: &mut Vec<State>, cpu: u32, dir: &Path) -> Result<(), Unknown> {
    let name = scene.read(dir.join("name"))?;
    let (latency_us, latency) = scene.value::<u64>(dir.join("latency"))?;
    // A user sets bit 0; drivers set higher bits for their own reasons.
    let (disable, _) = scene.value::<u64>(dir.join("disable"))?;
    let may = disable == 0 && latency_limit_us(scene, dir).is_none_or(|limit| latency_us <= limit);
    let grown = scene.earlier.as_ref().map(|_| scene.growth(dir.join("usage")).map_or(0, |(grown, _)| grown));
    let at = states.iter().position(|state| state.name == name.text && state.latency_us == latency_us);
    let at = at.unwrap_or_else(|| {
        let evidence = (latency.path, latency.text);
        let (name, cpus) = (name.text, CpuSet::default());
        states.push(State { name, latency_us, cpus, entered: None, evidence });
        states.len() - 1
    });
    if may {
        let state = &mut states[at];
        state.cpus = state.cpus.iter().chain([cpu]).collect();
        state.entered = grown.map(|grown| grown + state.entered.unwrap_or(0));
    }
    Ok(())
}

/// The highest exit latency that the CPU's own limit allows. The file has
/// unusual values: 0 means no limit, and `n/a` allows no latency at all
/// (Documentation/ABI/testing/sysfs-devices-power).
fn latency_limit_us(scene: &Scene<'_>, dir: &Path) -> Option<u64> {
    let cpu = dir.ancestors().nth(2)?;
    let text = scene.read(cpu.join("power/pm_qos_resume_latency_us")).ok()?.text;
    if text == "n/a" { Some(0) } else { text.parse().ok().filter(|limit| *limit > 0) }
}

/// Parameters that limit sleep states or the tick; they are only recorded.
const REMARKS: [&str; 4] = ["intel_idle.max_cstate", "processor.max_cstate", "nohz", "nohz_full"];

/// `cpu.idle_cmdline`: do boot parameters forbid the sleep states of the CPUs?
pub(super) fn idle_cmdline(scene: &Scene<'_>) -> Observed {
    let words = scene.boot_words()?;
    let observation = Observation::on("host").show(&words.raw);
    match words.value("idle") {
        Some(way @ ("poll" | "halt" | "nomwait")) => {
            return Ok(observation.warn(format!("idle={way} was set at boot: heat, and less turbo")));
        }
        Some(other) => return Err(Unknown::garbled(&words.raw.path, &format!("idle={other}"))),
        None => {}
    }
    let remark = |name: &&str| Some(format!("{name}={}", words.value(name)?));
    let remarks: Vec<String> = REMARKS.iter().filter_map(remark).collect();
    Ok(match remarks.as_slice() {
        [] => observation.ok("nothing about idling was set at boot"),
        _ => observation.info(format!("set at boot: {}", remarks.join(" "))),
    })
}

pub(super) const COUNTER: &str = "/sys/devices/system/cpu/cpu#/thermal_throttle/*_throttle_count";

/// `cpu.throttle`: did heat slow the processors down?
pub(super) fn throttle(scene: &Scene<'_>) -> Vec<Observation> {
    let first = "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    each(scene.glob(COUNTER), missing, |path| cpu(path), |path| throttle_of(scene, path))
}

/// The CPU that a counter's path belongs to.
fn cpu(path: &Path) -> String {
    path.ancestors().nth(2).map(leaf).unwrap_or_default()
}

fn throttle_of(scene: &Scene<'_>, path: &Path) -> Observed {
    let (count, raw) = scene.value::<u64>(path)?;
    let observation = Observation::on(cpu(path)).show(&raw);
    Ok(match (scene.growth(path), count) {
        (Ok((0, _)), 0) => observation.ok("never throttled"),
        (Ok((0, _)), _) => {
            observation.info(format!("throttled {count} times since boot, but not while we looked"))
        }
        (Ok((grown, _)), _) => observation.bad(format!("throttled {grown} times while we looked")),
        (Err(_), 0) => observation.ok("never throttled since boot"),
        (Err(unknown), _) => observation.without(unknown).info(format!("throttled {count} times since boot")),
    })
}

const LIMITS: &str = "/sys/class/powercap/*/constraint_#_power_limit_uw";

/// `cpu.powercap`: may the processor use its full power?
pub(super) fn powercap(scene: &Scene<'_>) -> Vec<Observation> {
    let first = "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw";
    let missing = || Observation::unknown("host", Unknown::missing(first));
    each(scene.glob(LIMITS), missing, |limit| zone_name(scene, limit), |limit| powercap_of(scene, limit))
}

/// `package-0 long_term`.
fn zone_name(scene: &Scene<'_>, limit: &Path) -> String {
    let zone = limit.parent().unwrap_or(limit);
    let name = scene.read(zone.join("name")).map_or_else(|_| leaf(zone), |name| name.text);
    let constraint = beside(limit, "name");
    let constraint = scene.read(zone.join(&constraint)).map(|name| name.text);
    format!("{name} {}", constraint.unwrap_or_else(|_| leaf(limit).replace("_power_limit_uw", "")))
}

/// The name of another file of the same constraint.
fn beside(limit: &Path, word: &str) -> String {
    leaf(limit).replace("power_limit_uw", word)
}

fn powercap_of(scene: &Scene<'_>, limit: &Path) -> Observed {
    let zone = limit.parent().unwrap_or(limit);
    let (limit_uw, raw) = scene.value::<u64>(limit)?;
    let observation = Observation::on(zone_name(scene, limit)).show(&raw);
    if scene.value::<u8>(zone.join("enabled")).is_ok_and(|(enabled, _)| enabled == 0) {
        return Ok(observation.ok(format!("the limit of {} is not in force", watts(limit_uw))));
    }
    // AMD's zones count energy and have no limit to set.
    if limit_uw == 0 {
        return Ok(observation.info("no limit is set"));
    }
    let most = scene.value::<u64>(zone.join(beside(limit, "max_power_uw")));
    let Some((most_uw, raw)) = most.ok().filter(|(most_uw, _)| *most_uw > 0) else {
        return Ok(observation
            .info(format!("limited to {}; the zone does not report its highest power", watts(limit_uw))));
    };
    let observation = observation.show(&raw);
    let says = format!("limited to {} of {}", watts(limit_uw), watts(most_uw));
    Ok(match limit_uw < most_uw {
        true => observation.warn_for(&[Iops, Bandwidth, Repeatability], says),
        false => observation.ok(says),
    })
}

fn watts(uw: u64) -> String {
    format!("{} W", uw / 1_000_000)
}

/// Nearer than this to the critical temperature (degrees Celsius) there is no margin left.
const MARGIN_C: i64 = 10;

/// One sensor, in thousandths of a degree.
struct Sensor {
    label: String,
    input: Raw,
    millidegrees: i64,
    critical: Option<i64>,
}

impl Sensor {
    fn margin(&self) -> Option<i64> {
        Some(self.critical? - self.millidegrees)
    }
}

/// `cpu.temp`: how far is the processor from throttling?
pub(super) fn temp(scene: &Scene<'_>) -> Vec<Observation> {
    let chips = scene.glob("/sys/class/hwmon/hwmon#");
    if chips.is_empty() {
        return vec![Observation::unknown("host", Unknown::missing("/sys/class/hwmon/hwmon0/name"))];
    }
    let of_processor = |chip: &PathBuf| {
        let name = scene.read(chip.join("name"));
        name.is_ok_and(|name| PROCESSOR_CHIPS.contains(&name.text.as_str()))
    };
    let chips = chips.into_iter().filter(of_processor);
    let none = || {
        Observation::on("host").not_applicable("no sensor is that of a processor (coretemp, k10temp, ...)")
    };
    each(chips, none, |chip| leaf(chip), |chip| temp_of(scene, chip))
}

fn temp_of(scene: &Scene<'_>, chip: &Path) -> Observed {
    let inputs = scene.glob(&format!("{}/temp#_input", chip.display()));
    let sensors = inputs.iter().map(|input| sensor(scene, input));
    let sensors: Vec<Sensor> = sensors.collect::<Result<_, _>>()?;
    let nearest =
        sensors.iter().min_by_key(|sensor| (sensor.margin().unwrap_or(i64::MAX), -sensor.millidegrees));
    let nearest = nearest.ok_or_else(|| Unknown::missing(chip.join("temp1_input")))?;
    let observation = Observation::on(leaf(chip)).show(&nearest.input);
    let is_at = format!("{} is at {} C", nearest.label, nearest.millidegrees / 1000);
    Ok(match nearest.margin() {
        None => observation.info(format!("{is_at}; the sensor does not report its critical temperature")),
        Some(margin) if margin < MARGIN_C * 1000 => {
            observation.warn(format!("{is_at}, {} C below critical", margin / 1000))
        }
        Some(margin) => observation.ok(format!("{is_at}, {} C below critical", margin / 1000)),
    })
}

fn sensor(scene: &Scene<'_>, input: &Path) -> Result<Sensor, Unknown> {
    let (millidegrees, raw) = scene.value::<i64>(input)?;
    let beside = |word: &str| input.with_file_name(leaf(input).replace("input", word));
    let label = scene.read(beside("label")).map_or_else(|_| leaf(input), |label| label.text);
    // A driver without a limit may print 0, which is not a real limit.
    let critical = scene.value::<i64>(beside("crit")).ok().map(|(critical, _)| critical);
    Ok(Sensor { label, input: raw, millidegrees, critical: critical.filter(|critical| *critical > 0) })
}
