//! `pcie.speed`: does each link run at the highest speed of both ends?

use super::way::{Hop, each_hop, known, show};
use crate::audit::{Check, Needs, Observation, Observe, Observed, Raw, Scene};
use crate::calc::pcie::Generation;
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "pcie.speed",
    title: "Speed of the PCIe links",
    reads: "/sys/bus/pci/devices/BDF/{current,max}_link_speed, of both ends; /sys/block/D/inflight",
    why: "Each generation of PCIe doubles what a lane carries, about 1 GB/s with Gen3, 2 with Gen4, 4 with Gen5. If \
          the highest rate that both ends support does not work, the link falls back to a slower rate, often because \
          of a riser or cable that was made for an older generation. Some links also slow down by themselves while \
          idle, which is not a fault.",
    judged: "A link that is slower than both ends support warns for bandwidth, and is bad if I/O is in flight, because \
             then the link is not idle. A drive that is faster than its port is a remark; pcie.path_bw shows what that \
             costs.",
    remedy: "Check again while the drive is busy (fathom topology during a run). If the link stays slow: reseat the \
             drive, replace the riser or cable by one that is rated for the generation, and look in the BIOS for a \
             speed limit of the slot (\"Gen3\" instead of \"Auto\").",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-78", "V-79", "V-80", "M-11"],
    observe: Observe::Once(|scene| each_hop(scene, |hop| one(scene, hop))),
};

fn one(scene: &Scene<'_>, hop: &Hop<'_>) -> Observed {
    let link = hop.link;
    let (now, own, port) =
        (known(&link.current.speed)?, known(&link.max.speed)?, known(&link.partner_max.speed)?);
    let facts = [&link.current.speed, &link.max.speed, &link.partner_max.speed];
    let seen = facts.into_iter().fold(Observation::on(hop.subject()), show);
    let in_flight = || hop.disks.iter().find_map(|disk| in_flight(scene, &disk.name));
    Ok(judged(seen, now, own, port, in_flight))
}

/// Judges a link: its speed, and those that the device and the port above it
/// have. `in_flight` tells what shows that the link was not idle.
pub(crate) fn judged(
    seen: Observation,
    now: Generation,
    own: Generation,
    port: Generation,
    in_flight: impl FnOnce() -> Option<Raw>,
) -> Observation {
    let could = own.min(port);
    if now >= could {
        return match own > port {
            true => seen.info(format!("{now}, the fastest of the port above; the device could do {own}")),
            false => seen.ok(format!("{now}, the fastest that both ends support")),
        };
    }
    let slow = format!("the link runs at {now}, both ends could do {could}");
    match in_flight() {
        Some(raw) => seen.show(&raw).bad_for(&[Bandwidth], format!("{slow}, and I/O was in flight")),
        None => seen
            .warn_for(&[Bandwidth], format!("{slow}; check again under load, because the link may be idle")),
    }
}

/// The file that counts reads and writes under way, if there are any.
fn in_flight(scene: &Scene<'_>, disk: &str) -> Option<Raw> {
    let raw = scene.read(format!("/sys/block/{disk}/inflight")).ok()?;
    let count: u64 = raw.text.split_whitespace().filter_map(|word| word.parse::<u64>().ok()).sum();
    (count > 0).then_some(raw)
}
