//! What must be known before the target is called the limit: that the page cache did not answer
//! instead of it, and that the generator was not the limit.

use super::Limit;
use crate::case::Case;
use crate::cell::Cell;
use crate::generator::is_full_by_target;
use crate::quick::told::{Datum, Figure, Told, of, of_run};
use crate::taint;

/// The limit with the data that it is based on, or with what speaks against it.
pub(super) fn of_target(case: &Case<'_>, cell: &Cell<'_>, limit: Limit) -> Limit {
    let limit = unless_cached(case, cell, limit);
    // The worker was as busy as a generator that is the limit.
    let excused = if is_full_by_target(case, cell) { inline(cell) } else { Vec::new() };
    Limit { evidence: limit.evidence.and(Told::new("", excused)), ..limit }
}

/// The data which show that I/O completes inline: the worker never slept during an I/O, or else a
/// probe found it.
pub(super) fn inline(cell: &Cell<'_>) -> Vec<Datum> {
    if cell.never_sleeps_alone() { of(cell, &[Figure::Usage]) } else { of_run(&[Figure::Probe]) }
}

/// For buffered I/O that memory could hold, a sentence about the target is based on the kernel's
/// count of what reached the disk. Without that count, memory may have answered.
fn unless_cached(case: &Case<'_>, cell: &Cell<'_>, limit: Limit) -> Limit {
    let uncounted = Case { witnesses: Vec::new(), ..case.with_only(cell) };
    if taint::found("page-cache", &uncounted).is_none() {
        return limit;
    }
    if !case.witnesses.is_empty() {
        let counted = Told::new("", of_run(&[Figure::Counters, Figure::Target]));
        return Limit { evidence: limit.evidence.and(counted), ..limit };
    }
    let may = "the page cache may have answered: there is no count of what reached the disk";
    let all = limit.counter.into_iter().chain([Told::new(may, Vec::new())]);
    Limit { counter: Some(Told::joined(all, "; ")), ..limit }
}

#[cfg(test)]
mod tests {
    use crate::case::Case;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::quick::job_text;
    use crate::quick::limit::fixture::{IOPS, LATENCY, target};
    use crate::quick::limit::limits;

    #[test]
    fn buffered_io_that_nobody_counted_may_be_memorys() {
        let ours = 4096 * 7 * (10_000 + 80_000);
        let buffered = |scene: RunBuilder| {
            let run = scene.run();
            limits(&Case::new(&run, &crate::fixture::surrounds())).remove(1).text
        };
        let scene = || {
            let text = job_text(&target(false));
            let scene =
                RunBuilder::text(&text).seconds(LATENCY, 7, &[DirectionLoad::reads(10_000, 4096, 100_000)]);
            scene.seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 398_000)])
        };
        let uncounted = buffered(scene());
        assert!(uncounted.starts_with("Random I/O: the device ("), "{uncounted}");
        assert!(uncounted.contains("the page cache may have answered"), "{uncounted}");
        let counted = buffered(scene().disk(disk("sda", ours, 0)));
        assert!(!counted.contains("page cache"), "{counted}");
        let cached = buffered(scene().disk(disk("sda", ours / 2, 0)));
        assert!(cached.starts_with("Random I/O: the page cache, at least in part ("), "{cached}");
    }
}
