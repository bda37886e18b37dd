//! `pcie.oversub`: do several drives want more of a shared link than it has?

use super::way::{Hop, hops, known, no_link, show};
use crate::audit::{Check, Needs, Observation, Scene, Verdict, Verdicts, each};
use fathom_device::Goal::{Bandwidth, Repeatability};
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "pcie.oversub",
    title: "PCIe links that several devices share",
    reads: "/sys/bus/pci/devices/BDF/current_link_{speed,width} of ports and of all that is below them",
    why: "A PCIe switch hangs many drives on one link. That is fine while they take turns; all at full rate share \
          what the link carries, so that twelve lanes of drives behind eight lanes of uplink give two thirds. \
          Network and graphics cards behind the same port take their part too. In an array the slowest member \
          sets the pace, and the share differs from second to second.",
    judged: "Warns for bandwidth and repeatability if the drives under test together can ask for more than the \
             shared link carries; bad for both if members of one array are among them. If only all devices \
             together can: a remark. Links that nobody shares are ok.",
    remedy: "Test fewer drives at once, or drives behind different ports: fathom topology shows who shares what. \
             Move drives or cards to other slots. The uplink itself may have lost lanes (pcie.width).",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-72", "V-74", "M-7"],
    counters: &[],
    look,
};

/// More than capacity by less than this is rounding.
const RATIO_MIN: f64 = 1.001;

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    let pci = match scene.pci() {
        Err(unknown) => return vec![Observation::unknown("host", unknown)],
        Ok(pci) => pci,
    };
    each(hops(scene, pci), || no_link(scene), Hop::subject, |hop| one(scene, hop))
}

fn one(scene: &Scene<'_>, hop: &Hop<'_>) -> Result<Observation, Unknown> {
    let current = &hop.link.current;
    let (generation, lanes) = (known(&current.speed)?, known(&current.lanes)?);
    let seen = show(show(Observation::on(hop.subject()), &current.speed), &current.lanes);
    let load = hop.function.load.unwrap_or_default();
    let capacity = load.capacity_mbps.unwrap_or_default();
    let carries = format!("{generation} x{lanes} carries {capacity:.0} MB/s");
    if load.all.devices < 2 || capacity <= 0.0 {
        return Ok(seen.ok(format!("{carries}, shared with nobody")));
    }
    let ratio = load.selected.now_mbps / capacity;
    let wanted =
        format!("{carries}; {} can ask for {:.0}, {ratio:.2} times", hop.names(), load.selected.now_mbps);
    if ratio > RATIO_MIN {
        let goals = [Bandwidth, Repeatability];
        return Ok(match array(scene, hop) {
            Some(array) => {
                let says = format!("{wanted}, and they are members of {array}");
                seen.judge(Verdicts::on(&goals, Verdict::Bad), says)
            }
            None => seen.judge(Verdicts::on(&goals, Verdict::Warn), wanted),
        });
    }
    let all = load.all.now_mbps / capacity;
    Ok(match all > RATIO_MIN {
        true => seen.info(format!("{wanted}; all {} devices below it {all:.2} times", load.all.devices)),
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
