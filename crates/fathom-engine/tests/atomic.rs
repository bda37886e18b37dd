//! `atomic=1`: writes ask the kernel for it and reads do not, and what cannot be atomic is refused by the plan.

use crate::support::{run, unplanned};
use fathom_job::direction::Direction;

const ENGINES: [&str; 3] = ["pvsync2", "libaio", "io_uring"];

/// A file in memory takes no atomic writes, whatever it promised: the kernel refuses exactly those that ask.
#[test]
fn the_kernel_is_asked_for_writes_alone() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    std::fs::write(&path, vec![0; 64 << 10]).unwrap();
    for engine in ENGINES {
        let job = |options: &str| {
            run(&format!(
                "[j]\nioengine={engine}\nfilename={}\nbs=4k\niodepth=4\n{options}\n",
                path.display()
            ))
        };
        let failure = job("rw=write\natomic=1").outcome(0).failure.clone();
        assert_eq!(failure.map(|it| it.errno), Some(libc::EOPNOTSUPP), "{engine}");
        assert_eq!(job("rw=write\ndirect=1").outcome(0).failure, None, "{engine}");
        let mixed = job("rw=randrw\natomic=1\nnumber_ios=200\nio_size=10m\nnorandommap\nignore_error=EIO,95");
        let (reads, writes) = (mixed.moved(0, Direction::Read).0, mixed.moved(0, Direction::Write).0);
        assert!(reads > 50 && writes == 0, "{engine}: {reads} reads, {writes} writes");
    }
}

#[test]
fn writes_that_cannot_be_atomic_are_refused() {
    let job =
        |options: &str| unplanned(&format!("[j]\nfilename=f\nsize=1m\nrw=write\natomic=1\n{options}\n"));
    for (options, why) in [
        ("ioengine=psync\nbs=4k", "ioengine=psync has no atomic writes"),
        ("ioengine=io_uring\nbssplit=4k/50:8k/50", "atomic writes have one size here"),
        ("ioengine=io_uring\nbs=2k", "takes atomic writes of 4096 to 16384 bytes"),
        ("ioengine=io_uring\nbs=12k", "a power of two"),
        ("ioengine=io_uring\nbs=32k", "the job writes 32768 bytes"),
        ("ioengine=io_uring\nbs=8k\noffset=4k", "begins at a multiple of its length, which 4096 is not"),
    ] {
        let error = job(options);
        assert!(error.contains(why), "{options}: {error}");
    }
}
