//! `nvme.ns_share`: does the drive have other namespaces, and does it accept
//! random writes?

use super::drive::{Drive, each_namespace};
use crate::audit::{Check, Disk, Grade, Needs, Observation, Observe, Observed, Scene, leaf};
use fathom_device::Goal::Repeatability;
use fathom_device::root::Unknown;

pub(super) const CHECK: Check = Check {
    id: "nvme.ns_share",
    title: "Other namespaces on the drive, and zones",
    reads: "/sys/class/nvme/N/nvme*n*, /sys/block/D/queue/zoned",
    why: "One NVMe drive can offer several namespaces, each a disk of its own to the system. They share its \
          controller, its flash, its cache and its garbage collection: I/O to one slows down the others, and no \
          counter of the tested disk shows it. A zoned namespace has another restriction: within a zone it takes \
          writes only in sequence.",
    judged: "More than one namespace on the drive: warn for repeatability. A host-managed zoned namespace is bad for \
             every goal if the job may write at random; otherwise a remark. One ordinary namespace: ok. I/O of another \
             host through a second port is not visible.",
    remedy: "Do not use the other namespaces during a run, or test a drive with one namespace (nvme list shows them). \
             Zoned namespaces need a job that writes zones in sequence.",
    needs: Needs::Job,
    kernels: "4.10 and later (queue/zoned)",
    sources: &["NVM Express Base Specification 2.0, NVM subsystem", "Documentation/ABI/stable/sysfs-block"],
    observe: Observe::Once(|scene| {
        let mut seen = each_namespace(scene, |disk, drive| sharing(scene, disk, drive));
        let zoned = each_namespace(scene, |disk, _| zones(scene, disk));
        seen.extend(zoned.into_iter().filter(|seen| seen.verdicts.worst() > Grade::Ok));
        seen
    }),
};

fn sharing(scene: &Scene<'_>, disk: &Disk, drive: &Drive) -> Observed {
    // Paths of a multipath namespace are named nvme0c1n1: they are the disk
    // itself. Their last number is the same as the disk's.
    let dir = drive.dir.display();
    let plain = scene.glob(&format!("{dir}/nvme#n#"));
    let paths = scene.glob(&format!("{dir}/nvme#c#n#"));
    let namespaces: Vec<String> = plain.iter().chain(&paths).map(|path| leaf(path)).collect();
    if namespaces.is_empty() {
        return Err(Unknown::missing(drive.dir.join(&disk.name)));
    }
    let zoned = scene.read(disk.queue("zoned"))?;
    if !["none", "host-aware", "host-managed"].contains(&zoned.text.as_str()) {
        return Err(zoned.garbled());
    }
    let seen = Observation::on(&disk.name).with(&drive.dir, namespaces.join(" ")).show(&zoned);
    let others: Vec<&String> = namespaces.iter().filter(|name| number(name) != number(&disk.name)).collect();
    Ok(match others.as_slice() {
        [] => seen.ok(format!("the only namespace of {}", drive.controller)),
        others => {
            let list: Vec<&str> = others.iter().map(|name| name.as_str()).collect();
            let says = format!("it shares the drive {} with {}", drive.controller, list.join(", "));
            seen.warn_for(&[Repeatability], says)
        }
    })
}

/// `1` of `nvme0n1` and of `nvme0c3n1`.
fn number(name: &str) -> Option<&str> {
    Some(name.rsplit_once('n')?.1)
}

fn zones(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let zoned = scene.read(disk.queue("zoned"))?;
    let seen = Observation::on(&disk.name).show(&zoned);
    let writes_at_random = scene.job.writes != Some(false) && scene.job.random != Some(false);
    Ok(match zoned.text.as_str() {
        "host-managed" if writes_at_random => seen.bad("zoned: random writes are refused"),
        "host-managed" => seen.info("zoned: within a zone it takes writes only in sequence"),
        "host-aware" => seen.info("zoned, but it accepts random writes"),
        _ => seen.ok("not zoned"),
    })
}
