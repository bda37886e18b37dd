//! What a run needs of the machine. The rounds of a procedure share one.
//!
//! The guard keeps every target that it admitted, so a device stays claimed from the first round to
//! the last. The clock is calibrated once, and the facts of the host are read once for the same
//! targets.

use crate::created;
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::notice::{Message, Notice};
use crate::{facts, host_watch};
use fathom_engine::clock::Clock;
use fathom_engine::runner::PlanTime;
use fathom_engine::simulated::SimulatedDrives;
use fathom_guard::{Consent, Door, Guard, GuardMessage};
use fathom_job::plan::Plan;
use fathom_results::{Fact, HostFinding};
use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;

/// What a run needs of the machine.
pub struct RunBase<'h> {
    here: &'h Here,
    guard: Arc<Guard>,
    clock: OnceCell<Clock>,
    drives: Arc<SimulatedDrives>,
    host: RefCell<Vec<HostBefore>>,
    /// The id of the procedure whose runs these are.
    procedure: Option<String>,
}

/// The host before a run.
#[derive(Clone, Debug, Default)]
pub struct HostBefore {
    /// The targets that it was read for, one of each ground.
    pub targets: Vec<PathBuf>,
    /// The machine and its targets.
    pub facts: Vec<Fact>,
    /// What the audit found.
    pub audit: Vec<HostFinding>,
}

impl<'h> RunBase<'h> {
    /// With a new guard. `state_dir` holds the record of the files that fathom created.
    pub fn new(door: Door, consent: Consent, state_dir: Option<PathBuf>, here: &'h Here) -> Self {
        let guard = examining(Guard::new(here.root().clone(), door, consent), here);
        let guard = Arc::new(created::knowing_created(guard, state_dir, here));
        let (drives, host) = Default::default();
        RunBase { here, guard, clock: OnceCell::new(), drives, host, procedure: None }
    }

    /// For the runs of the procedure with this id, which may go on with its own files after a kill.
    pub fn of_procedure(mut self, id: &str) -> Self {
        if let Some(guard) = Arc::get_mut(&mut self.guard) {
            guard.goes_on_with(id);
        }
        self.procedure = Some(id.to_owned());
        self
    }

    /// The id of the procedure whose runs these are.
    pub fn procedure(&self) -> Option<&str> {
        self.procedure.as_deref()
    }

    /// The machine.
    pub fn here(&self) -> &'h Here {
        self.here
    }

    /// The guard over the targets.
    pub fn guard(&self) -> &Arc<Guard> {
        &self.guard
    }

    /// The simulated drives, as the runs before left them.
    pub fn drives(&self) -> &Arc<SimulatedDrives> {
        &self.drives
    }

    /// The clock of a run that begins now.
    pub fn clock(&self, time: PlanTime) -> Clock {
        match time {
            PlanTime::Virtual => time.clock(false),
            PlanTime::Real => {
                let calibrated = self.clock.get_or_init(|| time.clock(self.here.kernel_trusts_tsc()));
                calibrated.beginning_now()
            }
        }
    }

    /// The host before a run of this plan. It is read once for the same targets.
    pub fn host(&self, plan: &Plan, grounds: &PlanGrounds) -> HostBefore {
        let mut known = self.host.borrow_mut();
        if let Some(known) = known.iter().find(|known| known.targets == grounds.targets) {
            return known.clone();
        }
        let read = || HostBefore {
            targets: grounds.targets.clone(),
            facts: facts::host_facts(self.here, grounds),
            audit: host_watch::audit(self.here, plan, grounds),
        };
        let host = self.here.slow_look().at_all_within_limit(&grounds.targets, read);
        known.push(host.clone());
        host
    }

    /// Takes over what was read earlier.
    pub fn knows(&self, host: HostBefore) {
        self.host.borrow_mut().push(host);
    }

    /// Everything that was read so far.
    pub fn known(&self) -> Vec<HostBefore> {
        self.host.borrow().clone()
    }
}

/// The guard, which reports what it examines and warns of.
pub fn examining(guard: Guard, here: &Here) -> Guard {
    let listener = here.listener().clone();
    guard.telling(Arc::new(move |message: GuardMessage<'_>| match message {
        GuardMessage::Examining(what) => listener.notice(Notice::Examining(what)),
        GuardMessage::Warning(what) => listener.notice(Notice::Message(Message::warning(what))),
    }))
}
