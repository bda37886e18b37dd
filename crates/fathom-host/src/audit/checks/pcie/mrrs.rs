//! `pcie.mrrs`: how large are the drive's read requests to memory?

use super::way::{each_end, known, show};
use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use crate::topology::function::Function;
use fathom_device::Goal::Bandwidth;

pub(super) const CHECK: Check = Check {
    id: "pcie.mrrs",
    title: "Size of a PCIe read request (MRRS)",
    reads: "/sys/bus/pci/devices/BDF/config: Device Control 14:12",
    why: "For a write, the drive fetches the data from memory with read requests of a limited size. At 128 bytes a \
          write of 128 KiB takes 1,024 requests; the number of requests under way is limited, and each needs a round \
          trip over the link. The usual setting is 512 bytes. Reads of the drive are not affected, because the drive \
          then sends the data itself.",
    judged: "128 bytes warns for bandwidth if the job writes (or no job says that it does not); more is ok. Only \
             root may read the register.",
    remedy: "The small size is mostly a side effect of pci=pcie_bus_perf or pcie_bus_peer2peer, which limit requests \
             to the size of the payload: remove the parameter from the kernel command line. By hand, setpci can raise \
             it (CAP_EXP+8.w, bits 14:12); fathom does not write to the configuration space.",
    needs: Needs::Reboot,
    kernels: "all",
    sources: &["I-10", "PCI Express Base Specification 5.0, 7.5.3.4"],
    observe: Observe::Once(|scene| each_end(scene, |disk, end, _| one(scene, disk, end))),
};

/// The smallest possible request: only this setting certainly costs bandwidth.
const SMALL_BYTES: u32 = 128;

fn one(scene: &Scene<'_>, disk: &Disk, end: &Function) -> Observed {
    let seen = Observation::on(&disk.name);
    if end.link.is_none() {
        return Ok(seen.not_applicable("no PCIe link leads to its controller"));
    }
    let bytes = known(&end.read_request_bytes)?;
    let seen = show(seen, &end.read_request_bytes);
    Ok(judged(seen, bytes, scene.job.writes))
}

/// Judges a drive that asks for `bytes` at once; `writes` tells whether the job
/// writes, if there is one.
pub(crate) fn judged(seen: Observation, bytes: u32, writes: Option<bool>) -> Observation {
    match (bytes, writes) {
        (..=SMALL_BYTES, Some(false)) => {
            seen.info(format!("requests of {bytes} bytes; the job does not write"))
        }
        (..=SMALL_BYTES, _) => seen.warn_for(
            &[Bandwidth],
            format!("the drive fetches the data of writes in requests of {bytes} bytes"),
        ),
        _ => seen.ok(format!("requests of {bytes} bytes")),
    }
}
