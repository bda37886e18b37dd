//! The interrupts of a function, and whether they may be moved.

use schemars::JsonSchema;
use serde::Serialize;

use super::address::Address;
use super::fact::Reading;
use fathom_device::cpus::CpuSet;
use fathom_device::root::Root;

/// Bits of a file's permissions that let anybody write it.
const WRITABLE: u32 = 0o222;

/// One interrupt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Interrupt {
    /// The number of the interrupt.
    pub number: u32,
    /// Whether the kernel keeps it on the CPUs of its queue. Then its affinity
    /// file cannot be written, so a user or irqbalance cannot move it.
    pub managed: Reading<bool>,
    /// CPUs that handle it.
    pub cpus: Reading<CpuSet>,
}

/// All message interrupts of a function, in their order.
pub fn interrupts(root: &Root, address: Address) -> Vec<Interrupt> {
    let numbers = root.numbers(format!("{}/msi_irqs", address.sys_dir()), "");
    numbers.into_iter().map(|number| interrupt(root, number)).collect()
}

fn interrupt(root: &Root, number: u32) -> Interrupt {
    let dir = format!("/proc/irq/{number}");
    let path = format!("{dir}/smp_affinity");
    let managed = match root.mode(&path) {
        Ok(mode) => Reading::known(mode & WRITABLE == 0, path, format!("mode {mode:04o}")),
        Err(unknown) => Reading::unknown(unknown),
    };
    let list = |file: &str| Reading::read(root, format!("{dir}/{file}"), |text| CpuSet::from_list(text).ok());
    // The effective CPUs, where the kernel reports them (4.15), or else the requested ones.
    let places = ["effective_affinity_list", "smp_affinity_list"].map(list);
    let cpus = places.into_iter().reduce(|first, second| match first.value {
        Some(_) => first,
        None => second,
    });
    Interrupt { number, managed, cpus: cpus.expect("there are two places") }
}
