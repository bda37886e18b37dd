//! What the checks of file systems share: which targets are files, and how
//! their file systems are mounted.

use crate::audit::{Observation, Observed, Scene, Target, each};
use fathom_device::mounts::{Mount, own_mounts};
use fathom_device::root::Unknown;

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// One observation for each target that is a file or directory. What a raw
/// device holds does not matter here: no file system is between it and the job.
pub(super) fn each_mounted(
    scene: &Scene<'_>,
    one: impl Fn(&Scene<'_>, &Target, &Mount) -> Observed,
) -> Vec<Observation> {
    let is_file = |target: &&Target| target.mount.is_some() || target.graph.is_err();
    let none = || Observation::on("host").not_applicable("no target is a file or directory");
    each(
        scene.targets.iter().filter(is_file),
        none,
        |target| name(target),
        |target| match &target.mount {
            Some(mount) => one(scene, target, mount),
            None => Err(not_mounted(scene, target)),
        },
    )
}

/// A target's name as a subject.
pub(super) fn name(target: &Target) -> String {
    target.path.display().to_string()
}

/// Begins an observation on a target, with how it is mounted.
pub(super) fn seen(target: &Target, mount: &Mount) -> Observation {
    let line = format!("{} {} {} {}", mount.point.display(), mount.fs_type, mount.source, mount.options);
    Observation::on(name(target)).with(MOUNTINFO, line)
}

/// Whether the mount has this option, without a value.
pub(super) fn has(mount: &Mount, option: &str) -> bool {
    mount.options.split(',').any(|word| word == option)
}

/// The value of an option, `sunit=256`.
pub(super) fn value<'m>(mount: &'m Mount, option: &str) -> Option<&'m str> {
    let mut values = mount.options.split(',').filter_map(|word| word.split_once('='));
    values.find_map(|(name, value)| (name == option).then_some(value))
}

/// Why it is not known where the target is mounted.
fn not_mounted(scene: &Scene<'_>, target: &Target) -> Unknown {
    match (own_mounts(scene.root), &target.graph) {
        (Err(unknown), _) => unknown,
        (Ok(_), Err(unknown)) => unknown.clone(),
        (Ok(_), Ok(_)) => Unknown::missing(&target.path),
    }
}
