//! A sync that the worker waits for keeps the queue from being full, whatever depth the job asks for.

use super::device::law;
use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use fathom_results::Limit;

pub(super) fn check(_: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    cell.waits_for_syncs().then(|| found(Limit::Syncs { rate: law(cell) }))
}

#[cfg(test)]
mod tests {
    use crate::answer::answer;
    use crate::fixture::AnswerWords;
    use crate::fixture::{DirectionLoad, RunBuilder};

    /// 400 writes a second of 100 µs, and as many syncs of 2.4 ms.
    fn told(options: &str, depth: u32) -> (Option<String>, Vec<String>) {
        let job = format!("rw=randwrite bs=4k direct=1 filename=/dev/sda iodepth={depth} {options}");
        let scene = RunBuilder::of(&job).all(10, DirectionLoad::writes(400, 4096, 100_000));
        let run = scene.syncs_of(4_000, 2_400_000).run();
        let answer = answer(&run, &crate::fixture::surrounds(), crate::fixture::own(false));
        let words = AnswerWords::of(&answer);
        (words.limit, words.limit_evidence)
    }

    #[test]
    fn a_sync_after_each_write_and_not_the_device() {
        let said = "the syncs that the job asks for, each of which its worker waits for";
        let (limit, evidence) = told("ioengine=libaio fsync=1", 32);
        assert_eq!(limit.as_deref(), Some(said));
        assert_eq!(
            evidence,
            [
                "The syncs that the job asks for, each of which its worker waits for (t: 400 IOPS × 100 µs = 0.0 of 32 in flight, and 1.0 syncs)."
            ]
        );
        assert_ne!(told("ioengine=libaio fsync=1", 1).0.as_deref(), Some(said), "a depth that it has");
        assert_ne!(told("ioengine=io_uring fsync=1", 32).0.as_deref(), Some(said), "syncs that are queued");
    }
}
