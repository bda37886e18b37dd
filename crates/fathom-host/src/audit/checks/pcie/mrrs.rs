//! `pcie.mrrs`: how much may the drive ask for at once when it is written to?

use super::way::{each_end, known, show};
use crate::audit::{Check, Disk, Needs, Observation, Scene, Verdict, Verdicts};
use crate::topology::function::Function;
use fathom_device::Goal::Bandwidth;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "pcie.mrrs",
    title: "Size of a PCIe read request (MRRS)",
    reads: "/sys/bus/pci/devices/BDF/config: Device Control 14:12",
    why: "A drive that is written to fetches the data from memory, by read requests of a limited size. At 128 bytes \
          a write of 128 KiB takes 1,024 requests; a drive can only have so many under way, and each crosses the \
          link and back. The usual setting is 512 bytes. Reads of the drive are not concerned: there the drive \
          sends by itself.",
    judged: "128 bytes warns for bandwidth if the job writes (or no job says that it does not); more is ok. Only \
             root may read the register.",
    remedy: "Mostly a side effect of pci=pcie_bus_perf or pcie_bus_peer2peer, which make requests no larger than the \
             payload: take it from the boot line. By hand setpci can raise it (CAP_EXP+8.w, bits 14:12); fathom \
             does not write to that space.",
    needs: Needs::Reboot,
    kernels: "all",
    sources: &["I-10", "PCI Express Base Specification 5.0, 7.5.3.4"],
    counters: &[],
    look,
};

/// The smallest request there is: the only setting that certainly costs.
const SMALL_BYTES: u32 = 128;

fn look(scene: &Scene<'_>) -> Vec<Observation> {
    each_end(scene, |disk, end, _| one(scene, disk, end))
}

fn one(scene: &Scene<'_>, disk: &Disk, end: &Function) -> Result<Observation, Unknown> {
    let seen = Observation::on(&disk.name);
    if end.link.is_none() {
        return Ok(seen.not_applicable("no PCIe link leads to its controller"));
    }
    let bytes = known(&end.read_request_bytes)?;
    let seen = show(seen, &end.read_request_bytes);
    Ok(match (bytes, scene.job.writes) {
        (..=SMALL_BYTES, Some(false)) => {
            seen.info(format!("requests of {bytes} bytes; the job does not write"))
        }
        (..=SMALL_BYTES, _) => seen.judge(
            Verdicts::on(&[Bandwidth], Verdict::Warn),
            format!("the drive fetches what is written in requests of {bytes} bytes"),
        ),
        _ => seen.ok(format!("requests of {bytes} bytes")),
    })
}
