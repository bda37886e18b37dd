//! `nvme.background`: is a sanitize, self-test or format under way on the drive?

use super::drive::{Drive, drives, each_namespace, namespace_path, no_drive, nsid};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::ask::Question;
use fathom_device::nvme::{Namespace, SanitizeLog, SanitizeState, SelfTestLog};
use fathom_device::root::{Unknown, Why};

pub(super) const CHECK: Check = Check {
    id: "nvme.background",
    title: "Sanitize, self-test or format under way",
    reads: "sanitize log (page 0x81), self-test log (page 6), Identify Namespace (FPI)",
    why: "A drive continues a sanitize, a self-test or a format in the background, a sanitize even after resets and \
          power failures. Meanwhile it refuses I/O, or does it more slowly. Hours later nobody remembers who started \
          the work, and a figure that is measured then means nothing.",
    judged: "bad for every goal while any of them is under way, and after a sanitize that failed, because the drive \
             then refuses writes. ok if none of those that the drive reports is under way. Only root may read them.",
    remedy: "Wait: nvme sanitize-log /dev/nvmeX and nvme self-test-log /dev/nvmeX show the progress. A self-test can \
             be ended (nvme device-self-test /dev/nvmeX -s 0xf). After a failed sanitize, repeat it, or leave its \
             failure mode with nvme sanitize /dev/nvmeX --sanact=1 (\"exit failure mode\").",
    needs: Needs::Administrator,
    kernels: "all; sanitize and self-test: drives of NVMe 1.3 and later",
    sources: &["V-22", "NVM Express Base Specification 2.0, logs Device Self-test and Sanitize Status"],
    observe: Observe::Once(observe),
};

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let all = drives(scene);
    if all.is_empty() {
        return vec![no_drive()];
    }
    // A drive without sanitize or self-test refuses to send that log. Each log
    // has its own observation, so that one refusal does not hide the others.
    let name = |drive: &&Drive| drive.controller.clone();
    let mut seen = each(&all, no_drive, name, |drive| sanitize(scene, drive));
    seen.extend(each(&all, no_drive, name, |drive| self_test(scene, drive)));
    seen.extend(each_namespace(scene, |disk, drive| format(scene, disk, drive)));
    seen
}

fn bad(seen: Observation, says: String) -> Observation {
    seen.bad(says)
}

fn log(drive: &Drive, page: u8) -> Question {
    Question::NvmeLog { controller: drive.controller.clone(), page, len_bytes: 0 }
}

fn sanitize(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let log_page = log(drive, 0x81).path();
    let log = SanitizeLog::read(scene.root, &drive.controller)?;
    let raw = format!("{:?}, progress {}/65536", log.state, log.progress_65536ths);
    let seen = Observation::on(&drive.controller).with(&log_page, &raw);
    Ok(match log.state {
        SanitizeState::InProgress => {
            bad(seen, format!("it is being sanitized, {:.0} % done", log.fraction() * 100.0))
        }
        SanitizeState::Failed => bad(seen, "its last sanitize failed: it refuses writes".to_owned()),
        SanitizeState::Never | SanitizeState::Done | SanitizeState::DoneDeallocated => {
            seen.ok("no sanitize is under way")
        }
        SanitizeState::Other(_) => return Err(Unknown { why: Why::Garbled, ..Unknown::new(log_page, raw) }),
    })
}

fn self_test(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let log_page = log(drive, 6).path();
    let log = SelfTestLog::read(scene.root, &drive.controller)?;
    let seen = Observation::on(&drive.controller).with(log_page, format!("{log:?}"));
    Ok(match log.running {
        Some((_, percent)) => bad(seen, format!("a self-test is under way, {percent} % done")),
        None => seen.ok("no self-test is under way"),
    })
}

fn format(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    let nsid = nsid(scene, disk)?;
    let namespace = Namespace::read(scene.root, &drive.controller, nsid)?;
    let seen = Observation::on(&disk.name)
        .with(namespace_path(drive, nsid), format!("{:?}", namespace.format_progress));
    Ok(match namespace.format_progress {
        Some(progress) if progress.percent_left > 0 => {
            bad(seen, format!("it is being formatted, {} % are left", progress.percent_left))
        }
        Some(_) => seen.ok("no format is under way"),
        None => seen.not_applicable("the drive does not report the progress of a format"),
    })
}
