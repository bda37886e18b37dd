//! The catalogue: every knob, in the order in which they are applied.
//!
//! What a knob says is in `knobs.toml`, what it does in the file of its family. These files say what
//! there is to change. `apply` changes it, `revert` puts it back.

mod cpu;
mod daemons;
mod irq;
mod md;
mod memory;
mod nvme;
mod pcie;
mod queue;

use std::sync::LazyLock;

use super::knob::{Action, Knob};

const FAMILIES: [&[Action]; 8] = [
    cpu::KNOBS,
    daemons::KNOBS,
    irq::KNOBS,
    md::KNOBS,
    memory::KNOBS,
    nvme::KNOBS,
    pcie::KNOBS,
    queue::KNOBS,
];

#[derive(serde::Deserialize)]
struct Catalogue {
    knob: Vec<Knob>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    toml::from_str(include_str!("knobs.toml")).unwrap_or_else(|error| panic!("knobs.toml: {error}"))
});

/// All knobs, in the order of applying.
pub fn catalogue() -> impl Iterator<Item = &'static Knob> {
    CATALOGUE.knob.iter()
}

/// What the knob with this name does. The tests see that each knob of the catalogue does something.
pub(super) fn action(id: &str) -> &'static Action {
    let action = FAMILIES.into_iter().flatten().find(|action| action.0 == id);
    action.unwrap_or_else(|| panic!("{id} is in no family"))
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
        let ids: Vec<&String> = catalogue().map(|knob| &knob.id).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        for knob in catalogue() {
            assert_eq!(action(&knob.id).0, knob.id);
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
