//! A sync that the worker waits for keeps the queue from being full, whatever depth the job asks for. Of a writer of a log, which has
//! one I/O at a time and a sync behind each, the sync can be most of the time.

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
        assert_ne!(told("ioengine=io_uring fsync=1", 32).0.as_deref(), Some(said), "syncs that are queued");
    }

    /// A writer of a database's log beside readers: its writes take 7 % of its time, and its syncs the rest.
    #[test]
    fn the_syncs_of_a_log_and_not_the_latency_of_its_writes() {
        const JOBS: &str = "[global]\ndirect=1\nioengine=io_uring\nbs=16k\n[readers]\nrw=randread\niodepth=16\nfilename=/data/t\n\
            [wal]\nrw=write\nfdatasync=1\nfilename=/data/wal\n";
        let limit = |sync_ns: u64| {
            let write_ns = 1_000_000 - sync_ns;
            let scene = RunBuilder::text(JOBS)
                .seconds(0, 10, &[DirectionLoad::reads(20_000, 16_384, 790_000)])
                .seconds(1, 10, &[DirectionLoad::writes(1_000, 16_384, write_ns)]);
            let answer = answer(
                &scene.syncs_of(10_000, sync_ns).run(),
                &crate::fixture::surrounds(),
                crate::fixture::own(false),
            );
            AnswerWords::of(&answer)
        };
        let evidence = "The syncs that the job asks for, each of which its worker waits for (wal: 1.00k IOPS × 70.0 µs = 0.1 of 1 in \
            flight, and 0.9 syncs).";
        let told = limit(930_000);
        assert!(told.limit_evidence.iter().any(|it| it == evidence), "{:?}", told.limit_evidence);
        let told = limit(300_000);
        assert!(
            told.limit_evidence.iter().all(|it| !it.contains("each of which")),
            "{:?}",
            told.limit_evidence
        );
    }
}
