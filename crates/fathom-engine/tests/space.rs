//! `falloc` and `ftruncate`, and options about the end of a job. Counts are those of fio 3.33.

use crate::support::{run, try_planned};
use fathom_job::direction::Direction::{Read, Trim, Write};
use std::os::unix::fs::MetadataExt;

/// A job on a new file of 16 KiB on tmpfs: the I/Os and bytes of each direction, the length of the file, and its space.
fn ran(options: &str) -> ([(u64, u64); 3], u64, u64) {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    let heard = run(&format!("[j]\nfilename={}\nsize=16k\n{options}\n", path.display()));
    assert_eq!(heard.outcome(0).failure, None, "{options}");
    let file = path.metadata().unwrap();
    ([Read, Write, Trim].map(|direction| heard.moved(0, direction)), file.len(), file.blocks() * 512)
}

#[test]
fn falloc_allocates_and_punches() {
    let four = (4, 16384);
    let none = (0, 0);
    assert_eq!(ran("ioengine=falloc\nrw=write\nfallocate=none"), ([none, four, none], 16384, 16384));
    assert_eq!(ran("ioengine=falloc\nrw=randwrite\nfallocate=truncate"), ([none, four, none], 16384, 16384));
    assert_eq!(ran("ioengine=falloc\nrw=read"), ([four, none, none], 16384, 16384));
    assert_eq!(ran("ioengine=falloc\nrw=trim"), ([none, none, four], 16384, 0));
    assert_eq!(ran("ioengine=falloc\nrw=write\nend_syncfs=1"), ([none, four, none], 16384, 16384));
}

#[test]
fn ftruncate_makes_the_file_end_at_each_offset() {
    let (moved, length, _) = ran("ioengine=ftruncate\nrw=write");
    assert_eq!((moved[1], length), ((4, 16384), 12288), "the last offset");
    assert_eq!(ran("ioengine=ftruncate\nrw=write\nnumber_ios=2").1, 4096);
    assert!(try_planned("[j]\nioengine=ftruncate\nrw=read\nfilename=f\nsize=16k\n").is_none());
    assert!(try_planned("[j]\nioengine=falloc\nrw=write\nfilename=/dev/null\nsize=16k\n").is_none());
}

#[test]
fn what_is_appended_begins_at_the_end_of_the_file() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = dir.path().join("f");
    let append = |options: &str| {
        let (path, name) = (path.display(), path.display());
        let heard = run(&format!("[j]\nioengine=psync\nfilename={name}\nfile_append=1\nbs=4k\n{options}\n"));
        assert_eq!(heard.outcome(0).failure, None, "{options}");
        let file = std::fs::read(path.to_string()).unwrap();
        (file.len(), file[..16384.min(file.len())].iter().all(|&byte| byte == 7), heard.moved(0, Write).1)
    };
    assert_eq!(append("rw=write\nsize=8k"), (8192, false, 8192), "a new file");
    std::fs::write(&path, [7; 16384]).unwrap();
    assert_eq!(append("rw=write\nsize=8k\noffset=4k"), (24576, true, 8192));
    assert_eq!(append("rw=randwrite\nsize=8k"), (32768, true, 8192));
    assert_eq!(append("rw=read\nsize=8k"), (40960, true, 0), "what is to be read is laid out");
}

#[test]
fn end_syncfs_is_one_sync_of_the_file_system() {
    let dir = tempfile::tempdir().unwrap();
    let syncs = |option: &str| {
        let path = dir.path().display();
        let heard = run(&format!(
            "[j]\nioengine=psync\ndirectory={path}\nnrfiles=3\nrw=write\nsize=192k\n{option}\n"
        ));
        assert_eq!(heard.moved(0, Write), (48, 196_608));
        heard.totals(0).sync.moments.count()
    };
    assert_eq!((syncs(""), syncs("end_syncfs=1"), syncs("end_syncfs=1\nend_fsync=1")), (0, 1, 4));
}

/// The hint stays with the file in memory, so it can be asked for as long as somebody has the file open.
#[test]
fn a_file_that_is_written_has_the_hint_of_the_job() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let hint = |options: &str| {
        let path = dir.path().join("f");
        std::fs::write(&path, [0; 16384]).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let heard =
            run(&format!("[j]\nioengine=psync\nfilename={}\nbs=4k\nsize=16k\n{options}\n", path.display()));
        assert_eq!(heard.outcome(0).failure, None, "{options}");
        let hint = rw_hint(&file);
        std::fs::remove_file(&path).unwrap();
        hint
    };
    assert_eq!(hint("rw=write"), 0, "not set");
    for (word, number) in [("none", 1), ("short", 2), ("medium", 3), ("long", 4), ("extreme", 5)] {
        assert_eq!(hint(&format!("rw=write\nwrite_hint={word}")), number, "{word}");
    }
    assert_eq!(hint("rw=read\nwrite_hint=short"), 0, "a file that is only read has none");
}

/// `F_GET_RW_HINT` of linux/fcntl.h.
#[allow(unsafe_code)]
fn rw_hint(file: &std::fs::File) -> u64 {
    let mut hint = 0u64;
    // SAFETY: the descriptor is open, and the kernel writes one u64.
    let status = unsafe { libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(file), 1035, &raw mut hint) };
    assert_eq!(status, 0);
    hint
}
