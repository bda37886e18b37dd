//! `opendir`: fio and fathom use the same files of a tree, and the guard asks about each.

use super::work;
use crate::support::{fathom, must, text};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// A tree with files of several lengths, an empty one, a link, and a name that holds the separator of lists.
fn tree(dir: &Path) {
    fs::create_dir_all(dir.join("d/sub:x")).unwrap();
    for (name, length) in
        [("a", 64 << 10), ("sub:x/b", 128 << 10), ("odd", 10_000), ("small", 1000), ("none", 0)]
    {
        fs::write(dir.join("d").join(name), vec![7; length]).unwrap();
    }
    symlink("a", dir.join("d/link")).unwrap();
    fs::write(dir.join("other"), vec![7; 32 << 10]).unwrap();
}

#[test]
fn the_files_of_a_tree_are_those_that_fio_uses() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = scratch.path();
    tree(dir);
    for (options, bytes) in [
        ("rw=read", 204_800),
        ("rw=randread\nnumjobs=2", 2 * 204_800),
        ("rw=read\nfilename=other", 204_800 + 32_768),
    ] {
        fs::write(dir.join("j.fio"), format!("[j]\nopendir=d\nbs=4k\nallow_file_create=0\n{options}\n"))
            .unwrap();
        let run = |tool: &mut Command| {
            let all = work::of(&must(tool.current_dir(dir).args(["--output-format=json", "j.fio"])));
            all.iter().map(work::sum).map(|moved| moved.bytes).sum::<u64>()
        };
        let counted = [run(&mut Command::new("fio")), run(fathom(dir).arg("fio"))];
        assert_eq!(counted, [bytes; 2], "{options}");
        fs::remove_dir_all(dir.join("d")).unwrap();
        tree(dir);
    }
}

#[test]
fn files_of_a_tree_are_not_overwritten_without_consent() {
    let scratch = tempfile::tempdir_in("/dev/shm").unwrap();
    let dir = scratch.path();
    tree(dir);
    fs::write(dir.join("j.fio"), "[j]\nopendir=d\nbs=4k\nrw=write\n").unwrap();
    let run = |words: &[&str]| {
        fathom(dir).args(["run", "-q", "--no-calibrate", "j.fio"]).args(words).output().unwrap()
    };
    let refused = run(&[]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert_eq!(fs::read(dir.join("d/a")).unwrap(), vec![7; 64 << 10]);
    // A target of the command line replaces the whole tree.
    let other = run(&["--target", "new", "--set", "size=64k"]);
    assert_eq!(other.status.code(), Some(0), "{}", text(&other));
    assert_eq!(fs::read(dir.join("d/a")).unwrap(), vec![7; 64 << 10]);
    assert_eq!(fs::metadata(dir.join("new")).unwrap().len(), 64 << 10);
    let empty = fathom(dir).args(["run", "j.fio", "--set", "opendir=nowhere"]).output().unwrap();
    assert_eq!(empty.status.code(), Some(2), "{}", text(&empty));
    assert!(text(&empty).contains("opendir=nowhere cannot be listed"), "{}", text(&empty));
}
