//! One I/O at a time: nothing but its own way there and back.

use super::Limit;
use super::device::noun;
use crate::case::Case;
use crate::cell::Cell;
use crate::quantity::{latency, percent};
use crate::quick::six::{Group, named};

pub(super) const RULE: super::Rule = check;

/// From this share of CPU time on, a faster device would change little.
const SOFTWARE_MIN: f64 = 0.5;

fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Limit> {
    named(cell.name()).filter(|one| one.group == Group::Latency)?;
    let mean = cell.latency_ns_mean()?;
    // CPU time between two I/Os is part of neither latency; the share may so
    // exceed what the latency holds, but never the whole.
    let software = cell.cpu_ns_per_io().map_or(0.0, |ns| (ns / mean).min(1.0));
    let claim = match (software >= SOFTWARE_MIN, case.completes_inline(cell)) {
        (true, true) => "CPU copy time: I/O completes inline".to_owned(),
        (true, false) => "software on this machine".to_owned(),
        (false, _) => format!("{} itself", noun(case)),
    };
    let evidence = format!(
        "{}: {} on average, CPU time of this machine's worker {} of it",
        cell.name(),
        latency(mean),
        percent(software)
    );
    let stranger = case.hypervisor().filter(|_| software < SOFTWARE_MIN);
    let counter = stranger.map(|name| format!("the share of {name} cannot be told from here"));
    Some(Limit { claim, basis: None, evidence, counter })
}

#[cfg(test)]
mod tests {
    use crate::fixture::Scene;
    use crate::quick::limit::fixture::{LATENCY, explain, reads};
    use crate::surrounds::Surrounds;

    #[test]
    fn device_or_software() {
        // 10,000 I/Os a second: 5 % of a core are 5 µs of each 100 µs.
        let device = explain(reads(80_000).cpu(LATENCY, 0.02, 0.03), &Scene::surrounds(), LATENCY);
        assert_eq!(device.claim, "the device itself");
        assert!(
            device.evidence.ends_with("100 µs on average, CPU time of this machine's worker 5.0 % of it"),
            "{device:?}"
        );
        let software = explain(reads(80_000).cpu(LATENCY, 0.3, 0.5), &Scene::surrounds(), LATENCY);
        assert_eq!(software.claim, "software on this machine");
        let copied = reads(80_000).cpu(LATENCY, 0.3, 0.5);
        let copied = copied.fact("target./data/scratch.probe.direct.completes_inline", "true");
        let copied = explain(copied, &Scene::surrounds(), LATENCY);
        assert_eq!(copied.claim, "CPU copy time: I/O completes inline");
    }

    #[test]
    fn a_hypervisor_has_its_share() {
        let guest = Surrounds { hypervisor: Some("xen".to_owned()), ..Scene::surrounds() };
        let limit = explain(reads(80_000).cpu(LATENCY, 0.0, 0.0), &guest, LATENCY);
        assert_eq!(limit.counter.as_deref(), Some("the share of xen cannot be told from here"));
    }
}
