//! A run, from its plan to its saved result.

use crate::base::{HostBefore, RunBase};
use crate::coverage::{self, BeforeRun};
use crate::disks::Disks;
use crate::exit::{Exit, Failure};
use crate::facts::{self, surroundings};
use crate::grounds::PlanGrounds;
use crate::here::Here;
use crate::host_watch::HostWatch;
use crate::kernel_workers::KernelWorkerWatch;
use crate::logs::{Logs, Where};
use crate::notice::{Message, Notice};
use crate::read_back::ReadBack;
use crate::renewal::Renewal;
use crate::request::Request;
use crate::run_dir::{self, HeldDirectory};
use crate::samples::SampleWatch;
use crate::sink::{JobFiles, SinkEnd, SpoolSink};
use crate::steal::{CpuTime, QuotaWatch};
use crate::stops::StopSink;
use crate::targets::Guarded;
use crate::tuned::Tuned;
use crate::verify_states::StateWriter;
use crate::watch_thread::WatchThread;
use crate::wrong_blocks::WrongBlocks;
use crate::{
    created, hang, heartbeat, left_settings, map, refusals, run_id, target_watch, verify_states, written,
};
use fathom_engine::clock::Clock;
use fathom_engine::runner::{LocalThreads, PlanTime};
use fathom_engine::sink::Sink;
use fathom_guard::Door;
use fathom_judge::steady::StopWatch;
use fathom_results::record::FORMAT;
use fathom_results::{
    Finish, Incomplete, LoadError, PlanRecord, PrintedText, RunEnd, RunRecord, RunResult, RunSurroundings,
    SelfKnowledge,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs the request, saves the result, and loads it. Fails only if nothing was run;
/// errors of jobs are in the result.
pub fn run(request: Request<'_>, here: &Here) -> Result<RunResult, Failure> {
    let (consent, state_dir) = (request.consent.clone(), request.saved.state_dir.clone());
    if request.door == Door::Native {
        left_settings::report(here);
    }
    RunBase::new(request.door, consent, state_dir, here).run(request)
}

impl RunBase<'_> {
    /// Runs the request, whose consent and rules are those of the guard.
    pub(crate) fn run(&self, request: Request<'_>) -> Result<RunResult, Failure> {
        let (here, guard) = (self.here(), self.guard());
        here.slow_look().gives_up_after(request.patience.give_up_after);
        here.slow_look().touch(request.saved.dir.path());
        // Before any file is made.
        let results = Some(request.saved.dir.path());
        if let Some(refusal) = refusals::of_plan(&request.plan, request.door, results, here) {
            return Err(refusal);
        }
        let time = refusals::time_of(&request.plan)?;
        verify_states::spare_targets(&request.plan, &request.states)?;
        let states = verify_states::load(&request.plan, &request.states)?;
        let targets = Arc::new(Guarded::admit(guard, &request.plan, here)?.with(states));
        let renewal = created::begin_writing(guard, &request.plan, self.procedure());
        if request.removes_created {
            targets.remove_untouched();
        }
        let begun = match request.ender.cause() {
            Some(cause) => {
                let exit = Some(cause.exit()).filter(|exit| *exit != Exit::Ok).unwrap_or(Exit::Failed);
                Err(Failure::new(exit, "stopped before the run began; nothing was measured"))
            }
            None => Begun::new(&request, time, self),
        };
        match begun {
            Ok(begun) => {
                written::note(guard, &request.plan, &begun.record.id, here);
                let covered = BeforeRun::of(guard, here);
                begun.execute(&request, self, &targets, renewal, covered)
            }
            Err(e) => {
                targets.remove_untouched();
                if let Some(renewal) = renewal {
                    renewal.leave();
                }
                Err(e)
            }
        }
    }
}

/// A run that has everything it needs, and has not touched its targets yet.
struct Begun {
    time: PlanTime,
    clock: Clock,
    dir: PathBuf,
    held: HeldDirectory,
    record: RunRecord,
    grounds: PlanGrounds,
    sink: SpoolSink,
}

impl Begun {
    fn new(request: &Request<'_>, time: PlanTime, base: &RunBase<'_>) -> Result<Begun, Failure> {
        let grounds = PlanGrounds::of(&request.plan);
        let mut record = record(request, base.host(&request.plan, &grounds))?;
        record.surroundings = surroundings(base.here(), &record, request.saved.dir.path());
        let dir = run_dir::create(&record, &request.saved.dir, base.here())?;
        Begun::within(&dir.path, record, grounds, request, time, base).inspect_err(|_| dir.undo())
    }

    /// In its directory.
    fn within(
        dir: &Path,
        record: RunRecord,
        grounds: PlanGrounds,
        request: &Request<'_>,
        time: PlanTime,
        base: &RunBase<'_>,
    ) -> Result<Begun, Failure> {
        let here = base.here();
        let saving = |e| Failure::new(Exit::Failed, format!("cannot write {}: {e}", dir.display()));
        let held = HeldDirectory::open(dir).map_err(saving)?;
        let place = Where::of(request.logs_here, dir);
        let logs = Logs::open(&request.plan, place, here.slow_look())?;
        if request.round.is_none() {
            map::draw(here, &grounds, &held.path(), dir);
            here.listener().notice(Notice::SavesIn(dir));
        }
        let clock = base.clock(time);
        here.listener().notice(Notice::Begins(&request.plan));
        let disks = Disks::beneath(here, &request.plan, &grounds);
        let (listener, stop) = (here.listener().clone(), request.ender.stop().clone());
        let states_dir = request.states.save.clone().unwrap_or_else(|| held.path());
        let states = StateWriter::start(&request.plan, states_dir).map_err(saving)?;
        let wrong_blocks = match &request.wrong_blocks_to {
            Some(dir) => WrongBlocks::to(dir.clone()),
            None => WrongBlocks::of(place),
        };
        let files = JobFiles { logs, wrong_blocks, states };
        let sink =
            SpoolSink::create(&held.path(), &record.id, listener, disks, files, stop).map_err(saving)?;
        Ok(Begun { time, clock, dir: dir.to_owned(), held, record, grounds, sink })
    }

    /// From here on, nothing that was measured is thrown away. What cannot be saved is
    /// reported, and the result is what the directory holds.
    fn execute(
        mut self,
        request: &Request<'_>,
        base: &RunBase<'_>,
        targets: &Arc<Guarded>,
        renewal: Option<Renewal>,
        covered: BeforeRun,
    ) -> Result<RunResult, Failure> {
        let (here, guard) = (base.here(), base.guard());
        let interrupt = request.ender.stop();
        let local = LocalThreads { targets: targets.clone(), clock: self.clock, patience: request.patience };
        let cpu = CpuTime::now(here);
        let quota = QuotaWatch::start(here);
        let host = HostWatch::start(here, &request.plan, &self.grounds);
        let watch = KernelWorkerWatch::start(here);
        let tuned = request.tuned.as_deref();
        // fio's door answers as fio does: nothing of the machine is in its results.
        let is_sampled = self.time == PlanTime::Real && request.door == Door::Native;
        let heartbeat = is_sampled.then(|| heartbeat::start(here.root(), self.clock));
        let samples = is_sampled.then(|| SampleWatch::start(here, self.clock, &request.plan, &self.grounds));
        let mut with_samples;
        let frames: &mut dyn Sink = match &samples {
            Some(samples) => {
                with_samples = samples.beside(&mut self.sink);
                &mut with_samples
            }
            None => &mut self.sink,
        };
        let mut beside = watch.beside(frames);
        let mut reads_back = ReadBack::before(&mut beside, &request.plan, tuned);
        let asked = StopWatch::of(&request.plan);
        let rules = match request.until {
            Some(terms) => asked.until(&request.plan, terms),
            None => asked,
        };
        let mut sink = StopSink::before(&mut reads_back, &request.plan, rules, here);
        let alone = target_watch::start(guard, here.root(), targets.alarm(), interrupt);
        let given_up =
            self.time.runner(&local, base.drives()).run(&request.plan, interrupt, &mut sink).given_up.len();
        self.record.stops = sink.records();
        if given_up > 0 {
            hang::watch(&self.dir, request.door, request.tuned.clone(), here);
        }
        let _ = alone.map(WatchThread::stop);
        created::record(guard, &request.plan, given_up, here);
        if let Some(renewal) = renewal {
            renewal.end();
        }
        self.record.self_knowledge.kernel_workers = watch.stop();
        samples.into_iter().flat_map(SampleWatch::stop).for_each(|frame| self.sink.frame(&frame));
        self.record.self_knowledge.halts = heartbeat.and_then(WatchThread::stop).unwrap_or_default();
        self.record.self_knowledge.disturbances = host.end(here);
        self.record.host.push(cpu.steal_since(here));
        self.record.self_knowledge.cpu_quota = quota.end(here);
        let (drifted, drifts) = tuned.map(Tuned::drift_at_end).unwrap_or_default();
        self.record.findings = drifts;
        self.record.host.extend(drifted);
        let end = self.sink.finish();
        let (ended, message) = ending(request, targets, &end, given_up);
        self.record.finish = Some(Finish {
            elapsed_ns: self.clock.since_origin(self.clock.now()),
            complete: end.complete && end.trouble.is_none() && end.log_trouble.is_none(),
            ended,
            message,
        });
        self.record.disks = end.disks;
        self.record.process_io = end.process_io;
        for trouble in end.trouble.iter().chain(&end.log_trouble).chain(&end.state_trouble) {
            here.tell(Message::warning(trouble.as_str()));
        }
        if given_up > 0 {
            // The target may hold up the rest as well, and then this is what stays.
            save(self.record.save(&self.held.path()), &self.dir, here);
        }
        let read = saved(fathom_results::load_unsaved(&self.held.path(), &self.dir, &self.record));
        let learned = read.map(|mut result| {
            facts::learn(&mut self.record, &mut result, &local, here, request);
            result
        });
        // Learning takes some seconds, in which the person should see that fathom still works.
        here.listener().notice(Notice::Measured);
        let result = learned?;
        // A saved record with an end says that the run's writes are noted: a resume asks only the counters then.
        coverage::note(covered, &request.plan, &result, here);
        self.record.messages = here.listener().messages().into_iter().map(PrintedText::from).collect();
        match self.record.save_sealed(&self.held.path(), end.spool) {
            Ok(()) => saved(fathom_results::load(&self.dir)),
            Err(e) => {
                let run = unsaved(result, &e);
                save(Err(e), &self.dir, here);
                Ok(run)
            }
        }
    }
}

/// A run whose record could not be saved, with what was measured: the only place where the person can still read it.
fn unsaved(mut run: RunResult, e: &io::Error) -> RunResult {
    run.record.seal = None;
    run.incomplete.get_or_insert_with(|| Incomplete::RecordNotSaved { error: e.to_string() });
    run
}

/// Reads back the run that has just ended. If that fails, somebody removed the
/// directory or a part of it during the run: the run is incomplete, and the
/// command line was not wrong.
fn saved(read: Result<RunResult, LoadError>) -> Result<RunResult, Failure> {
    read.map_err(|e| {
        let message = format!("the run ended, and its result cannot be read back: {e}");
        let failure = Failure::new(Exit::Incomplete, message);
        match e.obstacle() {
            Some(obstacle) => failure.hint("it is saved: fathom report prints it").hint(obstacle.hint()),
            None => failure.hint(
                "if the directory was moved during the run, fathom report NEW_PLACE prints what was saved",
            ),
        }
    })
}

/// Reports a record that could not be saved. If the disk is full, the record from the start of the run
/// stays, which says that the run is incomplete.
fn save(saved: io::Result<()>, dir: &Path, here: &Here) {
    if let Err(e) = saved {
        let message = format!("cannot write {}: {e}; the run stays marked incomplete", dir.display());
        here.tell(Message::warning(message));
    }
}

/// Reads a run back. What is no run at all is a wrong argument; a run that cannot be read is an
/// incomplete one, unless an obstacle keeps it from being read.
pub fn load(dir: &Path) -> Result<RunResult, Failure> {
    fathom_results::load(dir).map_err(|e| match e.obstacle() {
        Some(obstacle) => Failure::new(Exit::Failed, e).hint(obstacle.hint()),
        None if e.is_no_run() => {
            Failure::new(Exit::Usage, e).hint("give the directory of a run: it holds run.json and spool")
        }
        None => {
            Failure::new(Exit::Incomplete, e).hint("the run was damaged after it was saved, or by a crash")
        }
    })
}

fn record(request: &Request<'_>, host: HostBefore) -> Result<RunRecord, Failure> {
    let new_id =
        || run_id::new_id().map_err(|e| Failure::new(Exit::Failed, format!("no id for the run: {e}")));
    let (id, round) = match request.round.clone() {
        Some(round) => (round.id, Some(round.record)),
        None => (new_id()?, None),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let tuned = request.tuned.as_deref().map(Tuned::facts).unwrap_or_default();
    Ok(RunRecord {
        format: FORMAT,
        id,
        name: request.labels.name.as_ref().unwrap_or(&request.name).clone(),
        fathom: env!("CARGO_PKG_VERSION").to_owned(),
        started_unix_ns: now.as_nanos() as u64,
        command: request.command.clone(),
        plan: PlanRecord::from(&*request.plan),
        globals: request.globals.clone(),
        host: host.facts.into_iter().chain(tuned).collect(),
        surroundings: RunSurroundings::default(),
        disks: Vec::new(),
        process_io: None,
        messages: Vec::new(),
        self_knowledge: SelfKnowledge { audit: host.audit, ..Default::default() },
        stops: Vec::new(),
        findings: Vec::new(),
        rules: Vec::new(),
        procedure: request.procedure.map(str::to_owned),
        round,
        note: request.labels.note.clone(),
        tags: request.labels.tags.clone(),
        answer: None,
        datasheet: None,
        finish: None,
        seal: None,
    })
}

/// What ended a run, and the sentence that says so.
fn ending(
    request: &Request<'_>,
    targets: &Guarded,
    end: &SinkEnd,
    given_up: usize,
) -> (RunEnd, Option<String>) {
    if let Some(why) = targets.alarm().why() {
        return (RunEnd::Unsafe, Some(why));
    }
    let trouble = end.trouble.as_ref().or(end.log_trouble.as_ref());
    let ended = match (request.ender.cause(), trouble) {
        (Some(cause), _) => cause.run_end(),
        (None, Some(_)) => RunEnd::Unsaved,
        (None, None) if given_up > 0 => RunEnd::GivenUp,
        (None, None) if end.complete => RunEnd::ByItself,
        (None, None) => RunEnd::JobFailed,
    };
    (ended, trouble.filter(|_| ended == RunEnd::Unsaved).cloned())
}
