//! `cpu.powercap`: may the processor use its full power?

use std::path::Path;

use crate::audit::{Check, Needs, Observation, Observe, Observed, Scene, each, leaf};
use fathom_device::Goal::{Bandwidth, Iops, Repeatability};
use fathom_device::root::Unknown;

const LIMITS: &str = "/sys/class/powercap/*/constraint_#_power_limit_uw";

pub(super) const CHECK: Check = Check {
    id: "cpu.powercap",
    title: "Power limits of the processor (RAPL)",
    reads: "/sys/class/powercap/*/{name,enabled,constraint_*_power_limit_uw,constraint_*_max_power_uw}",
    why: "A processor lowers its clock when the average power of a package would go over a limit (running average \
          power limit, RAPL). Firmware, a management controller (BMC) with a power budget for the rack, or a daemon \
          may set the limit below what the model is made for. When all cores are busy with small I/O, they then run \
          below their nominal clock, although no governor shows it.",
    judged: "A limit in force below the zone's highest power warns for IOPS, bandwidth and repeatability; one core at \
             low depth seldom reaches it, so for latency it is a remark. At the highest power it is ok. A zone that \
             does not report its highest power is a remark.",
    remedy: "Look for the power profile and the power budget in BIOS and BMC, and for a daemon that writes the limit \
             (thermald, a rack manager). fathom does not raise it: the limit may protect a power supply or the cooling \
             of a room.",
    needs: Needs::Firmware,
    kernels: "3.13 and later (Intel); AMD since 5.11, without limits",
    sources: &["I-6", "Documentation/power/powercap/powercap.rst"],
    observe: Observe::Once(|scene| {
        let first = "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw";
        let missing = || Observation::unknown("host", Unknown::missing(first));
        each(scene.glob(LIMITS), missing, |limit| subject(scene, limit), |limit| one(scene, limit))
    }),
};

/// `package-0 long_term`.
fn subject(scene: &Scene<'_>, limit: &Path) -> String {
    let zone = limit.parent().unwrap_or(limit);
    let name = scene.read(zone.join("name")).map_or_else(|_| leaf(zone), |name| name.text);
    let constraint = beside(limit, "name");
    let constraint = scene.read(zone.join(&constraint)).map(|name| name.text);
    format!("{name} {}", constraint.unwrap_or_else(|_| leaf(limit).replace("_power_limit_uw", "")))
}

/// The name of another file of the same constraint.
fn beside(limit: &Path, word: &str) -> String {
    leaf(limit).replace("power_limit_uw", word)
}

fn one(scene: &Scene<'_>, limit: &Path) -> Observed {
    let zone = limit.parent().unwrap_or(limit);
    let (limit_uw, raw) = scene.value::<u64>(limit)?;
    let seen = Observation::on(subject(scene, limit)).show(&raw);
    if scene.value::<u8>(zone.join("enabled")).is_ok_and(|(enabled, _)| enabled == 0) {
        return Ok(seen.ok(format!("the limit of {} is not in force", watts(limit_uw))));
    }
    // AMD's zones count energy and have no limit to set.
    if limit_uw == 0 {
        return Ok(seen.info("no limit is set"));
    }
    let most = scene.value::<u64>(zone.join(beside(limit, "max_power_uw")));
    let Some((most_uw, raw)) = most.ok().filter(|(most_uw, _)| *most_uw > 0) else {
        return Ok(
            seen.info(format!("limited to {}; the zone does not report its highest power", watts(limit_uw)))
        );
    };
    let seen = seen.show(&raw);
    let says = format!("limited to {} of {}", watts(limit_uw), watts(most_uw));
    Ok(match limit_uw < most_uw {
        true => seen.warn_for(&[Iops, Bandwidth, Repeatability], says),
        false => seen.ok(says),
    })
}

fn watts(uw: u64) -> String {
    format!("{} W", uw / 1_000_000)
}
