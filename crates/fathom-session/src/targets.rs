//! Connects guard and engine: the engine can open only what the guard admitted.

use crate::exit::Failure;
use crate::here::Here;
use crate::slow_look::SlowLook;
use crate::target_watch::Alarm;
use crate::traces;
use crate::verify_states::LoadedStates;
use fathom_engine::target::{OpenHow, OpenTarget, TargetSource, TraceBytes};
use fathom_guard as guard;
use fathom_guard::{Access, Admitted, AdmittedKind, FileOrigin, Guard, GuardError, Refusal};
use fathom_job::plan::{Plan, PlannedFile, PlannedJob, TargetKind};
use fathom_results::VerifyState;
use fathom_text::carried::to_path;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The admitted targets of a run, by path.
pub struct Guarded {
    /// Sorted by path.
    admitted: Vec<Known>,
    alarm: Arc<Alarm>,
    /// What jobs are checked by.
    states: LoadedStates,
    /// The traces of jobs, by plan id.
    traces: BTreeMap<u32, PathBuf>,
}

/// A target with its path in the plan.
struct Known {
    /// The path, if the target was first admitted by another path.
    other_path: Option<Box<Path>>,
    target: Arc<Admitted>,
}

impl Known {
    fn of(path: &Path, target: Arc<Admitted>) -> Self {
        let other_path = (target.path().as_os_str() != path.as_os_str()).then(|| path.into());
        Known { other_path, target }
    }

    fn path(&self) -> &OsStr {
        self.other_path.as_deref().unwrap_or(self.target.path()).as_os_str()
    }
}

impl Guarded {
    /// Has the guard admit every target of the plan. A target that any job writes is
    /// admitted for writing, which allows reading too. When one target is refused, the
    /// files created for the others are removed.
    pub fn admit(guard: &Guard, plan: &Plan, here: &Here) -> Result<Self, Failure> {
        let mut wanted: BTreeMap<&str, (Access, bool)> = BTreeMap::new();
        for (job, file) in plan.jobs.iter().flat_map(|j| j.files.iter().map(move |f| (j, f))) {
            if file.is_on_machine() {
                let place = wanted.entry(&file.path).or_insert((Access::Read, false));
                place.0 = place.0.max(access(job, file));
                place.1 |= file.kind == TargetKind::Missing;
            }
        }
        let alarm = Arc::new(Alarm::new(here.listener().clone()));
        let admitted = Vec::with_capacity(wanted.len());
        let mut guarded = Guarded { admitted, alarm, states: LoadedStates::new(), traces: traces::of(plan) };
        for (path, (access, is_missing)) in wanted {
            let origin = match is_missing {
                true => FileOrigin::Create { tag: concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned() },
                false => FileOrigin::Existing,
            };
            let real = to_path(path);
            match here.slow_look().at(&real, || guard.admit_file(&real, access, &origin)) {
                Ok(target) => guarded.admitted.push(Known::of(&real, target)),
                Err(e) => {
                    guarded.remove_untouched();
                    return Err(failure(&e));
                }
            }
        }
        guarded.admitted.sort_unstable_by(|a, b| a.path().cmp(b.path()));
        Ok(guarded)
    }

    /// With the states that jobs are checked by.
    pub fn with(self, states: LoadedStates) -> Self {
        Guarded { states, ..self }
    }

    /// Removes the files that were created, if the run does not happen.
    pub fn remove_untouched(&self) {
        for known in &self.admitted {
            // The error that stopped the run matters more than this one.
            let _ = known.target.remove_created();
        }
    }

    /// The alarm that says why the run must end.
    pub fn alarm(&self) -> &Arc<Alarm> {
        &self.alarm
    }

    fn of(&self, path: &str) -> io::Result<&Arc<Admitted>> {
        let missing =
            || io::Error::new(io::ErrorKind::PermissionDenied, format!("{path}: not admitted by the guard"));
        let wanted = to_path(path);
        let place = self.admitted.binary_search_by(|known| known.path().cmp(wanted.as_os_str()));
        place.map(|at| &self.admitted[at].target).map_err(|_| missing())
    }
}

/// Targets of the plan that would not be admitted. A missing file is not made.
pub fn refused(guard: &Guard, plan: &Plan, slow_look: &SlowLook) -> Vec<Failure> {
    let mut wanted: BTreeMap<&str, (Access, bool)> = BTreeMap::new();
    for (job, file) in plan.jobs.iter().flat_map(|j| j.files.iter().map(move |f| (j, f))) {
        if file.is_on_machine() {
            let place = wanted.entry(&file.path).or_insert((Access::Read, false));
            place.0 = place.0.max(access(job, file));
            place.1 |= file.kind == TargetKind::Missing;
        }
    }
    let refusal = |(path, (access, is_missing))| {
        let path = to_path(path);
        let judged = || match is_missing {
            true => guard.may_create(&path),
            false => guard.admit(&path, access).map(drop),
        };
        slow_look.at(&path, judged).err().map(|e| failure(&e))
    };
    wanted.into_iter().filter_map(refusal).collect()
}

/// Jobs that write need write access, and so does the layout of a file that is too short.
fn access(job: &PlannedJob, file: &PlannedFile) -> Access {
    let must_grow = match file.kind {
        TargetKind::Missing => true,
        TargetKind::File => file.length.is_some_and(|length| length < file.needs),
        _ => false,
    };
    if job.writes() || must_grow { Access::Write } else { Access::Read }
}

fn failure(e: &GuardError) -> Failure {
    Failure::of(e, e.is_refusal(), e.is_usage()).hints(e.hints()).lacking_consent(e.lacks_consent())
}

/// A target that cannot be opened. The errno stays known by its source.
#[derive(Debug)]
struct CannotOpen {
    message: String,
    source: io::Error,
}

impl Display for CannotOpen {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for CannotOpen {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}

impl TargetSource for Guarded {
    fn open(&self, path: &str, how: OpenHow) -> io::Result<OpenTarget> {
        let admitted = self.of(path)?;
        let named = |e: io::Error| {
            let hint = match e.raw_os_error() {
                Some(22) if how.direct => "; its filesystem does not do direct I/O (direct=1)",
                _ => "",
            };
            let message = format!("cannot open {path}: {e}{hint}");
            io::Error::new(e.kind(), CannotOpen { message, source: e })
        };
        let OpenHow { write, direct, sync, dsync } = how;
        // fio sets it too: then a read changes nothing of the file.
        let noatime = matches!(admitted.kind(), AdmittedKind::File { .. });
        let how = guard::OpenFlags { write, direct, sync, dsync, noatime, ..guard::OpenFlags::default() };
        let fd = admitted.open(how).map_err(|e| {
            if let Some(refusal) = e.get_ref().and_then(|e| e.downcast_ref::<Refusal>()) {
                self.alarm.raise(refusal);
            }
            named(e)
        })?;
        let mut file = File::from(fd);
        let is_block = matches!(admitted.kind(), AdmittedKind::Block(_));
        let size = match admitted.kind() {
            AdmittedKind::Memory => 0,
            AdmittedKind::File { .. } => file.metadata().map_err(named)?.len(),
            AdmittedKind::Block(_) => {
                let size = file.seek(SeekFrom::End(0)).map_err(named)?;
                file.rewind().map_err(named)?;
                size
            }
        };
        Ok(OpenTarget { fd: file.into(), is_block, size })
    }

    fn verify_state(&self, job: u32) -> Option<Arc<VerifyState>> {
        self.states.get(&job).cloned()
    }

    fn trace(&self, job: u32) -> io::Result<Box<dyn TraceBytes>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("job {job} has no trace"));
        Ok(Box::new(traces::open(self.traces.get(&job).ok_or_else(missing)?)?))
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        match self.of(path)?.remove_created()? {
            true => Ok(()),
            false => Err(io::Error::other("this run did not create it")),
        }
    }
}
