//! `nvme.firmware`: do the members of an array have one model and one firmware?

use std::collections::BTreeSet;

use super::drive::{Drive, drives, no_drive};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Raw, Scene, each};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "nvme.firmware",
    title: "Model and firmware of the drives",
    reads: "/sys/class/nvme/N/{model,firmware_rev}, /sys/block/mdX/slaves",
    why: "Firmware decides when a drive collects garbage, how it caches and how it throttles: one model with two \
          revisions can behave like two models. An array is always as fast as its slowest member, so a single \
          different drive affects the whole array, and two such arrays cannot be compared.",
    judged: "Members of one array that differ in model or firmware warn for repeatability; members that agree are ok. \
             A drive that is not in an array is a remark: report model and revision with every figure.",
    remedy: "Bring the members to one revision with the vendor's tool or nvme fw-download and nvme fw-commit (copy the \
             data first; a reset or power cycle is needed afterwards), or build the array of equal drives. fathom does \
             not update firmware.",
    needs: Needs::Hardware,
    kernels: "all",
    sources: &["I-2", "I-50"],
    observe: Observe::Once(observe),
};

/// Model and revision of a drive.
struct Make {
    drive: Drive,
    text: String,
    raws: [Raw; 2],
}

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let arrays: Vec<(&Disk, Vec<Drive>)> = arrays(scene).filter(|(_, members)| members.len() > 1).collect();
    if arrays.is_empty() {
        return each(drives(scene), no_drive, |drive| drive.controller.clone(), |drive| alone(scene, drive));
    }
    each(arrays, no_drive, |(array, _)| array.name.clone(), |(array, members)| compare(scene, array, members))
}

/// Every device that is made of others, with the drives below it.
fn arrays<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = (&'s Disk, Vec<Drive>)> {
    let all = drives(scene);
    scene.stacked.iter().map(move |array| {
        let below = scene.members(array);
        let is_member =
            |drive: &&Drive| below.iter().any(|disk| disk.controllers.contains(&drive.controller));
        (array, all.iter().filter(is_member).cloned().collect())
    })
}

fn make(scene: &Scene<'_>, drive: &Drive) -> Result<Make, Unknown> {
    let read = |file: &str| {
        let raw = scene.read(drive.dir.join(file))?;
        let is_plain = !raw.text.is_empty() && !raw.text.contains(['\u{fffd}', '\0']);
        if is_plain { Ok(raw) } else { Err(raw.garbled()) }
    };
    let raws = [read("model")?, read("firmware_rev")?];
    Ok(Make { drive: drive.clone(), text: format!("{}, firmware {}", raws[0].text, raws[1].text), raws })
}

fn show(seen: Observation, make: &Make) -> Observation {
    make.raws.iter().fold(seen, Observation::show)
}

fn alone(scene: &Scene<'_>, drive: &Drive) -> Observed {
    let make = make(scene, drive)?;
    Ok(show(Observation::on(&drive.controller), &make).info(make.text))
}

fn compare(scene: &Scene<'_>, array: &Disk, members: &[Drive]) -> Observed {
    let makes: Vec<Make> = members.iter().map(|drive| make(scene, drive)).collect::<Result<_, _>>()?;
    let seen = makes.iter().fold(Observation::on(&array.name), show);
    let kinds: BTreeSet<&str> = makes.iter().map(|make| make.text.as_str()).collect();
    if kinds.len() == 1 {
        return Ok(seen.ok(format!("{} members, all {}", makes.len(), makes[0].text)));
    }
    let list: Vec<String> =
        makes.iter().map(|make| format!("{}: {}", make.drive.controller, make.text)).collect();
    Ok(seen.warn_for(&[Repeatability], format!("the members differ: {}", list.join("; "))))
}
