//! Programs that change or disturb what is measured: stopped, started again,
//! never disabled.

use super::Knob;
use crate::codec::Codec;
use crate::key::OwnerKey;
use crate::knob::{Requirement, Risk};
use crate::owners::is_active;
use crate::place::RelativePlace;
use crate::setting::Setting;
use fathom_device::Goal::{Latency, Repeatability};
use fathom_device::root::Root;

/// They set what we set. thermald is left out: it protects the hardware.
const TUNERS: [&str; 8] = [
    "tuned-ppd.service",
    "tuned.service",
    "power-profiles-daemon.service",
    "tlp.service",
    "auto-cpufreq.service",
    "saptune.service",
    "numad.service",
    "ksmtuned.service",
];

/// They start work on disks on their own: trims, scrubs, self-tests, indexes.
const TIMERS: [&str; 12] = [
    "fstrim.timer",
    "mdcheck_start.timer",
    "mdcheck_continue.timer",
    "raid-check.timer",
    "e2scrub_all.timer",
    "xfs_scrub_all.timer",
    "btrfs-scrub.timer",
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dnf-makecache.timer",
    "man-db.timer",
    "plocate-updatedb.timer",
];

pub(super) const KNOBS: &[Knob] = &[
    Knob {
        id: "sys.daemons",
        title: "pause daemons that set the same knobs",
        why: "tuned, power-profiles-daemon, tlp and the like write back what they think right, in the middle of a run",
        risk: Risk::Others,
        needs: Requirement::Systemd,
        docs: "systemctl(1) stop, start; host checks sys.daemons",
        find: |scope| units(scope.root, units_of("sys.daemons")),
        want: |_| Some("inactive".to_owned()),
    },
    Knob {
        id: "noise.timers",
        title: "pause timers that start disk work",
        why: "a trim, scrub or index that starts within the run shows as a stall of the device",
        risk: Risk::Speed,
        needs: Requirement::Systemd,
        docs: "systemd.timer(5); fstrim(8)",
        find: |scope| units(scope.root, units_of("noise.timers")),
        want: |_| Some("inactive".to_owned()),
    },
    Knob {
        id: "irq.daemon",
        title: "pause irqbalance",
        why: "it moves interrupts while we measure; stopped for the run and started again, never disabled",
        risk: Risk::Speed,
        needs: Requirement::Systemd,
        docs: "irqbalance(1)",
        find: |scope| units(scope.root, units_of("irq.daemon")),
        want: |look| look.is_for(&[Latency, Repeatability]).then(|| "inactive".to_owned()),
    },
];

pub(crate) fn units_of(id: &str) -> &'static [&'static str] {
    match id {
        "sys.daemons" => &TUNERS,
        "noise.timers" => &TIMERS,
        "irq.daemon" => &["irqbalance.service"],
        _ => &[],
    }
}

/// The units that are active. A unit that is not running is not stopped, and so is not started
/// afterwards.
fn units(root: &Root, names: &[&str]) -> Vec<Setting> {
    let setting = |unit: &str| {
        Setting::at(OwnerKey::Unit { unit: unit.to_owned() }, RelativePlace::Unit, Codec::Active)
    };
    names.iter().copied().filter(|unit| is_active(root, unit)).map(setting).collect()
}
