//! The index: used where it is right, and replaced where it is not.

use super::{listed, name, quiet, record, runs, runs_in, save};
use crate::runs::{ListSource, index, list};
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Other bytes of the same length, and nothing that shows it from outside.
fn overwrite_unseen(path: &Path) {
    let meta = fs::metadata(path).unwrap();
    fs::write(path, vec![b'?'; meta.len() as usize]).unwrap();
    let file = File::options().write(true).open(path).unwrap();
    file.set_times(FileTimes::new().set_modified(meta.modified().unwrap())).unwrap();
}

#[test]
fn ten_thousand_runs_are_listed_from_the_index_alone() {
    // In memory: on a disk that has other work, so many directories can take a minute.
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    runs_in(dir.path(), 10_000);
    let first = quiet(dir.path(), 10_000);
    assert_eq!((first[0].head.as_ref().unwrap().id.as_str(), first.len()), ("0000000009999", 10_000));
    (0..100).for_each(|number| overwrite_unseen(&dir.path().join(name(number)).join("run.json")));
    assert!(quiet(dir.path(), 0) == first, "a run is another one in the index");
    let again = list(dir.path(), ListSource::Directories).unwrap().runs;
    assert_eq!(again.iter().filter(|run| run.head.is_err()).count(), 100);
}

#[test]
fn an_index_that_is_made_again_knows_the_same() {
    let dir = runs(20);
    let first = quiet(dir.path(), 20);
    let again = list(dir.path(), ListSource::Directories).unwrap();
    assert_eq!((&again.runs, again.records_read), (&first, 20));
    assert_eq!(quiet(dir.path(), 0), first);
}

#[test]
fn a_damaged_index_is_told_and_made_again() {
    let dir = runs(200);
    let first = quiet(dir.path(), 200);
    let path = dir.path().join(index::FILE);
    let whole = fs::read(&path).unwrap();
    let damages: [fn(&mut Vec<u8>); 6] = [
        |bytes| bytes.clear(),
        |bytes| bytes.truncate(15),
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes[12] ^= 1,
        |bytes| bytes[4096..8192].fill(0),
        |bytes| bytes.push(0),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 200, "damage {number}");
        assert!(list.notes.len() == 1 && list.notes[0].contains("was damaged ("), "{:?}", list.notes);
        assert!(quiet(dir.path(), 0) == first, "damage {number} is not repaired");
    }
}

/// Files with a right checksum that fathom does not write: of another version, or made to do harm.
#[test]
fn another_version_and_other_content_are_not_believed() {
    let dir = runs(2);
    let first = quiet(dir.path(), 2);
    let path = dir.path().join(index::FILE);
    let mut newer = fs::read(&path).unwrap();
    newer[8] += 1;
    let contents = [
        (newer, false),
        (index::file(b"no CBOR"), true),
        (index::file(&[0x81, 0x80]), true),
        // An array that says it has 2^60 elements, and one that is nested without an end.
        (index::file(&[0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0]), true),
        (index::file(&[0x81; 100_000]), true),
    ];
    for (number, (content, is_told)) in contents.into_iter().enumerate() {
        fs::write(&path, content).unwrap();
        let list = listed(dir.path());
        assert_eq!((&list.runs, list.records_read), (&first, 2), "{number}");
        assert_eq!(list.notes.len(), usize::from(is_told), "{number}: {:?}", list.notes);
        assert_eq!(quiet(dir.path(), 0), first);
    }
}

#[test]
fn many_lists_at_once_are_no_obstacle() {
    let dir = runs(50);
    let first = quiet(dir.path(), 50);
    assert_eq!(quiet(dir.path(), 0), first);
    save(dir.path(), name(50), &record(50));
    std::thread::scope(|scope| {
        let lists: Vec<_> = (0..8).map(|_| scope.spawn(|| listed(dir.path()))).collect();
        for list in lists.into_iter().map(|list| list.join().unwrap()) {
            assert_eq!((list.runs.len(), list.notes), (51, vec![]));
        }
    });
    assert_eq!(quiet(dir.path(), 0).len(), 51);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 52, "{left:?}");
}

/// What has the name of the index, and was not made by fathom, is neither followed nor replaced.
#[test]
fn what_fathom_did_not_make_stays_as_it_is() {
    let dir = runs(2);
    let path = dir.path().join(index::FILE);
    let other = dir.path().join("other");
    fs::write(&other, "precious").unwrap();
    let before = fs::read(&other).unwrap();
    let makes: [&dyn Fn(); 4] = [
        &|| fs::write(&path, &before).unwrap(),
        &|| symlink(&other, &path).unwrap(),
        &|| assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        &|| fs::create_dir(&path).unwrap(),
    ];
    for make in makes {
        make();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        for source in [ListSource::Index, ListSource::Directories] {
            let list = list(dir.path(), source).unwrap();
            assert_eq!((list.runs.len(), list.records_read), (2, 2));
            assert!(list.notes.concat().contains("leaves it as it is"), "{:?}", list.notes);
        }
        assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), kind);
        assert!(!kind.is_file() || fs::read(&path).unwrap() == before);
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    }
    assert_eq!(fs::read(&other).unwrap(), before);
}
