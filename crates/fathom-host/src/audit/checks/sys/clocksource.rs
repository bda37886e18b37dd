//! `sys.clocksource`: how long does it take to read the clock?

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.clocksource",
    title: "Clock source",
    reads: "/sys/devices/system/clocksource/clocksource0/{current,available}_clocksource",
    why: "The kernel reads the clock for every request, and every program that measures latency reads it twice more. \
          With the processor's own counter that takes a few tens of nanoseconds and no system call. With hpet or \
          acpi_pm each reading goes to the chipset: about a microsecond, one reader at a time, so many workers wait \
          for the clock. The kernel falls back to these when it does not trust the counter.",
    judged: "tsc, kvm-clock, hyperv_clocksource_tsc_page, arch_sys_counter and similar ones are ok. hpet, acpi_pm, pit \
             and jiffies are bad for latency and warn for IOPS. Any other is a remark.",
    remedy: "Where tsc is offered: fathom run --tune --tune-knob sys.clocksource, or echo tsc > current_clocksource, \
             and the old name afterwards. Where it is not offered, dmesg shows why the kernel rejected it (often a \
             BIOS that changes the counter). Then update the BIOS, or use the boot parameter tsc=reliable if the \
             manufacturer says that the counter is reliable.",
    needs: Needs::NamedKnob("sys.clocksource"),
    kernels: "2.6.18 and later",
    sources: &["T-50", "Documentation/virt/kvm/x86/timekeeping.rst"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("host", judge(scene))]),
};

/// Read in user space, from a register or a page.
const FAST: [&str; 9] = [
    "tsc",
    "tsc-early",
    "kvm-clock",
    "hyperv_clocksource_tsc_page",
    "arch_sys_counter",
    "arch_mmio_counter",
    "timebase",
    "riscv_clocksource",
    "tod",
];

/// Read over a bus, or as coarse as a tick.
const SLOW: [&str; 5] = ["hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"];

fn judge(scene: &Scene<'_>) -> Observed {
    let dir = "/sys/devices/system/clocksource/clocksource0";
    let current = scene.read(format!("{dir}/current_clocksource"))?;
    let available = scene.read(format!("{dir}/available_clocksource"))?;
    let offered: Vec<&str> = available.text.split_whitespace().collect();
    let name = current.text.as_str();
    if !offered.contains(&name) {
        return Err(Unknown::garbled(&current.path, name));
    }
    let seen = Observation::on("host").with(&current.path, name).show(&available);
    if FAST.contains(&name) {
        return Ok(seen.ok(format!("the clock is {name}")));
    }
    if !SLOW.contains(&name) {
        return Ok(seen.info(format!("the clock is {name}")));
    }
    let offer = if offered.contains(&"tsc") { "tsc is offered" } else { "the kernel does not offer tsc" };
    let verdicts = Grades::on(&[Latency], Grade::Bad).and(&[Iops], Grade::Warn);
    Ok(seen.judge(verdicts, format!("the clock is {name}, which is slow to read; {offer}")))
}
