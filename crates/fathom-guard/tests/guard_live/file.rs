//! Regular files and the odd things that paths lead to.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

use fathom_device::Root;
use fathom_guard::{
    Access, Consent, CreatedFiles, Door, FileOrigin, FindingKind, Guard, GuardError, OpenFlags,
};

use crate::guard_live::loops::Loop;

fn guard(door: Door) -> Guard {
    Guard::new(Root::live(), door, Consent::default())
}

fn create() -> FileOrigin {
    let tag = "fathom test".to_owned();
    FileOrigin::Create { tag }
}

#[track_caller]
fn found(result: Result<Arc<fathom_guard::Admitted>, GuardError>, kind: FindingKind) {
    let error = result.expect_err("not refused");
    let GuardError::Refused(refusal) = &error else { panic!("{error}") };
    assert!(refusal.has(kind), "{refusal}");
}

#[test]
fn a_missing_file_is_created_recorded_and_known_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scratch");
    let known = || guard(Door::Native).with_created(CreatedFiles::at(dir.path().join("state")));
    let first = known();
    let missing = first.admit(&path, Access::Write).unwrap_err();
    assert!(matches!(missing, GuardError::Io { .. }), "{missing}");
    let admitted = first.admit_file(&path, Access::Write, &create()).unwrap();
    assert!(admitted.is_created());
    let again = first.admit(&path, Access::Write).unwrap();
    assert!(Arc::ptr_eq(&admitted, &again));

    first.record_created(|_| None).unwrap();
    let later = known().admit(&path, Access::Write).unwrap();
    assert!(!later.is_created(), "the record admits it, a new guard did not make it");
    assert!(!later.remove_created().unwrap());
    assert!(admitted.remove_created().unwrap());
    assert!(!path.exists());
}

#[test]
fn only_the_very_file_that_was_created_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scratch");
    let guard = guard(Door::Native);
    let admitted = guard.admit_file(&path, Access::Write, &create()).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    assert!(!admitted.remove_created().unwrap());
    assert!(path.exists());
    found(guard.admit(&path, Access::Write), FindingKind::ForeignFile);
}

#[test]
fn a_foreign_file_by_door_and_consent() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("precious");
    fs::write(&path, "data").unwrap();
    found(guard(Door::Native).admit(&path, Access::Write), FindingKind::ForeignFile);
    guard(Door::Native).admit(&path, Access::Read).unwrap();
    guard(Door::Fio).admit(&path, Access::Write).unwrap();
    let link = dir.path().join("link");
    symlink(&path, &link).unwrap();
    found(guard(Door::Native).admit(&link, Access::Write), FindingKind::ForeignFile);
    let named = Consent { overwrite_files: vec![path.clone()], ..Consent::default() };
    let guard = Guard::new(Root::live(), Door::Native, named);
    for path in [&path, &link] {
        guard.admit(path, Access::Write).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "data", "admission changes nothing");
}

#[test]
fn a_dangling_link_is_not_followed_into_a_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    symlink(dir.path().join("elsewhere"), &link).unwrap();
    for door in [Door::Native, Door::Fio] {
        let error = guard(door).admit_file(&link, Access::Write, &create()).unwrap_err();
        assert!(error.to_string().starts_with("cannot create"), "{error}");
    }
    assert!(!dir.path().join("elsewhere").exists());
}

#[test]
fn the_inode_is_opened_not_the_path() {
    let dir = tempfile::tempdir().unwrap();
    let (path, moved) = (dir.path().join("a"), dir.path().join("b"));
    let guard = guard(Door::Native);
    let admitted = guard.admit_file(&path, Access::Write, &create()).unwrap();
    fs::rename(&path, &moved).unwrap();
    fs::write(&path, "bait").unwrap();
    let how = OpenFlags { write: true, append: true, sync: true, ..OpenFlags::default() };
    let mut file = fs::File::from(admitted.open(how).unwrap());
    std::io::Write::write_all(&mut file, b"ours").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "bait");
    assert_eq!(fs::read_to_string(&moved).unwrap(), "ours");
}

#[test]
fn no_file_is_created_among_device_nodes() {
    for path in ["/dev/fathom-test-no-such-disk", "/dev/disk/../fathom-test-no-such-disk"] {
        let path = Path::new(path);
        let result = guard(Door::Fio).admit_file(path, Access::Write, &create());
        assert!(result.is_err());
        assert!(!path.exists());
    }
    let path = Path::new("/dev/fathom-test-no-such-disk");
    let error = guard(Door::Fio).admit_file(path, Access::Write, &create()).unwrap_err();
    assert!(matches!(error, GuardError::NoSuchDevice { .. }), "{error}");
}

#[test]
fn no_file_is_made_through_a_link_to_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink("nosuch", &link).unwrap();
    let message = guard(Door::Fio).admit_file(&link, Access::Write, &create()).unwrap_err().to_string();
    assert!(message.contains("it is a link to nosuch, which does not exist"), "{message}");
    assert!(!dir.path().join("nosuch").exists());
}

#[test]
fn the_kernels_own_files_are_not_written() {
    let path = Path::new("/proc/self/comm");
    found(guard(Door::Fio).admit(path, Access::Write), FindingKind::KernelFile);
    guard(Door::Fio).admit(path, Access::Read).unwrap();
}

#[test]
fn directories_fifos_and_character_devices() {
    let dir = tempfile::tempdir().unwrap();
    let guard = guard(Door::Fio);
    let error = guard.admit(dir.path(), Access::Read).unwrap_err();
    assert!(matches!(error, GuardError::Directory { .. }), "{error}");
    let _listener = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
    let error = guard.admit(&dir.path().join("s"), Access::Read).unwrap_err();
    assert!(matches!(error, GuardError::UnsupportedKind { kind: "socket", .. }), "{error}");
    for path in ["/dev/null", "/dev/zero", "/dev/full"] {
        let admitted = guard.admit(Path::new(path), Access::Write).unwrap();
        admitted.open(OpenFlags { write: true, ..OpenFlags::default() }).unwrap();
    }
    guard.admit(Path::new("/dev/urandom"), Access::Read).unwrap();
    for (path, access) in [
        ("/dev/urandom", Access::Write),
        ("/dev/tty0", Access::Read),
        ("/dev/kmsg", Access::Write),
        ("/dev/ptmx", Access::Write),
    ] {
        let error = guard.admit(Path::new(path), access).unwrap_err();
        assert!(matches!(error, GuardError::UnsupportedKind { .. }), "{path}: {error}");
    }
}

#[test]
fn the_file_behind_a_loop_device() {
    let disk = Loop::blank();
    found(guard(Door::Fio).admit(&disk.image, Access::Write), FindingKind::LoopBacking);
    guard(Door::Fio).admit(&disk.image, Access::Read).unwrap();
}

/// Swap on a file, switched off when dropped.
struct SwapFile<'a>(&'a str);

impl Drop for SwapFile<'_> {
    fn drop(&mut self) {
        crate::guard_live::loops::run("swapoff", &[self.0]);
    }
}

#[test]
fn an_active_swap_file() {
    let turn = Loop::blank();
    let path = turn.dir().join("swap");
    fs::write(&path, vec![0; 4 << 20]).unwrap();
    let name = path.to_str().unwrap();
    crate::guard_live::loops::run("chmod", &["600", name]);
    crate::guard_live::loops::run("mkswap", &[name]);
    crate::guard_live::loops::run("swapon", &[name]);
    let _swap = SwapFile(name);
    found(guard(Door::Fio).admit(&path, Access::Write), FindingKind::Swap);
}

/// The kernel refuses `O_NOATIME` to all but the owner of a file and root.
#[test]
fn a_read_leaves_no_time_where_the_kernel_allows_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs");
    fs::write(&path, "data").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let leaves_none = |user: u32| {
        let path = path.clone();
        let asking = std::thread::spawn(move || {
            // SAFETY: no pointers; it changes the user of this thread alone.
            unsafe { libc::setfsuid(user) };
            let admitted = guard(Door::Native).admit(&path, Access::Read).unwrap();
            let file = admitted.open(OpenFlags { noatime: true, ..OpenFlags::default() }).unwrap();
            // SAFETY: no pointers; the descriptor is open.
            unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) & libc::O_NOATIME != 0 }
        });
        asking.join().unwrap()
    };
    assert_eq!((leaves_none(0), leaves_none(65_534)), (true, false));
}

/// A guard holds descriptors of the first files, and knows the others by name.
#[test]
fn no_file_takes_the_place_of_an_admitted_one_however_many_there_are() {
    let dir = tempfile::tempdir_in("/dev/shm").unwrap();
    let path = |n: usize| dir.path().join(n.to_string());
    let guard = guard(Door::Native);
    let admitted: Vec<_> =
        (0..700).map(|n| guard.admit_file(&path(n), Access::Write, &create()).unwrap()).collect();
    let descriptors = fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok);
    let ours = descriptors.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.starts_with(dir.path())));
    assert!(ours.count() < 600, "most of them are held by name");
    let write = OpenFlags { write: true, ..OpenFlags::default() };
    for n in [0, 699] {
        assert!(admitted[n].open(write).is_ok() && admitted[n].open(OpenFlags::default()).is_ok(), "{n}");
    }
    for n in [1, 698] {
        fs::write(dir.path().join("mine"), "a photograph").unwrap();
        fs::rename(dir.path().join("mine"), path(n)).unwrap();
        for how in [write, OpenFlags::default()] {
            // A file that is held by a descriptor is still there, without a name.
            assert_eq!(admitted[n].open(how).is_ok(), n == 1, "{n}");
        }
        assert!(!admitted[n].remove_created().unwrap(), "{n}");
        assert_eq!(fs::read_to_string(path(n)).unwrap(), "a photograph", "{n}");
    }
}
