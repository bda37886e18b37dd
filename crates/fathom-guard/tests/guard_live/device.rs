//! Loop devices through the guard, from admission to release.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use fathom_device::Root;
use fathom_device::device::{DevNumber, DiskKind};
use fathom_device::diskstat::{DiskCounters, disks_beneath};
use fathom_device::target::{PathKind, inspect};
use fathom_guard::{Access, Admitted, Consent, Door, FindingKind, Guard, GuardError, OpenFlags, Refusal};

use crate::guard_live::loops::{Loop, SIZE};

fn guard(door: Door, write: &[&str], destroy: &[&str]) -> Guard {
    let names = |words: &[&str]| words.iter().map(|word| word.parse().unwrap()).collect();
    let consent = Consent { write: names(write), destroy: names(destroy), overwrite_files: Vec::new() };
    Guard::new(Root::live(), door, consent)
}

#[track_caller]
fn refusal(result: Result<Arc<Admitted>, GuardError>) -> Refusal {
    match result {
        Err(GuardError::Refused(refusal)) => *refusal,
        other => panic!("not refused: {other:?}"),
    }
}

/// No consent and no door may let `path` be written.
#[track_caller]
fn check_barred(path: &Path, words: &[&str], kind: FindingKind) -> Refusal {
    refusal(guard(Door::Fio, words, words).admit(path, Access::Write));
    let refusal = refusal(guard(Door::Native, words, words).admit(path, Access::Write));
    assert!(refusal.has(kind), "{refusal}");
    assert!(!refusal.can_be_overridden(), "{refusal}");
    refusal
}

/// Whether another descriptor gets the lock that udev takes before it probes.
fn is_lockable(path: &Path) -> bool {
    fs::File::open(path).unwrap().try_lock_shared().is_ok()
}

/// Whether somebody has claimed the device.
fn is_claimed(path: &Path) -> bool {
    let exclusive = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(path);
    exclusive.is_err_and(|e| e.raw_os_error() == Some(libc::EBUSY))
}

#[test]
fn mounted_device() {
    let mut disk = Loop::blank();
    disk.format(disk.name());
    disk.mount_whole();
    let refusal = check_barred(&disk.node, &[&disk.word()], FindingKind::Mounted);
    let point = disk.dir().join("mnt");
    assert!(refusal.to_string().contains(point.to_str().unwrap()), "{refusal}");
}

#[test]
fn mounted_partition() {
    let mut disk = Loop::blank();
    let partition = disk.partition();
    disk.format(&partition);
    disk.mount(&partition);
    check_barred(&disk.node, &[&disk.word()], FindingKind::Mounted);
    check_barred(Path::new(&partition), &[], FindingKind::Mounted);
}

#[test]
fn unmounted_partition_is_named_by_its_number() {
    let disk = Loop::blank();
    let partition = disk.partition();
    let refusal = refusal(guard(Door::Native, &[], &[]).admit(Path::new(&partition), Access::Write));
    let word = format!("{}-part1:{}", disk.image.display(), 199 << 20);
    assert_eq!(refusal.hints, [format!("to allow writing, add: --write {word}")]);
    let guard = guard(Door::Native, &[&word], &[]);
    let _admitted = guard.admit(Path::new(&partition), Access::Write).unwrap();
    assert!(!is_lockable(&disk.node), "udev would not get the lock");
    assert!(is_claimed(&disk.node), "a claimed partition claims its disk");
}

#[test]
fn partition_table_needs_destroy() {
    let disk = Loop::blank();
    disk.partition();
    for door in [Door::Native, Door::Fio] {
        let refusal = refusal(guard(door, &[&disk.word()], &[]).admit(&disk.node, Access::Write));
        assert!(refusal.has(FindingKind::PartitionTable), "{refusal}");
        assert!(refusal.has(FindingKind::Partition), "{refusal}");
        let guard = guard(door, &[], &[&disk.word()]);
        guard.admit(&disk.node, Access::Write).unwrap();
    }
}

#[test]
fn active_swap() {
    let mut disk = Loop::blank();
    disk.swap_on();
    check_barred(&disk.node, &[&disk.word()], FindingKind::Swap);
}

#[test]
fn signature_needs_destroy() {
    let disk = Loop::blank();
    disk.format(disk.name());
    for door in [Door::Native, Door::Fio] {
        for write in [vec![], vec![disk.word()]] {
            let write: Vec<&str> = write.iter().map(String::as_str).collect();
            let refusal = refusal(guard(door, &write, &[]).admit(&disk.node, Access::Write));
            assert!(refusal.to_string().contains("ext4"), "{refusal}");
            let hint = format!("to write to it anyway: --destroy {}", disk.word());
            assert_eq!(refusal.hints[0], hint);
        }
        let guard = guard(door, &[], &[&disk.word()]);
        guard.admit(&disk.node, Access::Write).unwrap();
    }
}

/// Python holding a device open until it is told to end.
struct Holder(Child);

impl Holder {
    fn open(node: &str, flags: &str) -> Self {
        let program =
            format!("import os,sys\nos.open({node:?}, {flags})\nprint('open', flush=True)\nsys.stdin.read()");
        let mut child = Command::new("python3")
            .args(["-c", &program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is needed for this test");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "open\n");
        Self(child)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn claimed_by_another_process() {
    let disk = Loop::blank();
    let holder = Holder::open(disk.name(), "os.O_RDONLY|os.O_EXCL");
    let refusal = check_barred(&disk.node, &[&disk.word()], FindingKind::Claimed);
    assert!(refusal.to_string().contains("exclusive"), "{refusal}");
    drop(holder);
    let guard = guard(Door::Native, &[&disk.word()], &[]);
    guard.admit(&disk.node, Access::Write).unwrap();
}

#[test]
fn open_for_writing_in_another_process() {
    let disk = Loop::blank();
    let holder = Holder::open(disk.name(), "os.O_RDWR");
    let refusal = check_barred(&disk.node, &[&disk.word()], FindingKind::OpenForWriting);
    let pid = format!("pid {}", holder.0.id());
    assert!(refusal.to_string().contains(&pid), "{refusal}");
}

#[test]
fn open_for_reading_in_another_process_needs_destroy() {
    let disk = Loop::blank();
    let _holder = Holder::open(disk.name(), "os.O_RDONLY");
    let refusal = refusal(guard(Door::Native, &[&disk.word()], &[]).admit(&disk.node, Access::Write));
    assert!(refusal.has(FindingKind::OpenForReading), "{refusal}");
    for guard in [guard(Door::Fio, &[], &[]), guard(Door::Native, &[], &[&disk.word()])] {
        guard.admit(&disk.node, Access::Write).unwrap();
    }
}

/// The node of the device under `/`, found by its number alone.
fn root_node() -> Option<PathBuf> {
    let number = DevNumber::from_raw(fs::metadata("/").unwrap().dev());
    let text = fs::read_to_string(format!("/sys/dev/block/{number}/uevent")).ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("DEVNAME="))?;
    Some(Path::new("/dev").join(name))
}

#[test]
fn root_disk() {
    let node = root_node().expect("this test needs / on a block device");
    let refusal = refusal(guard(Door::Fio, &[], &[]).admit(&node, Access::Write));
    assert!(refusal.has(FindingKind::SystemDevice), "{refusal}");
    assert!(refusal.has(FindingKind::Mounted), "{refusal}");
    assert!(!refusal.can_be_overridden());
}

#[test]
fn blank_device_by_door() {
    let disk = Loop::blank();
    let refusal = refusal(guard(Door::Native, &[], &[]).admit(&disk.node, Access::Write));
    assert!(refusal.has(FindingKind::NoConsent), "{refusal}");
    assert!(refusal.can_be_overridden());
    for wrong in [SIZE - 512, SIZE + 512] {
        let word = format!("{}:{wrong}", disk.image.display());
        self::refusal(guard(Door::Native, &[&word], &[]).admit(&disk.node, Access::Write));
    }
    let word = format!("{}:256M", disk.image.display());
    for guard in [guard(Door::Native, &[&word], &[]), guard(Door::Fio, &[], &[])] {
        let admitted = guard.admit(&disk.node, Access::Write).unwrap();
        assert!(admitted.is_claimed());
        assert_eq!(admitted.identity().unwrap().kind, DiskKind::Loop);
        assert!(is_claimed(&disk.node));
        assert!(!is_lockable(&disk.node), "udev would not get the lock");
        drop(admitted);
        assert!(is_claimed(&disk.node), "the guard holds it for the run");
        drop(guard);
        assert!(!is_claimed(&disk.node), "it is released together with the guard");
        assert!(is_lockable(&disk.node));
    }
}

#[test]
fn a_link_is_the_device_it_leads_to() {
    let disk = Loop::blank();
    let link = disk.dir().join("innocent.dat");
    std::os::unix::fs::symlink(&disk.node, &link).unwrap();
    let refusal = refusal(guard(Door::Native, &[], &[]).admit(&link, Access::Write));
    assert!(refusal.has(FindingKind::NoConsent), "{refusal}");
    let guard = guard(Door::Native, &[&disk.word()], &[]);
    let by_link = guard.admit(&link, Access::Write).unwrap();
    let by_node = guard.admit(&disk.node, Access::Write).unwrap();
    assert!(Arc::ptr_eq(&by_link, &by_node), "one device, one admission");
}

#[test]
fn reading_is_always_admitted_and_never_becomes_writing() {
    let mut disk = Loop::blank();
    disk.format(disk.name());
    disk.mount_whole();
    let admitted = guard(Door::Native, &[], &[]).admit(&disk.node, Access::Read).unwrap();
    assert!(!admitted.is_claimed());
    let mut magic = [0; 2];
    let fd = admitted.open(OpenFlags::default()).unwrap();
    fs::File::from(fd).read_exact_at(&mut magic, 1080).unwrap();
    assert_eq!(magic, [0x53, 0xef]);
    let error = admitted.open(OpenFlags { write: true, ..OpenFlags::default() }).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
}

#[test]
fn an_admitted_device_is_written_with_the_flags_asked() {
    let disk = Loop::blank();
    let guard = guard(Door::Fio, &[], &[]);
    let reader = guard.admit(&disk.node, Access::Read).unwrap();
    let writer = guard.admit(&disk.node, Access::Write).unwrap();
    let reader_again = guard.admit(&disk.node, Access::Read).unwrap();
    assert!(!Arc::ptr_eq(&reader, &writer));
    assert!(Arc::ptr_eq(&writer, &reader_again), "the stronger serves both");
    let how = OpenFlags { write: true, dsync: true, ..OpenFlags::default() };
    let file = fs::File::from(writer.open(how).unwrap());
    file.write_all_at(b"here", 4096).unwrap();
    let mut image = fs::File::open(&disk.image).unwrap();
    let mut bytes = vec![0; 4100];
    image.read_exact(&mut bytes).unwrap();
    assert_eq!(&bytes[4096..], b"here");
}

#[test]
fn a_device_replaced_after_admission_is_not_opened_for_writing() {
    let disk = Loop::blank();
    let guard = guard(Door::Fio, &[], &[]);
    let admitted = guard.admit(&disk.node, Access::Write).unwrap();
    let how = OpenFlags { write: true, ..OpenFlags::default() };
    admitted.open(how).unwrap();
    let image = OpenOptions::new().write(true).open(&disk.image).unwrap();
    image.set_len(SIZE / 2).unwrap();
    crate::guard_live::loops::run("losetup", &["-c", disk.name()]);
    let error = admitted.open(how).unwrap_err();
    assert!(error.to_string().contains("size"), "{error}");
}

#[test]
fn a_device_of_size_zero_has_no_medium() {
    let disk = Loop::blank();
    let image = OpenOptions::new().write(true).open(&disk.image).unwrap();
    image.set_len(0).unwrap();
    crate::guard_live::loops::run("losetup", &["-c", disk.name()]);
    check_barred(&disk.node, &[&disk.word()], FindingKind::NoMedium);
}

#[test]
fn a_second_loop_over_a_mounted_image() {
    let mut disk = Loop::blank();
    disk.format(disk.name());
    disk.mount_whole();
    let image = disk.image.to_str().unwrap().to_owned();
    let second = crate::guard_live::loops::run("losetup", &["--show", "-f", &image]);
    let result = guard(Door::Fio, &[], &[&disk.word()]).admit(Path::new(&second), Access::Write);
    crate::guard_live::loops::run("losetup", &["-d", &second]);
    let refusal = refusal(result);
    assert!(refusal.has(FindingKind::Mounted), "{refusal}");
    assert!(refusal.has(FindingKind::LoopBacking), "{refusal}");
}

#[test]
fn facts_and_counters_of_a_device() {
    let disk = Loop::blank();
    let root = Root::live();
    let facts = inspect(&root, &disk.node).unwrap();
    assert_eq!((facts.kind, facts.size_bytes), (PathKind::Block, Some(SIZE)));
    assert_eq!(facts.logical_block_bytes, Some(512));
    let memory = facts.dio_mem_align_bytes.unwrap();
    assert!(memory > 0 && facts.dio_offset_align_bytes == Some(512), "{memory}");

    let name = facts.disk.unwrap();
    assert_eq!(disks_beneath(&root, facts.device.unwrap()).unwrap(), [name.as_str()]);
    let before = DiskCounters::read(&root, &name).unwrap();
    let guard = guard(Door::Fio, &[], &[]);
    let admitted = guard.admit(&disk.node, Access::Write).unwrap();
    let how = OpenFlags { write: true, dsync: true, ..OpenFlags::default() };
    let mut file = fs::File::from(admitted.open(how).unwrap());
    file.write_all(&[1; 65536]).unwrap();
    let delta = DiskCounters::read(&root, &name).unwrap().since(&before);
    assert_eq!(delta.write_sectors, 128);
}
