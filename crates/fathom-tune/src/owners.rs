//! Other programs that set the same knobs: these are left to them, unless the user says otherwise.

use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::setting::Setting;
use fathom_device::ask::Question;
use fathom_device::mounts::pids;
use fathom_device::root::Root;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub name: &'static str,
    units: &'static [&'static str],
    /// Its processes, as the kernel shortens their names (15 bytes).
    processes: &'static [&'static str],
    /// Knobs that it may set: names, or beginnings of names ending in a dot.
    owns: &'static [&'static str],
}

const OWNERS: [Owner; 6] = [
    Owner {
        name: "tuned",
        units: &["tuned.service", "tuned-ppd.service"],
        processes: &["tuned", "tuned-ppd"],
        owns: &[
            "cpu.",
            "vm.",
            "numa.balancing",
            "blk.scheduler",
            "blk.read_ahead",
            "scsi.alpm",
            "irq.unmanaged_place",
            "sys.clocksource",
        ],
    },
    Owner {
        name: "power-profiles-daemon",
        units: &["power-profiles-daemon.service"],
        processes: &["power-profiles-"],
        owns: &["cpu.epp", "cpu.governor", "cpu.turbo", "cpu.platform_profile"],
    },
    Owner {
        name: "tlp",
        units: &["tlp.service"],
        processes: &[],
        owns: &["cpu.", "pcie.", "blk.scheduler", "scsi.alpm"],
    },
    Owner {
        name: "auto-cpufreq",
        units: &["auto-cpufreq.service"],
        processes: &["auto-cpufreq"],
        owns: &["cpu."],
    },
    Owner {
        name: "saptune",
        units: &["saptune.service"],
        processes: &[],
        owns: &["cpu.", "vm.", "numa.balancing", "blk.", "sys.aio"],
    },
    Owner {
        name: "irqbalance",
        units: &["irqbalance.service"],
        processes: &["irqbalance"],
        owns: &["irq.unmanaged_place"],
    },
];

impl Owner {
    pub fn has(&self, knob: &str) -> bool {
        self.owns.iter().any(|own| knob == *own || (own.ends_with('.') && knob.starts_with(own)))
    }

    fn is_active(&self, root: &Root, running: &[String]) -> bool {
        running.iter().any(|name| self.processes.contains(&name.as_str()))
            || self.units.iter().any(|unit| is_active(root, unit))
    }
}

pub(super) fn is_active(root: &Root, unit: &str) -> bool {
    let answer = root.ask_text(&Question::Unit { unit: unit.to_owned() });
    answer.is_ok_and(|text| Codec::Active.typed(&text).as_deref() == Some("active"))
}

/// The program that sets a knob, unless one of the planned settings stops it.
pub(super) fn owner_of<'a, 's>(
    owners: &'a [Owner],
    knob: &str,
    planned: impl Iterator<Item = &'s Setting> + Clone,
) -> Option<&'a Owner> {
    let is_stopped = |unit: &&str| {
        planned
            .clone()
            .any(|setting| matches!(&setting.key, OwnerKey::Unit { unit: stopped } if stopped == unit))
    };
    let stops = |owner: &Owner| owner.units.iter().any(is_stopped);
    owners.iter().find(|owner| owner.has(knob) && !stops(owner))
}

pub fn active(root: &Root) -> Vec<Owner> {
    let pids = pids(root).unwrap_or_default();
    let names = pids.iter().filter_map(|pid| root.read_text(format!("/proc/{pid}/comm")).ok());
    let running: Vec<String> = names.collect();
    OWNERS.into_iter().filter(|owner| owner.is_active(root, &running)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::catalogue;

    #[test]
    fn owners_own_knobs_that_exist() {
        for owner in OWNERS {
            for own in owner.owns {
                let exists = catalogue().any(|knob| knob.id == *own || knob.id.starts_with(own));
                assert!(exists, "{}: {own}", owner.name);
            }
        }
        assert!(OWNERS[0].has("cpu.epp") && !OWNERS[0].has("nvme.apst"));
        assert!(!OWNERS[1].has("cpu.cstates"));
    }
}
