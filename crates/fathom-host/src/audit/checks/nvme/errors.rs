//! `nvme.errors`: did the drive lose data, or report a warning, while it was measured?

use super::drive::{Drive, each_drive, health_log};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::nvme::Health;

pub(super) const CHECK: Check = Check {
    id: "nvme.errors",
    title: "Errors and warnings of the drive during the run",
    reads: "SMART log (page 2): critical warning, media errors; before and after",
    why: "A drive that cannot return what was written counts a media error. It may have repeated the read for a long time \
          first, and it may not fail the I/O that the benchmark sees, if it happened in its own housekeeping. A critical \
          warning can begin at any time. Figures of such a drive say nothing about its model.",
    judged: "bad for every goal if media errors were added during the run or the audit, or a critical warning began. \
             Otherwise ok; errors of the past are in nvme.health. The log needs root.",
    remedy: "Look at nvme smart-log and nvme error-log /dev/nvmeX. Save the data of the drive, and replace it before you \
             measure again.",
    needs: Needs::Hardware,
    kernels: "all; reading the log needs root",
    sources: &["NVM Express Base Specification 2.0, SMART / Health Information log"],
    observe: Observe::Watch(&["/.fathom/asked/nvme#/log-02"], |scene| {
        each_drive(scene, |drive| one(scene, drive))
    }),
};

fn one(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let now = Health::read(scene.root, &drive.controller)?;
    let question = health_log(drive);
    let before = scene.answered_before(&question).ok().and_then(|bytes| Health::parse(bytes).ok());
    let raw = format!("critical_warning 0x{:02x}, media errors {}", now.critical_warning.0, now.media_errors);
    let seen = Observation::on(&drive.controller).with(question.path(), raw);
    let Some(before) = before else { return Ok(seen.info("one reading cannot show what is new")) };
    let added = now.media_errors.saturating_sub(before.media_errors);
    if added > 0 {
        return Ok(seen.bad(format!("{added} media errors were added while we looked")));
    }
    let begun = now.critical_warning.0 & !before.critical_warning.0;
    Ok(match begun {
        0 => seen.ok("no media error and no critical warning was added"),
        begun => {
            let says = fathom_device::nvme::CriticalWarning(begun).clauses().join("; ");
            seen.bad(format!("a critical warning began while we looked: {says}"))
        }
    })
}
