//! A loop device is a file: its figures are those of the file's filesystem and
//! of a kernel thread.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;

pub(super) const RULE: TaintRule = TaintRule {
    code: "loop-device",
    weight: TaintWeight::Instead(
        "A loop device was measured, not a disk",
        "the loop device is a file on a file system",
    ),
    hint: "test the disk that holds the backing file",
    stands_on: &[Figure::Target],
    check,
};

fn check(case: &Case<'_>) -> Option<Found> {
    let name = case.disks().find(|name| name.starts_with("loop"));
    if !case.reaches_disk() || !(case.seen.is_loop || name.is_some()) {
        return None;
    }
    let device = name.map_or_else(|| "the disk".to_owned(), |name| format!("/dev/{name}"));
    let file = case.target_fact("backing_file").or_else(|| case.target_fact("loop_backing_file"));
    let what = file.map_or_else(|| "a loop device".to_owned(), |file| format!("the file {file}"));
    // With dio off, the backing file goes through the page cache even for direct I/O.
    let how = match case.target_fact("loop_direct_io") {
        _ if case.only_trims() => "; a trim makes holes in the file and moves no data",
        Some("false") => "; its data passes through memory",
        Some("true") => "; its data does not pass through memory",
        _ => "",
    };
    let evidence = format!("{device} is {what}{how}");
    Found::new("the disk is a loop device: a file below one more layer of the kernel", evidence)
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
        let seen =
            Surrounds { is_loop: true, disk_name: Some("loop7".to_owned()), ..crate::fixture::surrounds() };
        let facts = scene()
            .fact("target./dev/loop7.backing_file", "/img")
            .fact("target./dev/loop7.loop_direct_io", "false");
        let (run, bare) = (facts.run(), scene().run());
        let found = |run| check(&Case::new(run, &seen)).unwrap().evidence;
        assert_eq!(found(&run), "/dev/loop7 is the file /img; its data passes through memory");
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
