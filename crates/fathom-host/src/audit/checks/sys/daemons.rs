//! `sys.daemons`: does another program change the same settings?

use crate::audit::{Check, Needs, Observation, Observe, Raw, Scene};
use fathom_device::Goal::Repeatability;
use fathom_device::ask::Question;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "sys.daemons",
    title: "Services that tune the host",
    reads: "systemctl show UNIT (ActiveState), /proc/PID/comm",
    why: "Some services control the same settings that fathom reads and may change: they set the governor, the power \
          limits or the schedulers by their own rules, at boot, on a timer or when the load changes. A service may \
          undo fathom's tuning in the middle of a run, and the value that fathom restores afterwards may not be the \
          one that the service needs.",
    judged: "Each service that is running warns for repeatability, with the settings it controls. None running: ok. \
             Where systemd does not respond, fathom looks for processes, and services without a process are n-a.",
    remedy: "For a run: fathom tune pauses most of them (the knob sys.daemons, which must be named). By hand: \
             systemctl stop NAME, and systemctl start NAME afterwards. Do not disable or remove it: laptops and \
             servers need it. Where tuned runs, you can also use one of its profiles (tuned-adm profile \
             throughput-performance) and run fathom without --tune.",
    needs: Needs::Administrator,
    kernels: "all",
    sources: &["I-25", "V-18"],
    observe: Observe::Once(observe),
};

/// The unit, the name of its process as the kernel shortens it (empty if it
/// does not stay), and the settings that it controls.
const SERVICES: [(&str, &str, &str); 8] = [
    ("tuned", "tuned", "governor, energy preference, idle states, I/O schedulers, sysctl values"),
    ("tuned-ppd", "tuned-ppd", "the profile of tuned"),
    ("power-profiles-daemon", "power-profiles-", "energy preference, platform profile"),
    ("tlp", "", "governor, energy preference, link power of SATA and PCIe"),
    ("saptune", "", "sysctl values, I/O schedulers, nr_requests"),
    ("thermald", "thermald", "power limits and frequencies when it gets warm"),
    ("numad", "numad", "placement of processes and their memory"),
    ("ksmtuned", "ksmtuned", "merging of equal memory pages"),
];

/// States of a unit (systemctl(1)).
const RUNNING: [&str; 3] = ["active", "activating", "reloading"];
const AT_REST: [&str; 4] = ["inactive", "failed", "deactivating", "maintenance"];

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let comms = comms(scene);
    let looked: Vec<_> =
        SERVICES.iter().map(|service| (service, is_running(scene, service, &comms))).collect();
    let running = looked.iter().filter_map(|((unit, _, owns), seen)| {
        let raw = seen.as_ref().ok()?.as_ref()?;
        let seen = Observation::on(*unit).show(raw);
        Some(seen.warn_for(&[Repeatability], format!("{unit} is running; it controls {owns}")))
    });
    let mut observations: Vec<Observation> = running.collect();
    let unknown = looked.into_iter().find_map(|(_, seen)| seen.err());
    match unknown {
        Some(unknown) => observations.push(Observation::unknown("services", unknown)),
        None if observations.is_empty() => {
            let says = format!("none of the {} services that tune hosts is running", SERVICES.len());
            let asked = format!("{} programs and {} units checked", comms.len(), SERVICES.len());
            observations.push(Observation::on("services").with("/proc/*/comm", asked).ok(says));
        }
        None => {}
    }
    observations
}

/// The evidence that it runs; `None` if it does not.
fn is_running(
    scene: &Scene<'_>,
    (unit, comm, _): &(&str, &str, &str),
    comms: &[Raw],
) -> Result<Option<Raw>, Unknown> {
    let process = comms.iter().find(|raw| !comm.is_empty() && raw.text == *comm);
    if let Some(raw) = process {
        return Ok(Some(raw.clone()));
    }
    let raw = scene.ask(&Question::Unit { unit: format!("{unit}.service") })?;
    let state = raw.text.split_whitespace().next().unwrap_or_default();
    match state {
        _ if RUNNING.contains(&state) => Ok(Some(raw)),
        _ if AT_REST.contains(&state) => Ok(None),
        _ => Err(raw.garbled()),
    }
}

fn comms(scene: &Scene<'_>) -> Vec<Raw> {
    scene.glob("/proc/#/comm").into_iter().filter_map(|path| scene.read(path).ok()).collect()
}
