//! `cpu.clock`: do busy cores run at their nominal clock?

use std::collections::BTreeMap;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene, each};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.clock",
    title: "Clock of busy cores",
    reads: "/proc/stat twice; /proc/cpuinfo; /sys/devices/system/cpu/cpu*/cpufreq/base_frequency, \
            cpu*/acpi_cppc/nominal_freq",
    why: "Whatever the settings say, heat, a power limit or the firmware can hold the clock down without a message. \
          Only the clock under load shows it. On an idle core the figure says nothing: it is low because the core \
          sleeps, and since 5.11 the kernel does not measure the clock of an idle core, but prints the lowest or the \
          nominal clock.",
    judged: "Only CPUs that were busy for 90 % of the time between the two readings are judged. Below 90 % of the \
             nominal clock warns, below 60 % is bad, for every goal. Where no CPU was busy, or the nominal clock is \
             not known: n-a. At the end of a run the cores are idle again, so only cpu.throttle judges them there.",
    remedy: "Run fathom doctor while a job is running. If cores are held down: see cpu.throttle, cpu.powercap, \
             cpu.temp and cpu.freq_cap, then the power profile in the BIOS or the management controller (BMC).",
    needs: Needs::Firmware,
    kernels: "x86; since 5.11 the clock of idle cores is not measured",
    sources: &["H-33", "H-34", "V-4"],
    // /proc/stat is read before by irq.softirq_load. If it were named here,
    // this check would also run at the end of a run, when cores are idle again
    // and their clock means nothing.
    observe: Observe::Once(observe),
};

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

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    match busy(scene) {
        Err(unknown) => vec![Observation::unknown("host", unknown)],
        Ok((clocks, busy)) => {
            let idle = || {
                let host = Observation::on("host");
                host.not_applicable(
                    "no CPU was busy while we looked, and the clock of an idle one says nothing",
                )
            };
            each(busy, idle, |cpu| format!("cpu{cpu}"), |cpu| one(scene, *cpu, clocks.get(cpu)))
        }
    }
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

fn one(scene: &Scene<'_>, cpu: u32, clock: Option<&Clock>) -> Observed {
    let clock = clock.ok_or_else(|| Unknown::new(CPUINFO, format!("says nothing about CPU {cpu}")))?;
    let (nominal_mhz, seen) = nominal(scene, cpu, clock)?;
    let seen = seen.with(CPUINFO, format!("cpu MHz : {:.3}", clock.mhz));
    let ratio = clock.mhz / nominal_mhz;
    let says = format!("busy at {:.0} MHz, nominal {nominal_mhz:.0} MHz, ratio {ratio:.3}", clock.mhz);
    Ok(match ratio {
        ..RATIO_BAD => seen.bad(says),
        ..RATIO_WARN => seen.warn(says),
        _ => seen.ok(says),
    })
}

/// From the driver, from the firmware's table, or from the model's name.
fn nominal(scene: &Scene<'_>, cpu: u32, clock: &Clock) -> Result<(f64, Observation), Unknown> {
    let seen = Observation::on(format!("cpu{cpu}"));
    let dir = format!("/sys/devices/system/cpu/cpu{cpu}");
    for (file, per_mhz) in [("cpufreq/base_frequency", 1000.0), ("acpi_cppc/nominal_freq", 1.0)] {
        if let Ok((value, raw)) = scene.value::<f64>(format!("{dir}/{file}"))
            && value > 0.0
        {
            return Ok((value / per_mhz, seen.show(&raw)));
        }
    }
    let ghz = clock.model_name.rsplit_once("@ ").and_then(|(_, rest)| rest.strip_suffix("GHz"));
    let ghz: Option<f64> = ghz.and_then(|ghz| ghz.trim().parse().ok()).filter(|ghz| *ghz > 0.0);
    let unknown = || Unknown::new(CPUINFO, format!("no nominal clock in {:?}", clock.model_name));
    Ok((ghz.ok_or_else(unknown)? * 1000.0, seen.with(CPUINFO, &clock.model_name)))
}
