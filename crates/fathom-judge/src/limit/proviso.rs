//! What must be known before the target is called the limit: that the page cache did not answer instead of it.

use super::Found;
use crate::case::Case;
use crate::cell::Cell;
use crate::taint;
use fathom_results::answer::limit::Against;

/// For buffered I/O that memory could hold, a claim about the target needs the kernel's count of what reached the disk.
/// Without that count, memory may have answered, and that speaks against it.
pub(super) fn of_target(case: &Case<'_>, cell: &Cell<'_>, mut found: Found) -> Found {
    let uncounted = Case { witnesses: Vec::new(), ..case.with_only(cell) };
    if case.witnesses.is_empty() && taint::found("page-cache", &uncounted).is_some() {
        found.against.push(Against::CacheNotCounted);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::limit::fixture::{IOPS, LATENCY, explain, job_text};

    #[test]
    fn buffered_io_that_nobody_counted_may_be_memorys() {
        let ours = 4096 * 7 * (10_000 + 80_000);
        let buffered = |scene: RunBuilder| explain(scene, &crate::fixture::surrounds(), IOPS);
        let scene = || {
            let text = job_text(false);
            let scene =
                RunBuilder::text(&text).seconds(LATENCY, 7, &[DirectionLoad::reads(10_000, 4096, 100_000)]);
            scene.seconds(IOPS, 7, &[DirectionLoad::reads(80_000, 4096, 398_000)])
        };
        let uncounted = buffered(scene());
        assert_eq!(uncounted.claim, "the device");
        assert!(uncounted.counter.unwrap().contains("the page cache may have answered"));
        let counted = buffered(scene().disk(disk("sda", ours, 0)));
        assert!(counted.counter.is_none_or(|text| !text.contains("page cache")));
        let cached = buffered(scene().disk(disk("sda", ours / 2, 0)));
        assert_eq!(cached.claim, "the page cache, at least in part");
    }
}
