//! `irq.managed`: who decides which CPU a drive interrupts?

use crate::audit::{Check, Disk, Needs, Observation, Observe, Observed, Scene};
use fathom_text::words::counted;

use super::table::{self, Interrupt};

pub(super) const CHECK: Check = Check {
    id: "irq.managed",
    title: "Interrupts that the kernel places itself",
    reads: "/sys/bus/pci/devices/F/msi_irqs/*, then the mode of /proc/irq/N/smp_affinity; names from /proc/interrupts",
    why: "An NVMe drive has a queue and an interrupt for each CPU (or group of CPUs), and since 4.8 the kernel ties \
          them together: a completion comes back to the CPU that submitted the I/O. Such an interrupt is managed, and \
          writing its smp_affinity fails. Guides and tools that pin interrupts by hand are older than that. Interrupts \
          of network cards, of most SAS and Fibre Channel adapters (HBAs) and of virtio are still free.",
    judged: "Managed is ok: there is nothing to do. Free ones are a remark; irq.unmanaged_place judges where they are. \
             Since 6.12 the file's mode shows it (0444 managed, 0644 free); before that, all NVMe queues except queue \
             0 count as managed. Queue 0 of a drive carries no I/O and is always free.",
    remedy: "To choose which interrupts do the work, choose the CPUs that the job runs on (cpus_allowed=): the \
             queues follow. Do not write smp_affinity of managed ones: EPERM since 6.12, EIO before.",
    needs: Needs::Job,
    kernels: "4.8 and later; shown by the file's mode since 6.12",
    sources: &["V-13", "V-14", "M-16", "M-17", "M-21", "commits 9c2555835bb3, c7718e5c76d4, eb29369fa543"],
    observe: Observe::Once(|scene| scene.each_disk(|disk| one(scene, disk))),
};

fn one(scene: &Scene<'_>, disk: &Disk) -> Observed {
    let interrupts = table::of_disk(scene, disk)?;
    let speaks = table::mode_speaks(scene);
    let is_managed = |one: &&Interrupt| one.is_read_only || (!speaks && one.is_nvme_queue());
    let managed = interrupts.iter().filter(is_managed).count();
    let admin = interrupts.iter().filter(|one| one.is_admin()).count();
    let free = interrupts.len() - managed - admin;
    let seen = interrupts.iter().take(4).fold(Observation::on(&disk.name), |seen, one| {
        let mode = if one.is_read_only { "0444" } else { "0644" };
        seen.with(&one.file, format!("mode {mode}, on CPUs {}", one.cpus))
    });
    let how = if speaks { "" } else { ", as always for NVMe since 4.8 (this kernel's files do not show it)" };
    Ok(match (managed, free) {
        (0, 0) => seen.info("its only interrupt is that of the admin queue"),
        (_, 0) => {
            let all = if managed == 1 { "the interrupt" } else { "all interrupts" };
            seen.ok(format!("the kernel places {all} of its {}{how}", counted(managed, "queue")))
        }
        (0, _) => seen.info(format!("{} may be placed by hand or by irqbalance", counted(free, "interrupt"))),
        _ => {
            let managed = counted(managed, "interrupt");
            seen.info(format!("the kernel places {managed}, {free} may be placed by hand{how}"))
        }
    })
}
