//! The states of verifications: where they are, how they are read before a run, and how they are saved while it runs.
//!
//! All states that a plan asks for are read and compared with its jobs before anything is opened, so a wrong state is an
//! error before the run. A state is saved in one step (a new file, synced and renamed) by a thread of its own, so that it
//! delays neither a worker nor the series of the run.

use crate::exit::{Exit, Failure};
use crate::outputs::InUse;
use fathom_device::bounded;
use fathom_job::plan::{Plan, PlannedJob};
use fathom_results::{JobBlocks, StateError, StateHead, VerifyState, verify_state_name, write_run_file};
use fathom_text::shell::quoted;
use fathom_text::shown;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

/// No state is longer: two thousand million writes at random places.
const STATE_BYTES_MAX: u64 = 16 << 30;

/// Where the states of a run are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatePlaces {
    /// The file, or the directory, from which states are read; `None` where none is given.
    pub load: Option<PathBuf>,
    /// The directory in which states are saved; `None` is that of the run.
    pub save: Option<PathBuf>,
    /// The directories in which earlier passes of the same verification saved theirs.
    pub earlier: Vec<PathBuf>,
    /// The caller knows that the target is the one that was written, under whatever path.
    pub knows_target: bool,
}

/// The states that jobs are checked by, by plan id.
pub(crate) type LoadedStates = BTreeMap<u32, Arc<VerifyState>>;

/// Reads the states that the jobs of a plan ask for.
///
/// # Errors
/// A state is missing, damaged, or of another job. Nothing was opened for writing.
pub(crate) fn load(plan: &Plan, places: &StatePlaces) -> Result<LoadedStates, Failure> {
    let asks = |job: &&PlannedJob| {
        job.reads_back.is_none() && job.verify.as_ref().is_some_and(|verify| verify.loads_state)
    };
    let asking: Vec<&PlannedJob> = plan.jobs.iter().filter(asks).collect();
    let one = |job: &&PlannedJob| Ok((job.id, Arc::new(state_of(job, asking.len(), places)?)));
    asking.iter().map(one).collect()
}

/// No state may be saved over what a job of the plan uses.
///
/// # Errors
/// The name of a state is that of a target.
pub(crate) fn spare_targets(plan: &Arc<Plan>, places: &StatePlaces) -> Result<(), Failure> {
    let Some(dir) = &places.save else { return Ok(()) };
    let targets = InUse::by(plan, Vec::new());
    for job in plan.jobs.iter().filter(saves) {
        let state = dir.join(verify_state_name(&job.name, job.id));
        if targets.user_of(&state).is_some() {
            let message = format!(
                "job {}: its state would be saved in {}, which the jobs use",
                job.name,
                shown::path(&state)
            );
            return Err(Failure::new(Exit::Usage, message).hint("another file name, or verify_state_save=0"));
        }
    }
    Ok(())
}

/// Does a job save the state of its verification?
fn saves(job: &&PlannedJob) -> bool {
    job.writes() && job.verify.as_ref().is_some_and(|verify| verify.saves_state)
}

fn state_of(job: &PlannedJob, asking: usize, places: &StatePlaces) -> Result<VerifyState, Failure> {
    let path = path_of(job, asking, places)?;
    let name = shown::path(&path);
    let cannot = |exit, why: String| Failure::new(exit, format!("job {}: the state {name}: {why}", job.name));
    let bytes = bounded::file(&path, STATE_BYTES_MAX).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => cannot(Exit::Usage, "there is no such file".to_owned()).hint(format!(
            "a job with verify= saves it when it ends; its name is {}",
            verify_state_name(&job.name, job.id)
        )),
        _ => cannot(Exit::Usage, format!("it cannot be read: {e}")),
    })?;
    let state = VerifyState::from_bytes(&bytes).map_err(|e| match e {
        StateError::Foreign => cannot(Exit::Usage, e.to_string())
            .hint("fio's own states are not read: they do not say what was written"),
        StateError::Version { .. } => {
            cannot(Exit::Refused, e.to_string()).hint("use the fathom that saved it")
        }
        StateError::Cut { .. } | StateError::Altered => cannot(Exit::Incomplete, e.to_string()).hint(
            "without verify_state_load, rw=read with the same verify= checks each block that can be read",
        ),
    })?;
    let Some(blocks) = JobBlocks::of(job) else { return Ok(state) };
    match state.head.blocks.difference(&blocks, !places.knows_target) {
        None => Ok(VerifyState {
            head: StateHead { earlier_keys: earlier_keys(job, places), ..state.head },
            ..state
        }),
        Some(other) => {
            let why = format!(
                "it is of another job: {} was {}, and is {} now",
                other.option, other.wrote, other.checks
            );
            Err(cannot(Exit::Usage, why).hint("give the options of the job that wrote"))
        }
    }
}

/// The keys of earlier passes. They only name what is wrong, so a state that cannot be read is left out.
fn earlier_keys(job: &PlannedJob, places: &StatePlaces) -> Vec<u64> {
    let key = |dir: &PathBuf| {
        let bytes = bounded::file(&dir.join(verify_state_name(&job.name, job.id)), STATE_BYTES_MAX).ok()?;
        Some(VerifyState::from_bytes(&bytes).ok()?.head.key)
    };
    places.earlier.iter().filter_map(key).collect()
}

/// The file of a job's state.
fn path_of(job: &PlannedJob, asking: usize, places: &StatePlaces) -> Result<PathBuf, Failure> {
    let Some(place) = &places.load else {
        let message =
            format!("job {}: verify_state_load needs the state that an earlier run saved", job.name);
        let hint = "--verify-state RUN_DIRECTORY, or the file itself";
        return Err(Failure::new(Exit::Usage, message).hint(hint));
    };
    match place.is_dir() {
        true => Ok(place.join(verify_state_name(&job.name, job.id))),
        false if asking > 1 => {
            let message = format!(
                "{} is one state, and {asking} jobs ask for theirs (verify_state_load)",
                shown::path(place)
            );
            Err(Failure::new(Exit::Usage, message).hint("give the directory that holds them all"))
        }
        false => Ok(place.clone()),
    }
}

/// A state to be saved.
struct Order {
    name: String,
    file: Vec<u8>,
}

/// Saves states until it is finished. The channel has no limit: a job has a state of some megabytes saved at most
/// once a second, and later once a minute.
pub(crate) struct StateWriter {
    names: Vec<String>,
    orders: Option<Sender<Order>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl StateWriter {
    /// For the jobs of a plan, in this directory. Without a job that saves a state there is no thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(plan: &Plan, dir: PathBuf) -> io::Result<StateWriter> {
        let names = plan.jobs.iter().map(|job| verify_state_name(&job.name, job.id)).collect();
        if !plan.jobs.iter().any(|job| saves(&job)) {
            return Ok(StateWriter { names, orders: None, thread: None });
        }
        let (orders, inbox) = channel();
        let thread = Builder::new().name("verify-states".to_owned()).spawn(move || save_all(&dir, &inbox))?;
        Ok(StateWriter { names, orders: Some(orders), thread: Some(thread) })
    }

    /// Takes a state; it is saved later.
    pub fn write(&self, job: u32, file: Vec<u8>) {
        if let (Some(orders), Some(name)) = (&self.orders, self.names.get(job as usize)) {
            // The thread ends only when this end of the channel is closed.
            let _ = orders.send(Order { name: name.clone(), file });
        }
    }

    /// All states were given: waits until they are saved.
    ///
    /// # Errors
    /// The last state of a job could not be saved.
    pub fn finish(&mut self) -> io::Result<()> {
        drop(self.orders.take());
        let Some(thread) = self.thread.take() else { return Ok(()) };
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that saves states panicked")))
    }
}

/// Saves states as they come. One that cannot be saved leaves the one before it, and the next is tried.
fn save_all(dir: &Path, inbox: &Receiver<Order>) -> io::Result<()> {
    let mut unsaved = BTreeMap::new();
    while let Ok(Order { name, file }) = inbox.recv() {
        match write_run_file(dir, &name, &file) {
            Ok(()) => drop(unsaved.remove(&name)),
            Err(e) => drop(unsaved.insert(name, e)),
        }
    }
    unsaved.into_iter().next().map_or(Ok(()), |(name, e)| {
        Err(io::Error::new(e.kind(), format!("{} was not saved: {e}", quoted(Path::new(&name)))))
    })
}
