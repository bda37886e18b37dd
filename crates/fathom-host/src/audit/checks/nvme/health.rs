//! The health of a drive: heat, errors, wear and what its firmware does.

use std::collections::BTreeSet;

use super::{Drive, drives, each_drive, each_namespace, health_log, namespace_path, no_drive, nsid};
use crate::audit::checks::prelude::*;
use fathom_device::nvme::{Controller, Health, Namespace, SanitizeLog, SanitizeState, SelfTestLog};
use fathom_text::quantity::percent_with;

/// `nvme.temp`: is the drive hot, and did it slow down because of heat?
pub(super) fn temp(scene: &Scene<'_>) -> Vec<Observation> {
    let mut observations = each_drive(scene, heat);
    observations
        .extend(crate::audit::checks::nvme::drives(scene).iter().map(|drive| throttling(scene, drive)));
    observations
}

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
    let observation = raws.fold(Observation::on(&drive.controller), Observation::show);
    let reaches = |limit: Option<i64>| limit.filter(|limit| temperature.now >= *limit);
    let celsius = |milli: i64| format!("{:.0} °C", milli as f64 / 1000.0);
    let now = celsius(temperature.now);
    Ok(match (reaches(temperature.critical), reaches(temperature.warning), temperature.warning) {
        (Some(limit), ..) => observation.bad(format!("{now}, and {} is critical", celsius(limit))),
        (None, Some(limit), _) => observation.warn(format!("{now}, and it warns from {}", celsius(limit))),
        (None, None, Some(limit)) => observation.ok(format!("{now}; it warns from {}", celsius(limit))),
        (None, None, None) => observation.info(format!("{now}; the drive reports no limit")),
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
    let observation = Observation::on(&drive.controller).with(question.path(), raw);
    let times = events(&now);
    let grown = before.map(|before| times.saturating_sub(events(&before)));
    Ok(match (grown, times) {
        (Some(grown), _) if grown > 0 => observation.bad(format!("it slowed down because of heat while we looked, {grown} times or seconds more")),
        (_, 0) => observation.ok("it never slowed down because of heat"),
        (Some(_), _) => observation.info(format!("it slowed down because of heat in the past, {times} times or seconds")),
        (None, _) => observation.info(format!(
            "it slowed down because of heat at some time, {times} times or seconds; one reading cannot show when"
        )),
    })
}

/// Transitions and seconds together: a drive that was throttled all the time
/// makes no transition, and a short transition no whole second.
fn events(health: &Health) -> u64 {
    health.throttle_transitions.iter().chain(&health.throttle_seconds).map(|count| u64::from(*count)).sum()
}

/// Per cent of its rated life. Above it the drive is near its end, and worn
/// flash is slower: writes take longer, and more reads must be repeated after
/// errors.
const USED_WARN_PERCENT: u8 = 80;

/// `nvme.errors`: did the drive lose data, or report a warning, while it was measured?
pub(super) fn errors(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let now = Health::read(scene.root, &drive.controller)?;
    let question = health_log(drive);
    let before = scene.answered_before(&question).ok().and_then(|bytes| Health::parse(bytes).ok());
    let raw = format!("critical_warning 0x{:02x}, media errors {}", now.critical_warning.0, now.media_errors);
    let observation = Observation::on(&drive.controller).with(question.path(), raw);
    let Some(before) = before else { return Ok(observation.info("one reading cannot show what is new")) };
    let added = now.media_errors.saturating_sub(before.media_errors);
    if added > 0 {
        return Ok(observation.bad(format!("{added} media errors were added while we looked")));
    }
    let begun = now.critical_warning.0 & !before.critical_warning.0;
    Ok(match begun {
        0 => observation.ok("no media error and no critical warning was added"),
        begun => {
            let says = fathom_device::nvme::CriticalWarning(begun).clauses().join("; ");
            observation.bad(format!("a critical warning began while we looked: {says}"))
        }
    })
}

/// `nvme.health`: is the drive healthy?
pub(super) fn health(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let health = Health::read(scene.root, &drive.controller)?;
    let raw = format!(
        "critical_warning 0x{:02x}, spare {} % (threshold {} %), used {} %, media errors {}",
        health.critical_warning.0,
        health.spare_percent,
        health.spare_threshold_percent,
        health.used_percent,
        health.media_errors
    );
    let observation = Observation::on(&drive.controller).with(health_log(drive).path(), raw);
    if health.critical_warning.is_set() {
        let says = health.critical_warning.clauses().join("; ");
        return Ok(observation.bad(format!("the drive reports a critical warning: {says}")));
    }
    if health.spare_percent < health.spare_threshold_percent {
        let says = format!("{} % of the spare blocks are left, below the threshold", health.spare_percent);
        return Ok(observation.warn(says));
    }
    if health.used_percent > USED_WARN_PERCENT {
        return Ok(observation.warn(format!("{} % of its rated life are used", health.used_percent)));
    }
    let life = format!("{} % of its rated life used", health.used_percent);
    Ok(match health.media_errors {
        0 => observation.ok(format!("no warning, {life}")),
        errors => observation.info(format!("no warning, {life}; {errors} media errors since it was made")),
    })
}

/// Model and revision of a drive.
struct Make {
    drive: Drive,
    text: String,
    raws: [Raw; 2],
}

/// `nvme.firmware`: do the members of an array have one model and one firmware?
pub(super) fn firmware(scene: &Scene<'_>) -> Vec<Observation> {
    let arrays: Vec<(&Disk, Vec<Drive>)> = arrays(scene).filter(|(_, members)| members.len() > 1).collect();
    if arrays.is_empty() {
        return each(drives(scene), no_drive, |drive| drive.controller.clone(), |drive| alone(scene, drive));
    }
    each(arrays, no_drive, |(array, _)| array.name.clone(), |(array, members)| compare(scene, array, members))
}

/// Every device that is made of others, with the drives below it.
fn arrays<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = (&'s Disk, Vec<Drive>)> {
    let all = drives(scene);
    scene.stacked.iter().map(move |array| {
        let below = scene.members(array);
        let is_member =
            |drive: &&Drive| below.iter().any(|disk| disk.controllers.contains(&drive.controller));
        (array, all.iter().filter(is_member).cloned().collect())
    })
}

fn make(scene: &Scene<'_>, drive: &Drive) -> Result<Make, Unknown> {
    let read = |file: &str| {
        let raw = scene.read(drive.dir.join(file))?;
        let is_plain = !raw.text.is_empty() && !raw.text.contains(['\u{fffd}', '\0']);
        if is_plain { Ok(raw) } else { Err(raw.garbled()) }
    };
    let raws = [read("model")?, read("firmware_rev")?];
    Ok(Make { drive: drive.clone(), text: format!("{}, firmware {}", raws[0].text, raws[1].text), raws })
}

fn show(observation: Observation, make: &Make) -> Observation {
    make.raws.iter().fold(observation, Observation::show)
}

fn alone(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let make = make(scene, drive)?;
    Ok(show(Observation::on(&drive.controller), &make).info(make.text))
}

fn compare(scene: &Scene<'_>, array: &Disk, members: &[Drive]) -> Observed {
    let makes: Vec<Make> = members.iter().map(|drive| make(scene, drive)).collect::<Result<_, _>>()?;
    let observation = makes.iter().fold(Observation::on(&array.name), show);
    let kinds: BTreeSet<&str> = makes.iter().map(|make| make.text.as_str()).collect();
    if kinds.len() == 1 {
        return Ok(observation.ok(format!("{} members, all {}", makes.len(), makes[0].text)));
    }
    let list: Vec<String> =
        makes.iter().map(|make| format!("{}: {}", make.drive.controller, make.text)).collect();
    Ok(observation.warn_for(&[Repeatability], format!("the members differ: {}", list.join("; "))))
}

/// `nvme.background`: is a sanitize, self-test or format under way on the drive?
pub(super) fn background(scene: &Scene<'_>) -> Vec<Observation> {
    let all = drives(scene);
    if all.is_empty() {
        return vec![no_drive()];
    }
    // A drive without sanitize or self-test refuses to send that log. Each log
    // has its own observation, so that one refusal does not hide the others.
    let name = |drive: &&Drive| drive.controller.clone();
    let mut observations = each(&all, no_drive, name, |drive| sanitize(scene, drive));
    observations.extend(each(&all, no_drive, name, |drive| self_test(scene, drive)));
    observations.extend(each_namespace(scene, format));
    observations
}

fn log(drive: &Drive, page: u8) -> Question {
    Question::NvmeLog { controller: drive.controller.clone(), page, len_bytes: 0 }
}

fn sanitize(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let log_page = log(drive, 0x81).path();
    let log = SanitizeLog::read(scene.root, &drive.controller)?;
    let raw = format!("{:?}, progress {}/65536", log.state, log.progress_65536ths);
    let observation = Observation::on(&drive.controller).with(&log_page, &raw);
    Ok(match log.state {
        SanitizeState::InProgress => {
            observation.bad(format!("it is being sanitized, {} done", percent_with(log.fraction(), 0)))
        }
        SanitizeState::Failed => observation.bad("its last sanitize failed: it refuses writes".to_owned()),
        SanitizeState::Never | SanitizeState::Done | SanitizeState::DoneDeallocated => {
            observation.ok("no sanitize is under way")
        }
        SanitizeState::Other(_) => return Err(Unknown { why: Why::Garbled, ..Unknown::new(log_page, raw) }),
    })
}

fn self_test(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let log_page = log(drive, 6).path();
    let log = SelfTestLog::read(scene.root, &drive.controller)?;
    let observation = Observation::on(&drive.controller).with(log_page, format!("{log:?}"));
    Ok(match log.running {
        Some((_, percent)) => observation.bad(format!("a self-test is under way, {percent} % done")),
        None => observation.ok("no self-test is under way"),
    })
}

fn format(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let observation = Observation::on(&disk.name)
        .with(namespace_path(drive, nsid), format!("{:?}", namespace.format_progress));
    Ok(match namespace.format_progress {
        Some(progress) if progress.percent_left > 0 => {
            observation.bad(format!("it is being formatted, {} % are left", progress.percent_left))
        }
        Some(_) => observation.ok("no format is under way"),
        None => observation.not_applicable("the drive does not report the progress of a format"),
    })
}

/// From this share of a drive's life on, a user should decide about a run
/// (research, host §1.5): two hundred such runs wear the drive out.
const SHARE_WARN: f64 = 0.005;

/// `nvme.wear_budget`: how much of the drive's life will the test use up?
pub(super) fn wear_budget(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let health = Health::read(scene.root, &drive.controller)?;
    let written_tb = health.written_bytes as f64 / 1e12;
    let raw = format!("used {} %, {written_tb:.1} TB written", health.used_percent);
    let observation = Observation::on(&drive.controller).with(health_log(drive).path(), raw);
    let Some(planned) = scene.job.written_bytes else {
        return Ok(observation
            .info(format!("{} % of its life are used; the job's bytes are not known", health.used_percent)));
    };
    if planned == 0 {
        return Ok(observation.ok("the job writes nothing"));
    }
    let planned_tb = planned as f64 / 1e12;
    // The percentage is rounded: a drive that reports 0 may have used almost 1.
    let upper = written_tb * 100.0 / f64::from(health.used_percent.max(1));
    let lower = written_tb * 100.0 / (f64::from(health.used_percent) + 1.0);
    let life_tb = if health.used_percent == 0 { lower } else { upper };
    let share = planned_tb / life_tb;
    let says = format!(
        "the job writes {planned_tb:.2} TB of about {life_tb:.0} TB in its whole life, {}",
        percent_with(share, 2)
    );
    Ok(match (share > SHARE_WARN, health.used_percent) {
        (false, _) => observation.ok(says),
        (true, 0) => observation.info(format!(
            "the job writes {planned_tb:.2} TB; the drive is too new for an estimate of its life, at least \
             {life_tb:.0} TB"
        )),
        (true, _) => observation.warn(says),
    })
}
