//! The machine of `machine.tree`, unpacked, with a directory for journals.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fathom_device::Goal;
use fathom_device::Root;
use fathom_device::tree::Tree;
use fathom_tune::{
    self as tune, ApplyOptions, Record, RevertOptions, Select, Session, State, TuneError, TunePlan,
};

use crate::kernel::Kernel;
use crate::unpack::Unpacked;

pub const NVME: &str = "/sys/block/nvme0n1";
pub const CPU: &str = "/sys/devices/system/cpu";

pub struct Machine {
    tree: Unpacked,
    state: tempfile::TempDir,
    pub kernel: Arc<Kernel>,
}

impl Machine {
    /// The machine as it is written down.
    pub fn new() -> Self {
        Self::with("")
    }

    /// The machine with an overlay.
    pub fn with(overlay: &str) -> Self {
        let mut tree = Tree::parse(include_str!("machine.tree")).unwrap();
        tree.overlay(overlay).unwrap();
        Self { tree: Unpacked::of(&tree).unwrap(), state: in_memory(), kernel: Arc::default() }
    }

    pub fn root(&self) -> Root {
        self.tree.root()
    }

    /// Where its journals are.
    pub fn dir(&self) -> PathBuf {
        self.state.path().join("fathom")
    }

    pub fn get(&self, path: &str) -> String {
        self.root().read_text(path).unwrap()
    }

    /// Somebody else's write.
    pub fn set(&self, path: &str, text: &str) {
        fs::write(self.root().at(path), format!("{text}\n")).unwrap();
    }

    pub fn targets(&self) -> Vec<PathBuf> {
        ["/dev/nvme0n1", "/srv/file", "/dev/md0"].map(PathBuf::from).to_vec()
    }

    pub fn plan(&self, goal: Goal, select: &Select) -> TunePlan {
        tune::plan(&self.root(), &self.targets(), goal, select).unwrap()
    }

    /// A plan of nothing but these knobs.
    pub fn only(&self, goal: Goal, words: &[&str]) -> TunePlan {
        self.plan(goal, &Select { despite_owners: true, ..Select::only(words) })
    }

    pub fn options(&self, plan: &TunePlan) -> ApplyOptions<'static> {
        ApplyOptions {
            hash: plan.hash.clone(),
            named: plan.lines.iter().map(|line| line.knob.clone()).collect(),
            dir: self.dir(),
            writer: self.kernel.clone(),
            guardian: None,
            holds: false,
            all_or_nothing: false,
        }
    }

    pub fn apply(&self, plan: &TunePlan) -> Session {
        self.try_apply(plan).unwrap()
    }

    pub fn try_apply(&self, plan: &TunePlan) -> Result<Session, TuneError> {
        Session::apply(&self.root(), plan, self.options(plan))
    }

    /// Undoes the only journal that is open.
    pub fn revert(&self, force: &[&str]) -> Vec<Record> {
        let open = tune::open_journals(&self.dir()).unwrap();
        assert_eq!(open.len(), 1, "{open:?}");
        let force = force.iter().map(|&id| id.to_owned()).collect();
        let options = RevertOptions { force, ..RevertOptions::default() };
        tune::revert_journal(&self.root(), self.kernel.as_ref(), &open[0], &options).unwrap()
    }

    /// Undoes the journal that a test has cut.
    pub fn revert_crashed(&self) -> Vec<Record> {
        self.revert_at(&self.dir().join("crashed.journal"))
    }

    /// Undoes a journal.
    pub fn revert_at(&self, path: &Path) -> Vec<Record> {
        let options = RevertOptions::default();
        tune::revert_journal(&self.root(), self.kernel.as_ref(), path, &options).unwrap()
    }

    /// Every file of the machine.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        gather(&self.root().at("/"), &mut files);
        files
    }
}

/// Where a sync costs nothing: a journal makes one for each record.
fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn gather(dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            gather(&entry.path(), files);
        } else if kind.is_file() {
            files.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
}

/// What became of each knob.
pub fn states(records: &[Record]) -> Vec<(&str, State)> {
    records.iter().map(|record| (record.id.as_str(), record.state)).collect()
}
