//! Connects guard and engine: the engine can open only what the guard admitted.

use crate::exit::Failure;
use crate::here::Here;
use crate::names::WorkerNames;
use crate::slow_look::SlowLook;
use crate::target_watch::Alarm;
use crate::traces;
use crate::verify_states::LoadedStates;
use fathom_device::ask::identify_open;
use fathom_device::command_node::CommandUnit;
use fathom_device::device::Identity;
use fathom_device::nvme::Namespace;
use fathom_engine::target::{
    CommandTarget, JobNames, NamespaceFormat, OpenHow, OpenTarget, TargetSource, TraceBytes,
};
use fathom_guard as guard;
use fathom_guard::{Access, Admitted, AdmittedKind, AdmittedName, FileOrigin, Guard, GuardError, Refusal};
use fathom_job::engine::NameWork;
use fathom_job::options;
use fathom_job::plan::{Plan, PlannedFile, PlannedJob, TargetKind};
use fathom_results::VerifyState;
use fathom_text::carried::to_path;
use std::collections::{BTreeMap, HashMap};
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
    /// What jobs of names work on, by path.
    names: HashMap<String, Arc<AdmittedName>>,
    alarm: Arc<Alarm>,
    /// What jobs are checked by.
    states: LoadedStates,
    /// The traces of jobs, by plan id.
    traces: BTreeMap<u32, Vec<PathBuf>>,
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
        let alarm = Arc::new(Alarm::new(here.listener().clone()));
        let mut guarded = Guarded {
            admitted: Vec::new(),
            names: HashMap::new(),
            alarm,
            states: LoadedStates::new(),
            traces: traces::of(plan),
        };
        let admitted = guarded.admit_all(guard, plan, here);
        if admitted.is_err() {
            guarded.remove_untouched();
        }
        admitted?;
        guarded.admitted.sort_unstable_by(|a, b| a.path().cmp(b.path()));
        guarded.name_files(guard, plan).map_err(|e| failure(&e))?;
        Ok(guarded)
    }

    fn admit_all(&mut self, guard: &Guard, plan: &Plan, here: &Here) -> Result<(), Failure> {
        let new = || FileOrigin::Create { tag: concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned() };
        for (path, Wanted { access, is_missing, is_named, .. }) in admissible(plan) {
            let origin = if is_missing { new() } else { FileOrigin::Existing };
            let real = to_path(path);
            let admit = || match is_named {
                true => guard.admit_unheld(&real, access, &origin),
                false => guard.admit_file(&real, access, &origin),
            };
            let target = here.slow_look().at(&real, admit).map_err(|e| failure(&e))?;
            self.admitted.push(Known::of(&real, target));
        }
        let renames = |(_, work): &(&str, NameWork)| *work == NameWork::RenameFile;
        // Where jobs share a name and one of them renames, it has two.
        let (renamed, others): (Vec<_>, Vec<_>) = names_of(plan).partition(renames);
        for (path, work) in others.into_iter().chain(renamed) {
            let real = to_path(path);
            let admit = || match work {
                NameWork::RenameFile => guard.admit_renamed(&real),
                _ => guard.admit_name(&real, work.is_of_directories()),
            };
            let name = here.slow_look().at(&real, admit).map_err(|e| failure(&e))?;
            self.names.insert(path.to_owned(), Arc::new(name));
        }
        Ok(())
    }

    /// The names of files that a job of names has admitted.
    fn name_files(&mut self, guard: &Guard, plan: &Plan) -> Result<(), GuardError> {
        let jobs = plan.jobs.iter().filter(|job| job.is_of_names());
        for file in jobs.flat_map(|job| &job.files).filter(|file| file.is_on_machine()) {
            if let Ok(admitted) = self.of(&file.path) {
                let name = guard.name_of(admitted)?;
                self.names.insert(file.path.clone(), Arc::new(name));
            }
        }
        Ok(())
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
    let refusal = |(path, Wanted { access, is_missing, .. })| {
        let path = to_path(path);
        let judged = || match is_missing {
            true => guard.may_create(&path),
            false => guard.admit(&path, access).map(drop),
        };
        slow_look.at(&path, judged).err().map(|e| failure(&e))
    };
    let new_names = names_of(plan).filter_map(|(path, _)| {
        let path = to_path(path);
        slow_look.at(&path, || guard.may_create(&path)).err().map(|e| failure(&e))
    });
    admissible(plan).filter_map(refusal).chain(new_names).collect()
}

/// How a target is wanted.
struct Wanted {
    access: Access,
    is_missing: bool,
    /// One of its jobs may make it.
    may_make: bool,
    /// A job works on its name alone.
    is_named: bool,
}

/// The targets that are there or may be made. A job without `allow_file_create` that lacks a file fails by itself.
fn admissible(plan: &Plan) -> impl Iterator<Item = (&str, Wanted)> {
    targets_of(plan).into_iter().filter(|(_, wanted)| !wanted.is_missing || wanted.may_make)
}

/// The targets of the plan, with the most that any job wants.
fn targets_of(plan: &Plan) -> BTreeMap<&str, Wanted> {
    let mut targets: BTreeMap<&str, Wanted> = BTreeMap::new();
    for (job, file) in plan.jobs.iter().flat_map(|job| job.files.iter().map(move |file| (job, file))) {
        if file.is_on_machine() {
            let nothing = Wanted { access: Access::Read, is_missing: false, may_make: false, is_named: true };
            let wanted = targets.entry(&file.path).or_insert(nothing);
            wanted.access = wanted.access.max(access(job, file));
            wanted.is_missing |= file.kind == TargetKind::Missing;
            wanted.may_make |= job.job.get(&options::ALLOW_FILE_CREATE);
            wanted.is_named &= job.is_of_names();
        }
    }
    targets
}

/// The names that jobs make, and those of directories.
fn names_of(plan: &Plan) -> impl Iterator<Item = (&str, NameWork)> {
    let of_job = |job: &PlannedJob| job.engine_def().and_then(|engine| engine.names);
    let jobs = plan.jobs.iter().filter_map(move |job| Some((job, of_job(job)?)));
    let files = jobs.flat_map(|(job, work)| job.files.iter().map(move |file| (file, work)));
    files.filter(|(file, _)| file.kind == TargetKind::Name).map(|(file, work)| (file.path.as_str(), work))
}

/// Jobs that write need write access, and so do the layout of a file that is too short, and removing a file.
fn access(job: &PlannedJob, file: &PlannedFile) -> Access {
    let must_grow = match file.kind {
        TargetKind::Missing => true,
        TargetKind::File => file.length.is_some_and(|length| length < file.needs),
        _ => false,
    };
    let removes = job.engine_def().and_then(|engine| engine.names) == Some(NameWork::RemoveFile);
    if job.writes() || must_grow || removes { Access::Write } else { Access::Read }
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

/// How the blocks of an open namespace are formatted, and its size in bytes of data.
fn namespace_format(file: &File, nsid: u32) -> io::Result<(NamespaceFormat, u64)> {
    let answer = identify_open(file, nsid).map_err(io::Error::other)?;
    let namespace = Namespace::parse(&answer).map_err(io::Error::other)?;
    let format = namespace.format();
    let size = namespace.size_blocks.saturating_mul(format.data_bytes.into());
    let format = NamespaceFormat {
        nsid,
        block_bytes: format.data_bytes,
        metadata_bytes: format.metadata_bytes,
        is_extended: namespace.has_extended_blocks,
        protection_type: namespace.protection_type,
    };
    Ok((format, size))
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
        let mut commands = None;
        let size = match admitted.kind() {
            AdmittedKind::Node(node) => {
                let (target, size) = match node.unit() {
                    CommandUnit::Namespace(nsid) => {
                        let (format, size) = namespace_format(&file, nsid).map_err(named)?;
                        (CommandTarget::Namespace(format), size)
                    }
                    // The disk is asked by its engine.
                    CommandUnit::Scsi(_) => {
                        (CommandTarget::ScsiNode, admitted.identity().map_or(0, |disk| disk.size_bytes))
                    }
                };
                commands = Some(target);
                size
            }
            AdmittedKind::Memory => 0,
            AdmittedKind::File { .. } => file.metadata().map_err(named)?.len(),
            AdmittedKind::Block(identity) => {
                let is_scsi = identity.as_deref().is_some_and(Identity::is_scsi_disk);
                commands = is_scsi.then_some(CommandTarget::ScsiDisk);
                let size = file.seek(SeekFrom::End(0)).map_err(named)?;
                file.rewind().map_err(named)?;
                size
            }
        };
        Ok(OpenTarget { fd: file.into(), is_block, size, commands })
    }

    fn verify_state(&self, job: u32) -> Option<Arc<VerifyState>> {
        self.states.get(&job).cloned()
    }

    fn names(&self, job: &PlannedJob) -> io::Result<Box<dyn JobNames>> {
        let work = job.engine_def().and_then(|engine| engine.names);
        let unknown = |path: &str| io::Error::other(format!("{path}: not admitted by the guard"));
        let work = work.ok_or_else(|| unknown(&job.name))?;
        let name = |path: &String| self.names.get(path).cloned().ok_or_else(|| unknown(path));
        let names = job.files.iter().map(|file| name(&file.path)).collect::<io::Result<_>>()?;
        Ok(Box::new(WorkerNames::prepare(job, work, names)?))
    }

    fn traces(&self, job: u32) -> io::Result<Vec<Box<dyn TraceBytes>>> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, format!("job {job} has no trace"));
        let open = |path: &PathBuf| Ok(Box::new(traces::open(path)?) as Box<dyn TraceBytes>);
        self.traces.get(&job).ok_or_else(missing)?.iter().map(open).collect()
    }

    fn unlink(&self, path: &str) -> io::Result<()> {
        let name = self.names.get(path);
        let Ok(admitted) = self.of(path) else {
            return name.map_or_else(|| self.of(path).map(drop), |name| name.remove_made());
        };
        // A job of names may have removed it already.
        let is_gone = || name.is_some_and(|name| name.is_gone());
        match admitted.remove_created()? {
            true => Ok(()),
            false if is_gone() => Ok(()),
            false => Err(io::Error::other("this run did not create it")),
        }
    }
}
