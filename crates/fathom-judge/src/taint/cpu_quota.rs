//! The CPU quota of fathom's control group stopped it, as the limits of a container do.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::generator::quota;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "cpu-quota", weight: Weight::Low, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let quota = quota(case)?;
    let cells = case.cells.iter().filter(|cell| cell.has_target() && cell.ios() > 0);
    let jobs = cells.map(|cell| cell.name().to_owned()).collect();
    Found::where_any(jobs, |jobs| Evidence::CpuQuota { quota, jobs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder, surrounds};
    use fathom_results::CpuQuota;

    #[test]
    fn a_group_that_is_stopped_in_a_tenth_of_its_periods() {
        let evidence = |ioengine: &str, stopped| {
            let job = format!("rw=randread bs=4k direct=1 filename=/data/f {ioengine}");
            let mut run = RunBuilder::of(&job).all(5, DirectionLoad::reads(1_000, 4096, 100_000)).run();
            run.record.self_knowledge.cpu_quota =
                Some(CpuQuota { quota_ns: 20_000_000, period_ns: 100_000_000, periods: 50, stopped });
            check(&Case::new(&run, &surrounds())).map(|found| found.evidence())
        };
        let text = "t: the control group may use 20 % of one CPU, and had used it up in 44 of 50 periods";
        assert_eq!(evidence("ioengine=psync", 44).as_deref(), Some(text));
        assert_eq!(
            evidence("ioengine=psync rate_iops=1000", 44).as_deref(),
            Some(text),
            "its stops are late I/Os"
        );
        assert_eq!(evidence("ioengine=psync", 4), None);
        assert_eq!(evidence("ioengine=null size=1g", 44), None, "no target");
    }
}
