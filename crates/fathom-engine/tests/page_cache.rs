//! What jobs leave in the page cache, and what they say to the kernel about it: `fadvise_hint`, `uncached`.

use crate::support::kernel_events::KernelEvents;
use crate::support::{Heard, run};
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

const PAGE: usize = 4096;
const PAGES: usize = 256;

/// A file of 1 MiB on a disk, of which no page is in the cache.
struct Cold {
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Cold {
    fn new() -> Cold {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let path = dir.path().join("f");
        std::fs::write(&path, vec![7; PAGES * PAGE]).unwrap();
        let file = File::open(&path).unwrap();
        file.sync_all().unwrap();
        fadvise(&file, 0, None, Advice::DontNeed).unwrap();
        assert_eq!(resident(&path), 0, "the file system of the tests has a page cache that can be emptied");
        Cold { path, _dir: dir }
    }

    fn run(&self, options: &str) -> Heard {
        run(&format!("[j]\nfilename={}\nbs=4k\n{options}\n", self.path.display()))
    }
}

/// How many pages of a file are in the cache.
#[allow(unsafe_code)]
fn resident(path: &Path) -> usize {
    let file = File::open(path).unwrap();
    let mut pages = [0u8; PAGES];
    let length = PAGES * PAGE;
    // SAFETY: the mapping is new and nothing reads it; mincore(2) writes one byte for each of its pages.
    unsafe {
        let map =
            libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0);
        assert_ne!(map, libc::MAP_FAILED);
        assert_eq!(libc::mincore(map, length, pages.as_mut_ptr()), 0);
        libc::munmap(map, length);
    }
    pages.iter().filter(|page| *page & 1 != 0).count()
}

/// The advice of each word, as posix_fadvise(2) numbers it, and how much the kernel then reads for one block.
#[test]
fn a_file_gets_the_advice_that_the_job_names_or_that_of_its_pattern() {
    let (normal, random, sequential, no_reuse) = (0, 1, 2, 5);
    // No other test has a region of this length, and advice to drop pages is not the hint.
    let events = KernelEvents::of("syscalls/sys_enter_fadvise64", "len == 57344 && advice != 4");
    for (rw, hint, advice) in [
        ("randread", "", random),
        ("read", "", sequential),
        ("read", "fadvise_hint=1", sequential),
        ("randread", "fadvise_hint=0", normal),
        ("read", "fadvise_hint=random", random),
        ("randread", "fadvise_hint=sequential", sequential),
        ("randread", "fadvise_hint=noreuse", no_reuse),
    ] {
        let (file, before) = (Cold::new(), events.count());
        let heard = file.run(&format!("rw={rw}\nsize=56k\nio_size=4k\nnumber_ios=1\nioengine=psync\n{hint}"));
        assert_eq!(heard.outcome(0).failure, None, "{rw} {hint}");
        let lines = &events.lines()[before..];
        assert!(
            lines.len() == 1 && lines[0].contains(&format!("advice: {advice:x})")),
            "{rw} {hint}: {lines:?}"
        );
        let is_one = resident(&file.path) == 1;
        assert!(is_one || advice != random, "{rw} {hint}: nothing is read ahead");
        assert!(!is_one || advice != sequential || rw != "read", "{rw} {hint}: more is read ahead");
    }
}

/// Where the kernel or the file system lacks RWF_DONTCACHE, the job fails, and is not cached silently.
#[test]
fn uncached_reads_leave_nothing_in_the_cache() {
    for engine in ["pvsync2", "io_uring"] {
        let file = Cold::new();
        let heard = file.run(&format!("ioengine={engine}\nrw=read"));
        assert_eq!((heard.outcome(0).failure.clone(), resident(&file.path)), (None, PAGES), "{engine}");
        let file = Cold::new();
        let heard = file.run(&format!("ioengine={engine}\nrw=read\nuncached=1"));
        match &heard.outcome(0).failure {
            None => assert_eq!(resident(&file.path), 0, "{engine}"),
            Some(why) => assert_eq!(why.errno, libc::EOPNOTSUPP, "{engine}: {why:?}"),
        }
    }
}
