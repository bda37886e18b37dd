//! Interrupts that the kernel does not place itself.
//!
//! Queues of NVMe and other multi-queue drivers have *managed* interrupts:
//! the kernel spreads them, and a write fails (EIO, or EPERM where the file is
//! 0444). Those are left alone.

use super::nvme::features;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Action, KnobInput, value};
use crate::scope::Scope;
use crate::setting::Setting;
use fathom_device::cpus::CpuSet;

/// Interrupt Coalescing (NVMe base specification 2.0, 5.27.1.6).
const COALESCING: u8 = 0x08;

pub(super) const KNOBS: &[Action] = &[
    (
        "irq.unmanaged_place",
        |scope| {
            let free = scope.interrupts().into_iter().filter(|key| is_free(scope, key));
            free.map(|key| Setting::file(key, "smp_affinity_list", Codec::CpuList)).collect()
        },
        local,
    ),
    ("irq.coalescing", |scope| features(scope, COALESCING), value),
];

/// Managed interrupts are recognised by the file's permissions on new kernels; on older ones by
/// what they are for: an NVMe queue other than the admin queue.
fn is_free(scope: &Scope<'_>, key: &OwnerKey) -> bool {
    let OwnerKey::Irq { irq, actions } = key else { return false };
    let is_writable = scope.root.mode(format!("/proc/irq/{irq}/smp_affinity")).is_ok_and(|m| m & 0o222 != 0);
    let is_io_queue = |name: &str| {
        let queue = name.strip_prefix("nvme").and_then(|rest| rest.split_once('q'));
        queue.is_some_and(|(_, number)| number != "0")
    };
    is_writable && !actions.is_empty() && !actions.split(',').any(is_io_queue)
}

/// The CPUs near the function that the interrupt belongs to, where it is
/// handled elsewhere now.
fn local(look: &KnobInput<'_>) -> Option<String> {
    let OwnerKey::Irq { irq, .. } = &look.setting.key else { return None };
    let has = |key: &OwnerKey| {
        let dir = key.dir(look.scope.root).ok()?;
        let owns = look.scope.root.exists(dir.join(format!("msi_irqs/{irq}")));
        owns.then(|| look.scope.root.read_text(dir.join("local_cpulist")).ok())?
    };
    let near = look.scope.functions().iter().find_map(has)?;
    let (near, now) = (CpuSet::from_list(&near).ok()?, CpuSet::from_list(&look.now.typed).ok()?);
    let is_elsewhere = !now.is_within(&near) && !near.is_empty();
    is_elsewhere.then(|| near.to_string())
}
