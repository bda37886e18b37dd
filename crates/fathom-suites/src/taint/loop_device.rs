//! A loop device is a file: its figures are those of the file's filesystem and
//! of a kernel thread.

use super::{Found, TaintRule, TaintWeight};
use crate::case::Case;
use crate::figure::Figure;

pub(super) const RULE: TaintRule = TaintRule {
    code: "loop-device",
    weight: TaintWeight::Instead(
        "A loop device was measured, not a disk",
        "a file and its file system are part of these figures",
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
    let mut evidence = format!("the disk is {}", name.unwrap_or("a loop device"));
    if let Some(file) = case.target_fact("backing_file").or_else(|| case.target_fact("loop_backing_file")) {
        evidence += &format!(" over {file}");
    }
    // With dio off, the backing file goes through the page cache even for direct I/O.
    match case.target_fact("loop_direct_io") {
        Some("false") => evidence += ", read and written through the page cache",
        Some("true") => evidence += ", read and written with direct I/O",
        _ => {}
    }
    Found::new("the disk is a loop device: a file below one more layer of the kernel", evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{DirectionLoad, RunBuilder};
    use crate::surrounds::Surrounds;

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
        assert_eq!(found(&run), "the disk is loop7 over /img, read and written through the page cache");
        assert_eq!(found(&bare), "the disk is loop7");
    }

    #[test]
    fn other_disks_are_not() {
        assert_eq!(check(&Case::new(&scene().run(), &crate::fixture::surrounds())), None);
    }
}
