//! The index: used where it is right, and replaced where it is not.

use super::{index_of, listed, listed_from, name, quiet, record, runs, runs_in, save};
use crate::notice::{Listener, Notice};
use crate::runs::{ListSource, RunIndex, list};
use crate::slow_look::SlowLook;
use rusqlite::Connection;
use std::fs::{self, File, FileTimes};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    let again = listed_from(dir.path(), ListSource::Directories).runs;
    assert_eq!(again.iter().filter(|run| run.head.is_err()).count(), 100);
}

#[test]
fn an_index_that_is_made_again_knows_the_same() {
    let dir = runs(20);
    let first = quiet(dir.path(), 20);
    let again = listed_from(dir.path(), ListSource::Directories);
    assert_eq!((&again.runs, again.records_read), (&first, 20));
    assert_eq!(quiet(dir.path(), 0), first);
    fs::remove_file(index_of(dir.path()).path().unwrap()).unwrap();
    assert_eq!(quiet(dir.path(), 20), first);
}

#[test]
fn a_damaged_index_is_told_and_made_again() {
    let dir = runs(200);
    let first = quiet(dir.path(), 200);
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let whole = fs::read(&path).unwrap();
    let damages: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(100),
        |bytes| bytes[4096..].fill(0),
        |bytes| bytes[100..4096].fill(0xff),
        |bytes| bytes[16..18].fill(0),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 200, "damage {number}");
        assert!(
            list.notes.len() == 1 && list.notes[0].contains("was damaged ("),
            "{number}: {:?}",
            list.notes
        );
        assert!(quiet(dir.path(), 0) == first, "damage {number} is not repaired");
    }
}

/// Damage that one list does not read would be told by a later one, or never be repaired.
#[test]
fn damage_anywhere_is_told_and_repaired_by_the_first_list() {
    const BLOCK: usize = 256;
    let dir = runs(20);
    let first = quiet(dir.path(), 20);
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let whole = fs::read(&path).unwrap();
    let mut told = 0;
    // The header says whose the file is.
    for at in (BLOCK..whole.len()).step_by(BLOCK) {
        for fill in [0, 0xff] {
            let mut bytes = whole.clone();
            bytes[at..at + BLOCK].fill(fill);
            fs::write(&path, bytes).unwrap();
            let list = listed(dir.path());
            assert!(list.runs == first, "{fill} at {at}");
            told += list.notes.len();
            let again = listed(dir.path()).notes;
            assert!(again.is_empty(), "{fill} at {at} is not repaired: {:?}, {again:?}", list.notes);
        }
    }
    assert!(told > 10, "{told} were told");
}

/// SQLite does not see that a letter was changed; the checksum of the row does.
#[test]
fn a_row_that_was_changed_is_not_believed() {
    let dir = runs(20);
    let first = quiet(dir.path(), 20);
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let changes = [
        "UPDATE run SET headline = '9 M IOPS' WHERE id LIKE '%7'",
        "UPDATE run SET state = 77 WHERE id LIKE '%7'",
        "UPDATE run SET started_unix_ns = -1 WHERE id LIKE '%7'",
        "UPDATE run SET tags = 'x' WHERE id LIKE '%7'",
    ];
    for change in changes {
        assert_eq!(Connection::open(&path).unwrap().execute(change, []).unwrap(), 2);
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 20, "{change}: {:?}", list.notes);
        assert!(list.notes.concat().contains("in 2 of its rows"), "{:?}", list.notes);
        assert_eq!(quiet(dir.path(), 0), first);
    }
    // Of another type, and tables that are not there: everything is read again.
    for change in ["UPDATE run SET id = x'00' WHERE id LIKE '%7'", "DROP TABLE run"] {
        Connection::open(&path).unwrap().execute(change, []).unwrap();
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 20, "{change}: {:?}", list.notes);
        assert!(list.notes.concat().contains("was damaged ("), "{:?}", list.notes);
        assert_eq!(quiet(dir.path(), 0), first);
    }
}

#[test]
fn an_index_of_a_newer_version_stays_as_it_is() {
    let dir = runs(2);
    let first = quiet(dir.path(), 2);
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let set = |version: u32| {
        Connection::open(&path).unwrap().pragma_update(None, "user_version", version).unwrap();
        fs::read(&path).unwrap()
    };
    let newer = set(99);
    save(dir.path(), name(2), &record(2));
    let list = listed(dir.path());
    assert_eq!((list.runs.len(), list.records_read, list.notes.len()), (3, 3, 1));
    assert!(list.notes[0].starts_with("a newer fathom made the index of runs"), "{:?}", list.notes);
    assert!(fs::read(&path).unwrap() == newer, "it was changed");
    // What no version wrote is made again without a word.
    set(0);
    assert_eq!(quiet(dir.path(), 3)[1..], first);
}

/// Was something reported as slow?
#[derive(Default)]
struct Told(AtomicBool);

impl Listener for Told {
    fn notice(&self, notice: Notice<'_>) {
        if matches!(notice, Notice::Waiting(_)) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[test]
fn a_locked_index_is_not_waited_for_without_an_end() {
    let dir = runs(3);
    let first = quiet(dir.path(), 3);
    let other = Connection::open(index_of(dir.path()).path().unwrap()).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let told = Arc::new(Told::default());
    let list = SlowLook::new(told.clone()).at(dir.path(), || listed(dir.path()));
    assert_eq!((&list.runs, list.records_read), (&first, 3));
    assert!(list.notes.len() == 1 && list.notes[0].starts_with("another program uses"), "{:?}", list.notes);
    assert!(!told.0.load(Ordering::Relaxed), "the directory of the runs is not slow");
    let began = std::time::Instant::now();
    crate::runs::register(dir.path(), &index_of(dir.path()));
    assert!(began.elapsed().as_secs_f64() < 2.0, "a run waited for {:?}", began.elapsed());
    drop(other);
    assert_eq!(quiet(dir.path(), 0), first);
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
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let other = dir.path().join("other");
    fs::write(&other, "precious").unwrap();
    let before = fs::read(&other).unwrap();
    let makes: [&dyn Fn(); 5] = [
        &|| fs::write(&path, &before).unwrap(),
        &|| assert_eq!(Connection::open(&path).unwrap().execute("CREATE TABLE mine (a)", []), Ok(0)),
        &|| symlink(&other, &path).unwrap(),
        &|| assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        &|| fs::create_dir(&path).unwrap(),
    ];
    for make in makes {
        make();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let content = kind.is_file().then(|| fs::read(&path).unwrap());
        for source in [ListSource::Index, ListSource::Directories] {
            let list = listed_from(dir.path(), source);
            assert_eq!((list.runs.len(), list.records_read), (2, 2));
            assert!(list.notes.concat().contains("leaves it as it is"), "{:?}", list.notes);
            crate::runs::register(dir.path(), &index_of(dir.path()));
        }
        assert_eq!(fs::symlink_metadata(&path).unwrap().file_type(), kind);
        assert!(content.is_none_or(|content| fs::read(&path).unwrap() == content));
        fs::remove_file(&path).or_else(|_| fs::remove_dir(&path)).unwrap();
    }
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn without_a_place_for_the_index_the_list_is_the_same() {
    let dir = runs(5);
    let first = quiet(dir.path(), 5);
    let none = list(dir.path(), ListSource::Index, &RunIndex::default()).unwrap();
    assert_eq!((&none.runs, none.records_read, none.notes.len()), (&first, 5, 0));
    // A directory for the index cannot be made below a file.
    let nowhere = RunIndex::at(dir.path().join(name(0)).join("run.json/runs.db"));
    let list = list(dir.path(), ListSource::Index, &nowhere).unwrap();
    assert_eq!((&list.runs, list.records_read), (&first, 5));
    assert!(list.notes.len() == 1 && list.notes[0].contains("cannot be used"), "{:?}", list.notes);
}

#[test]
fn the_index_reads_the_state_that_it_kept() {
    use crate::runs::RunState;
    for (place, state) in RunState::ALL.into_iter().enumerate() {
        assert_eq!(state as usize, place, "{state:?}");
    }
}
