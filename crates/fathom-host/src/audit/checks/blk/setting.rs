//! Readers that several checks of the block queue share.

use crate::audit::{Disk, Raw, Scene};
use fathom_device::root::Unknown;

/// A file of a queue that holds a small number, none above `highest`.
pub(super) fn setting(scene: &Scene<'_>, disk: &Disk, file: &str, highest: u8) -> Result<(u8, Raw), Unknown> {
    let (value, raw) = scene.value::<u8>(disk.queue(file))?;
    if value > highest {
        return Err(raw.garbled());
    }
    Ok((value, raw))
}

/// The scheduler's name; `none` where there is none.
pub(super) fn scheduler(scene: &Scene<'_>, disk: &Disk) -> Result<String, Unknown> {
    let raw = scene.read(disk.queue("scheduler"))?;
    if raw.text == "none" {
        return Ok(raw.text);
    }
    Ok(scene.selected(&raw.path)?.0)
}

/// How many hardware queues the disk has, by the directories under `mq`.
pub(super) fn hardware_queues(scene: &Scene<'_>, disk: &Disk) -> usize {
    scene.glob(&format!("{}/mq/#", disk.sys_dir.display())).len()
}

/// Whether the kernel takes it for a spinning disk.
pub(super) fn is_rotational(scene: &Scene<'_>, disk: &Disk) -> Result<bool, Unknown> {
    Ok(setting(scene, disk, "rotational", 1)?.0 == 1)
}
