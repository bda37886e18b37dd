//! Something happened to the host while it measured.
//!
//! Every run includes the checks of the doctor that compare two readings: throttled processors and
//! drives, errors on a link, swapping, a CPU overloaded with interrupts. Stolen time and foreign
//! I/O have separate rules.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::finding::Disturbance;
use fathom_results::{Evidence, HostFinding, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "host-disturbed", weight: Weight::Medium, check };

/// Reports that a kernel thread of the target used its CPU up. The job caused this load: it is a
/// limit of the target, and no disturbance. The report shows it.
const OWN_LOAD: &str = "irq.device_threads";

fn check(case: &Case<'_>) -> Option<Found> {
    if !case.reaches_disk() {
        return None;
    }
    let all = case.run.record.self_knowledge.disturbances.iter();
    let evidence = |finding: &HostFinding| Disturbance {
        check: finding.check.clone(),
        subject: finding.subject.clone(),
        weight: finding.weight,
        says: finding.says.clone(),
    };
    let mut findings: Vec<Disturbance> =
        all.filter(|finding| finding.check != OWN_LOAD).map(evidence).collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
    Found::where_any(findings, |findings| Evidence::HostDisturbed { findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use fathom_results::FindingWeight;

    fn found(job: &str, disturbances: Vec<HostFinding>) -> Option<Found> {
        let mut run = RunBuilder::of(job).all(2, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        run.record.self_knowledge.disturbances = disturbances;
        check(&Case::new(&run, &crate::fixture::surrounds()))
    }

    fn throttled(weight: FindingWeight) -> HostFinding {
        let text = |text: &str| text.to_owned();
        HostFinding {
            check: text("cpu.throttle"),
            subject: text("cpu1"),
            weight,
            says: text("throttled 3 times"),
            path: text("/sys/x"),
            raw: text("3"),
        }
    }

    #[test]
    fn the_worst_is_first_and_without_findings_nothing_is_said() {
        let job = "rw=randread bs=4k ioengine=psync filename=/data/f";
        assert_eq!(found(job, Vec::new()), None);
        let both = vec![throttled(FindingWeight::Warn), throttled(FindingWeight::Bad)];
        let found_both = found(job, both).unwrap();
        assert!(found_both.claim().contains("changed machine"), "{found_both:?}");
        assert!(found_both.evidence().starts_with("cpu.throttle cpu1: throttled 3 times"), "{found_both:?}");
        let many = found(job, vec![throttled(FindingWeight::Warn); 6]).unwrap();
        assert!(many.evidence().ends_with("2 more in the record"), "{many:?}");
    }

    #[test]
    fn what_the_job_itself_filled_is_no_disturbance() {
        let job = "rw=randread bs=1m ioengine=libaio direct=1 filename=/dev/loop0";
        let full = HostFinding { check: OWN_LOAD.to_owned(), ..throttled(FindingWeight::Warn) };
        assert_eq!(found(job, vec![full.clone()]), None);
        assert!(found(job, vec![full, throttled(FindingWeight::Warn)]).is_some());
    }

    #[test]
    fn a_run_without_a_device_is_left_alone() {
        assert_eq!(
            found("rw=randread bs=4k ioengine=null size=1m", vec![throttled(FindingWeight::Bad)]),
            None
        );
    }
}
