//! `nvme.wear_budget`: how much of the drive's life will the test use up?

use super::drive::{Drive, each_drive, health_log};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::nvme::Health;

pub(super) const CHECK: Check = Check {
    id: "nvme.wear_budget",
    title: "Life of the drive that the test uses up",
    reads: "SMART log (page 2): percentage used, data units written; the job's planned bytes",
    why: "Flash can be erased a limited number of times, and a test that writes for hours uses some of them: a full \
          preconditioning of a client drive that is rated for 600 full writes uses a third of a per cent. The drive \
          reports the used part of its rated life and the bytes written so far; both together give a rough estimate of \
          what can be written in its whole life.",
    judged: "Warns for every goal if the run writes more than 0.5 % of what can be written in the drive's whole life. \
             ok below that. A remark if the job's bytes are not known, or if the drive is too new for an estimate.",
    remedy: "Write less: a smaller range, fewer rounds, a steady-state rule that ends the run when it may end. Or \
             use a drive that is there to be worn.",
    needs: Needs::Job,
    kernels: "all; reading the log needs root",
    sources: &["T-40", "NVM Express Base Specification 2.0, SMART / Health Information log"],
    observe: Observe::Once(|scene| each_drive(scene, |drive| one(scene, drive))),
};

/// From this share of a drive's life on, a user should decide about a run
/// (research, host §1.5): two hundred such runs wear the drive out.
const SHARE_WARN: f64 = 0.005;

fn one(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let health = Health::read(scene.root, &drive.controller)?;
    let written_tb = health.written_bytes as f64 / 1e12;
    let raw = format!("used {} %, {written_tb:.1} TB written", health.used_percent);
    let seen = Observation::on(&drive.controller).with(health_log(drive).path(), raw);
    let Some(planned) = scene.job.written_bytes else {
        return Ok(seen
            .info(format!("{} % of its life are used; the job's bytes are not known", health.used_percent)));
    };
    if planned == 0 {
        return Ok(seen.ok("the job writes nothing"));
    }
    let planned_tb = planned as f64 / 1e12;
    // The percentage is rounded: a drive that reports 0 may have used almost 1.
    let upper = written_tb * 100.0 / f64::from(health.used_percent.max(1));
    let lower = written_tb * 100.0 / (f64::from(health.used_percent) + 1.0);
    let life_tb = if health.used_percent == 0 { lower } else { upper };
    let share = planned_tb / life_tb;
    let says = format!(
        "the job writes {planned_tb:.2} TB of about {life_tb:.0} TB in its whole life, {:.2} %",
        share * 100.0
    );
    Ok(match (share > SHARE_WARN, health.used_percent) {
        (false, _) => seen.ok(says),
        (true, 0) => seen.info(format!(
            "the job writes {planned_tb:.2} TB; the drive is too new for an estimate of its life, at least \
             {life_tb:.0} TB"
        )),
        (true, _) => seen.warn(says),
    })
}
