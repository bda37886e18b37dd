//! A recorded machine with one NVMe drive, one SATA and one SAS disk, and a
//! purge of any of them.

use std::cell::RefCell;

use fathom_device::Root;
use fathom_device::device::{Graph, Identity};
use fathom_device::tree::Tree;
use fathom_guard::Consent;
use fathom_guard::purge::{
    Bench, Choice, DriveFacts, DriveInterfaces, Ledger, PurgeError, PurgeProgress, PurgeRecord, PurgeTask,
    PurgedDevice, Sampling, Wish, choose, perform,
};

use crate::purge_simulated::drive::{SIZE, SimDrive};
use crate::purge_simulated::unpack::Unpacked;

/// The machine, its ledger, and a drive under the name `disk`.
pub struct Machine {
    tree: Unpacked,
    pub ledger: Ledger,
    pub drive: SimDrive,
    disk: &'static str,
    /// Progress that was reported.
    pub told: RefCell<Vec<PurgeProgress>>,
    _dir: tempfile::TempDir,
}

fn disk(name: &str, number: &str, dir: &str, attributes: &str) -> String {
    let sectors = SIZE / 512;
    let dir = format!("/sys/devices/{dir}/{name}");
    let lines: String = attributes.lines().map(|line| format!("{dir}/{}\n", line.trim())).collect();
    format!(
        "{dir}/dev = {number}\n{dir}/size = {sectors}\n{dir}/ro = 0\n{dir}/uevent = DEVNAME={name}\n\
         {dir}/queue/logical_block_size = 512\n{dir}/queue/discard_max_bytes = 1048576\n{lines}\
         /sys/block/{name} -> {dir}\n/sys/class/block/{name} -> {dir}\n/sys/dev/block/{number} -> {dir}\n"
    )
}

fn tree() -> Tree {
    let mut text = String::from(
        "/sys/devices/nvme0/serial = NVME-1\n/sys/devices/nvme0/model = Simulated\n\
         /sys/devices/nvme0/subsysnqn = nqn.sim:1\n/sys/devices/ata1/vendor = ATA\n\
         /sys/devices/sas1/vendor = SIMULATD\n",
    );
    for (name, number, nsid) in [("nvme0n1", "259:1", 1), ("nvme0n2", "259:2", 2)] {
        let attributes = format!("nsid = {nsid}\nwwid = eui.{nsid}\ndevice -> ../../nvme0");
        text += &disk(name, number, "nvme0", &attributes);
    }
    text += &disk("sda", "8:0", "ata1", "serial = ATA-1\ndevice -> ../../ata1");
    text += &disk("sdb", "8:16", "sas1", "serial = SAS-1\ndevice -> ../../sas1");
    text += "/sys/devices/nvme0/nvme0n1/nvme0n1p1/partition = 1\n\
             /sys/devices/nvme0/nvme0n1/nvme0n1p1/dev = 259:3\n/sys/devices/nvme0/nvme0n1/nvme0n1p1/size = 64\n\
             /sys/devices/nvme0/nvme0n1/nvme0n1p1/uevent = DEVNAME=nvme0n1p1\n\
             /sys/class/block/nvme0n1p1 -> /sys/devices/nvme0/nvme0n1/nvme0n1p1\n\
             /sys/dev/block/259:3 -> /sys/devices/nvme0/nvme0n1/nvme0n1p1\n";
    let mut tree = Tree::default();
    tree.overlay(&text).unwrap();
    tree
}

impl Machine {
    /// With `drive` as the disk of this name.
    pub fn with(disk: &'static str, drive: SimDrive) -> Self {
        Self::changed(disk, drive, "")
    }

    /// The same, with changes of the tree.
    pub fn changed(disk: &'static str, drive: SimDrive, overlay: &str) -> Self {
        let mut tree = tree();
        tree.overlay(overlay).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::at(dir.path().join("devices"));
        Self { tree: Unpacked::of(&tree).unwrap(), ledger, drive, disk, told: RefCell::default(), _dir: dir }
    }

    fn root(&self) -> Root {
        self.tree.root()
    }

    /// Who the disk is, with the blocks that the drive has now.
    pub fn identity(&self) -> Identity {
        let root = self.root();
        let number = root.read_value(format!("/sys/class/block/{}/dev", self.disk)).unwrap();
        let mut identity = Identity::read(&root, &Graph::read(&root, number).unwrap()).unwrap();
        identity.logical_block_bytes = Some(self.drive.block_bytes());
        identity
    }

    pub fn facts(&self) -> DriveFacts {
        DriveFacts::gather(&self.root(), &self.identity(), &self.drive)
    }

    pub fn choose(&self, wish: &Wish, destroy: &[&str]) -> Result<Choice, PurgeError> {
        let destroy = destroy.iter().map(|word| word.parse().unwrap()).collect();
        let consent = Consent { destroy, ..Consent::default() };
        choose(&self.root(), &self.facts(), wish, &consent)
    }

    /// The method that the ladder takes, or why none.
    #[track_caller]
    pub fn chosen(&self, wish: &Wish, destroy: &[&str]) -> (String, Vec<String>) {
        let choice = self.choose(wish, destroy).unwrap_or_else(|e| panic!("{e}"));
        let affected = choice.affected.into_iter().map(|device| device.kernel_name);
        (choice.method.id.to_owned(), affected.collect())
    }

    /// Why `method` is not offered, and what would help.
    #[track_caller]
    pub fn refused(&self, method: &str) -> String {
        let Err(e) = self.choose(&wish(method), &[]) else { panic!("{method} is offered") };
        assert!(e.is_usage(), "{e}");
        format!("{e}; {}", e.hints().join("; "))
    }

    /// Purges in the same way as on a real machine, but without the guard.
    pub fn purge(&self, wish: &Wish) -> Result<PurgeRecord, PurgeError> {
        let facts = self.facts();
        let choice = self.choose(wish, &[])?;
        let sampling = Sampling { windows: 20, seed: 1 };
        let job = PurgeTask {
            method: choice.method,
            terms: &choice.terms,
            wish,
            facts: &facts,
            affected: &choice.affected,
            sampling,
        };
        let mut tell = |progress| self.told.borrow_mut().push(progress);
        perform(&job, self, &self.ledger, &mut tell)
    }
}

impl Bench for Machine {
    fn drive(&self) -> &dyn DriveInterfaces {
        &self.drive
    }

    fn reopen(&self, _: Option<u32>) -> Result<PurgedDevice, PurgeError> {
        Ok(PurgedDevice {
            identity: self.identity(),
            drive: Box::new(self.drive.clone()),
            facts: self.facts(),
        })
    }
}

pub fn wish(method: &str) -> Wish {
    Wish { method: Some(method.to_owned()), block_bytes: None }
}
