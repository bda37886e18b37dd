//! `mem.errors`: were there memory errors?

use std::path::Path;

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

const COUNTERS: [&str; 2] =
    ["/sys/devices/system/edac/mc/mc#/ce_count", "/sys/devices/system/edac/mc/mc#/ue_count"];

// The host catalogue has this in one row with numa.dimms. It is a separate
// check because it is made again at the end of a run, and modules of unequal
// size must not taint the run.
pub(super) const CHECK: Check = Check {
    id: "mem.errors",
    title: "Memory errors (ECC)",
    reads: "/sys/devices/system/edac/mc/mc*/{ce_count,ue_count}, twice",
    why: "A memory module that begins to fail has its errors corrected by the error-correcting code (ECC), each with \
          an interrupt, a log entry and often a pause of milliseconds in the firmware (system management mode, SMM), \
          which a program sees only as an outlier in the latency. An error that could not be corrected means wrong \
          data.",
    judged: "Corrected errors between the two readings warn for repeatability, uncorrected ones are bad for every \
             goal. Earlier errors are a remark; no error is ok. Without a driver for error detection and correction \
             (EDAC): n-a.",
    remedy: "Find the module in the kernel's log, or with ras-mc-ctl --errors, and replace it. Then measure again.",
    needs: Needs::Hardware,
    kernels: "2.6.16 and later, with the EDAC driver of the memory controller",
    sources: &["I-5", "I-51", "Documentation/admin-guide/RAS/main.rst"],
    observe: Observe::Watch(&COUNTERS, |scene| {
        let files: Vec<_> = COUNTERS.iter().flat_map(|pattern| scene.glob(pattern)).collect();
        let missing =
            || Observation::unknown("host", Unknown::missing("/sys/devices/system/edac/mc/mc0/ce_count"));
        each(files, missing, |file| subject(file), |file| one(scene, file))
    }),
};

/// `mc0`.
fn subject(file: &Path) -> String {
    file.parent().map(leaf).unwrap_or_default()
}

fn one(scene: &Scene<'_>, file: &Path) -> Observed {
    let (count, raw) = scene.value::<u64>(file)?;
    let seen = Observation::on(subject(file)).show(&raw);
    let is_corrected = leaf(file) == "ce_count";
    let word = if is_corrected { "corrected" } else { "uncorrected" };
    Ok(match (scene.growth(file), count) {
        (_, 0) => seen.ok(format!("no {word} error since boot")),
        (Ok((grown, _)), _) if grown > 0 => {
            let verdicts = match is_corrected {
                true => Grades::on(&[Repeatability], Grade::Warn),
                false => Grades::all(Grade::Bad),
            };
            seen.judge(verdicts, format!("{grown} {word} errors while we looked"))
        }
        _ => seen.info(format!("{count} {word} errors since boot")),
    })
}
