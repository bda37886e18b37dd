//! Which files a clone works on, whether each can be a target at all, and names that mean something else than their author wants.

use super::notes::{self, Checked, Notes};
use super::target::{PlannedTarget, TargetFacts, TargetKind, TargetLookup, control_node};
use super::{PlannedFile, listed, names, passthrough, target};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::engine::{EngineDef, SIM};
use crate::job::Job;
use crate::options;
use fathom_text::shell::quoted_carried;
use std::ops::Deref;
use std::sync::Arc;

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
        return target::simulated_targets(job, &names[..names.len().min(count(job))], notes);
    }
    if engine.diskless {
        let none = TargetFacts { kind: TargetKind::None, ..TargetFacts::MISSING };
        return vec![PlannedTarget { path: String::new(), facts: none }; count(job)];
    }
    if let Some(error) = meant_otherwise(job, lookup) {
        notes.push(error);
        return Vec::new();
    }
    let Some(paths) = notes.take(paths(job, subjob, lookup)) else { return Vec::new() };
    let found = paths.into_iter().map(|path| PlannedTarget { facts: lookup.look_up(&path), path });
    let check = |target: PlannedTarget| match engine.names.filter(|work| !work.needs_files()) {
        Some(work) => names::check(job, work, target, |target| check(job, target, lookup)),
        None => is_of_type(job, &target)
            .and_then(|()| passthrough::check_target(job, engine, &target))
            .and_then(|()| check(job, target, lookup)),
    };
    let checked: Vec<Option<PlannedTarget>> = found.map(|target| notes.take(check(target))).collect();
    let targets: Vec<PlannedTarget> = checked.into_iter().collect::<Option<_>>().unwrap_or_default();
    note_of_missing(job, &targets, lookup, notes);
    note_of_new_files(job, &targets, notes);
    note_of_semicolon(job, &targets, notes);
    targets
}

/// Number of files of one clone. An explicit `nrfiles` below the number of
/// names in `filename` leaves the last ones out, as in fio.
pub(super) fn count(job: &Job) -> usize {
    match job.get(&options::FILENAME) {
        Some(names) => used(job, names.len()),
        None => job.get(&options::NRFILES) as usize,
    }
}

/// How many of so many existing files a clone uses.
fn used(job: &Job, files: usize) -> usize {
    if job.is_given(&options::NRFILES) { files.min(job.get(&options::NRFILES) as usize) } else { files }
}

fn paths(job: &Job, subjob: u32, lookup: &dyn TargetLookup) -> Checked<Vec<String>> {
    if let Some(listed) = listed::files(job, lookup)? {
        let mut all = job.get(&options::FILENAME).unwrap_or_default();
        all.extend(listed);
        all.truncate(used(job, all.len()));
        return Ok(all);
    }
    let is_device = job.get(&options::FILENAME).is_none() && is_device(job, lookup);
    Ok(if is_device { vec![job.section.clone()] } else { file_names(job, subjob) })
}

/// The files of a clone in its directory: those that its job names, or else those with generated names.
pub fn file_names(job: &Job, subjob: u32) -> Vec<String> {
    let directory = directory(job, subjob);
    let place = |name: String| match &directory {
        // A trace names whole paths.
        Some(_) if name.starts_with('/') && job.is_given(&options::READ_IOLOG) => name,
        Some(directory) => format!("{}/{name}", directory.trim_end_matches('/')),
        None => name,
    };
    let names: Vec<String> = match job.get(&options::FILENAME) {
        Some(names) => names.into_iter().take(count(job)).collect(),
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
    one && matches!(
        lookup.look_up(&job.section).kind,
        TargetKind::Block | TargetKind::Namespace | TargetKind::ScsiNode | TargetKind::Char
    )
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
            TARGET_MISSING,
            format!("there is no device {path}"),
            "lsblk lists the devices; a file created in /dev would be in memory".to_owned(),
        ),
        TargetKind::Missing => match missing_parent(path, lookup) {
            Some(parent) if job.is_given(&options::DIRECTORY) => {
                return Err(missing_directory(job, parent, Severity::Error));
            }
            _ => return Ok(target),
        },
        _ => return Ok(target),
    };
    Err(of_trace(job, notes::error(job, &options::FILENAME, code, message).hint(hint)))
}

/// The files of a trace need not be those of this machine.
fn of_trace(job: &Job, finding: Diagnostic) -> Diagnostic {
    if job.is_given(&options::READ_IOLOG) { finding.hint(notes::REDIRECT) } else { finding }
}

/// Code of the finding that a file cannot be made. It is a warning of the plan, because the caller decides what that means: fio makes
/// the directories of `filename`, and of several jobs only the one fails that may not make its file.
pub const TARGET_MISSING: &str = "target-missing";

/// The same for all files there, so that it is one message.
fn missing_directory(job: &Job, parent: &str, severity: Severity) -> Diagnostic {
    let message = format!("files of job {} cannot be created: there is no directory {parent}", job.name);
    let error = notes::error(job, &options::FILENAME, TARGET_MISSING, message);
    let error = error.hint(format!("mkdir -p {} creates it", quoted_carried(parent)));
    Diagnostic { severity, ..of_trace(job, error) }
}

/// Files that are not there, and cannot be made.
fn note_of_missing(job: &Job, targets: &[PlannedTarget], lookup: &dyn TargetLookup, notes: &mut Notes) {
    for PlannedTarget { path, .. } in targets.iter().filter(|it| it.facts.kind == TargetKind::Missing) {
        if !job.get(&options::ALLOW_FILE_CREATE) {
            let message = format!("{path} does not exist, and allow_file_create=0 forbids creating it");
            let finding = notes::warning(job, &options::FILENAME, TARGET_MISSING, message);
            notes.push(finding.hint("allow_file_create=1, or the name of an existing file"));
        } else if let Some(parent) = missing_parent(path, lookup) {
            notes.push(missing_directory(job, parent, Severity::Warning));
        }
    }
}

/// Has the target the kind of `filetype`? A new file is a file.
fn is_of_type(job: &Job, target: &PlannedTarget) -> Checked<()> {
    let kind = target.facts.kind;
    let (asked, is_it) = match job.get(&options::FILETYPE) {
        "file" => ("a file", kind.is_file()),
        "block" => ("a block device", kind == TargetKind::Block),
        "char" => ("a character device", kind == TargetKind::Char || kind.is_command_node()),
        _ => return Ok(()),
    };
    if is_it {
        return Ok(());
    }
    let message = format!("job {}: {} is not {asked}, as filetype= says", job.name, target.path);
    Err(notes::error(job, &options::FILETYPE, "filetype", message).hint("filetype=auto, or another target"))
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

// The files of a clone: there may be a hundred thousand.
//
// Copies of a plan share them.

/// Files in the order in which the clone knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileList(Arc<Vec<PlannedFile>>);

impl FileList {
    pub(super) fn for_each_mut(&mut self, change: impl FnMut(&mut PlannedFile)) {
        Arc::make_mut(&mut self.0).iter_mut().for_each(change);
    }
}

impl Deref for FileList {
    type Target = [PlannedFile];

    fn deref(&self) -> &[PlannedFile] {
        &self.0
    }
}

impl From<Vec<PlannedFile>> for FileList {
    fn from(files: Vec<PlannedFile>) -> Self {
        Self(Arc::new(files))
    }
}

impl FromIterator<PlannedFile> for FileList {
    fn from_iter<I: IntoIterator<Item = PlannedFile>>(files: I) -> Self {
        Vec::from_iter(files).into()
    }
}

impl<'a> IntoIterator for &'a FileList {
    type Item = &'a PlannedFile;
    type IntoIter = std::slice::Iter<'a, PlannedFile>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

// Names that mean something else than their author wants: a colon that separates names where one name was meant, another
// character that does not separate them, and names of Windows.

/// The error, if the value of `filename` is not what it says.
pub(super) fn meant_otherwise(job: &Job, lookup: &dyn TargetLookup) -> Option<Diagnostic> {
    if let Some(error) = of_windows(job).or_else(|| unseparated(job, lookup)) {
        return Some(error);
    }
    let names = job.get(&options::FILENAME)?;
    let typed = job.setting(&options::FILENAME)?.text.trim();
    // All parts are there, so the list is meant; a backslash shows that its author knows how colons are written.
    let is_list =
        names.len() < 2 || typed.contains('\\') || names.iter().all(|name| name_exists(name, lookup));
    if is_list || !name_exists(typed, lookup) {
        return None;
    }
    let message = format!(
        "job {}: `:` separates names, so filename={typed} is {} names; but there is one file or device of the whole name",
        job.name,
        names.len()
    );
    let error = notes::error(job, &options::FILENAME, "colon-in-name", message);
    Some(error.hint(format!(
        "filename={} is the one file; fathom run --target takes names as they are",
        typed.replace(':', "\\:")
    )))
}

/// The error for a target, a directory or a section with a name of Windows.
fn of_windows(job: &Job) -> Option<Diagnostic> {
    let settings = [job.setting(&options::FILENAME), job.setting(&options::DIRECTORY)];
    let mut typed = settings.into_iter().flatten().map(|setting| (setting.text.trim(), &setting.span));
    let by_section = || Some((job.section.as_str(), &job.span)).filter(|_| !job.is_given(&options::FILENAME));
    let is_it = |(text, _): &(&str, &Span)| is_of_windows(text);
    let (name, span) = typed.find(is_it).or_else(|| by_section().filter(is_it))?;
    let message = format!("job {}: {name} is a name of Windows", job.name);
    let error = Diagnostic::error("windows-name", message).at(span);
    Some(match span.line {
        0 => error.hint("fathom devices lists the disks of this machine by their names"),
        _ => error.hint(format!(
            "fathom convert {} --from windows --target DEVICE makes a job file for Linux of it",
            quoted_carried(&span.file)
        )),
    })
}

/// `\\.\PhysicalDrive1`, `D:\f` and `D\:\f`.
fn is_of_windows(typed: &str) -> bool {
    let is_drive = |text: &str| {
        let mut chars = text.chars();
        let (letter, rest) = (chars.next(), chars.as_str());
        letter.is_some_and(|c| c.is_ascii_alphabetic())
            && (rest.starts_with(":\\") || rest.starts_with("\\:\\"))
    };
    is_drive(typed) || typed.starts_with(r"\\.\") || typed.contains(r":\\.\")
}

/// Characters that some write between two names.
const NO_SEPARATORS: [char; 3] = [';', ',', ' '];

/// The error for names with another character between them than `:`, where that is no name of a file: all parts are there, or all
/// are whole paths.
fn unseparated(job: &Job, lookup: &dyn TargetLookup) -> Option<Diagnostic> {
    let names = job.get(&options::FILENAME)?;
    let (name, parts, separator) = names.iter().find_map(|name| parts_of(name))?;
    let are_paths = parts.iter().all(|part| part.starts_with('/'));
    let are_there = || parts.iter().all(|part| name_exists(part, lookup));
    if name_exists(name, lookup) || !are_paths && !are_there() {
        return None;
    }
    let message = format!(
        "job {}: `:` separates names in filename, and `{separator}` does not: {name} is one name",
        job.name
    );
    let error = notes::error(job, &options::FILENAME, "separator-in-name", message);
    Some(error.hint(meant(&parts, separator)))
}

/// A name with its parts and the character between them, if one of these characters is in it.
fn parts_of(name: &str) -> Option<(&str, Vec<&str>, char)> {
    NO_SEPARATORS.into_iter().find_map(|separator| {
        let parts: Vec<&str> = name.split(separator).map(str::trim).filter(|part| !part.is_empty()).collect();
        (parts.len() > 1).then_some((name, parts, separator))
    })
}

fn meant(parts: &[&str], separator: char) -> String {
    let shell = if separator == ';' { "; a shell ends the command at a `;` without quotes" } else { "" };
    format!("filename={} names each of them{shell}", parts.join(":"))
}

/// Says that a new file will have a `;` in its name: it may have been meant to separate two.
pub(super) fn note_of_semicolon(job: &Job, targets: &[PlannedTarget], notes: &mut notes::Notes) {
    let mut new = targets.iter().filter(|target| target.facts.kind == TargetKind::Missing);
    let Some((name, parts, separator)) =
        new.find_map(|target| parts_of(&target.path).filter(|(.., separator)| *separator == ';'))
    else {
        return;
    };
    let message = format!("job {}: one file with `;` in its name will be created: {name}", job.name);
    let note = Diagnostic::new(Severity::Note, "separator-in-name", message);
    notes.push(notes::at(note, job, &options::FILENAME).hint(meant(&parts, separator)));
}

fn name_exists(name: &str, lookup: &dyn TargetLookup) -> bool {
    lookup.look_up(name).kind != TargetKind::Missing
}

/// The names of targets that are not there.
pub(super) fn missing(targets: &[PlannedTarget]) -> Vec<&str> {
    let missing = targets.iter().filter(|target| target.facts.kind == TargetKind::Missing);
    missing.map(|target| target.path.as_str()).collect()
}

/// Says which files of a list will be made, since the colon may have been meant as a part of a name.
pub(super) fn note_of_new_files(job: &Job, targets: &[PlannedTarget], notes: &mut notes::Notes) {
    let is_of_trace = job.is_given(&options::READ_IOLOG);
    let is_typed = !is_of_trace && job.get(&options::FILENAME).is_some_and(|names| names.len() > 1);
    let new = missing(targets);
    if !is_typed || new.is_empty() {
        return;
    }
    let message = format!(
        "job {}: `:` separates names in filename; these files will be created: {}",
        job.name,
        new.join(", ")
    );
    let finding =
        notes::at(Diagnostic::new(Severity::Note, "colon-in-name", message), job, &options::FILENAME);
    notes.push(finding.hint("`\\:` is a colon that belongs to a name"));
}
