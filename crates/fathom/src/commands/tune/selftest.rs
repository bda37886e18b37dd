//! `fathom tune selftest`: sets harmless knobs on a loop device that it makes, puts
//! them back, and compares all settings of all knobs before and after.

use std::path::PathBuf;
use std::process::Command;

use fathom_device::Goal;
use fathom_device::Root;
use fathom_tune::{self as tune, Select, Session, State};

use super::failure::failure;
use super::watched_process::options;
use super::{apply, revert};
use crate::failure::{Exit, Failure, print, say};

/// Settings of a queue that affect only the users of the device.
const KNOBS: [&str; 5] =
    ["blk.nomerges=1", "blk.rq_affinity=0", "blk.read_ahead=64", "blk.iostats=0", "blk.max_sectors=64"];

/// Bytes of the loop device's file.
const SIZE: u64 = 16 << 20;

pub(super) fn run() -> Result<Exit, Failure> {
    let device = Loop::attach()?;
    let root = Root::live();
    let targets = [device.node.clone()];
    device.set_read_ahead()?;
    let before = tune::settings(&root, &targets).map_err(failure)?;
    let select = Select { despite_owners: true, ..Select::only(KNOBS) };
    let plan = tune::plan(&root, &targets, Goal::Repeatability, &select).map_err(failure)?;
    // A directory of its own, so that the test is not listed as a session of the machine.
    let dir = tempfile::tempdir().map_err(|e| Failure::new(Exit::Failed, e))?;
    let options = options(&plan, select.names_only(), dir.path().to_owned());
    let session = Session::apply(&root, &plan, options).map_err(failure)?;
    apply::tell(&session)?;
    let applied = session.applied().filter(|record| record.state == State::Done).count();
    let holds = session.verify().iter().all(|found| found.holds());
    let is_back = revert::end(session, false)?;
    let after = tune::settings(&root, &targets).map_err(failure)?;
    let differ: Vec<_> = before.iter().filter(|(place, text)| after.get(*place) != Some(text)).collect();
    for (place, text) in &differ {
        say(&format!("{place} was {text}, is {}", after.get(*place).map_or("gone", String::as_str)));
    }
    print(&format!("{applied} applied, {} settings compared, {} differ\n", before.len(), differ.len()))?;
    let is_well = applied > 0 && holds && is_back && differ.is_empty() && before.len() == after.len();
    Ok(if is_well { Exit::Ok } else { Exit::Failed })
}

/// A loop device over a file, which is removed with it.
struct Loop {
    node: PathBuf,
    _file: tempfile::NamedTempFile,
}

impl Loop {
    fn attach() -> Result<Self, Failure> {
        let cannot = |e: String| {
            Failure::new(Exit::Failed, format!("cannot attach a loop device: {e}"))
                .hint("this test takes root, and losetup of util-linux")
        };
        let file = tempfile::NamedTempFile::new().map_err(|e| cannot(e.to_string()))?;
        file.as_file().set_len(SIZE).map_err(|e| cannot(e.to_string()))?;
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file.path()).output();
        let output = output.map_err(|e| cannot(e.to_string()))?;
        if !output.status.success() {
            return Err(cannot(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
        }
        let node = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        Ok(Self { node, _file: file })
    }

    /// Sets a value that no kernel sets by itself. The kernel changes it along with
    /// other settings, and the test shows that it is put back too.
    fn set_read_ahead(&self) -> Result<(), Failure> {
        let name = self.node.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("/sys/block/{name}/queue/read_ahead_kb");
        std::fs::write(&path, "100")
            .map_err(|e| Failure::new(Exit::Failed, format!("cannot write {path}: {e}")))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // A device that is still open is detached when its last user closes it.
        let _ = Command::new("losetup").arg("--detach").arg(&self.node).status();
    }
}
