//! `md.external`: who keeps the array's metadata?

use super::array::{Array, each_md};
use super::platform::RaidPlatform;
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene};

pub(super) const CHECK: Check = Check {
    id: "md.external",
    title: "Metadata kept outside the kernel (VROC, IMSM, DDF)",
    reads: "/sys/block/mdX/md/metadata_version, level; /sys/firmware/efi/efivars/RstUefiV-… or RstVmdV-…",
    why: "With Intel's VROC (RAID by the processor; its metadata is called IMSM) and with DDF (the metadata of many \
          RAID cards) the firmware knows the array too, and a daemon (mdmon) writes its metadata instead of the \
          kernel. There are then two md devices: a container of all drives, which takes no I/O, and the volume in it, \
          often md127 and md126. A test of the container measures nothing.",
    judged: "External metadata is a remark on both, which says which of them is the container, and what the firmware \
             offers: its version, and the RAID levels, which depend on the licence key. The kernel's own metadata: ok.",
    remedy: "Name the volume. A level that the firmware does not offer needs another key, which is shown in its setup; \
             mdadm --detail-platform prints the levels too. mdmon must be running, or the first write waits for it \
             without end.",
    needs: Needs::Nothing,
    kernels: "2.6.27 and later",
    sources: &["I-3", "I-16", "I-18", "Documentation/admin-guide/md.rst"],
    observe: Observe::Once(|scene| each_md(scene, |array| one(scene, array))),
};

fn one(scene: &Scene<'_>, array: &Array<'_>) -> Observed {
    let version = scene.read(array.file("metadata_version"))?;
    let seen = array.seen().show(&version);
    // external:imsm on the container, external:/md127/0 on a volume in it; a
    // dash in place of the slash means that mdmon must not start a sync.
    Ok(match version.text.split_once(':') {
        Some(("external", place)) => match place.strip_prefix(['/', '-']) {
            Some(volume) => {
                let container = volume.split('/').next().unwrap_or(volume);
                offered(scene, seen, format!("is a volume in the container {container}"))
            }
            None => {
                offered(scene, seen, format!("is a container of {place} metadata: name the volume in it"))
            }
        },
        None if version.text == "none" => seen.ok("has no metadata on its members"),
        None if version.text.parse::<f32>().is_ok() => {
            seen.ok(format!("the kernel keeps its metadata (version {})", version.text))
        }
        _ => return Err(version.garbled()),
    })
}

/// Adds what the firmware offers, where it says so.
fn offered(scene: &Scene<'_>, seen: Observation, says: String) -> Observation {
    match RaidPlatform::of(scene.root) {
        Some((platform, path)) => {
            let text = platform.to_string();
            let says = format!("{says}; {text}");
            seen.with(path, text).info(says)
        }
        None => seen.info(says),
    }
}
