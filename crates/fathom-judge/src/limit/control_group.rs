//! The limit that a control group sets: known beforehand, by its figure, so nothing has to be guessed from a steady rate.

use super::{Found, found};
use crate::case::Case;
use crate::cell::Cell;
use fathom_job::direction::Direction;
use fathom_results::Limit;

/// A rate is the limit's if it is as near to it as this. The kernel keeps such limits exactly: over 2 s, 3,000 IOPS gave 3,000,
/// and 20,971,520 B/s gave 20.97 MB/s (blk-throttle, Linux 6.18). The edges of windows and a burst at the start move a
/// rate by more than that.
const WITHIN: f64 = 0.05;

/// What a control group can limit.
#[derive(Clone, Copy)]
struct Cap {
    /// The fact about the target that has the number.
    fact: &'static str,
    direction: Direction,
    is_bytes: bool,
}

const CAPS: [Cap; 4] = [
    Cap { fact: "group_read_iops_max", direction: Direction::Read, is_bytes: false },
    Cap { fact: "group_write_iops_max", direction: Direction::Write, is_bytes: false },
    Cap { fact: "group_read_bytes_max", direction: Direction::Read, is_bytes: true },
    Cap { fact: "group_write_bytes_max", direction: Direction::Write, is_bytes: true },
];

pub(super) fn check(case: &Case<'_>, cell: &Cell<'_>) -> Option<Found> {
    CAPS.iter().filter(|_| cell.is_on_disk()).find_map(|cap| reached(case, cell, *cap))
}

/// The limit, if the job does I/O of this kind and all jobs on the disk together are at it.
fn reached(case: &Case<'_>, cell: &Cell<'_>, cap: Cap) -> Option<Found> {
    let most: u64 = case.with_only(cell).target_fact(cap.fact)?.parse().ok().filter(|most| *most > 0)?;
    let own = rate(cell, cap);
    let all: f64 = beside(case, cell).map(|cell| rate(cell, cap)).sum();
    let is_at = |rate: f64| (rate / most as f64 - 1.0).abs() <= WITHIN;
    if own == 0.0 || !(is_at(all) || requests(case, cell, cap).is_some_and(is_at)) {
        return None;
    }
    Some(found(Limit::ControlGroup { direction: cap.direction, in_bytes: cap.is_bytes, reached: own, most }))
}

/// I/Os or bytes of a second.
fn rate(cell: &Cell<'_>, cap: Cap) -> f64 {
    let flow = cell.flow(cap.direction);
    if cap.is_bytes { flow.bytes_per_second() } else { flow.iops() }
}

/// The jobs that ran at the same time on the same disk, this one included: the limit is for all of them.
fn beside<'b, 'a>(case: &'b Case<'a>, cell: &'b Cell<'a>) -> impl Iterator<Item = &'b Cell<'a>> {
    let disks = |cell: &Cell<'a>| case.places.of_cell(cell).iter().filter_map(|place| place.disk);
    let is_beside = move |other: &&Cell<'a>| {
        let shares = || disks(other).any(|disk| disks(cell).any(|own| own == disk));
        other.planned().id == cell.planned().id || (other.planned().stage == cell.planned().stage && shares())
    };
    case.cells.iter().filter(is_beside)
}

/// Requests of a second by the kernel's count, which is what it limits: an I/O may be several. Known where no other job
/// ran in the time of the count.
fn requests(case: &Case<'_>, cell: &Cell<'_>, cap: Cap) -> Option<f64> {
    let witness = case.witnesses.iter().find(|witness| witness.jobs == [cell.planned().id])?;
    let counted = witness.requests[cap.direction];
    (!cap.is_bytes && witness.seconds > 0.0)
        .then(|| (counted.kernel + counted.merged) as f64 / witness.seconds)
}

#[cfg(test)]
mod tests {
    use crate::answer::answer;
    use crate::fixture::{DirectionLoad, RunBuilder, disk};
    use crate::limit::fixture::{IOPS, explain, reads};
    use crate::surrounds::Surrounds;
    use fathom_results::DiskDelta;

    const FACT: &str = "target./data/scratch.group_read_iops_max";

    fn guest() -> Surrounds {
        Surrounds { disk_name: Some("vda".to_owned()), is_virtual: Some(true), ..crate::fixture::surrounds() }
    }

    #[test]
    fn the_figure_of_the_group_is_the_limit_and_not_the_virtual_disk() {
        let limit = |rate, most| explain(reads(rate).fact(FACT, most), &guest(), IOPS);
        let known = limit(2_970, "3000");
        assert_eq!(known.claim, "the limit of fathom's control group: read 3,000 IOPS");
        assert_eq!(known.evidence, "rand-read-iops: read 2.97k IOPS of at most 3,000 IOPS");
        for (rate, most) in [(2_000, "3000"), (3_200, "3000"), (17_300, "max")] {
            assert!(!limit(rate, most).claim.contains("control group"), "{rate} of {most}");
        }
        let other =
            explain(reads(3_000).fact("target./data/scratch.group_write_iops_max", "3000"), &guest(), IOPS);
        assert!(!other.claim.contains("control group"), "{other:?}");
    }

    fn of_answer(scene: RunBuilder) -> String {
        fathom_words::limit::line(
            &answer(&scene.run(), &crate::fixture::surrounds(), crate::fixture::own(false)).limit.unwrap(),
        )
    }

    #[test]
    fn jobs_at_the_same_time_share_it_and_large_ios_are_several_requests() {
        let text = "[global]\nrw=randread\nbs=4k\nioengine=psync\ndirect=1\nfilename=/dev/sda\n[a]\n[b]\n";
        let flow = DirectionLoad::reads(1_500, 4096, 600_000);
        let fact = |name: &str, value| (format!("target./dev/sda.{name}"), value);
        let (name, value) = fact("group_read_iops_max", "3000");
        let shared = of_answer(RunBuilder::text(text).all(10, flow).fact(&name, value));
        assert_eq!(shared, "the limit of fathom's control group: read 3,000 IOPS");
        let large = "rw=read bs=1m ioengine=psync direct=1 filename=/dev/sda";
        let split = |requests: u64| {
            let counted = DiskDelta { ios: [requests, 0, 0], ..disk("sda", (750 * 5) << 20, 0) };
            let flow = DirectionLoad::reads(750, 1 << 20, 1_300_000);
            of_answer(RunBuilder::of(large).all(5, flow).disk(counted).fact(&name, value))
        };
        assert_eq!(split(3_000 * 5), shared, "four requests each");
        assert_eq!(split(750 * 5), "the device");
        let (name, value) = fact("group_read_bytes_max", "104857600");
        let flow = DirectionLoad::reads(100, 1 << 20, 10_000_000);
        let bytes = of_answer(RunBuilder::of(large).all(10, flow).fact(&name, value));
        assert_eq!(bytes, "the limit of fathom's control group: read 105 MB/s");
    }
}
