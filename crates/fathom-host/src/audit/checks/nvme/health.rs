//! `nvme.health`: is the drive healthy?

use super::drive::{Drive, each_drive, health_log};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::nvme::Health;

/// Per cent of its rated life. Above it the drive is near its end, and worn
/// flash is slower: writes take longer, and more reads must be repeated after
/// errors.
const USED_WARN_PERCENT: u8 = 80;

pub(super) const CHECK: Check = Check {
    id: "nvme.health",
    title: "Health of the drive",
    reads: "SMART log (page 2): critical warning, spare, percentage used, media errors",
    why: "A drive that is failing responds slowly, repeats reads, or refuses writes; a benchmark of it says nothing \
          about the model. The health log reports current problems (one byte), the remaining spare blocks, and the \
          used part of the rated life. A write test also uses some of that life.",
    judged: "bad for every goal if any critical warning is set. Spare blocks below the drive's own threshold, or \
             more than 80 % of the rated life used: warn. Data lost in the past (media errors) is a remark. The \
             log needs root.",
    remedy: "Look at nvme smart-log /dev/nvmeX. Replace a drive with a critical warning before you measure; save its \
             data first. There is no setting that helps.",
    needs: Needs::Hardware,
    kernels: "all; reading the log needs root",
    sources: &["I-50", "NVM Express Base Specification 2.0, SMART / Health Information log"],
    observe: Observe::Once(|scene| each_drive(scene, |drive| one(scene, drive))),
};

fn one(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let health = Health::read(scene.root, &drive.controller)?;
    let raw = format!(
        "critical_warning 0x{:02x}, spare {} % (threshold {} %), used {} %, media errors {}",
        health.critical_warning.0,
        health.spare_percent,
        health.spare_threshold_percent,
        health.used_percent,
        health.media_errors
    );
    let seen = Observation::on(&drive.controller).with(health_log(drive).path(), raw);
    if health.critical_warning.is_set() {
        let says = health.critical_warning.clauses().join("; ");
        return Ok(seen.bad(format!("the drive reports a critical warning: {says}")));
    }
    if health.spare_percent < health.spare_threshold_percent {
        let says = format!("{} % of the spare blocks are left, below the threshold", health.spare_percent);
        return Ok(seen.warn(says));
    }
    if health.used_percent > USED_WARN_PERCENT {
        return Ok(seen.warn(format!("{} % of its rated life are used", health.used_percent)));
    }
    let life = format!("{} % of its rated life used", health.used_percent);
    Ok(match health.media_errors {
        0 => seen.ok(format!("no warning, {life}")),
        errors => seen.info(format!("no warning, {life}; {errors} media errors since it was made")),
    })
}
