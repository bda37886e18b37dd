//! `nvme.temp`: is the drive hot, and did it slow down because of heat?

use std::path::PathBuf;

use super::drive::{Drive, each_drive, health_log};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use fathom_device::nvme::{Controller, Health};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "nvme.temp",
    title: "Temperature and thermal throttling of the drive",
    reads: "/sys/class/nvme/N/hwmon*/temp1_{input,max,crit}, SMART log (page 2)",
    why: "A drive that gets too hot slows itself down: first a little, then heavily, and in the end it switches off. \
          Sustained writes heat it most, so the throttling begins some minutes after the start of a run, and the \
          figure depends on how warm the drive was and how well it is cooled. The drive counts the events and the \
          seconds of throttling; there is no other proof.",
    judged: "bad for every goal if a throttle counter grew during the run or the audit. At or above the warning \
             temperature: warn; at or above the critical one: bad. Earlier throttling is a remark. The counters need \
             root; the temperature mostly does not.",
    remedy: "Improve the air flow: fans, blanks in empty slots, a heat sink on M.2, distance between cards. Fan speed \
             is set in the BIOS or the management controller (BMC). Let the drive cool down, then measure again, long \
             enough for it to reach its final temperature.",
    needs: Needs::Hardware,
    kernels: "temperature in hwmon: 5.5 and later; throttle counters: drives of NVMe 1.3 and later",
    sources: &["V-7", "H-7", "NVM Express Base Specification 2.0, SMART / Health Information log"],
    observe: Observe::Watch(&["/.fathom/asked/nvme#/log-02"], |scene| {
        let mut seen = each_drive(scene, |drive| heat(scene, drive));
        seen.extend(super::drive::drives(scene).iter().map(|drive| throttling(scene, drive)));
        seen
    }),
};

/// Millidegrees Celsius, as hwmon has them.
struct Temperature {
    now: i64,
    warning: Option<i64>,
    critical: Option<i64>,
    raws: Vec<Raw>,
}

fn heat(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let temperature = match sensor(scene, drive) {
        Some(dir) => from_hwmon(scene, &dir)?,
        None => from_drive(scene, drive)?,
    };
    let raws = temperature.raws.iter();
    let seen = raws.fold(Observation::on(&drive.controller), Observation::show);
    let reaches = |limit: Option<i64>| limit.filter(|limit| temperature.now >= *limit);
    let celsius = |milli: i64| format!("{:.0} °C", milli as f64 / 1000.0);
    let now = celsius(temperature.now);
    Ok(match (reaches(temperature.critical), reaches(temperature.warning), temperature.warning) {
        (Some(limit), ..) => seen.bad(format!("{now}, and {} is critical", celsius(limit))),
        (None, Some(limit), _) => seen.warn(format!("{now}, and it warns from {}", celsius(limit))),
        (None, None, Some(limit)) => seen.ok(format!("{now}; it warns from {}", celsius(limit))),
        (None, None, None) => seen.info(format!("{now}; the drive reports no limit")),
    })
}

/// The sensor's directory. It depends on the kernel: below the controller, or
/// below its PCI function.
fn sensor(scene: &Scene<'_>, drive: &Drive) -> Option<PathBuf> {
    let below = ["hwmon#", "hwmon/hwmon#", "device/hwmon/hwmon#"];
    below.iter().find_map(|part| scene.glob(&format!("{}/{part}", drive.dir.display())).into_iter().next())
}

fn from_hwmon(scene: &Scene<'_>, dir: &std::path::Path) -> Result<Temperature, Unknown> {
    let (now, raw) = scene.value::<i64>(dir.join("temp1_input"))?;
    known(now, &raw)?;
    let mut raws = vec![raw];
    // A limit of 0xffff kelvin means no limit; hwmon shows it as 65,261,850.
    let mut limit = |file: &str| {
        let (value, raw) = scene.value::<i64>(dir.join(file)).ok()?;
        raws.push(raw);
        Some(value).filter(|value| (1..=200_000).contains(value))
    };
    let (warning, critical) = (limit("temp1_max"), limit("temp1_crit"));
    Ok(Temperature { now, warning, critical, raws })
}

/// The temperature from the drive's own log, for kernels without the sensor.
fn from_drive(scene: &Scene<'_>, drive: &Drive) -> Result<Temperature, Unknown> {
    let health = Health::read(scene.root, &drive.controller)?;
    let controller = Controller::read(scene.root, &drive.controller).ok();
    let text = format!("composite temperature {} K", health.temperature_kelvin);
    let raws = vec![Raw { path: health_log(drive).path(), text }];
    let milli = |kelvin: u16| i64::from(kelvin) * 1000 - 273_000;
    known(milli(health.temperature_kelvin), &raws[0])?;
    let limit = |kelvin: Option<u16>| kelvin.filter(|kelvin| *kelvin > 0).map(milli);
    Ok(Temperature {
        now: milli(health.temperature_kelvin),
        warning: limit(controller.as_ref().map(|c| c.warning_temperature_kelvin)),
        critical: limit(controller.as_ref().map(|c| c.critical_temperature_kelvin)),
        raws,
    })
}

/// A drive without a sensor reports 0 K. No drive is colder than -100 °C.
fn known(milli: i64, raw: &Raw) -> Result<(), Unknown> {
    if milli > -100_000 { Ok(()) } else { Err(raw.garbled()) }
}

fn throttling(scene: &Scene<'_>, drive: &Drive) -> Observation {
    Observation::or_unknown(&drive.controller, judge_throttling(scene, drive))
}

fn judge_throttling(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let now = Health::read(scene.root, &drive.controller)?;
    let question = health_log(drive);
    let before = scene.answered_before(&question).ok().and_then(|bytes| Health::parse(bytes).ok());
    let raw = format!(
        "throttled {:?} times, {:?} s; {} min above warning",
        now.throttle_transitions, now.throttle_seconds, now.warning_temperature_minutes
    );
    let seen = Observation::on(&drive.controller).with(question.path(), raw);
    let times = events(&now);
    let grown = before.map(|before| times.saturating_sub(events(&before)));
    Ok(match (grown, times) {
        (Some(grown), _) if grown > 0 => seen.bad(format!("it slowed down because of heat while we looked, {grown} times or seconds more")),
        (_, 0) => seen.ok("it never slowed down because of heat"),
        (Some(_), _) => seen.info(format!("it slowed down because of heat in the past, {times} times or seconds")),
        (None, _) => seen.info(format!(
            "it slowed down because of heat at some time, {times} times or seconds; one reading cannot show when"
        )),
    })
}

/// Transitions and seconds together: a drive that was throttled all the time
/// makes no transition, and a short transition no whole second.
fn events(health: &Health) -> u64 {
    health.throttle_transitions.iter().chain(&health.throttle_seconds).map(|count| u64::from(*count)).sum()
}
