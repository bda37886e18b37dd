//! What the checks of this family share: the controllers and namespaces below
//! the targets, and the evidence from their answers.

use std::path::PathBuf;

use crate::audit::{Disk, Observation, Observed, Scene, each};
use fathom_device::ask::Question;
use fathom_device::root::{Unknown, Why};

/// An NVMe controller that leads to a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drive {
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
pub(super) fn drives(scene: &Scene<'_>) -> Vec<Drive> {
    let mut drives: Vec<Drive> = Vec::new();
    for controller in scene.disks.iter().flat_map(|disk| &disk.controllers) {
        if drives.iter().all(|drive| drive.controller != *controller) {
            drives.push(Drive::of(controller));
        }
    }
    drives
}

/// One observation for each controller.
pub(super) fn each_drive(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Drive) -> Observed,
) -> Vec<Observation> {
    each(drives(scene), no_drive, |drive| drive.controller.clone(), |drive| one(scene, drive))
}

/// One observation for each namespace, made with a controller that leads to it.
pub(super) fn each_namespace(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Disk, &Drive) -> Observed,
) -> Vec<Observation> {
    let disks = scene.disks.iter();
    let namespaces = disks.filter_map(|disk| Some((disk, Drive::of(disk.controllers.first()?))));
    each(namespaces, no_drive, |(disk, _)| disk.name.clone(), |(disk, drive)| one(scene, disk, drive))
}

/// The number of a namespace, which is not always the last number of its name.
pub(super) fn nsid(scene: &Scene<'_>, disk: &Disk) -> Result<u32, Unknown> {
    Ok(scene.value(disk.sys_dir.join("nsid"))?.0)
}

pub(super) fn no_drive() -> Observation {
    Observation::on("host").not_applicable("there is no NVMe drive below the target")
}

/// The current value of a feature.
pub(super) fn feature(scene: &Scene<'_>, drive: &Drive, feature: u8) -> Result<(u32, PathBuf), Unknown> {
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
pub(super) fn controller_path(drive: &Drive) -> PathBuf {
    Question::NvmeController { controller: drive.controller.clone() }.path()
}

/// The file of a capture with the drive's answer about a namespace.
pub(super) fn namespace_path(drive: &Drive, nsid: u32) -> PathBuf {
    Question::NvmeNamespace { controller: drive.controller.clone(), nsid }.path()
}

/// The health log (page 2, 512 bytes) as a question.
pub(super) fn health_log(drive: &Drive) -> Question {
    Question::NvmeLog { controller: drive.controller.clone(), page: 2, len_bytes: 512 }
}
