//! A session: a plan in force, from the first write to the last one undone.

use super::error::TuneError;
use super::guardian::Guardian;
use super::journal::{self, Header, Journal, open_journals};
use super::place::RelativePlace;
use super::plan::{PlannedChange, TunePlan};
use super::reach::{Reach, Verified};
use super::record::{Record, State};
use super::revert::{RevertOptions, close, revert_open};
use super::state_dir::{self, Lock};
use super::writer::Writer;
use super::{apply, claim, owners};
use fathom_device::counters::boot_id;
use fathom_device::root::Root;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// How a guardian is started for a journal; see [`super::guardian::watch`].
pub type GuardianCommand = dyn Fn(&Path) -> Command;

/// What applying needs to know.
pub struct ApplyOptions<'a> {
    /// Hash of the plan, as it was shown.
    pub hash: String,
    /// Knobs that may disturb others, named one by one.
    pub named: Vec<String>,
    /// Where journals are kept.
    pub dir: PathBuf,
    /// What changes settings.
    pub writer: Arc<dyn Writer>,
    /// How a guardian is started; without one a kill leaves an open journal.
    pub guardian: Option<&'a GuardianCommand>,
    /// Also take handles that end with this process.
    pub holds: bool,
    /// Undo everything as soon as one change is refused.
    pub all_or_nothing: bool,
}

/// A plan in force.
pub struct Session {
    root: Root,
    writer: Arc<dyn Writer>,
    journal: Journal,
    held: Vec<ExitLatencyLimit>,
    not_held: Vec<(PlannedChange, String)>,
    guardian: Option<Guardian>,
    is_over: bool,
    lock: Lock,
}

impl Session {
    /// Applies a plan. Everything that can be refused is refused before the
    /// first write.
    pub fn apply(root: &Root, plan: &TunePlan, options: ApplyOptions<'_>) -> Result<Self, TuneError> {
        plan.check(root, &options.hash)?;
        may_apply(root, plan, &options.named)?;
        state_dir::prepare(&options.dir)?;
        let lock = Lock::take(&options.dir)?;
        if let Some(open) = open_journals(&options.dir)?.into_iter().next() {
            return Err(TuneError::Open(open));
        }
        let journal = Journal::create(&options.dir, header(root, plan))?;
        let guardian = match begin(root, plan, &journal, &lock, options.guardian) {
            Ok(guardian) => guardian,
            Err(e) => {
                claim::release(root, journal.path());
                journal.discard()?;
                return Err(e);
            }
        };
        let mut session = Self {
            root: root.clone(),
            writer: options.writer,
            journal,
            held: Vec::new(),
            not_held: Vec::new(),
            guardian,
            is_over: false,
            lock,
        };
        session.change(plan, options.holds, options.all_or_nothing)?;
        Ok(session)
    }

    /// Dropping the session on an error undoes what was done.
    fn change(&mut self, plan: &TunePlan, holds: bool, all_or_nothing: bool) -> Result<(), TuneError> {
        let (root, writer) = (self.root.clone(), self.writer.clone());
        let mut reach = Reach::new(&root, writer.as_ref(), self.journal.path(), None);
        for line in &plan.lines {
            if let RelativePlace::Held(path) = &line.setting.at {
                self.hold(line, path, holds);
                continue;
            }
            let done = apply::apply(&mut reach, &mut self.journal, line)?;
            if all_or_nothing && done.is_some_and(|record| record.state == State::Failed) {
                return self.undo().map(drop);
            }
        }
        Ok(())
    }

    fn hold(&mut self, line: &PlannedChange, path: &Path, holds: bool) {
        let held = match holds {
            true => {
                ExitLatencyLimit::open(&self.root, &line.knob, path, &line.then).map_err(|e| e.to_string())
            }
            false => Err("it would end with this process".to_owned()),
        };
        match held {
            Ok(held) => self.held.push(held),
            Err(reason) => self.not_held.push((line.clone(), reason)),
        }
    }

    /// What was changed, with what the kernel made of it, in order.
    pub fn applied(&self) -> impl Iterator<Item = &Record> {
        self.journal.contents().records.values()
    }

    /// Handles that are held.
    pub fn held(&self) -> &[ExitLatencyLimit] {
        &self.held
    }

    /// Handles that could not be held, with the reason.
    pub fn not_held(&self) -> &[(PlannedChange, String)] {
        &self.not_held
    }

    /// The first line of its journal.
    pub(super) fn header(&self) -> Option<&Header> {
        self.journal.contents().header.as_ref()
    }

    /// The journal.
    pub fn journal(&self) -> &Path {
        self.journal.path()
    }

    /// Looks whether everything is still as we made it.
    pub fn verify(&self) -> Vec<Verified> {
        Reach::new(&self.root, self.writer.as_ref(), self.journal.path(), None).verify(self.applied())
    }

    /// Puts everything back, and says for each change what became of it.
    pub fn revert(mut self) -> Result<Vec<Record>, TuneError> {
        self.undo()
    }

    /// Leaves everything as it is, to be undone by [`super::revert_journal`] later. Handles end
    /// nevertheless. Returns the journal.
    pub fn leave(mut self) -> Result<PathBuf, TuneError> {
        self.is_over = true;
        claim::stays(&self.root, self.journal.path());
        close(&self.root, &mut self.journal)?;
        if let Some(guardian) = self.guardian.take() {
            guardian.dismiss();
        }
        Ok(self.journal.path().to_owned())
    }

    fn undo(&mut self) -> Result<Vec<Record>, TuneError> {
        self.is_over = true;
        self.held.clear();
        let undone =
            revert_open(&self.root, self.writer.as_ref(), &mut self.journal, &RevertOptions::default());
        // After an error the guardian finds the pipe closed, and tries again
        // once we have released the lock.
        if undone.is_ok()
            && let Some(guardian) = self.guardian.take()
        {
            guardian.dismiss();
        }
        undone
    }
}

impl Drop for Session {
    /// A session that ends by an error or a panic is undone too.
    fn drop(&mut self) {
        if !self.is_over {
            // What could not be undone is in the journal, and the next start will say so.
            let _ = self.undo();
        }
        if self.guardian.is_some() {
            // It undoes the rest as soon as its stream ends.
            self.lock.leave();
        }
    }
}

/// What comes before the first change: the claim on what will be changed, and
/// the guardian.
fn begin(
    root: &Root,
    plan: &TunePlan,
    journal: &Journal,
    lock: &Lock,
    guardian: Option<&GuardianCommand>,
) -> Result<Option<Guardian>, TuneError> {
    claim::take(root, journal.path(), &plan.lines)?;
    guardian.map(|command| Guardian::start(command(journal.path()), lock)).transpose()
}

/// Refuses knobs that disturb others and were not named, and knobs that another program sets.
fn may_apply(root: &Root, plan: &TunePlan, named: &[String]) -> Result<(), TuneError> {
    let owners = owners::active(root);
    for line in &plan.lines {
        if line.risk.must_be_named() && !named.contains(&line.knob) {
            return Err(TuneError::NotNamed { knob: line.knob.clone(), risk: line.risk });
        }
        let planned = plan.lines.iter().map(|line| &line.setting);
        let owner = owners::owner_of(&owners, &line.knob, planned);
        if let Some(owner) = owner.filter(|_| line.despite.is_none()) {
            return Err(TuneError::Owned { knob: line.knob.clone(), owner: owner.name.to_owned() });
        }
    }
    Ok(())
}

fn header(root: &Root, plan: &TunePlan) -> Header {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Header {
        fathom_tune_journal: journal::FORMAT,
        // By time first, so that names sort by age.
        session: format!(
            "{:010}-{:06}-{:04x}",
            now.as_secs(),
            now.subsec_micros(),
            std::process::id() & 0xffff
        ),
        boot_id: boot_id(root),
        pid: std::process::id(),
        started_unix_s: now.as_secs(),
        goal: plan.goal,
        plan: plan.hash.clone(),
    }
}

/// A limit on the exit latency of sleep states, held until dropped.
#[derive(Debug)]
pub struct ExitLatencyLimit {
    /// The knob.
    pub id: String,
    /// The file.
    pub path: PathBuf,
    /// What was asked for, in the file's unit.
    pub value: i32,
    _handle: File,
}

impl ExitLatencyLimit {
    /// Opens the file and asks for the value: four bytes, native order
    /// (Documentation/power/pm_qos_interface.rst).
    pub fn open(root: &Root, id: &str, path: &Path, value: &str) -> io::Result<Self> {
        let value: i32 = value.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let mut handle = OpenOptions::new().write(true).open(root.at(path))?;
        handle.write_all(&value.to_ne_bytes())?;
        Ok(Self { id: id.to_owned(), path: path.to_owned(), value, _handle: handle })
    }
}
