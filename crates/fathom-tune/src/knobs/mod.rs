//! The catalogue: every knob, in the order in which they are applied.
//!
//! Restoring goes backwards. So programs that would change the same settings are stopped first and
//! started last. EPP comes before the governor: intel_pstate refuses EPP values while the governor
//! is `performance` (EBUSY), and in this order the governor is put back before EPP. Upper limits
//! come before lower ones.
//!
//! These files say what there is to change. `apply` changes it, `revert` puts it back.

mod cpu;
mod daemons;
mod irq;
mod md;
mod memory;
mod nvme;
mod pcie;
mod queue;

pub(super) use daemons::units_of;

use super::knob::Knob;

const FAMILIES: [&[Knob]; 14] = [
    daemons::KNOBS,
    memory::PLATFORM_KNOBS,
    cpu::FREQUENCY_KNOBS,
    cpu::KNOBS,
    memory::KNOBS,
    irq::KNOBS,
    pcie::KNOBS,
    nvme::KNOBS,
    queue::SCSI_KNOBS,
    queue::SCHEDULER_KNOBS,
    queue::KNOBS,
    md::KNOBS,
    md::FILE_SYSTEM_KNOBS,
    pcie::SLOT_KNOBS,
];

/// All knobs, in the order of applying.
pub fn catalogue() -> impl Iterator<Item = &'static Knob> {
    FAMILIES.into_iter().flatten()
}

/// The knob with this name.
pub fn knob(id: &str) -> Option<&'static Knob> {
    catalogue().find(|knob| knob.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_everything_is_said() {
        let ids: Vec<&str> = catalogue().map(|knob| knob.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for knob in catalogue() {
            assert!(knob.title.len() > 5 && knob.why.len() > 20 && knob.docs.len() > 5, "{}", knob.id);
        }
    }

    /// The checks name these; a renamed knob would leave them without remedy.
    #[test]
    fn every_check_with_a_setting_has_its_knob() {
        let named = "cpu.governor cpu.epp cpu.freq_cap cpu.turbo cpu.cstates cpu.platform_profile numa.balancing \
             irq.unmanaged_place irq.daemon irq.coalescing pcie.aspm pcie.runtime_pm nvme.apst nvme.ps nvme.cache \
             nvme.multipath scsi.qdepth blk.scheduler blk.nr_requests blk.max_sectors blk.rq_affinity blk.nomerges \
             blk.add_random blk.iostats blk.wbt blk.rotational blk.read_ahead md.sync_speed md.threads \
             md.stripe_cache fs.atime fs.discard vm.dirty vm.swappiness vm.thp sys.aio sys.clocksource sys.daemons \
             noise.timers";
        for id in named.split_whitespace() {
            assert!(knob(id).is_some(), "{id}");
        }
    }
}
