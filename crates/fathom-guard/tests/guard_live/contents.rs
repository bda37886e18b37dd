//! What is on a device between its ends.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fathom_device::Root;
use fathom_guard::{Access, Consent, Door, FindingKind, Guard, GuardError, GuardMessage, Refusal};

use crate::guard_live::loops::{Loop, run};

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn hear(told: GuardMessage<'_>) {
    let GuardMessage::Examining(what) = told else { panic!("{told:?}") };
    TOLD.lock().unwrap().push(what.to_owned());
}

/// The guard's answer at the native door with `--write`, and its messages.
fn write(disk: &Loop) -> (Result<(), Refusal>, Vec<String>) {
    TOLD.lock().unwrap().clear();
    let consent = Consent { write: vec![disk.word().parse().unwrap()], ..Consent::default() };
    let guard = Guard::new(Root::live(), Door::Native, consent).telling(Arc::new(hear));
    let result = guard.admit(&disk.node, Access::Write);
    let result = match result {
        Ok(_) => Ok(()),
        Err(GuardError::Refused(refusal)) => Err(*refusal),
        Err(e) => panic!("{e}"),
    };
    (result, std::mem::take(&mut *TOLD.lock().unwrap()))
}

fn fio(disk: &Loop) -> Result<(), GuardError> {
    Guard::new(Root::live(), Door::Fio, Consent::default()).admit(&disk.node, Access::Write).map(drop)
}

#[test]
fn a_blank_device_is_written_and_the_bound_is_told() {
    let disk = Loop::blank();
    let (result, told) = write(&disk);
    result.unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with(disk.name()), "{told:?}");
    assert!(told[0].contains("looks empty: 6,905 places were read"), "{told:?}");
}

/// 0.1 % of the device and more: 1 MiB at 30 MiB.
#[test]
fn data_in_the_middle_need_the_strong_consent() {
    let disk = Loop::blank();
    let image = OpenOptions::new().write(true).open(&disk.image).unwrap();
    image.write_all_at(&vec![b'x'; 1 << 20], 30 << 20).unwrap();
    let (result, told) = write(&disk);
    let refusal = result.unwrap_err();
    assert!(refusal.has(FindingKind::UnknownContents), "{refusal}");
    assert!(refusal.to_string().contains("by random samples"), "{refusal}");
    assert_eq!(refusal.hints[0], format!("to write to it anyway: --destroy {}", disk.word()));
    assert_eq!(told, [] as [&str; 0]);
    fio(&disk).unwrap();
    let consent = Consent { destroy: vec![disk.word().parse().unwrap()], ..Consent::default() };
    Guard::new(Root::live(), Door::Native, consent).admit(&disk.node, Access::Write).unwrap();
}

#[test]
fn ext4_with_a_zeroed_head_is_refused_at_both_doors() {
    let disk = Loop::blank();
    disk.format(disk.name());
    let device = OpenOptions::new().write(true).open(&disk.node).unwrap();
    device.write_all_at(&vec![0; 4 << 20], 0).unwrap();
    drop(device);
    let message = write(&disk).0.unwrap_err().to_string();
    assert!(message.contains("ext2/3/4 (spare superblock)"), "{message}");
    let message = fio(&disk).unwrap_err().to_string();
    assert!(message.contains("ext2/3/4 (spare superblock)"), "{message}");
}

/// A file system may fill a disk on which somebody has also added partitions to
/// the kernel.
#[test]
fn a_partition_of_a_disk_that_a_file_system_fills_is_refused_at_both_doors() {
    let disk = Loop::blank();
    let partition = PathBuf::from(disk.partition());
    disk.format(disk.name());
    for door in [Door::Native, Door::Fio] {
        let said = Guard::new(Root::live(), door, Consent::default()).admit(&partition, Access::Write);
        let said = said.map(drop).unwrap_err().to_string();
        assert!(said.contains("has the file system \"ext"), "{said}");
    }
}

/// A loop device over a part of an image, which is detached with it.
struct Window(PathBuf);

impl Window {
    fn of(image: &Path, offset: u64, bytes: u64) -> Self {
        let [offset, bytes] = [offset, bytes].map(|n| n.to_string());
        let words = ["--find", "--show", "--offset", &offset, "--sizelimit", &bytes];
        Self(PathBuf::from(run("losetup", &[&words[..], &[image.to_str().unwrap()]].concat())))
    }

    fn refusal(&self, door: Door) -> String {
        let name = self.0.file_name().unwrap().to_str().unwrap();
        let file = |file: &str| std::fs::read_to_string(format!("/sys/block/{name}/{file}")).unwrap();
        let sectors: u64 = file("size").trim().parse().unwrap();
        let word = format!("by-diskseq/{}:{}", file("diskseq").trim(), 512 * sectors);
        let consent = Consent { write: vec![word.parse().unwrap()], ..Consent::default() };
        let said = Guard::new(Root::live(), door, consent).admit(&self.0, Access::Write);
        said.map(drop).unwrap_err().to_string()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        run("losetup", &["-d", self.0.to_str().unwrap()]);
    }
}

/// An image in a directory of its own, with no loop device over it.
fn image() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let image = dir.path().join("image");
    std::fs::File::create(&image).unwrap().set_len(64 << 20).unwrap();
    (dir, image)
}

/// A loop device may show a free part of a file that holds a file system, and a second loop device
/// may be over the first.
#[test]
fn a_window_of_a_file_that_a_file_system_fills_is_refused() {
    let _turn = Loop::blank();
    let (_dir, image) = image();
    run("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]);
    let window = Window::of(&image, 17 << 20, 6 << 20);
    let above = Window::of(&window.0, 0, 6 << 20);
    for door in [Door::Native, Door::Fio] {
        let said = above.refusal(door);
        assert!(said.contains("image behind") && said.contains("has the file system \"ext"), "{said}");
    }
    drop(above);
    let said = window.refusal(Door::Fio);
    assert!(said.contains("image behind") && said.contains("has the file system \"ext"), "{said}");
}

/// A partition of an image, or a stretch between the ends of one.
#[test]
fn a_window_into_a_partition_of_a_file_is_refused() {
    let _turn = Loop::blank();
    let (_dir, image) = image();
    let name = image.to_str().unwrap();
    run(
        "parted",
        &["-s", name, "mklabel", "gpt", "mkpart", "a", "1MiB", "40MiB", "mkpart", "b", "40MiB", "60MiB"],
    );
    run("mkfs.ext4", &["-q", "-F", "-E", "offset=1048576", name, "39m"]);
    let said = Window::of(&image, 18 << 20, 6 << 20).refusal(Door::Fio);
    assert!(
        said.contains("the partition at byte 1048576 of") && said.contains("the file system \"ext"),
        "{said}"
    );
    let free = Window::of(&image, 40 << 20, 20 << 20);
    Guard::new(Root::live(), Door::Fio, Consent::default()).admit(&free.0, Access::Write).map(drop).unwrap();
}

/// What cannot be looked at may hold anything.
#[test]
fn a_window_of_a_file_that_cannot_be_reached_is_refused() {
    let _turn = Loop::blank();
    let (_dir, image) = image();
    run("mkfs.ext4", &["-q", "-F", image.to_str().unwrap()]);
    let window = Window::of(&image, 17 << 20, 6 << 20);
    std::fs::remove_file(&image).unwrap();
    for door in [Door::Native, Door::Fio] {
        let said = window.refusal(door);
        assert!(said.contains("cannot be reached"), "{said}");
    }
}
