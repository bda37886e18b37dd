//! The lab's drives, found by the serial number that its machine gave them.
//!
//! This reads sysfs itself and does not use the readers of fathom, because those are what is tested.

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::place::assert_lab;
use crate::program::sh;

/// Drives are found by the kernel while the first test starts; under emulation that takes seconds.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(50);

/// A block device of the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drive {
    /// Kernel name (`nvme0n1`).
    pub name: String,
    /// Path of its node.
    pub node: String,
    /// Serial number.
    pub serial: String,
}

impl Drive {
    /// The drive with this serial number; of an NVMe drive its first namespace.
    #[track_caller]
    pub fn by_serial(serial: &str) -> Self {
        Self::namespace(serial, 1)
    }

    /// The namespace of an NVMe drive; other drives have only number 1.
    #[track_caller]
    pub fn namespace(serial: &str, namespace: u32) -> Self {
        let name = wait_until(&format!("drive {serial}, namespace {namespace}"), || {
            visible_disks()
                .into_iter()
                .find(|name| serial_of(name).as_deref() == Some(serial) && namespace_of(name) == namespace)
        });
        Self::named(&name, serial)
    }

    /// All devices with this serial number, as soon as there are `count` of them.
    #[track_caller]
    pub fn all_by_serial(serial: &str, count: usize) -> Vec<Self> {
        let names = wait_until(&format!("{count} devices {serial}"), || {
            let all = visible_disks().into_iter();
            let names: Vec<String> = all.filter(|name| serial_of(name).as_deref() == Some(serial)).collect();
            (names.len() == count).then_some(names)
        });
        names.iter().map(|name| Self::named(name, serial)).collect()
    }

    /// A drive without a serial number, by its kernel name (`nullb0`, `ram0`).
    #[track_caller]
    pub fn unnamed(name: &str) -> Self {
        wait_until(name, || fs::exists(format!("/dev/{name}")).is_ok_and(|e| e).then_some(()));
        Self::named(name, "")
    }

    fn named(name: &str, serial: &str) -> Self {
        assert_lab();
        Self { name: name.to_owned(), node: format!("/dev/{name}"), serial: serial.to_owned() }
    }

    /// The node of a partition.
    pub fn partition(&self, number: u32) -> String {
        let infix = if self.name.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
        format!("{}{infix}{number}", self.node)
    }

    /// Size in bytes.
    #[track_caller]
    pub fn size_bytes(&self) -> u64 {
        self.attribute("size").parse::<u64>().expect("a number of sectors") * 512
    }

    /// A file in its directory of sysfs, trimmed.
    #[track_caller]
    pub fn attribute(&self, file: &str) -> String {
        let path = self.sysfs().join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        text.trim().to_owned()
    }

    /// Its directory in sysfs.
    pub fn sysfs(&self) -> PathBuf {
        PathBuf::from("/sys/class/block").join(&self.name)
    }

    /// Empties it: every byte is zero, and the kernel knows no partitions.
    #[track_caller]
    pub fn blank(&self) {
        sh(&["blkdiscard", "--force", "--zeroout", &self.node]);
        if fs::exists(self.partition(1)).is_ok_and(|e| e) {
            sh(&["blockdev", "--rereadpt", &self.node]);
        }
    }

    /// Makes a GPT with one partition of 32 MiB, and returns the partition's node.
    #[track_caller]
    pub fn partition_once(&self) -> String {
        let line = format!("echo 'start=1MiB, size=32MiB' | sfdisk --quiet --label gpt {}", self.node);
        sh(&["sh", "-c", &line]);
        let node = self.partition(1);
        wait_until(&node, || fs::exists(&node).is_ok_and(|e| e).then_some(()));
        node
    }
}

/// Calls `ask` again and again until it returns something.
#[track_caller]
pub fn wait_until<T>(what: &str, ask: impl FnMut() -> Option<T>) -> T {
    wait_within(PATIENCE, what, ask)
}

/// The same for at most `limit`.
#[track_caller]
pub fn wait_within<T>(limit: Duration, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    assert_lab();
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < limit, "waited too long for {what}");
        thread::sleep(PAUSE);
    }
}

/// All disks but those hidden behind multipath.
fn visible_disks() -> Vec<String> {
    let entries = fs::read_dir("/sys/block").expect("sysfs is mounted");
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| text(name, "hidden").as_deref() != Some("1")).collect()
}

fn namespace_of(disk: &str) -> u32 {
    text(disk, "nsid").and_then(|number| number.parse().ok()).unwrap_or(1)
}

fn serial_of(disk: &str) -> Option<String> {
    text(disk, "device/serial").or_else(|| text(disk, "serial")).or_else(|| unit_serial(disk))
}

/// SCSI: page 0x80 of the vital product data, after four bytes of header (SPC-4 §7.8.16).
fn unit_serial(disk: &str) -> Option<String> {
    let page = fs::read(format!("/sys/block/{disk}/device/vpd_pg80")).ok()?;
    Some(String::from_utf8_lossy(page.get(4..)?).trim().to_owned())
}

fn text(disk: &str, file: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/sys/block/{disk}/{file}")).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
