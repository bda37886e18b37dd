//! A file that fathom created is ours as long as nobody else touches it
//! (issue 9, item 2).

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use fathom_device::Root;
use fathom_guard::{Access, Consent, CreatedFiles, Door, FileOrigin, Guard, OpenFlags};

use crate::guard_live::loops::Loop;

/// `nobody` of every Linux distribution.
const NOBODY: u32 = 65_534;

/// A directory with a state directory in it.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn state(&self) -> PathBuf {
        self.at("state")
    }

    fn guard(&self, door: Door) -> Guard {
        let created = CreatedFiles::at(self.state());
        Guard::new(Root::live(), door, Consent::default()).with_created(created)
    }

    /// A run of 64 KiB on a file, to its regular end.
    fn run(&self, door: Door, path: &Path) {
        let guard = self.guard(door);
        self.write(&guard, path);
        guard.record_created(|_| None).unwrap();
    }

    fn write(&self, guard: &Guard, path: &Path) {
        let origin = FileOrigin::Create { tag: "fathom test".to_owned() };
        let admitted = guard.admit_file(path, Access::Write, &origin).unwrap();
        let how = OpenFlags { write: true, ..OpenFlags::default() };
        let mut file = File::from(admitted.open(how).unwrap());
        file.write_all(&[7; 64 << 10]).unwrap();
    }

    /// A created file of an ended run.
    fn made(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        self.run(Door::Native, &path);
        path
    }

    fn is_ours(&self, path: &Path) -> bool {
        self.guard(Door::Native).admit(path, Access::Write).is_ok()
    }

    /// The refusal of a file that is not ours.
    #[track_caller]
    fn refusal(&self, path: &Path) -> String {
        let error = self.guard(Door::Native).admit(path, Access::Write).expect_err("it was admitted");
        let hints = error.hints().join("; ");
        let hint = format!("--overwrite {}", fathom_text::shell::quoted(path));
        assert!(error.is_refusal() && hints.contains(&hint), "{hints}");
        error.to_string()
    }

    fn record(&self) -> PathBuf {
        let dir = fs::metadata(self.dir.path()).unwrap();
        self.state().join(format!("created-{:x}-{:x}.json", dir.dev(), dir.ino()))
    }
}

#[test]
fn an_untouched_file_is_ours_from_run_to_run_and_by_both_doors() {
    let place = Place::new();
    let path = place.made("made");
    for door in [Door::Native, Door::Fio, Door::Native] {
        assert!(place.is_ours(&path));
        place.run(door, &path);
    }
    assert!(place.is_ours(&path));
    assert_eq!(fs::metadata(place.record()).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(place.state()).unwrap().mode() & 0o777, 0o700);
}

#[test]
fn whatever_touches_the_file_makes_it_foreign() {
    type Touch = fn(&Path);
    let touches: [(&str, Touch); 6] = [
        ("grown", |p| File::options().append(true).open(p).unwrap().write_all(b"mine").unwrap()),
        ("cut", |p| File::options().write(true).open(p).unwrap().set_len(100).unwrap()),
        ("one byte", |p| File::options().write(true).open(p).unwrap().write_all_at(&[9], 40_000).unwrap()),
        ("the same bytes", |p| fs::write(p, [7; 64 << 10]).unwrap()),
        ("mode", |p| fs::set_permissions(p, Permissions::from_mode(0o644)).unwrap()),
        ("name", |p| {
            fs::rename(p, p.with_extension("moved")).unwrap();
            fs::rename(p.with_extension("moved"), p).unwrap();
        }),
    ];
    let place = Place::new();
    for (touched, touch) in touches {
        let path = place.made(touched);
        touch(&path);
        let said = place.refusal(&path);
        assert!(said.contains("was created by fathom, but") && said.contains("changed"), "{touched}: {said}");
    }
}

#[test]
fn a_copy_that_carries_the_mark_is_foreign() {
    let place = Place::new();
    let (path, copy) = (place.made("made"), place.at("copy"));
    crate::guard_live::loops::run("cp", &["-a", path.to_str().unwrap(), copy.to_str().unwrap()]);
    assert!(place.refusal(&copy).contains("no run has recorded it"));
    assert!(place.is_ours(&path));
}

#[test]
fn a_file_that_is_in_another_list_is_foreign_and_the_hint_names_the_option() {
    let place = Place::new();
    let path = place.made("made");
    let other = place.at("other");
    let guard =
        Guard::new(Root::live(), Door::Native, Consent::default()).with_created(CreatedFiles::at(&other));
    let origin = FileOrigin::Create { tag: "fathom test".to_owned() };
    let error = guard.admit_file(&path, Access::Write, &origin).unwrap_err();
    let said = error.to_string();
    assert!(said.contains(&format!("no run has recorded it in {} (", other.display())), "{said}");
    let hints = error.hints();
    assert!(hints.iter().any(|hint| hint.contains("name that directory with --state-dir")), "{hints:?}");
    assert!(place.is_ours(&path));
}

#[test]
fn a_run_that_ends_without_recording_leaves_a_foreign_file() {
    let place = Place::new();
    let path = place.at("killed");
    place.write(&place.guard(Door::Native), &path);
    assert!(place.refusal(&path).contains("a run that is killed records nothing"));
    let again = place.made("killed later");
    place.write(&place.guard(Door::Native), &again);
    assert!(place.refusal(&again).contains("changed after fathom last closed it"));
}

#[test]
fn a_foreign_file_stays_foreign_when_it_is_written() {
    let place = Place::new();
    let path = place.at("foreign");
    fs::write(&path, "mine").unwrap();
    place.run(Door::Fio, &path);
    assert!(place.refusal(&path).contains("was not created by fathom"));
    let named = Consent { overwrite_files: vec![path.clone()], ..Consent::default() };
    let guard = Guard::new(Root::live(), Door::Native, named).with_created(CreatedFiles::at(place.state()));
    place.write(&guard, &path);
    guard.record_created(|_| None).unwrap();
    place.refusal(&path);
}

#[test]
fn a_record_that_says_something_else_is_not_believed() {
    let place = Place::new();
    let path = place.made("made");
    let good = fs::read_to_string(place.record()).unwrap();
    let meta = fs::metadata(&path).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&good).unwrap();
    let entry = &mut document["files"][0];
    assert_eq!(entry["inode"], meta.ino());
    entry["digest"] = "0".repeat(64).into();
    fs::write(place.record(), document.to_string()).unwrap();
    assert!(place.refusal(&path).contains("its content changed"));
    let newer = good.replace("\"format\":1", "\"format\":2");
    for bad in ["", "{", &good[..good.len() / 2], "{\"format\":1}", &newer] {
        fs::write(place.record(), bad).unwrap();
        assert!(place.refusal(&path).contains("record of created files"), "{bad}");
    }
    fs::write(place.record(), &good).unwrap();
    assert!(place.is_ours(&path));
}

#[test]
fn a_state_directory_of_others_is_not_believed() {
    let place = Place::new();
    let path = place.made("made");
    let denied = |what: &str| {
        let said = place.refusal(&path);
        assert!(said.contains("record of created files"), "{what}: {said}");
        let unrecorded = place.guard(Door::Native);
        let origin = FileOrigin::Create { tag: String::new() };
        unrecorded.admit_file(&place.at(&format!("new by {what}")), Access::Write, &origin).unwrap();
        assert!(unrecorded.record_created(|_| None).is_err(), "{what}");
    };
    chown(place.state(), Some(NOBODY), None).unwrap();
    denied("owner");
    chown(place.state(), Some(0), None).unwrap();
    fs::set_permissions(place.state(), Permissions::from_mode(0o777)).unwrap();
    denied("mode");
    fs::set_permissions(place.state(), Permissions::from_mode(0o700)).unwrap();
    fs::rename(place.state(), place.at("elsewhere")).unwrap();
    symlink(place.at("elsewhere"), place.state()).unwrap();
    denied("link");
    fs::remove_file(place.state()).unwrap();
    fs::rename(place.at("elsewhere"), place.state()).unwrap();
    assert!(place.is_ours(&path));
    chown(place.record(), Some(NOBODY), None).unwrap();
    denied("file of another");
    fs::rename(place.record(), place.at("moved.json")).unwrap();
    chown(place.at("moved.json"), Some(0), None).unwrap();
    symlink(place.at("moved.json"), place.record()).unwrap();
    denied("file behind a link");
}

#[test]
fn without_a_place_for_the_record_the_file_is_foreign_next_time() {
    let place = Place::new();
    fs::write(place.state(), "no directory").unwrap();
    let (guard, path) = (place.guard(Door::Native), place.at("made"));
    place.write(&guard, &path);
    let message = guard.record_created(|_| None).unwrap_err().to_string();
    assert!(message.contains(&place.state().display().to_string()), "{message}");
    place.refusal(&path);
}

#[test]
fn what_is_gone_is_dropped_and_what_may_come_back_is_kept() {
    let place = Place::new();
    let stays = place.made("stays");
    for name in ["removed", "replaced"] {
        fs::remove_file(place.made(name)).unwrap();
    }
    fs::write(place.at("replaced"), "mine").unwrap();
    let record = fs::read_to_string(place.record()).unwrap();
    let nameless = "{\"inode\":2,\"born_ns\":null,\"changed_ns\":3,\"size_bytes\":4,\
        \"digest\":\"00\",\"name\":null}"
        .replace("00", &"00".repeat(32));
    fs::write(place.record(), record.replace("\"files\":[", &format!("\"files\":[{nameless},"))).unwrap();
    place.made("last");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(place.record()).unwrap()).unwrap();
    let names: Vec<Option<&str>> =
        record["files"].as_array().unwrap().iter().map(|e| e["name"].as_str()).collect();
    assert_eq!(names, [None, Some("stays"), Some("last")]);
    assert!(place.is_ours(&stays));
}

/// Files that a run created elsewhere cost nothing, and their record is not lost.
#[test]
fn each_directory_has_a_record_of_its_own() {
    let place = Place::new();
    fs::create_dir(place.at("deeper")).unwrap();
    let (here, deeper) = (place.made("data"), place.made("deeper/data"));
    let records = fs::read_dir(place.state()).unwrap().map(|file| file.unwrap().file_name());
    let records = records.filter(|name| name.to_str().unwrap().ends_with(".json"));
    assert_eq!(records.count(), 2);
    fs::write(place.record(), "damaged").unwrap();
    assert!(place.is_ours(&deeper) && !place.is_ours(&here));
}

/// A file with a name in two directories is known in the one where it was used.
#[test]
fn a_record_is_that_of_the_directory_that_a_link_leads_to() {
    let place = Place::new();
    fs::create_dir(place.at("deeper")).unwrap();
    let path = place.made("data");
    symlink(&path, place.at("deeper/link")).unwrap();
    assert!(place.is_ours(&place.at("deeper/link")));
    place.run(Door::Native, &place.at("deeper/link"));
    assert!(place.is_ours(&path));
}

#[test]
fn runs_at_the_same_time_lose_no_record() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let place = &place;
            scope.spawn(move || place.made(&format!("made {n}")));
        }
    });
    for n in 0..8 {
        assert!(place.is_ours(&place.at(&format!("made {n}"))), "{n}");
    }
}

/// A file in the place of the record is kept when a record is written.
#[test]
fn a_file_in_the_place_of_the_record_is_kept() {
    let place = Place::new();
    fs::create_dir(place.state()).unwrap();
    fs::set_permissions(place.state(), Permissions::from_mode(0o700)).unwrap();
    fs::write(place.record(), "my notes").unwrap();
    fs::set_permissions(place.record(), Permissions::from_mode(0o600)).unwrap();
    let path = place.made("data");
    assert!(place.is_ours(&path));
    assert_eq!(fs::read_to_string(place.record().with_extension("json.damaged")).unwrap(), "my notes");
}

/// The run wrote 64 KiB; what follows belongs to somebody else.
#[test]
fn a_file_that_somebody_lengthened_during_the_run_is_not_recorded() {
    let place = Place::new();
    let (path, guard) = (place.at("data"), place.guard(Door::Native));
    place.write(&guard, &path);
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"mine").unwrap();
    guard.record_created(|_| Some(64 << 10)).unwrap();
    assert!(!place.is_ours(&path));
}

/// A job that only reads changes nothing, so a change was made by somebody else.
#[test]
fn a_file_that_somebody_changed_while_it_was_read_is_not_recorded() {
    for changes in [false, true] {
        let place = Place::new();
        let (path, guard) = (place.at("data"), place.guard(Door::Native));
        let origin = FileOrigin::Create { tag: "fathom test".to_owned() };
        let admitted = guard.admit_file(&path, Access::Write, &origin).unwrap();
        let layout = File::from(admitted.open(OpenFlags { write: true, ..OpenFlags::default() }).unwrap());
        layout.write_all_at(&[7; 64 << 10], 0).unwrap();
        drop(layout);
        let reader = admitted.open(OpenFlags::default()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(30));
        if changes {
            fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(b"mine").unwrap();
        }
        drop(reader);
        guard.record_created(|_| Some(64 << 10)).unwrap();
        assert_eq!(place.is_ours(&path), !changes);
    }
}

/// A process that has the file open, or mapped, when the run ends may write to it without a trace.
#[test]
fn a_file_that_somebody_has_open_is_not_recorded() {
    let place = Place::new();
    let (path, guard) = (place.at("data"), place.guard(Door::Native));
    place.write(&guard, &path);
    let theirs = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    guard.record_created(|_| None).unwrap();
    drop(theirs);
    assert!(!place.is_ours(&path));
}

/// While the image was not attached, it can have been changed elsewhere, and the file's time stamps
/// do not show that.
#[test]
fn a_file_on_an_image_that_was_attached_again_is_not_ours() {
    let (place, mut disk) = (Place::new(), Loop::blank());
    disk.format(disk.name());
    disk.mount_whole();
    let path = disk.dir().join("mnt/data");
    place.run(Door::Native, &path);
    assert!(place.is_ours(&path));
    disk.attach_again();
    let said = place.refusal(&path);
    assert!(said.contains("its disk was attached again"), "{said}");
}
