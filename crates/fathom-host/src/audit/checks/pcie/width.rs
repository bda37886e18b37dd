//! `pcie.width`: does each link use all the lanes that both ends have?

use super::way::{Hop, each_hop, known, show};
use crate::audit::{Check, Needs, Observation, Observe, Observed};
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "pcie.width",
    title: "Lanes of the PCIe links",
    reads: "/sys/bus/pci/devices/BDF/{current,max}_link_width, of both ends",
    why: "A PCIe link is a bundle of lanes; the two ends agree on how many when they start. With a dirty contact, a \
          bad riser or a card that is not fully seated, lanes are lost, and the link continues with fewer, without an \
          error: one lane of four is a quarter of the bandwidth. A slot may also be wired with fewer lanes than its \
          size suggests.",
    judged: "Fewer lanes than both ends have is bad for bandwidth. A drive with more lanes than the port above it \
             warns: the slot is the limit. A port with more lanes than the drive is not a fault. Ports of virtual \
             machines often show links that are not real.",
    remedy: "Switch off, reseat the drive and its riser, look at the contacts, try another slot. If another drive \
             loses lanes in the same slot, the fault is in the riser or the board; if the drive loses lanes in another \
             slot too, it is in the drive. Check in the BIOS whether the slot is split (bifurcation). If the slot \
             limits the drive, move it to a slot with more lanes.",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-78", "V-79", "H-16", "M-11"],
    observe: Observe::Once(|scene| each_hop(scene, one)),
};

fn one(hop: &Hop<'_>) -> Observed {
    let link = hop.link;
    let (now, own, port) =
        (known(&link.current.lanes)?, known(&link.max.lanes)?, known(&link.partner_max.lanes)?);
    let facts = [&link.current.lanes, &link.max.lanes, &link.partner_max.lanes];
    let seen = facts.into_iter().fold(Observation::on(hop.subject()), show);
    Ok(judged(seen, now, own, port))
}

/// Judges a link: the lanes in use, and those that the device and the port
/// above it have.
pub(crate) fn judged(seen: Observation, now: u32, own: u32, port: u32) -> Observation {
    let could = own.min(port);
    if now < could {
        seen.bad_for(
            &[Bandwidth],
            format!("the link runs with {now} of the {could} lanes that both ends have"),
        )
    } else if own > port {
        seen.warn_for(
            &[Bandwidth],
            format!("limited by the slot: the device has {own} lanes, the port above only {port}"),
        )
    } else {
        seen.ok(format!("x{now}, all the lanes that both ends have"))
    }
}
