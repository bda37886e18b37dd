//! `pcie.oversub`: do several drives together need more than their shared link carries?

use super::way::{Hop, hops, known, no_link, show};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each};
use fathom_device::Goal::{Bandwidth, Repeatability};

pub(super) const CHECK: Check = Check {
    id: "pcie.oversub",
    title: "PCIe links that several devices share",
    reads: "/sys/bus/pci/devices/BDF/current_link_{speed,width} of ports and of all that is below them",
    why: "A PCIe switch connects many drives to one link. That is not a problem while they are busy at different times; \
          at full rate they share what the link carries, so drives with twelve lanes behind an uplink of eight lanes \
          reach two thirds. Network and graphics cards behind the same port use a part of it too. In an array the \
          slowest member limits the rest, and the shares change every second.",
    judged: "Warns for bandwidth and repeatability if the drives under test together can move more than the shared \
             link carries; bad for both if members of one array are among them. If only all devices below the link \
             together can: a remark. Links that are not shared are ok.",
    remedy: "Test fewer drives at once, or drives behind different ports: fathom topology shows which devices share a \
             link. Move drives or cards to other slots. The uplink itself may have lost lanes (pcie.width).",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-72", "V-74", "M-7"],
    observe: Observe::Once(observe),
};

/// A smaller ratio of demand to capacity may be rounding.
const RATIO_MIN: f64 = 1.001;

fn observe(scene: &Scene<'_>) -> Vec<Observation> {
    let pci = match scene.pci() {
        Err(unknown) => return vec![Observation::unknown("host", unknown)],
        Ok(pci) => pci,
    };
    each(hops(scene, pci), || no_link(scene), Hop::subject, |hop| one(scene, hop))
}

fn one(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let current = &hop.link.current;
    let (generation, lanes) = (known(&current.speed)?, known(&current.lanes)?);
    let seen = show(show(Observation::on(hop.subject()), &current.speed), &current.lanes);
    let load = hop.function.load.unwrap_or_default();
    let capacity = load.capacity_mbps.unwrap_or_default();
    let carries = format!("{generation} x{lanes} carries {capacity:.0} MB/s");
    if load.all.devices < 2 || capacity <= 0.0 {
        return Ok(seen.ok(format!("{carries}, not shared with other devices")));
    }
    let ratio = load.selected.now_mbps / capacity;
    let wanted = format!(
        "{carries}; {} can move {:.0} MB/s, {ratio:.2} times as much",
        hop.names(),
        load.selected.now_mbps
    );
    if ratio > RATIO_MIN {
        let goals = [Bandwidth, Repeatability];
        return Ok(match array(scene, hop) {
            Some(array) => seen.bad_for(&goals, format!("{wanted}, and they are members of {array}")),
            None => seen.warn_for(&goals, wanted),
        });
    }
    let all = load.all.now_mbps / capacity;
    Ok(match all > RATIO_MIN {
        true => seen.info(format!(
            "{wanted}; all {} devices below it can move {all:.2} times as much",
            load.all.devices
        )),
        false => seen.ok(wanted),
    })
}

/// An array that has two members or more behind this link.
fn array(scene: &Scene<'_>, hop: &Hop<'_>) -> Option<String> {
    let behind = |array: &&crate::audit::Disk| {
        let members = scene.members(array);
        members.iter().filter(|member| hop.disks.iter().any(|disk| disk.name == member.name)).count() > 1
    };
    scene.stacked.iter().find(behind).map(|array| array.name.clone())
}
