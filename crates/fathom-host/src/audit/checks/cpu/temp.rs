//! `cpu.temp`: how far is the processor from throttling?

use std::path::{Path, PathBuf};

use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene, each, leaf};
use fathom_device::hwmon::PROCESSOR_CHIPS;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.temp",
    title: "Temperature of the processors",
    reads: "/sys/class/hwmon/hwmon*/{name,temp*_input,temp*_crit,temp*_label} of the processors' sensors",
    why: "Near its critical temperature a processor lowers its clock to protect itself. A machine that is hot before \
          the run has no margin left: the first minute is fast, the rest is slower, and the next run begins at the \
          temperature at which this one ended.",
    judged: "Within 10 degrees of the critical temperature warns for every goal; further away is ok. Sensors that do \
             not report a critical temperature are a remark. For each chip, the sensor that is nearest to its limit \
             counts.",
    remedy: "Set the fans high in the BIOS or the management controller (BMC) (no program on the machine can do it in \
             general), make sure that the air can flow, and run this check again: the temperature shows whether it \
             helped. cpu.throttle reports whether the processor was too hot during a run.",
    needs: Needs::Firmware,
    kernels: "all with hwmon; coretemp (Intel), k10temp (AMD), cpu_thermal (Arm)",
    sources: &["V-7", "V-17", "H-7", "I-6", "Documentation/hwmon/sysfs-interface.rst"],
    observe: Observe::Once(observe),
};

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

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
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
    each(chips, none, |chip| leaf(chip), |chip| one(scene, chip))
}

fn one(scene: &Scene<'_>, chip: &Path) -> Observed {
    let inputs = scene.glob(&format!("{}/temp#_input", chip.display()));
    let sensors = inputs.iter().map(|input| sensor(scene, input));
    let sensors: Vec<Sensor> = sensors.collect::<Result<_, _>>()?;
    let nearest =
        sensors.iter().min_by_key(|sensor| (sensor.margin().unwrap_or(i64::MAX), -sensor.millidegrees));
    let nearest = nearest.ok_or_else(|| Unknown::missing(chip.join("temp1_input")))?;
    let seen = Observation::on(leaf(chip)).show(&nearest.input);
    let is_at = format!("{} is at {} C", nearest.label, nearest.millidegrees / 1000);
    Ok(match nearest.margin() {
        None => seen.info(format!("{is_at}; the sensor does not report its critical temperature")),
        Some(margin) if margin < MARGIN_C * 1000 => {
            seen.warn(format!("{is_at}, {} C below critical", margin / 1000))
        }
        Some(margin) => seen.ok(format!("{is_at}, {} C below critical", margin / 1000)),
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
