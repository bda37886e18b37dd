//! Drives: NVMe, and SATA or SAS.

mod health;
mod namespace;

use crate::audit::checks::prelude::*;
use fathom_device::nvme::{Controller, PowerState};

/// The checks of the families `nvme` and `scsi`.
pub(super) const FAMILY: Family = (
    include_str!("../nvme.toml"),
    &[
        ("nvme.apst", Several(|scene| each_drive(scene, apst))),
        ("nvme.ps", Several(|scene| each_drive(scene, ps))),
        ("nvme.temp", Watch(&["/.fathom/asked/nvme#/log-02"], &Several(health::temp))),
        ("nvme.health", Several(|scene| each_drive(scene, health::health))),
        (
            "nvme.errors",
            Watch(&["/.fathom/asked/nvme#/log-02"], &Several(|scene| each_drive(scene, health::errors))),
        ),
        ("nvme.firmware", Several(health::firmware)),
        ("nvme.lbaf", Several(|scene| each_namespace(scene, namespace::lbaf))),
        ("nvme.cache", Several(|scene| each_namespace(scene, namespace::cache))),
        ("nvme.utilisation", Several(|scene| each_namespace(scene, namespace::utilisation))),
        ("nvme.ns_share", Several(namespace::ns_share)),
        (
            "nvme.poll_queues",
            Several(|scene| each_namespace(scene, |scene, disk, _| namespace::poll_queues(scene, disk))),
        ),
        ("nvme.qdepth", Several(|scene| each_namespace(scene, namespace::qdepth))),
        ("nvme.background", Several(health::background)),
        ("nvme.multipath", Several(namespace::multipath)),
        ("nvme.wear_budget", Several(|scene| each_drive(scene, health::wear_budget))),
        ("nvme.mdts", Several(|scene| each_namespace(scene, |scene, disk, _| namespace::mdts(scene, disk)))),
        ("scsi.qdepth", Several(namespace::scsi_qdepth)),
    ],
);

// What the checks of this family share: the controllers and namespaces below
// the targets, and the evidence from their answers.

/// An NVMe controller that leads to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Drive {
    /// `nvme0`.
    pub controller: String,
    /// `/sys/class/nvme/nvme0`.
    pub dir: PathBuf,
}

impl Drive {
    pub fn of(controller: &str) -> Self {
        let dir = PathBuf::from("/sys/class/nvme").join(controller);
        Self { controller: controller.to_owned(), dir }
    }
}

/// Every controller below the targets, each once.
fn drives(scene: &Scene<'_>) -> Vec<Drive> {
    let mut drives: Vec<Drive> = Vec::new();
    for controller in scene.disks.iter().flat_map(|disk| &disk.controllers) {
        if drives.iter().all(|drive| drive.controller != *controller) {
            drives.push(Drive::of(controller));
        }
    }
    drives
}

/// One observation for each controller.
fn each_drive(scene: &Scene<'_>, one: impl Fn(&Scene<'_>, &Drive) -> Observed) -> Vec<Observation> {
    each(drives(scene), no_drive, |drive| drive.controller.clone(), |drive| one(scene, drive))
}

/// One observation for each namespace, made with a controller that leads to it.
fn each_namespace(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Disk, &Drive) -> Observed,
) -> Vec<Observation> {
    let disks = scene.disks.iter();
    let namespaces = disks.filter_map(|disk| Some((disk, Drive::of(disk.controllers.first()?))));
    each(namespaces, no_drive, |(disk, _)| disk.name.clone(), |(disk, drive)| one(scene, disk, drive))
}

/// The number of a namespace, which is not always the last number of its name.
fn nsid(scene: &Scene<'_>, disk: &Disk) -> Result<u32, Unknown> {
    Ok(scene.value(disk.sys_dir.join("nsid"))?.0)
}

fn no_drive() -> Observation {
    Observation::on("host").not_applicable("there is no NVMe drive below the target")
}

/// The current value of a feature.
fn feature(scene: &Scene<'_>, drive: &Drive, feature: u8) -> Result<(u32, PathBuf), Unknown> {
    let question = Question::NvmeFeature { controller: drive.controller.clone(), feature };
    let bytes = scene.root.ask(&question)?;
    let path = question.path();
    match bytes.as_slice().try_into() {
        Ok(word) => Ok((u32::from_le_bytes(word), path)),
        Err(_) => Err(Unknown {
            why: Why::Garbled,
            ..Unknown::new(path, format!("{} bytes are not the value of a feature", bytes.len()))
        }),
    }
}

/// The file of a capture with the drive's answer about the whole controller.
fn controller_path(drive: &Drive) -> PathBuf {
    Question::NvmeController { controller: drive.controller.clone() }.path()
}

/// The file of a capture with the drive's answer about a namespace.
fn namespace_path(drive: &Drive, nsid: u32) -> PathBuf {
    Question::NvmeNamespace { controller: drive.controller.clone(), nsid }.path()
}

/// The health log (page 2, 512 bytes) as a question.
fn health_log(drive: &Drive) -> Question {
    Question::NvmeLog { controller: drive.controller.clone(), page: 2, len_bytes: 512 }
}

// The power states of a drive.

/// The feature "Autonomous Power State Transition"; bit 0 switches it on.
const APST_FEATURE: u8 = 0x0c;

/// `nvme.apst`: may the drive enter a sleep state between two I/Os?
fn apst(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let tolerance = scene.read(drive.dir.join("power/pm_qos_latency_tolerance_us"))?;
    // In the power management core, "any" means no limit and "auto" means that
    // the driver decides.
    let limit_us: u64 = match tolerance.text.as_str() {
        "any" | "auto" => u64::MAX,
        number => number.parse().map_err(|_| Unknown::garbled(&tolerance.path, number))?,
    };
    let observation = Observation::on(&drive.controller).show(&tolerance);
    if limit_us == 0 {
        return Ok(observation.ok("the drive may not enter a sleep state"));
    }
    let controller = Controller::read(scene.root, &drive.controller)?;
    if !controller.has_autonomous_power {
        let observation = observation.with(controller_path(drive), "APSTA 0");
        return Ok(observation.ok("the drive has no sleep states of its own"));
    }
    let (value, path) = feature(scene, drive, APST_FEATURE)?;
    let observation = observation.with(path, format!("0x{value:08x}"));
    if value & 1 == 0 {
        return Ok(
            observation.ok("the drive has sleep states, but does not enter them by itself (APST is off)")
        );
    }
    Ok(match deepest(&controller.power_states, limit_us) {
        None => observation.ok(format!("no sleep state wakes up within the tolerance of {limit_us} µs")),
        Some((number, state)) => {
            observation.with(controller_path(drive), format!("PSD{number} EXLAT {}", state.exit_us)).warn_for(
                &[Latency, Repeatability],
                format!(
                    "in a pause the drive may enter power state {number}, and needs {} µs to wake up",
                    state.exit_us
                ),
            )
        }
    })
}

/// The sleep state that takes longest to leave among those allowed. The
/// driver compares the exit latency with the tolerance (`nvme_configure_apst`).
fn deepest(states: &[PowerState], limit_us: u64) -> Option<(usize, &PowerState)> {
    let sleeping = states.iter().enumerate().filter(|(_, state)| state.is_non_operational);
    sleeping.filter(|(_, state)| u64::from(state.exit_us) <= limit_us).max_by_key(|(_, state)| state.exit_us)
}

/// The feature "Power Management": state in bits 0 to 4, a hint about the
/// workload in bits 5 to 7.
const POWER_FEATURE: u8 = 0x02;

/// `nvme.ps`: does the drive run in its full power state?
fn ps(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let (value, path) = feature(scene, drive, POWER_FEATURE)?;
    let raw = format!("0x{value:08x}");
    let observation = Observation::on(&drive.controller).with(&path, &raw);
    let number = value as usize & 0x1f;
    if number == 0 {
        return Ok(observation.ok("power state 0, full power"));
    }
    let controller = match Controller::read(scene.root, &drive.controller) {
        Ok(controller) => controller,
        Err(unknown) => {
            let says = format!("power state {number}, not full power");
            return Ok(observation.without(unknown).warn(says));
        }
    };
    let state = controller.power_states.get(number).ok_or_else(|| Unknown::garbled(&path, &raw))?;
    let watts = state.max_milliwatts as f64 / 1000.0;
    let observation =
        observation.with(controller_path(drive), format!("PSD{number} MP {} mW", state.max_milliwatts));
    if state.is_non_operational {
        return Ok(observation.info(format!("asleep in power state {number} at the moment (see nvme.apst)")));
    }
    Ok(observation.warn(format!("held in power state {number}, at most {watts:.1} W")))
}
