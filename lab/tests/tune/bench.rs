//! The machine's settings, and sessions on them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fathom_device::Goal;
use fathom_device::Root;
use fathom_lab::{Drive, Scope, assert_lab, sh};
use fathom_tune::{self as tune, ApplyOptions, Kernel, Select, Session, TunePlan};

/// Drives of each family: NVMe on both nodes and behind the switch, two
/// paths to one drive, SATA, SCSI, virtio.
const SERIALS: [&str; 7] = ["LAB-A", "LAB-C", "LAB-D", "LAB-M", "LAB-ATA", "LAB-SCSI", "LAB-VIRTIO"];

/// Drives without a serial number.
const UNNAMED: [&str; 1] = ["nullb0"];

/// An array of level 5, for the knobs of arrays, and a file system that trims as it deletes.
pub struct Bench {
    pub targets: Vec<PathBuf>,
    dir: PathBuf,
    scope: Scope,
}

impl Bench {
    pub fn new() -> Self {
        assert_lab();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let dir = format!("/tmp/tune-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut scope = Scope::new();
        scope.later(&["rm", "-r", "-f", &dir]);
        let named = SERIALS.iter().map(|serial| Drive::by_serial(serial).node);
        let unnamed = UNNAMED.iter().map(|name| Drive::unnamed(name).node);
        let targets = named.chain(unnamed).map(PathBuf::from).collect();
        Self { targets, dir: dir.into(), scope }
    }

    /// Adds an array and a mount.
    pub fn with_everything() -> Self {
        let mut bench = Self::new();
        let zram = sh(&["sh", "-c", "cat /sys/class/zram-control/hot_add"]);
        let third = format!("/dev/zram{zram}");
        std::fs::write(format!("/sys/block/zram{zram}/disksize"), "64M").expect("zram is there");
        bench.scope.later(&["sh", "-c", &format!("echo {zram} > /sys/class/zram-control/hot_remove")]);
        let members = ["/dev/ram0", "/dev/ram1", third.as_str()];
        let create = ["mdadm", "--create", "/dev/md7", "--level=5", "--raid-devices=3", "--assume-clean"];
        let words: Vec<&str> = create.into_iter().chain(["--run", "--quiet"]).chain(members).collect();
        let zero: Vec<&str> = ["mdadm", "--zero-superblock"].into_iter().chain(members).collect();
        bench.scope.later(&zero);
        bench.scope.act(&words, &["mdadm", "--stop", "/dev/md7"]);
        let drive = Drive::by_serial("LAB-B");
        sh(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", &drive.node]);
        let point = bench.scope.mount(&drive.node);
        sh(&["mount", "-o", "remount,nosuid,discard", &point]);
        bench.targets.extend([PathBuf::from("/dev/md7"), PathBuf::from(point)]);
        bench
    }

    pub fn end(self) {
        self.scope.end();
        Drive::by_serial("LAB-B").blank();
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Every setting of the machine and the targets that any knob knows.
    pub fn settings(&self) -> BTreeMap<String, String> {
        tune::settings(&Root::live(), &self.targets).expect("the targets are there")
    }

    pub fn plan(&self, goal: Goal, select: &Select) -> TunePlan {
        tune::plan(&Root::live(), &self.targets, goal, select).expect("the knobs are known")
    }

    pub fn apply(&self, plan: &TunePlan) -> Session {
        let options = ApplyOptions {
            hash: plan.hash.clone(),
            named: plan.lines.iter().map(|line| line.knob.clone()).collect(),
            dir: self.dir.clone(),
            writer: Arc::new(Kernel),
            guardian: None,
            holds: true,
            all_or_nothing: false,
        };
        Session::apply(&Root::live(), plan, options).unwrap_or_else(|e| panic!("{e}"))
    }
}

/// What differs between two readings.
pub fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let places = before.keys().chain(after.keys().filter(|place| !before.contains_key(*place)));
    let differs = places.filter(|place| before.get(*place) != after.get(*place));
    differs.map(|place| format!("{place}: {:?} -> {:?}", before.get(place), after.get(place))).collect()
}
