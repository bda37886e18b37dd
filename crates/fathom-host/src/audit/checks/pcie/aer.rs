//! `pcie.aer`: are there errors on the links while data moves?

use std::path::Path;

use super::way::{functions, no_link};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::aer;
use fathom_device::root::{Unknown, Why};

pub(super) const CHECK: Check = Check {
    id: "pcie.aer",
    title: "Errors on the PCIe links (AER)",
    reads: "/sys/bus/pci/devices/BDF/aer_dev_{correctable,nonfatal,fatal}, aer_rootport_total_err_*",
    why: "A damaged packet is sent again by the link itself: a correctable error, which costs microseconds and shows \
          only in these counters of Advanced Error Reporting (AER). After a non-fatal error a request is lost, and is \
          repeated after a timeout; fatal errors reset the link. Either end of the link may detect the error, so both \
          are read. Some bridges count false errors, mostly without load or driver, so only growth under load counts.",
    judged: "Non-fatal or fatal errors that came during the run or the audit are bad for every goal; correctable ones \
             warn. Earlier errors are a remark. A saved printout (fathom doctor --read) marks errors without their time: \
             there, a lost request or link warns, and a repaired error is a remark.",
    remedy: "Reseat the drive and run the same load again. Then exchange one part after the other (riser or cable, \
             slot, drive, board), until the counters stay the same. Until then a lower link generation (set in the \
             BIOS) may work without errors. No setting of the system helps.",
    needs: Needs::Hardware,
    kernels: "4.19 and later, with CONFIG_PCIEAER and a firmware that leaves AER to the kernel",
    sources: &["V-75", "V-76", "V-77"],
    observe: Observe::Watch(COUNTERS, |scene| {
        each(functions(scene), || no_link(scene), |dir| leaf(dir), |dir| one(scene, dir))
    }),
};

/// The counters of functions one to six levels below a host bridge, and below
/// a domain that VMD made.
const COUNTERS: &[&str] = &[
    "/sys/devices/pci*/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/*:*:*.#/aer_*",
    "/sys/devices/pci*/*:*:*.#/pci*/*:*:*.#/*:*:*.#/*:*:*.#/*:*:*.#/aer_*",
];

/// The file, whether the link repairs its errors, and whether every function
/// has the file (otherwise only root ports have it).
const FILES: [(&str, bool, bool); 6] = [
    ("aer_dev_correctable", true, true),
    ("aer_dev_nonfatal", false, true),
    ("aer_dev_fatal", false, true),
    ("aer_rootport_total_err_cor", true, false),
    ("aer_rootport_total_err_nonfatal", false, false),
    ("aer_rootport_total_err_fatal", false, false),
];

#[derive(Default)]
struct Errors {
    repaired: u64,
    lost: u64,
    past: u64,
    before: Option<Unknown>,
}

fn one(scene: &Scene<'_>, dir: &Path) -> Observed {
    let mut seen = Observation::on(leaf(dir));
    let mut errors = Errors::default();
    for (file, is_repaired, is_of_all) in FILES {
        let path = dir.join(file);
        let raw = match scene.read(&path) {
            Err(unknown) if !is_of_all && unknown.why == Why::Missing => continue,
            answer => answer?,
        };
        let now = total(&raw.text).ok_or_else(|| raw.garbled())?;
        seen = seen.show(&raw);
        match grown(scene, &path, now) {
            Ok(grown) if is_repaired => errors.repaired += grown,
            Ok(grown) => errors.lost += grown,
            Err(unknown) => errors.before = Some(unknown),
        }
        errors.past += now;
    }
    Ok(judge(seen, errors))
}

fn judge(seen: Observation, errors: Errors) -> Observation {
    let Errors { repaired, lost, past, before } = errors;
    match (lost, repaired, past) {
        (1.., ..) => seen.bad(format!("{lost} errors while we looked that the link could not repair")),
        (0, 1.., _) => seen.warn(format!("{repaired} errors while we looked, repaired by sending again")),
        (0, 0, 0) => seen.ok("no errors since boot"),
        (0, 0, _) => {
            let seen = before.into_iter().fold(seen, Observation::without);
            seen.info(format!("{past} errors counted since boot, none while we looked"))
        }
    }
}

fn grown(scene: &Scene<'_>, path: &Path, now: u64) -> Result<u64, Unknown> {
    let before = scene.before(path)?;
    let count = total(before).ok_or_else(|| Unknown::garbled(path, before))?;
    // A hot reset clears the counters; all errors that they show now came after it.
    Ok(now.checked_sub(count).unwrap_or(now))
}

/// The number in a file that contains only a number, or in the line `TOTAL_ERR_… N` of a list.
fn total(text: &str) -> Option<u64> {
    aer::total(text).or_else(|| text.trim().parse().ok())
}
