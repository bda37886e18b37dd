//! `vm.swappiness`: does the kernel swap while we measure?

use std::path::Path;

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Unknown;

const VMSTAT: &str = "/proc/vmstat";

pub(super) const CHECK: Check = Check {
    id: "vm.swappiness",
    title: "Swapping, and swappiness",
    reads: "/proc/sys/vm/swappiness, /proc/vmstat (pswpin, pswpout)",
    why: "Swapping is I/O that does not belong to the job, often on the drive under test, and it stops the process \
          whose page is fetched. The value of swappiness says how the kernel compares the cost of dropping file pages \
          with that of swapping: 0 avoids swap until almost no memory is left, 60 is the default, 100 means equal \
          cost, and above 100 (up to 200, since 5.8) swap is preferred. So 100 does not mean \"no swapping\", as one \
          old guide says: it was the highest value at that time, with which the kernel swaps earliest.",
    judged: "bad for repeatability and warn for latency where pages went to or came from swap between the two \
             readings. The value itself is a remark: without swapping it changes nothing.",
    remedy: "For a run: fathom run --tune sets 10. By hand: sysctl vm.swappiness=10, and the old value afterwards. If \
             pages are still swapped, there is too little memory: use smaller buffers or fewer workers, or end \
             programs that use much memory.",
    needs: Needs::Knob("vm.swappiness"),
    kernels: "all; values above 100 since 5.8",
    sources: &["V-67", "V-68", "V-69"],
    observe: Observe::Watch(&[VMSTAT], |scene| vec![Observation::or_unknown("host", judge(scene))]),
};

/// The highest value since 5.8 (Documentation/admin-guide/sysctl/vm.rst).
const SWAPPINESS_MAX: u64 = 200;

fn judge(scene: &Scene<'_>) -> Observed {
    let (value, raw) = scene.value::<u64>("/proc/sys/vm/swappiness")?;
    if value > SWAPPINESS_MAX {
        return Err(raw.garbled());
    }
    let seen = Observation::on("host").show(&raw);
    Ok(match pages_moved(scene) {
        Ok(0) => seen.info(format!("swappiness is {value}; nothing was swapped while we looked")),
        Ok(pages) => seen.judge(
            Grades::on(&[Repeatability], Grade::Bad).and(&[Latency], Grade::Warn),
            format!("{pages} pages were swapped while we looked (swappiness is {value})"),
        ),
        Err(unknown) => seen.without(unknown).info(format!("swappiness is {value}")),
    })
}

/// Pages in and out of swap between the two readings.
fn pages_moved(scene: &Scene<'_>) -> Result<u64, Unknown> {
    let now = scene.read(VMSTAT)?;
    let before = scene.before(Path::new(VMSTAT))?;
    let sum = |text: &str| Some(counter(text, "pswpin")? + counter(text, "pswpout")?);
    let grown = sum(&now.text).zip(sum(before)).and_then(|(now, then): (u64, u64)| now.checked_sub(then));
    grown.ok_or_else(|| Unknown::new(&now.path, "does not count swapped pages"))
}

fn counter(table: &str, name: &str) -> Option<u64> {
    let mut pairs = table.lines().filter_map(|line| line.split_once(' '));
    pairs.find(|(key, _)| *key == name)?.1.trim().parse().ok()
}
