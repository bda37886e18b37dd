//! Builds the `/sys`, `/proc` and `/dev` of a machine that does not exist,
//! laid out with the same links as the kernel's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};

use fathom_device::Root;
use fathom_device::device::{DevNumber, Node};
use fathom_device::signature::Contents;
use fathom_guard::{Consent, FindingKind};
use fathom_guard::{Door, Facts, Finding, Refusal, inspect, judge};

/// Bytes of every disk, unless a test says otherwise.
pub const SIZE: u64 = 64 << 20;

/// Bytes and where they lie.
type Patch = (u64, Vec<u8>);

/// A machine with no disks; each method adds one thing.
pub struct Machine {
    dir: tempfile::TempDir,
    data: RefCell<HashMap<String, Vec<Patch>>>,
}

impl Machine {
    pub fn new() -> Self {
        let machine = Self { dir: tempfile::tempdir().unwrap(), data: RefCell::default() };
        for dir in ["sys/block", "sys/class/block", "sys/dev/block", "dev/disk/by-id"] {
            fs::create_dir_all(machine.at(dir)).unwrap();
        }
        machine.write("proc/self/mountinfo", "20 1 0:5 / / rw - tmpfs tmpfs rw\n");
        machine.write("proc/swaps", "Filename Type Size Used Priority\n");
        machine
    }

    pub fn root(&self) -> Root {
        Root::recorded(self.dir.path())
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn append(&self, path: &str, text: &str) {
        let before = fs::read_to_string(self.at(path)).unwrap_or_default();
        self.write(path, &format!("{before}{text}"));
    }

    fn link(&self, path: &str, to: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(to, path).unwrap();
    }

    fn block(&self, dir: &str, name: &str, number: &str, size: u64) {
        self.write(&format!("sys/{dir}/dev"), number);
        self.write(&format!("sys/{dir}/size"), &(size / 512).to_string());
        self.write(&format!("sys/{dir}/ro"), "0");
        self.write(&format!("sys/{dir}/uevent"), &format!("DEVNAME={name}\n"));
        fs::create_dir_all(self.at(&format!("sys/{dir}/holders"))).unwrap();
        self.link(&format!("sys/dev/block/{number}"), &format!("../../{dir}"));
        self.link(&format!("sys/class/block/{name}"), &format!("../../{dir}"));
    }

    /// A whole disk with a serial (none if empty).
    pub fn disk(&self, name: &str, number: &str, serial: &str) -> &Self {
        let dir = format!("devices/{name}");
        self.block(&dir, name, number, SIZE);
        fs::create_dir_all(self.at(&format!("sys/{dir}/slaves"))).unwrap();
        self.link(&format!("sys/block/{name}"), &format!("../{dir}"));
        self.attribute(name, "serial", serial)
    }

    /// Partition `index` of `disk`.
    pub fn partition(&self, disk: &str, index: u32, number: &str) -> &Self {
        let name = format!("{disk}{index}");
        let dir = format!("devices/{disk}/{name}");
        self.block(&dir, &name, number, SIZE / 4);
        self.write(&format!("sys/{dir}/partition"), &index.to_string());
        self
    }

    pub fn attribute(&self, disk: &str, file: &str, text: &str) -> &Self {
        self.write(&format!("sys/devices/{disk}/{file}"), text);
        self
    }

    /// `holder` (md, dm) is made of `member` (`sdb` or `sdb/sdb1`).
    pub fn holds(&self, holder: &str, member: &str) -> &Self {
        let name = Path::new(member).file_name().unwrap().to_str().unwrap();
        let up = "../".repeat(2 + member.matches('/').count());
        self.link(&format!("sys/devices/{member}/holders/{holder}"), &format!("{up}{holder}"));
        self.link(&format!("sys/devices/{holder}/slaves/{name}"), &format!("../../{member}"));
        self
    }

    pub fn loop_over(&self, name: &str, number: &str, file: &str) -> &Self {
        self.disk(name, number, "").attribute(name, "loop/backing_file", file)
    }

    pub fn mount(&self, number: &str, point: &str, kind: &str, source: &str) -> &Self {
        let line = format!("30 20 {number} / {point} rw - {kind} {source} rw\n");
        self.append("proc/self/mountinfo", &line);
        self
    }

    pub fn mount_of_process(&self, pid: u32, number: &str, point: &str) -> &Self {
        let line = format!("30 20 {number} / {point} rw - ext4 /dev/root rw\n");
        self.append(&format!("proc/{pid}/mountinfo"), &line);
        self
    }

    pub fn swap(&self, path: &str) -> &Self {
        self.append("proc/swaps", &format!("{path} partition 1 0 -2\n"));
        self
    }

    pub fn opener(&self, pid: u32, comm: &str, node: &str, octal_flags: &str) -> &Self {
        self.link(&format!("proc/{pid}/fd/7"), node);
        self.write(&format!("proc/{pid}/fdinfo/7"), &format!("pos:\t0\nflags:\t{octal_flags}\n"));
        self.write(&format!("proc/{pid}/comm"), comm);
        self
    }

    pub fn by_id(&self, link: &str, node: &str) -> &Self {
        self.link(&format!("dev/disk/by-id/{link}"), &format!("../../{node}"));
        self
    }

    /// Bytes on a node; nodes without are blank.
    pub fn data(&self, node: &str, offset: u64, bytes: &[u8]) -> &Self {
        let mut data = self.data.borrow_mut();
        data.entry(node.to_owned()).or_default().push((offset, bytes.to_vec()));
        self
    }

    fn look_into(&self, node: &Node) -> io::Result<Contents> {
        let image: File = tempfile::tempfile()?;
        image.set_len(node.size_bytes)?;
        for (offset, bytes) in self.data.borrow().get(&node.name).into_iter().flatten() {
            image.write_all_at(bytes, *offset)?;
        }
        Contents::read(&image, node.size_bytes)
    }

    pub fn facts(&self, number: &str) -> Facts {
        let number: DevNumber = number.parse().unwrap();
        Facts::gather(&self.root(), number, |node| self.look_into(node)).unwrap()
    }

    pub fn findings(&self, number: &str) -> Vec<Finding> {
        inspect(&self.facts(number))
    }

    /// The kinds found, with the node of each.
    pub fn kinds(&self, number: &str) -> Vec<(FindingKind, String)> {
        let findings = self.findings(number).into_iter();
        findings.map(|finding| (finding.kind, finding.node)).collect()
    }

    pub fn judge(&self, number: &str, door: Door, consent: &Consent) -> Result<(), Box<Refusal>> {
        let facts = self.facts(number);
        judge(Path::new("/dev/target"), &facts, inspect(&facts), door, consent)
    }
}
