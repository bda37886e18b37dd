//! A loop device is a file: its figures are those of the file's filesystem and
//! of a kernel thread.

use super::{Found, TaintRule};
use crate::case::Case;
use crate::place::TargetPlace;
use fathom_results::finding::LoopTarget;
use fathom_results::{Evidence, Weight};

pub(super) const RULE: TaintRule = TaintRule { code: "loop-device", weight: Weight::Instead, check };

fn check(case: &Case<'_>) -> Option<Found> {
    let place = case.places().find(|place| is_loop(place))?;
    let device = loop_name(place).map(str::to_owned);
    let own = |name: &str| case.fact(&format!("target.{}.{name}", place.path));
    let fact = |name: &str| own(name).or_else(|| case.target_fact(name).filter(|_| case.places.is_one));
    let file = fact("backing_file").or_else(|| fact("loop_backing_file")).map(str::to_owned);
    let is_direct = fact("loop_direct_io").and_then(|text| text.parse().ok());
    let target = LoopTarget { device, file, only_trims: case.only_trims(), is_direct };
    let found = Found::new(Evidence::LoopDevice(target));
    Some(found.about(case.part(|cell| case.places.of_cell(cell).iter().any(is_loop))))
}

fn is_loop(place: &TargetPlace<'_>) -> bool {
    loop_name(place).is_some() || place.is_loop
}

fn loop_name<'a>(place: &TargetPlace<'a>) -> Option<&'a str> {
    place.disks.iter().copied().find(|name| name.starts_with("loop"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;
    use fathom_job::direction::Direction;

    fn scene() -> RunBuilder {
        let job = "rw=randread bs=4k ioengine=psync direct=1 filename=/dev/loop7";
        RunBuilder::of(job).all(2, DirectionLoad::reads(1_000, 4096, 100_000))
    }

    #[test]
    fn a_loop_device_and_its_file() {
        let surrounds =
            Surrounds { is_loop: true, disk_name: Some("loop7".to_owned()), ..crate::fixture::surrounds() };
        let facts = scene()
            .fact("target./dev/loop7.backing_file", "/img")
            .fact("target./dev/loop7.loop_direct_io", "false");
        let (run, bare) = (facts.run(), scene().run());
        let found = |run| check(&Case::new(run, &surrounds)).unwrap().evidence();
        assert_eq!(
            found(&run),
            "/dev/loop7 is the file /img; reads and writes go through memory (the page cache)"
        );
        assert_eq!(found(&bare), "/dev/loop7 is a loop device");
        let trims = RunBuilder::of("rw=randtrim bs=4k ioengine=psync direct=1 filename=/dev/loop7")
            .all(
                2,
                DirectionLoad { direction: Direction::Trim, ..DirectionLoad::reads(1_000, 4096, 100_000) },
            )
            .fact("target./dev/loop7.loop_backing_file", "/img")
            .fact("target./dev/loop7.loop_direct_io", "false");
        assert_eq!(
            found(&trims.run()),
            "/dev/loop7 is the file /img; a trim makes holes in the file and moves no data"
        );
    }

    #[test]
    fn other_disks_are_not() {
        assert_eq!(check(&Case::new(&scene().run(), &crate::fixture::surrounds())), None);
    }
}
