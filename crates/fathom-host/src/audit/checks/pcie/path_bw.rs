//! `pcie.path_bw`: does the whole path carry as much as the drive's link could?

use super::way::{each_end, known, show};
use crate::audit::{Check, Disk, Grade, Grades, Needs, Observation, Observe, Observed, Pci};
use crate::calc::packet::{LinkDirection, PAYLOAD_DEFAULT_BYTES};
use crate::calc::pcie::LinkRate;
use crate::topology::function::Function;
use crate::topology::link::{Link, LinkEnd};
use fathom_device::Goal::Bandwidth;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "pcie.path_bw",
    title: "Bandwidth of the path to the drive",
    reads: "/sys/bus/pci/devices/BDF/{current,max}_link_{speed,width} of every hop up to the CPU",
    why: "A drive's data passes its own link and then those of the switches above it. The slowest of them limits what \
          can arrive: lanes × rate × coding ÷ 8, less a few per cent for packet headers. Gen3 x4 carries 3,938 MB/s, \
          of which about 3,500 are data. A figure near that is the limit of the slot, not of the drive; a higher \
          figure did not come over this link.",
    judged: "Warns for bandwidth if the slowest hop carries less than the drive's link can at its best, and is bad if \
             it carries half of that or less. Switches that several drives share are judged by pcie.oversub.",
    remedy: "First repair a link that runs below its best (pcie.width, pcie.speed). Then move the drive to a slot with \
             a path that is fast enough; fathom topology shows all of them.",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-74", "V-79", "V-80", "M-11"],
    observe: Observe::Once(|scene| each_end(scene, one)),
};

fn one(disk: &Disk, end: &Function, pci: &Pci) -> Observed {
    let seen = Observation::on(&disk.name);
    let Some(own) = &end.link else {
        return Ok(seen.not_applicable("no PCIe link leads to its controller"));
    };
    let best = rate(&own.max)?;
    let mut least: Option<(LinkRate, &Function, &Link)> = None;
    for function in pci.bus.up_from(end.address) {
        let Some(link) = &function.link else { continue };
        let now = rate(&link.current)?;
        if least.is_none_or(|(other, ..)| now.raw_mbps() < other.raw_mbps()) {
            least = Some((now, function, link));
        }
    }
    // The drive's own link is on the path, so there is always a slowest link.
    let (now, at, link) = least.unwrap_or((rate(&own.current)?, end, own));
    let facts = [&link.current.speed, &own.max.speed];
    let seen = facts.into_iter().fold(seen, show);
    let seen = [&link.current.lanes, &own.max.lanes].into_iter().fold(seen, show);
    let place = if at.address == end.address {
        OWN_LINK.to_owned()
    } else {
        format!("the link above {}", at.address)
    };
    Ok(judged(seen, &place, now, best, end.payload_bytes.value))
}

/// The narrowest link where that is the drive's own.
pub(crate) const OWN_LINK: &str = "its own link";

/// Judges a way: what its narrowest link carries `now`, which link that is
/// (`place`), and the `best` that the drive's link could do. `payload_bytes` is
/// what the drive is set to, if that is known.
pub(crate) fn judged(
    seen: Observation,
    place: &str,
    now: LinkRate,
    best: LinkRate,
    payload_bytes: Option<u32>,
) -> Observation {
    let payload = payload_bytes.unwrap_or(PAYLOAD_DEFAULT_BYTES);
    let data = now.ceiling_mbps(payload, LinkDirection::DeviceToHost);
    let carries = format!("{now}, {:.0} MB/s, about {data:.0} of them data", now.raw_mbps());
    let share = now.raw_mbps() / best.raw_mbps();
    let verdict = match share {
        share if share <= 0.501 => Grade::Bad,
        share if share < 0.999 => Grade::Warn,
        _ => return seen.ok(format!("the path carries {carries}")),
    };
    seen.judge(
        Grades::on(&[Bandwidth], verdict),
        format!("{place} carries {carries}; the drive could use {best}, {:.0} MB/s", best.raw_mbps()),
    )
}

fn rate(end: &LinkEnd) -> Result<LinkRate, Unknown> {
    Ok(LinkRate { generation: known(&end.speed)?, lanes: known(&end.lanes)? })
}
