//! `sys.steal`: did the hypervisor take processor time away?

use crate::audit::{Check, CpuTimes, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Iops, Latency, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "sys.steal",
    title: "Stolen processor time",
    reads: "/proc/stat (steal)",
    why: "Steal is time in which this guest wanted to run, but the hypervisor ran another guest. An I/O that completes \
          at that moment must wait, which looks like latency of the drive; at high rates the missing time lowers the \
          IOPS.",
    judged: "More than 1 % of all processor time between the two readings is bad for repeatability and warns for \
             latency and IOPS; less is ok. A single tick does not count: in half a second of a small guest it is 1 %. \
             Time that was stolen before is a remark.",
    remedy: "Ask for processors of your own (dedicated or pinned), take a bigger instance, or measure at a quieter \
             time. No setting inside the guest helps.",
    needs: Needs::Administrator,
    kernels: "2.6.11 and later; 0 where the hypervisor does not report it",
    sources: &["V-19"],
    observe: Observe::Watch(&["/proc/stat"], |scene| vec![Observation::or_unknown("host", judge(scene))]),
};

fn judge(scene: &Scene<'_>) -> Observed {
    let (since_boot, raw) = scene.cpu_times()?;
    let first_line = raw.text.lines().next().unwrap_or_default();
    let seen = Observation::on("host").with(&raw.path, first_line);
    let past = percent(&since_boot);
    Ok(match scene.cpu_growth() {
        Ok((grown, _)) if grown.steal > 1 && percent(&grown) > 1.0 => seen.judge(
            Grades::on(&[Repeatability], Grade::Bad).and(&[Latency, Iops], Grade::Warn),
            format!("{:.1} % of the processor time was stolen while we looked", percent(&grown)),
        ),
        Ok((grown, _)) if since_boot.steal == 0 || past < 0.1 => {
            seen.ok(format!("{:.1} % of the processor time was stolen while we looked", percent(&grown)))
        }
        Ok(_) => seen.info(format!("almost no time was stolen now, {past:.1} % since boot")),
        Err(_) if since_boot.steal == 0 => seen.ok("no time was ever stolen since boot"),
        Err(unknown) => seen.without(unknown).info(format!("{past:.1} % of the time was stolen since boot")),
    })
}

fn percent(times: &CpuTimes) -> f64 {
    times.steal as f64 * 100.0 / times.total.max(1) as f64
}
