//! The machine and the services on it.

use crate::audit::CpuTimes;
use crate::audit::checks::prelude::*;
use fathom_text::quantity::percent_with;

/// Files that show which container runtime is in use.
const CONTAINER_MARKS: [(&str, &str); 3] =
    [("/run/systemd/container", "systemd"), ("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];

/// `sys.virt`: is this machine virtual, or is fathom in a container?
pub(super) fn virt(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::or_unknown("host", judge_virt(scene));
    std::iter::once(host).chain(container(scene)).collect()
}

fn judge_virt(scene: &Scene<'_>) -> Observed {
    let cpuinfo = scene.read("/proc/cpuinfo")?;
    let flags = cpuinfo.text.lines().find(|line| line.starts_with("flags") || line.starts_with("Features"));
    let flags = flags.ok_or_else(|| Unknown::garbled(&cpuinfo.path, first_line(&cpuinfo.text)))?;
    let has_flag = flags.split_whitespace().any(|flag| flag == "hypervisor");
    let maker = maker(scene);
    let named = KNOWN.hypervisors.iter().any(|vendor| maker.contains(vendor));
    let mut observation = Observation::on("host").with(&cpuinfo.path, flags);
    if !maker.is_empty() {
        observation = observation.with("/sys/class/dmi/id/sys_vendor", &maker);
    }
    if has_flag || named {
        return Ok(guest(scene, observation, &maker));
    }
    Ok(match flags.starts_with("flags") {
        true => observation.ok("no hypervisor below this machine"),
        false => observation.info("no sign of a hypervisor, but these processors have no flag for it"),
    })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Vendor and product, if the firmware reports them.
fn maker(scene: &Scene<'_>) -> String {
    let name = |file: &str| scene.read(format!("/sys/class/dmi/id/{file}")).ok();
    let names = ["sys_vendor", "product_name"].into_iter().filter_map(name).map(|raw| raw.text);
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" ")
}

fn guest(scene: &Scene<'_>, observation: Observation, maker: &str) -> Observation {
    let by = if maker.is_empty() { String::new() } else { format!(" ({maker})") };
    let disks = scene
        .disks
        .iter()
        .filter(|disk| disk.kind == DiskKind::Paravirtual || names_itself_virtual(scene, disk));
    let names: Vec<&str> = disks.map(|disk| disk.name.as_str()).collect();
    match names.is_empty() {
        true => observation.warn_for(&[Latency, Repeatability], format!("this is a virtual machine{by}")),
        false => observation
            .warn(format!("this is a virtual machine{by}, and {} is virtual too", names.join(", "))),
    }
}

/// Emulated disks have special model names: `QEMU NVMe Ctrl`, `Virtual disk`,
/// `VBOX HARDDISK`.
fn names_itself_virtual(scene: &Scene<'_>, disk: &crate::audit::Disk) -> bool {
    let model = disk.model(scene.root).unwrap_or_default();
    ["QEMU", "Virtual", "VBOX"].iter().any(|word| model.contains(word))
}

fn container(scene: &Scene<'_>) -> Option<Observation> {
    let (path, runtime) = CONTAINER_MARKS.into_iter().find(|(path, _)| scene.root.exists(path))?;
    let named = scene.read(path).ok().map(|raw| raw.text).filter(|text| !text.is_empty() && text.len() < 40);
    let runtime = named.unwrap_or_else(|| runtime.to_owned());
    let observation = Observation::on("container").with(path, &runtime);
    Some(observation.info(format!("fathom runs in a container ({runtime}): the limits of its cgroup apply")))
}

/// `sys.steal`: did the hypervisor take processor time away?
pub(super) fn steal(scene: &Scene<'_>) -> Observed {
    let (since_boot, raw) = scene.cpu_times()?;
    let first_line = raw.text.lines().next().unwrap_or_default();
    let observation = Observation::on("host").with(&raw.path, first_line);
    let past = share(&since_boot);
    Ok(match scene.cpu_growth() {
        Ok((grown, _)) if grown.steal > 1 && share(&grown) > 0.01 => observation.judge(
            Grades::on(&[Repeatability], Grade::Bad).and(&[Latency, Iops], Grade::Warn),
            percent_with(share(&grown), 1) + " of the processor time was stolen while we looked",
        ),
        Ok((grown, _)) if since_boot.steal == 0 || past < 0.001 => observation
            .ok(percent_with(share(&grown), 1) + " of the processor time was stolen while we looked"),
        Ok(_) => {
            observation.info(format!("almost no time was stolen now, {} since boot", percent_with(past, 1)))
        }
        Err(_) if since_boot.steal == 0 => observation.ok("no time was ever stolen since boot"),
        Err(unknown) => {
            observation.without(unknown).info(percent_with(past, 1) + " of the time was stolen since boot")
        }
    })
}

fn share(times: &CpuTimes) -> f64 {
    times.steal as f64 / times.total.max(1) as f64
}

/// `sys.clocksource`: how long does it take to read the clock?
pub(super) fn clocksource(scene: &Scene<'_>) -> Observed {
    let dir = "/sys/devices/system/clocksource/clocksource0";
    let current = scene.read(format!("{dir}/current_clocksource"))?;
    let available = scene.read(format!("{dir}/available_clocksource"))?;
    let offered: Vec<&str> = available.text.split_whitespace().collect();
    let name = &current.text;
    if !offered.contains(&name.as_str()) {
        return Err(Unknown::garbled(&current.path, name));
    }
    let observation = Observation::on("host").with(&current.path, name).show(&available);
    if KNOWN.fast_clocks.contains(name) {
        return Ok(observation.ok(format!("the clock is {name}")));
    }
    if !KNOWN.slow_clocks.contains(name) {
        return Ok(observation.info(format!("the clock is {name}")));
    }
    let offer = if offered.contains(&"tsc") { "tsc is offered" } else { "the kernel does not offer tsc" };
    let verdicts = Grades::on(&[Latency], Grade::Bad).and(&[Iops], Grade::Warn);
    Ok(observation.judge(verdicts, format!("the clock is {name}, which is slow to read; {offer}")))
}

/// `sys.selinux`: which security modules check each access?
pub(super) fn selinux(scene: &Scene<'_>) -> Observed {
    let modules = modules(scene);
    let enforce = scene.read("/sys/fs/selinux/enforce");
    match (enforce, modules) {
        (Ok(enforce), modules) => {
            let mode = match enforce.text.as_str() {
                "0" => "permissive",
                "1" => "enforcing",
                _ => return Err(enforce.garbled()),
            };
            let observation = Observation::on("host").show(&enforce);
            let others = modules.map(|raw| format!(" (modules: {})", raw.text)).unwrap_or_default();
            Ok(observation.info(format!("SELinux is {mode}{others}")))
        }
        (Err(_), modules) => {
            let raw = modules?;
            let says = format!("security modules: {}", raw.text.replace(',', ", "));
            Ok(Observation::on("host").show(&raw).info(says))
        }
    }
}

fn modules(scene: &Scene<'_>) -> Result<Raw, Unknown> {
    let raw = scene.read("/sys/kernel/security/lsm")?;
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    match raw.text.split(',').all(is_name) {
        true => Ok(raw),
        false => Err(raw.garbled()),
    }
}

/// `sys.daemons`: does another program change the same settings?
pub(super) fn daemons(scene: &Scene<'_>) -> Vec<Observation> {
    let comms = scene.process_names();
    let looked: Vec<_> =
        KNOWN.services.iter().map(|service| (service, is_running(scene, service, comms))).collect();
    let running = looked.iter().filter_map(|((unit, _, owns), observation)| {
        let raw = observation.as_ref().ok()?.as_ref()?;
        let observation = Observation::on(unit).show(raw);
        Some(observation.warn_for(&[Repeatability], format!("{unit} is running; it controls {owns}")))
    });
    let mut observations: Vec<Observation> = running.collect();
    let unknown = looked.into_iter().find_map(|(_, observation)| observation.err());
    match unknown {
        Some(unknown) => observations.push(Observation::unknown("services", unknown)),
        None if observations.is_empty() => {
            let says = format!("none of the {} services that tune hosts is running", KNOWN.services.len());
            let asked = format!("{} programs and {} units checked", comms.len(), KNOWN.services.len());
            observations.push(Observation::on("services").with("/proc/*/comm", asked).ok(says));
        }
        None => {}
    }
    observations
}

/// The evidence that it runs; `None` if it does not.
fn is_running(
    scene: &Scene<'_>,
    (unit, comm, _): &(String, String, String),
    comms: &[Raw],
) -> Result<Option<Raw>, Unknown> {
    let process = comms.iter().find(|raw| !comm.is_empty() && raw.text == *comm);
    if let Some(raw) = process {
        return Ok(Some(raw.clone()));
    }
    scene.unit(&format!("{unit}.service")).map(|(runs, raw)| runs.then_some(raw))
}

/// `sys.tracing`: does a tracer record every I/O?
pub(super) fn tracing(scene: &Scene<'_>) -> Vec<Observation> {
    let host = Observation::or_unknown("host", judge_tracing(scene));
    let disks = scene.queues().filter_map(|disk| blktrace(scene, &disk.name));
    std::iter::once(host).chain(disks).chain(auditd(scene)).collect()
}

const DIRS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
const GROUPS: [&str; 3] = ["block", "nvme", "syscalls"];

fn judge_tracing(scene: &Scene<'_>) -> Observed {
    let dir = DIRS.into_iter().find(|dir| scene.root.exists(format!("{dir}/current_tracer")));
    let dir = dir.unwrap_or(DIRS[0]);
    let tracer = scene.read(format!("{dir}/current_tracer"))?;
    let observation = Observation::on("host").show(&tracer);
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !is_name(&tracer.text) {
        return Err(tracer.garbled());
    }
    if tracer.text != "nop" {
        return Ok(observation.warn_for(&[Latency, Iops], format!("the tracer {} is on", tracer.text)));
    }
    // "1": all of the group are on, "X": some are, "0" and "?": none.
    let is_on = |group: &&str| {
        let enable = scene.read(format!("{dir}/events/{group}/enable"));
        enable.is_ok_and(|enable| matches!(enable.text.as_str(), "1" | "X"))
    };
    let on: Vec<&str> = GROUPS.into_iter().filter(is_on).collect();
    Ok(match on.is_empty() {
        true => observation.ok("nothing is being traced"),
        false => {
            observation.warn_for(&[Latency, Iops], format!("events are being recorded: {}", on.join(", ")))
        }
    })
}

/// The file is optional in the kernel and mostly absent, so without it there is no observation.
fn blktrace(scene: &Scene<'_>, name: &str) -> Option<Observation> {
    let enable = scene.read(format!("/sys/block/{name}/trace/enable")).ok()?;
    let observation = Observation::on(name).show(&enable);
    (enable.text == "1").then(|| observation.warn_for(&[Latency, Iops], "blktrace records every request"))
}

fn auditd(scene: &Scene<'_>) -> Option<Observation> {
    let raw = scene.ask(&Question::Unit { unit: "auditd.service".to_owned() }).ok()?;
    let observation = Observation::on("auditd").show(&raw);
    raw.text
        .starts_with("active")
        .then(|| observation.info("auditd is running; its rules cost time at every call that they check"))
}

const QUIET_MAX_PERCENT: f64 = 1.0;

/// `sys.psi`: do tasks already wait for CPU, memory or I/O before the run?
pub(super) fn psi(scene: &Scene<'_>) -> Vec<Observation> {
    let missing = || Observation::unknown("host", Unknown::missing("/proc/pressure/io"));
    each(scene.glob("/proc/pressure/*"), missing, |path| leaf(path), |path| psi_of(scene, path))
}

fn psi_of(scene: &Scene<'_>, path: &Path) -> Observed {
    let raw = scene.read(path)?;
    let percent = avg10(&raw.text).ok_or_else(|| Unknown::garbled(path, &raw.text))?;
    let observation = Observation::on(leaf(path)).with(path, &raw.text);
    let says =
        format!("some task waited for it {} of the last ten seconds", percent_with(percent / 100.0, 1));
    Ok(match percent > QUIET_MAX_PERCENT {
        true => observation.warn(says),
        false => observation.ok(says),
    })
}

/// The value from the line "some". The file for interrupts has only the line "full".
fn avg10(text: &str) -> Option<f64> {
    let line = text.lines().next()?;
    let word = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?;
    word.parse().ok()
}
