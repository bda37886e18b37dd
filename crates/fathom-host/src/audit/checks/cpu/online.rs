//! `cpu.online`: are all CPUs online, and do the job's workers spread over its CPUs?

use crate::audit::{Check, Grade, Grades, Needs, Observation, Observe, Observed, Scene};
use fathom_device::Goal::{Bandwidth, Iops, Latency, Repeatability};
use fathom_device::cpus::CpuSet;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "cpu.online",
    title: "CPUs offline or set aside",
    reads: "/sys/devices/system/cpu/{online,present,isolated,nohz_full}",
    why: "When a CPU is offline, other CPUs take over its queues of the drive. A CPU that was isolated at boot \
          (isolcpus=) is left out when the scheduler spreads threads: several workers that may use three such CPUs all \
          stay on one of them. A CPU with a stopped tick (nohz_full=) pays more for each entry into the kernel, and \
          I/O consists of such entries.",
    judged: "CPUs that are present but not online warn for IOPS and repeatability. Job CPUs that are isolated warn for \
             IOPS, bandwidth and repeatability where there is more than one worker; for latency it is a remark, \
             because isolation is meant for one worker on one CPU. Job CPUs with a stopped tick are a remark, and so \
             are isolated CPUs where no job is known.",
    remedy: "Bring a CPU back with: echo 1 > /sys/devices/system/cpu/cpuN/online. Give each worker an isolated CPU of \
             its own (cpus_allowed= with cpus_allowed_policy=split), or do not use these CPUs. To remove isolcpus= and \
             nohz_full=, change the boot parameters.",
    needs: Needs::Administrator,
    kernels: "isolated: 4.2; nohz_full: 4.2",
    sources: &["V-13", "M-19", "Documentation/admin-guide/cputopology.rst"],
    observe: Observe::Once(|scene| {
        let seen = [("online", online(scene)), ("isolated", isolated(scene)), ("nohz_full", tickless(scene))];
        let said = |(name, seen): (&str, Observed)| Observation::or_unknown(name, seen);
        seen.into_iter().map(said).collect()
    }),
};

fn online(scene: &Scene<'_>) -> Observed {
    let (online, now) = scene.value::<CpuSet>("/sys/devices/system/cpu/online")?;
    let (present, all) = scene.value::<CpuSet>("/sys/devices/system/cpu/present")?;
    if online.is_empty() {
        return Err(now.garbled());
    }
    let seen = Observation::on("online").show(&now).show(&all);
    let offline = present.difference(&online);
    if offline.is_empty() {
        return Ok(seen.ok(format!("all {} CPUs are online", online.len())));
    }
    let says = format!("{} of {} CPUs are offline: {offline}", offline.len(), present.len());
    Ok(seen.warn_for(&[Iops, Repeatability], says))
}

/// Reads a list of CPUs. Some kernels print `(null)` for an empty one.
fn list(scene: &Scene<'_>, name: &str) -> Result<(CpuSet, Observation), Unknown> {
    let raw = scene.read(format!("/sys/devices/system/cpu/{name}"))?;
    let text = if raw.text == "(null)" { "" } else { &raw.text };
    let cpus = CpuSet::from_list(text).map_err(|_| raw.garbled())?;
    Ok((cpus, Observation::on(name).show(&raw)))
}

fn isolated(scene: &Scene<'_>) -> Observed {
    let (isolated, seen) = list(scene, "isolated")?;
    if isolated.is_empty() {
        return Ok(seen.ok("no CPU is isolated"));
    }
    let Some(job) = &scene.job.cpus else {
        return Ok(
            seen.info(format!("CPUs {isolated} are isolated; nothing runs there unless it is placed there"))
        );
    };
    let both = job.intersection(&isolated);
    if both.is_empty() || scene.job.workers == Some(1) || both.len() == 1 {
        return Ok(seen.info(format!("CPUs {isolated} are isolated, the job uses CPUs {job}")));
    }
    let says = format!("CPUs {both} of the job are isolated: workers are not spread over them");
    Ok(seen
        .judge(Grades::on(&[Iops, Bandwidth, Repeatability], Grade::Warn).and(&[Latency], Grade::Info), says))
}

fn tickless(scene: &Scene<'_>) -> Observed {
    let (tickless, seen) = list(scene, "nohz_full")?;
    Ok(match tickless.is_empty() {
        true => seen.ok("every CPU keeps its tick"),
        false => seen.info(format!("the tick is stopped on CPUs {tickless} while they work")),
    })
}
