//! The index: used where it is right, and replaced where it is not.

use super::{index_of, listed, listed_from, name, quiet, record, runs, runs_in, save};
use crate::notice::{Listener, Notice};
use crate::runs::{ListSource, RunIndex, list, list_all};
use crate::slow_look::SlowLook;
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
    let damages: [fn(&mut Vec<u8>); 6] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.truncate(20),
        |bytes| bytes.truncate(bytes.len() - 1),
        |bytes| bytes[4096..].fill(0),
        |bytes| bytes[100..4096].fill(0xff),
        |bytes| bytes[20..22].fill(0),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 200, "damage {number}");
        assert!(
            list.notes.len() == 1 && list.notes[0].contains("it was damaged: "),
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
    // The header says whose the file is.
    for at in (BLOCK..whole.len()).step_by(BLOCK) {
        for fill in [0, 0xff] {
            let mut bytes = whole.clone();
            let end = whole.len().min(at + BLOCK);
            bytes[at..end].fill(fill);
            fs::write(&path, bytes).unwrap();
            let list = listed(dir.path());
            assert!(list.runs == first && list.notes.len() == 1, "{fill} at {at}: {:?}", list.notes);
            assert!(quiet(dir.path(), 0) == first, "{fill} at {at} is not repaired");
        }
    }
}

/// The index of these runs with other text in it.
fn with_text(dir: &Path, from: &str, to: &str) -> Vec<u8> {
    let path = index_of(dir).path().unwrap().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    let changed = text.replace(from, to);
    assert_ne!(text, changed, "{from}");
    fs::write(&path, &changed).unwrap();
    changed.into_bytes()
}

/// The same with the checksum that fits.
fn with_lines(dir: &Path, from: &str, to: &str) {
    with_text(dir, from, to);
    let path = index_of(dir).path().unwrap().to_owned();
    let text = fs::read_to_string(&path).unwrap();
    let (_, lines) = text.split_once('\n').unwrap();
    let sum = crc32fast::hash(lines.as_bytes());
    fs::write(&path, format!("{{\"fathom_index\":1,\"crc32\":\"{sum:08x}\"}}\n{lines}")).unwrap();
}

#[test]
fn an_index_that_was_changed_is_not_believed() {
    let dir = runs(20);
    let first = quiet(dir.path(), 20);
    let sentence = |damage: &str, change: &dyn Fn()| {
        change();
        let list = listed(dir.path());
        assert!(list.runs == first && list.records_read == 20, "{damage}: {:?}", list.notes);
        assert!(list.notes.concat().contains(damage), "{:?}", list.notes);
        assert_eq!(quiet(dir.path(), 0), first);
    };
    let dir = dir.path();
    sentence("it was damaged: its checksum is wrong)", &|| drop(with_text(dir, "7 times", "9 times")));
    sentence("it was damaged: its checksum is wrong)", &|| drop(with_text(dir, "1795396924", "2795396924")));
    sentence("it was damaged: a line of it cannot be read)", &|| {
        with_lines(dir, "\"complete\"", "\"unknown\"")
    });
    sentence("it was damaged: a line of it cannot be read)", &|| {
        with_lines(dir, "\"directory\"", "\"other\"")
    });
}

#[test]
fn an_index_of_a_newer_version_stays_as_it_is() {
    let dir = runs(2);
    let first = quiet(dir.path(), 2);
    let path = index_of(dir.path()).path().unwrap().to_owned();
    let newer = with_text(dir.path(), "\"fathom_index\":1", "\"fathom_index\":99");
    save(dir.path(), name(2), &record(2));
    let list = listed(dir.path());
    assert_eq!((list.runs.len(), list.records_read, list.notes.len()), (3, 3, 1));
    assert!(list.notes[0].contains("cannot be used (a newer fathom made it)"), "{:?}", list.notes);
    assert!(fs::read(&path).unwrap() == newer, "it was changed");
    // An older one is made again without a word, and so is what a crash can leave.
    with_text(dir.path(), "\"fathom_index\":99", "\"fathom_index\":0");
    assert_eq!(quiet(dir.path(), 3)[1..], first);
    fs::write(&path, "").unwrap();
    fs::write(dir.path().join(".runs.jsonl.new"), "of a process that was killed").unwrap();
    assert_eq!(quiet(dir.path(), 3)[1..], first);
    assert_eq!(quiet(dir.path(), 0)[1..], first);
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

/// Who reads the index needs no lock. Who changes it waits for a short time.
#[test]
fn a_locked_index_is_not_waited_for_without_an_end() {
    let (dir, other_dir) = (runs(3), tempfile::tempdir().unwrap());
    let first = quiet(dir.path(), 3);
    let other = File::open(index_of(dir.path()).path().unwrap()).unwrap();
    other.lock().unwrap();
    assert_eq!(quiet(dir.path(), 0), first);
    save(dir.path(), name(3), &record(3));
    let told = Arc::new(Told::default());
    let list = SlowLook::new(told.clone()).at(dir.path(), || listed(dir.path()));
    assert_eq!((&list.runs[1..], list.records_read), (first.as_slice(), 1));
    assert!(list.notes.len() == 1 && list.notes[0].contains("(another program uses it)"), "{:?}", list.notes);
    assert!(!told.0.load(Ordering::Relaxed), "the directory of the runs is not slow");
    let began = std::time::Instant::now();
    crate::runs::register(other_dir.path(), &index_of(dir.path()));
    assert!(began.elapsed().as_secs_f64() < 2.0, "a run waited for {:?}", began.elapsed());
    drop(other);
    assert_eq!(quiet(dir.path(), 1)[1..], first);
    quiet(dir.path(), 0);
}

/// Each waits for the others, and none replaces what another one wrote.
#[test]
fn of_many_changes_at_once_none_is_lost() {
    let (dir, others) = (runs(1), tempfile::tempdir().unwrap());
    let index = index_of(dir.path());
    let paths: Vec<_> = (0..20).map(|number| others.path().join(format!("{number}"))).collect();
    std::thread::scope(|scope| {
        for path in &paths {
            runs_in(path, 1);
            scope.spawn(|| list(path, ListSource::Index, &index).unwrap());
        }
    });
    let all = list_all(dir.path(), ListSource::Index, &index).unwrap();
    assert_eq!((all.runs.len(), all.records_read, all.notes), (21, 1, vec![]));
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
        &|| fs::write(&path, "{\"directory\":\"/\"}\n").unwrap(),
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
    let nowhere = RunIndex::at(dir.path().join(name(0)).join("run.json/runs.jsonl"));
    let list = list(dir.path(), ListSource::Index, &nowhere).unwrap();
    assert_eq!((&list.runs, list.records_read), (&first, 5));
    assert!(list.notes.len() == 1 && list.notes[0].contains("cannot be used"), "{:?}", list.notes);
}
