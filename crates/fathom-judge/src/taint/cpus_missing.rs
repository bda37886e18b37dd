//! The job asked for CPUs that this machine does not have, and ran on the rest.

use super::{Found, TaintRule};
use crate::case::Case;
use fathom_results::{Seen, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "cpus-missing", weight: Weight::Medium, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let findings = case.run.record.plan.findings.iter().filter(|finding| finding.code == RULE.code);
    let mut findings: Vec<String> = findings.map(|finding| finding.message.clone()).collect();
    findings.dedup();
    Found::where_any(findings, |findings| Seen::CpusMissing { findings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};

    fn found(cpus: &str) -> Option<String> {
        let job = format!("rw=randread bs=4k ioengine=psync filename=/data/f cpus_allowed={cpus}");
        let run = RunBuilder::of(&job).all(2, DirectionLoad::reads(1_000, 4096, 100_000)).run();
        check(&Case::new(&run, &crate::fixture::surrounds())).map(|found| found.evidence())
    }

    #[test]
    fn the_plans_finding_is_told() {
        let told = found("2-7").unwrap();
        assert!(told.contains("job t allows CPU 4-7") && told.ends_with("it runs on 2-3"), "{told}");
        assert_eq!(found("0-3"), None);
    }
}
