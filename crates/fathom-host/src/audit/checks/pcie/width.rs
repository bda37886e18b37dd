//! `pcie.width`: does each link use all the lanes that both ends have?

use super::way::{Hop, each_hop, known, show};
use crate::audit::{Check, Needs, Observation, Scene, Verdict, Verdicts};
use fathom_device::Goal::Bandwidth;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "pcie.width",
    title: "Lanes of the PCIe links",
    reads: "/sys/bus/pci/devices/BDF/{current,max}_link_width, of both ends",
    why: "A PCIe link is a bundle of lanes; the two ends agree on how many when they start. A dirty contact, a bad \
          riser or a half-seated card loses lanes, and the link runs on with fewer, without an error: one lane of \
          four is a quarter of the bandwidth. Apart from faults, a slot may be wired with fewer lanes than its \
          size and the card's suggest.",
    judged: "Fewer lanes than both ends have is bad for bandwidth. A drive with more lanes than the port above it \
             warns: the slot is the limit. A port with more lanes than the drive is no fault. Ports of virtual \
             machines often show made-up links.",
    remedy: "Switch off, reseat the drive and its riser, look at the contacts, try another slot. If the loss stays \
             with the slot: riser or board; if it moves along: the drive. Look in the BIOS whether the slot is \
             split (bifurcation). A slot-limited drive belongs in a slot with more lanes.",
    needs: Needs::Hardware,
    kernels: "4.13 and later",
    sources: &["V-78", "V-79", "H-16", "M-11"],
    counters: &[],
    look,
};

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    each_hop(scene, one)
}

fn one(hop: &Hop<'_>) -> Result<Observation, Unknown> {
    let link = hop.link;
    let (now, own, port) =
        (known(&link.current.lanes)?, known(&link.max.lanes)?, known(&link.partner_max.lanes)?);
    let facts = [&link.current.lanes, &link.max.lanes, &link.partner_max.lanes];
    let seen = facts.into_iter().fold(Observation::on(hop.subject()), show);
    let could = own.min(port);
    Ok(if now < could {
        seen.judge(
            Verdicts::on(&[Bandwidth], Verdict::Bad),
            format!("the link runs with {now} of the {could} lanes that both ends have"),
        )
    } else if own > port {
        seen.judge(
            Verdicts::on(&[Bandwidth], Verdict::Warn),
            format!("slot-limited: it has {own} lanes, the port above only {port}"),
        )
    } else {
        seen.ok(format!("x{now}, all the lanes that both ends have"))
    })
}
