//! `safe.mount_guard`: does the kernel itself protect mounted devices?

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "safe.mount_guard",
    title: "The kernel's own guard over mounted devices",
    reads: "/boot/config-RELEASE (CONFIG_BLK_DEV_WRITE_MOUNTED), /proc/cmdline (bdev_allow_write_mounted)",
    why: "Since 6.8 a kernel can refuse to open a mounted device for writing. Most distributions switch this off, \
          because some tools need to write. Even where it is on, it protects only the mounted device itself: the disks \
          below a mounted array or volume can still be written. So fathom's guard does not rely on it.",
    judged: "Refusing is ok; allowing is a remark. n-a where the boot parameter is not set and the kernel's \
             configuration does not show it.",
    remedy: "To switch it on: boot with bdev_allow_write_mounted=0, but first test the tools that you need (for \
             example, the repair of a mounted root file system fails).",
    needs: Needs::Reboot,
    kernels: "6.8 and later",
    sources: &["V-2", "Documentation/admin-guide/kernel-parameters.txt"],
    observe: Observe::Once(|scene| vec![Observation::or_unknown("kernel", judge(scene))]),
};

const PARAMETER: &str = "bdev_allow_write_mounted";
const OPTION: &str = "CONFIG_BLK_DEV_WRITE_MOUNTED";

fn judge(scene: &Scene<'_>) -> Observed {
    let (allows, seen) = match by_parameter(scene)? {
        Some(found) => found,
        None => by_option(scene)?,
    };
    Ok(match allows {
        true => seen.info("the kernel allows writes to mounted devices; only fathom's guard protects them"),
        false => seen.ok("the kernel refuses writes to mounted devices"),
    })
}

/// The last of several parameters counts, as in the kernel.
fn by_parameter(scene: &Scene<'_>) -> Result<Option<(bool, Observation)>, Unknown> {
    let raw = scene.read("/proc/cmdline")?;
    let values = raw.text.split_whitespace().filter_map(|word| word.strip_prefix(PARAMETER));
    let Some(value) = values.filter_map(|rest| rest.strip_prefix('=')).next_back() else {
        return Ok(None);
    };
    let allows = match value {
        "1" | "y" | "Y" | "on" | "true" => true,
        "0" | "n" | "N" | "off" | "false" => false,
        _ => return Err(Unknown::garbled(&raw.path, value)),
    };
    Ok(Some((allows, Observation::on("kernel").with(&raw.path, format!("{PARAMETER}={value}")))))
}

fn by_option(scene: &Scene<'_>) -> Result<(bool, Observation), Unknown> {
    let release = scene.read("/proc/sys/kernel/osrelease")?.text;
    let raw = scene.read(format!("/boot/config-{release}"))?;
    let line = raw.text.lines().find(|line| line.contains(OPTION));
    let line = line.ok_or_else(|| Unknown::new(&raw.path, format!("does not know {OPTION} (6.8)")))?;
    let allows = match line {
        _ if line == format!("{OPTION}=y") => true,
        _ if line == format!("# {OPTION} is not set") => false,
        _ => return Err(Unknown::garbled(&raw.path, line)),
    };
    Ok((allows, Observation::on("kernel").with(&raw.path, line)))
}
