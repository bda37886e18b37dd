//! `sys.psi`: do tasks already wait for CPU, memory or I/O before the run?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.psi",
    title: "Pressure before the start",
    reads: "/proc/pressure/{io,cpu,memory} (some avg10)",
    why: "The kernel counts the share of time in which some task had to wait for a processor, for memory or for I/O. \
          Before a run this should be zero: tasks that already wait will compete with the job, and memory pressure \
          causes I/O.",
    judged: "More than 1 % over the last ten seconds warns for every goal. It is checked only before a run, because \
             during a run the job itself causes the pressure.",
    remedy: "Find the tasks that wait (noise.load, noise.device and noise.kthreads give details; systemd-cgtop and \
             iotop too), wait until they are done, and start again: the average falls within half a minute.",
    needs: Needs::Administrator,
    kernels: "4.20 and later with CONFIG_PSI; some distributions need the boot parameter psi=1",
    sources: &["Documentation/accounting/psi.rst"],
    observe: Observe::Once(|scene| {
        let missing = || Observation::unknown("host", Unknown::missing("/proc/pressure/io"));
        each(scene.glob("/proc/pressure/*"), missing, |path| leaf(path), |path| one(scene, path))
    }),
};

const QUIET_MAX_PERCENT: f64 = 1.0;

fn one(scene: &Scene<'_>, path: &Path) -> Observed {
    let raw = scene.read(path)?;
    let percent = avg10(&raw.text).ok_or_else(|| Unknown::garbled(path, &raw.text))?;
    let seen = Observation::on(leaf(path)).with(path, &raw.text);
    let says = format!("some task waited for it {percent:.1} % of the last ten seconds");
    Ok(match percent > QUIET_MAX_PERCENT {
        true => seen.warn(says),
        false => seen.ok(says),
    })
}

/// The value from the line "some". The file for interrupts has only the line "full".
fn avg10(text: &str) -> Option<f64> {
    let line = text.lines().next()?;
    let word = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?;
    word.parse().ok()
}
