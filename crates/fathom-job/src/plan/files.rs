//! Which files a clone works on, and whether each can be a target at all.

use super::control_nodes::control_node;
use super::names;
use super::notes::{self, Checked, Notes};
use super::simulated;
use super::target::{PlannedTarget, TargetFacts, TargetKind, TargetLookup};
use crate::engine::{EngineDef, SIM};
use crate::job::Job;
use crate::options;
use fathom_text::shell::quoted_carried;

/// Character devices that answer reads and writes like a disk of any size.
const ENDLESS: [&str; 2] = ["/dev/null", "/dev/zero"];

/// The targets of clone `subjob`; empty when one of them cannot be.
pub(super) fn targets(
    job: &Job,
    subjob: u32,
    engine: &EngineDef,
    lookup: &dyn TargetLookup,
    notes: &mut Notes,
) -> Vec<PlannedTarget> {
    if engine.name == SIM {
        let names = job.get(&options::FILENAME).unwrap_or_default();
        return simulated::targets(job, &names[..names.len().min(count(job))], notes);
    }
    if engine.diskless {
        let none = TargetFacts { kind: TargetKind::None, ..TargetFacts::MISSING };
        return vec![PlannedTarget { path: String::new(), facts: none }; count(job)];
    }
    if let Some(error) = names::meant_otherwise(job, lookup) {
        notes.push(error);
        return Vec::new();
    }
    let found = paths(job, subjob, lookup)
        .into_iter()
        .map(|path| PlannedTarget { facts: lookup.look_up(&path), path });
    let checked: Vec<Option<PlannedTarget>> =
        found.map(|target| notes.take(check(job, target, lookup))).collect();
    let targets: Vec<PlannedTarget> = checked.into_iter().collect::<Option<_>>().unwrap_or_default();
    names::note_of_new_files(job, &targets, notes);
    names::note_of_semicolon(job, &targets, notes);
    targets
}

/// Number of files of one clone. An explicit `nrfiles` below the number of
/// names in `filename` leaves the last ones out, as in fio.
pub(super) fn count(job: &Job) -> usize {
    let asked = job.get(&options::NRFILES) as usize;
    match job.get(&options::FILENAME) {
        Some(names) if job.is_given(&options::NRFILES) => names.len().min(asked),
        Some(names) => names.len(),
        None => asked,
    }
}

fn paths(job: &Job, subjob: u32, lookup: &dyn TargetLookup) -> Vec<String> {
    let directory = directory(job, subjob);
    let place = |name: String| match &directory {
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
        None => name,
    };
    let names: Vec<String> = match job.get(&options::FILENAME) {
        Some(names) => names.into_iter().take(count(job)).collect(),
        None if is_device(job, lookup) => vec![job.section.clone()],
        None => (0..count(job)).map(|file| generated(job, subjob, file)).collect(),
    };
    names.into_iter().map(place).collect()
}

/// `directory=a:b` gives its entries to the clones in turn.
fn directory(job: &Job, subjob: u32) -> Option<String> {
    let all = job.get(&options::DIRECTORY)?;
    all.get(subjob as usize % all.len().max(1)).cloned()
}

/// A section named like an existing device is that device, as in fio.
fn is_device(job: &Job, lookup: &dyn TargetLookup) -> bool {
    let one = job.get(&options::NRFILES) == 1 && job.get(&options::DIRECTORY).is_none();
    one && matches!(lookup.look_up(&job.section).kind, TargetKind::Block | TargetKind::Char)
}

fn generated(job: &Job, subjob: u32, file: usize) -> String {
    job.get(&options::FILENAME_FORMAT)
        .replace("$jobname", &job.section)
        .replace("$jobnum", &subjob.to_string())
        .replace("$filenum", &file.to_string())
        .replace("$clientuid", "localhost")
}

fn check(job: &Job, target: PlannedTarget, lookup: &dyn TargetLookup) -> Checked<PlannedTarget> {
    let path = &target.path;
    if matches!(target.facts.kind, TargetKind::Char | TargetKind::Missing)
        && let Some(node) = control_node(path)
    {
        let message = format!("{path} is {}: it takes commands, and no reads and writes", node.what);
        return Err(notes::error(job, &options::FILENAME, "control-node", message).hint(node.instead));
    }
    let (code, message, hint) = match target.facts.kind {
        TargetKind::Directory => (
            "target-directory",
            format!("{path} is a directory, not a file or device"),
            format!("directory={path} puts generated files there"),
        ),
        TargetKind::Char if !ENDLESS.contains(&path.as_str()) => (
            "target-char",
            format!("{path} is neither a file nor a disk, but a character device, a FIFO or a socket"),
            "name the block device; of these only /dev/null and /dev/zero are accepted".to_owned(),
        ),
        TargetKind::Closed => (
            "target-closed",
            format!("cannot look at {path}: a directory on the way to it is closed to this user"),
            "run as a user who may search that directory, or as root".to_owned(),
        ),
        TargetKind::Missing if is_device_path(path) => (
            "target-missing",
            format!("there is no device {path}"),
            "lsblk lists the devices; a file created in /dev would be in memory".to_owned(),
        ),
        TargetKind::Missing if !job.get(&options::ALLOW_FILE_CREATE) => (
            "target-missing",
            format!("{path} does not exist, and allow_file_create=0 forbids creating it"),
            "allow_file_create=1, or the name of an existing file".to_owned(),
        ),
        TargetKind::Missing => match missing_parent(path, lookup) {
            None => return Ok(target),
            Some(parent) => (
                "target-missing",
                // The same for all files there: one message.
                format!("files of job {} cannot be created: there is no directory {parent}", job.name),
                format!("mkdir -p {} creates it", quoted_carried(parent)),
            ),
        },
        _ => return Ok(target),
    };
    Err(notes::error(job, &options::FILENAME, code, message).hint(hint))
}

/// The directory that a new file would lie in, if it is not there. A name
/// without one lies in the current directory.
fn missing_parent<'a>(path: &'a str, lookup: &dyn TargetLookup) -> Option<&'a str> {
    let (parent, _) = path.rsplit_once('/')?;
    let parent = parent.trim_end_matches('/');
    let missing = !parent.is_empty() && lookup.look_up(parent).kind == TargetKind::Missing;
    missing.then_some(parent)
}

/// /dev holds device nodes; /dev/shm below it is an ordinary tmpfs.
fn is_device_path(path: &str) -> bool {
    path.starts_with("/dev/") && !path.starts_with("/dev/shm/")
}
